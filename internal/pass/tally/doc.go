// Package tally makes kernels count the numbers that they store, where they are compiled for Runtime.Ranges: histograms of
// exponents, the least and largest, and of packed numbers what storing them loses.
//
// In: the body of a kernel, with the sites at which it is to count in its Measure. Out: the same with updates of the fields of
// counters, which package internal/tally lays out.
//
// [Measure] does so for components that are stored as they are. Package quantise, which knows words before and after a store,
// has a [Meter] of its own. Package distribute makes the updates of numbers of 32 bits by vectors: it knows them by their shape (shape.go).
//
// Invariants: what the kernel computes and stores does not change. Counts do not depend on the order of iterations, but for sums
// of errors, which are added up in any order.
//
// Golden files are beside this file. Package internal/quanttest compares what kernels count with what the oracle counts.
package tally
