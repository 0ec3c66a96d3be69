// Package passtest has what tests of passes share: golden files ([Golden]), the layout of the fields of their kernels ([Layout]), and
// the targets for which they are compiled ([CPU], [Alone]).
//
// In: files testdata/STAGE/*.ir beside the test. Out: failures, or with -update the files with the output of the stage. It gets the
// stages as a function that runs one, since the tests of package pass itself use it.
//
// Tests: internal/pass/versioning and internal/pass/quantise run golden files by it (TestGolden).
package passtest
