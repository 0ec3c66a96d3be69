// Package versioning makes versions of loops: a copy without index checks, or without what only the border of a range
// needs, and the loop as it was for where the copy cannot run. LLVM makes vectors of the copy.
//
// In: a task with addresses, whose checks are ifs of which one side fails. Out: the same with versions, or as it was. Three
// passes make them:
//
//	predicate   one question before the loop, at the start of the task or before an inner loop ([Predication])
//	interior    the iterations that no border concerns in a loop of their own ([Interior])
//	corners     one question before some iterations, a strip, about indices that are read from memory ([Inspector])
//
// What they share:
//
//	checks      ifs that fail, and dropping them
//	choice      the if between two versions of an iteration
//	question    the conditions of several checks as fewer comparisons
//	strips      tasks that go through their innermost dim in strips
//
// Invariants: results do not change a bit. A version without checks runs only where all its checks hold, and the version with
// checks says which access failed. Package distribute takes apart what these passes leave: it finds strips by [StripTrips], and the
// choice by [Choice].
package versioning
