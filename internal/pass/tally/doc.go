// Package tally makes kernels count the numbers that they store, where they are compiled for Runtime.Ranges: histograms of
// exponents, the least and largest, and of packed numbers what storing them loses.
//
// In: the body of a kernel, with the sites at which it is to count in its Measure. Out: a tally behind each store ([Measure]), an op that
// other passes need know nothing of; and later, in a task with addresses, updates of the fields of counters, which package internal/tally
// lays out, in place of the tallies ([Lower]).
//
//	measure   tallies behind stores of numbers as they are; package quantise, which knows words before and after a store, has a Meter
//	parts     what is counted of a store, part by part, as ops: of a number, or of those in the lanes of a vector
//	lower     updates of memory: variables of a thread, copies of histograms, atomics
//
// Between the two, package packet makes tallies of vectors, and package distribute counts what a strip of iterations stores by vectors.
// It leaves tallies of parts: the least number of a strip, how many numbers are in a bucket.
//
// Invariants: what the kernel computes and stores does not change. Counts do not depend on the order of iterations, but for sums
// of errors, which are added up in any order unless the result must not depend on the threads.
//
// Golden files are beside this file. Package internal/quanttest compares what kernels count with what the oracle counts.
package tally
