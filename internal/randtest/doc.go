// Package randtest has what tests that make up their input from seeds share: flags that say
// how many seeds to try and from which on, and the loop over them. The same seed gives the
// same input.
//
// They also know whether all tests are asked for, those that take long too. Fuzz targets of file
// formats share a bound on what reading a file may allocate, and a picture that claims a huge size. And in a test binary that
// this package is linked into, an error of the compiler ends a launch: programs go on without the part that fails.
//
// In: a function that tests one seed. Out: a subtest for each seed, named by it, and in the
// end the list of those that failed; the others are tried all the same.
package randtest
