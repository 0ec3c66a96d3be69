// Command mutate breaks the compiler in one place at a time and reports which
// breakages the tests do not notice.
//
//	go run ./internal/mutate -stages internal/mutate/stages.txt ./internal/pass=3 ./internal/mathlib=40
//
// A package is followed by the number of mutants of each of its files, at most. A
// mutant is an expression that has been replaced: an operator by another, a condition
// by its opposite, a number by its neighbour, an op or an instruction by a related one.
// All mutants are compiled into one set of test binaries, through an overlay, and the
// environment variable MUTANT chooses one when a binary runs: nothing is compiled for
// each, and no source is touched. A first run without a mutant notes which stage of
// the tests comes by which mutants; then each mutant meets only those stages, in order,
// until one fails.
//
// The sources must not change while it runs; a worktree of its own is best.
package main
