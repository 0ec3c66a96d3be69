// Package randtest is shared by tests that generate their input from seeds: it has the flags for
// the number of seeds and the first one, and the loop over them. The same seed gives the
// same input.
//
// In: a function that tests one seed. Out: a subtest for each seed, named by it, and at the
// end a list of the seeds that failed. A failure does not stop the loop.
//
// The package also says whether long tests are to run. For fuzz targets of file formats it has a bound
// on the memory that reading a file may allocate, and a picture that claims a huge size. In a test binary that
// imports this package, an error of the compiler fails the launch; a program would continue without the part that failed.
package randtest
