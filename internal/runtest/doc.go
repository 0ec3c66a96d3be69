// Package runtest runs sources in the kernel language in many ways, for tests that compare
// what comes of it. The tests are in the packages below it:
//
//   - program has programs with what they must compute, written in plain Go.
//   - expression has tables of expressions with what they must give.
//   - conformance has the rules of the language one by one.
//   - random makes programs up from seeds.
//
// In: a function of a [Run] that lays out fields, loads a source, launches its kernels and
// says what is wrong. Out: a subtest for each [Variant], with a runtime that variants of the
// same label share.
//
// A variant is a way to run a source: on the oracle, or through LLVM without and with
// optimisation, on one thread and several, checked and unchecked, in debug mode, with its
// fields laid out flat, blocked, as structures of arrays, and in sparse trees with all
// elements active. These hold:
//
//   - A source never knows its variant. [Run.Place] lays out its fields, and all layouts
//     give the same elements.
//   - [Variants] have each pair of choices of layout, level, number of threads and mode of
//     checks. A test may take turns ([TakeTurns]): then each case still meets each choice.
//     With -variants there are all combinations, and no turns.
//   - The runtime of a variant verifies the IR after each pass.
//   - A variant says how many threads it has. None takes as many as the machine has
//     processors, since go test runs packages side by side.
package runtest
