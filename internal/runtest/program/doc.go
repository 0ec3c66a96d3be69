// Package program holds programs with what they must compute. It has tests only.
//
// In: tables of programs, each a source with a function that binds it, runs it and compares
// what it gives with plain Go. Out: failures, each with the program and the variant.
//
//   - Tables are listed in programs (program_test.go). Each program runs in every variant of
//     package runtest, and some with each part of the compiler left out (switch_test.go).
//   - Programs that need variants of their own have a test of their own: decompositions,
//     large matrices, views, int and float of 64 bits.
//   - threads_test.go compares the bits of results between numbers of threads, and
//     strict_test.go with those that the order of the source gives.
//
// A program gives the same in all variants. Where one may not, a map beside programs says
// why.
package program
