// Package passtest has what the tests of passes share: kernels in text with what a stage makes of them ([Golden]), where the
// fields of such kernels lie ([Layout]), and the processor that they are compiled for ([CPU]).
//
// In: files testdata/STAGE/*.ir beside the test. Out: failures, or with -update the files with what the stage gives. It knows
// stages by a function that runs one, since the tests of package pass itself use it.
//
// Tests: internal/pass/versioning and internal/pass/quantise run golden files by it (TestGolden).
package passtest
