// Package program has programs and their expected results. It has tests only.
//
// In: tables of programs, each a source with a function that binds it, runs it and compares
// its results with those of plain Go. Out: failures, each with the program and the variant.
//
//   - Tables are listed in programs (program_test.go). Each program runs in every variant of
//     package runtest, and some with each part of the compiler left out (switch_test.go).
//   - Programs that need variants of their own have a test of their own: decompositions,
//     large matrices, views, int and float of 64 bits.
//   - threads_test.go compares the bits of results for different numbers of threads, and
//     strict_test.go compares them with those of the order in the source.
//
// A program gives the same results in all variants. A map beside programs lists the exceptions,
// with reasons.
package program
