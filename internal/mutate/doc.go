// Command mutate breaks the compiler in one place at a time and reports which
// breakages the tests do not notice.
//
//	go run ./internal/mutate -stages internal/mutate/stages.txt ./internal/pass=3 ./internal/mathlib=40
//
// A package is followed by the number of mutants of each of its files, at most. A
// mutant is something else in the place of a piece of the source: an operator by
// another, a condition by its opposite, a number by its neighbour, an op or an
// instruction by a related one, two arguments swapped, a statement left out; and
// where nothing else is to be had, a function that returns at once. Those that are
// harder to notice are preferred. All mutants are compiled into one set of test
// binaries, through an overlay, and the environment variable MUTANT chooses one when
// a binary runs: nothing is compiled for each, and no source is touched. Sources in
// the kernel language that a package embeds are changed when they are read.
//
// A first run without a mutant notes which stage of the tests comes by which mutants;
// then each mutant meets only those stages, in order, until one fails. With -each a
// stage is a single test, and those between two empty lines of the file of stages come
// in the order of their time.
//
// # Every function and rule
//
// A unit is a function or a table, and in the code generator and the maths library
// also the rule for an op: a case of a switch, an entry of a table. The file
// testdata/results.txt has what came of each mutant that was tried, so that a later run
// goes on from there:
//
//	go run ./internal/mutate -results internal/mutate/testdata/results.txt -cover ./internal/pass
//	go run ./internal/mutate -results internal/mutate/testdata/results.txt -missing -each -j 2 -stages … ./internal/pass=1000
//	go run ./internal/mutate -results internal/mutate/testdata/results.txt -again -each -stages … ./internal/pass=1000
//
// The first lists units without a mutant that was found, the second tries another one of
// each of these, and the third tries those again that nothing has noticed. A mutant whose results are as
// good has the word equivalent in the file, with the reason, put there by hand. Where
// each condition of a unit is a rule of its own, -untried with -unit 100 breaks all of
// them. With -only a run is limited to the units that match a regular expression, such
// as those of one file.
//
// The sources must not change while it runs; a worktree of its own is best.
package main
