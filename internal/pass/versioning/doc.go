// Package versioning makes versions of loops: one without index checks, or without code for the border of a range, and the original
// loop for the cases in which the first cannot run. LLVM vectorises the first version.
//
// In: a task with addresses, whose checks are ifs with a region that fails. Out: the same with versions, or unchanged. Three passes
// make versions:
//
//	predication one test before the loop, at the start of the task or before an inner loop ([Predication])
//	interior    index-set splitting: a separate loop for the iterations that need no code for borders ([Interior])
//	inspector   inspector and executor: a loop tests the indices of a strip of iterations, which are read from memory ([Inspector])
//
// They share:
//
//	checks      ifs that fail, and how to drop them
//	choice      the if between two versions of an iteration
//	question    one test for several checks, with fewer comparisons
//	strips      strip-mining of the innermost dim of a task
//
// Invariants: results do not change a bit. A version without checks runs only if all its checks would pass, and the version with
// checks reports which access failed. Package distribute splits the resulting loops: it finds strips by [StripTrips], and the if by
// [Choice].
package versioning
