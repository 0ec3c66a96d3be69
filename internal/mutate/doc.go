// Command mutate breaks the compiler in one place at a time and reports which
// breakages the tests do not notice.
//
//	go run ./internal/mutate -stages internal/mutate/stages.txt ./internal/pass=3 ./internal/mathlib=40
//
// The number behind a package is the largest number of mutants for each of its files. A
// mutant replaces a piece of the source by another: an operator by
// another, a condition by its opposite, a number by its neighbour, an op or an
// instruction by a related one; or it swaps two arguments or removes a statement.
// If a function offers nothing else, its mutant returns at once. Mutants that are
// harder to notice are preferred. All mutants are compiled into one set of test
// binaries, through an overlay, and the environment variable MUTANT selects one when
// a binary runs. So nothing is compiled for a single mutant, and no source file is changed.
// Sources in the kernel language that a package embeds are changed when they are read.
//
// A first run without a mutant records which stage of the tests executes which mutants;
// then each mutant runs only those stages, in order, until one fails. With -each a
// stage is a single test, and the tests between two empty lines of the file of stages run
// in the order of their time.
//
// # Every function and rule
//
// A unit is a function or a table, and in the code generator and the maths library
// also the rule for an op: a case of a switch, an entry of a table. The file
// testdata/results.txt has the result of each mutant that was tried, so that a later run
// continues from there:
//
//	go run ./internal/mutate -results internal/mutate/testdata/results.txt -cover ./internal/pass
//	go run ./internal/mutate -results internal/mutate/testdata/results.txt -missing -each -j 2 -stages … ./internal/pass=1000
//	go run ./internal/mutate -results internal/mutate/testdata/results.txt -again -each -stages … ./internal/pass=1000
//
// A line names a unit by its file, with the folder of the file, and by its own name. If a unit moves or gets another name, its lines
// have to be changed by hand; a line of a unit that no longer exists has no effect.
//
// The first command lists units none of whose mutants was found, the second tries another mutant of
// each of these units, and the third repeats the mutants that no test has noticed. Mutants that do not
// change results are marked equivalent in the file, by hand, with the reason. Where
// each condition of a unit is a rule of its own, -untried with -unit 100 breaks all of
// them. With -only a run is limited to the units that match a regular expression, such
// as those of one file.
//
// The sources must not change while it runs; a worktree of its own is best.
package main
