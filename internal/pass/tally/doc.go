// Package tally makes a kernel that is compiled for Runtime.Ranges count the numbers that it stores. It counts histograms of exponents, the
// least and the largest number, and, for packed numbers, what storing them loses.
//
// In: the body of a kernel, whose Measure lists the sites at which to count. Out: a tally after each store ([Measure]). Other passes need
// no rule for this op. Later, in a task with addresses, updates of the fields of counters replace the tallies ([Lower]). Package
// internal/tally lays out these fields.
//
//	measure   tallies after stores of unpacked numbers; package quantise, which has the words before and after a store, uses a Meter
//	parts     the parts of a tally, as ops on a number, or on the numbers in the lanes of a vector
//	lower     updates of memory: variables of a thread, private copies of histograms, atomics
//
// Between the two, package packet makes tallies of vectors, and package distribute counts the stores of a strip of iterations with vectors.
// They emit tallies of parts, such as the least number of a strip, or how many numbers are in a bucket.
//
// Invariants: the kernel computes and stores the same bits as without counting. Counts do not depend on the order of iterations. Sums of
// errors do; if results must not depend on the threads, their order is fixed.
//
// Golden files are beside this file. Package internal/quanttest compares what kernels count with what the oracle counts.
package tally
