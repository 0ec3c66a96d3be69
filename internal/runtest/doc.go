// Package runtest runs sources in the kernel language in many ways, for tests that compare
// the results. The tests are in the packages below it:
//
//   - program has programs and their expected results, computed in plain Go.
//   - expression has tables of expressions and their expected values.
//   - conformance has the rules of the language one by one.
//   - random makes programs up from seeds.
//
// In: a function of a [Run] that lays out fields, loads a source, launches its kernels and
// reports wrong results. Out: a subtest for each [Variant], with a runtime that variants of the
// same label share.
//
// A variant is a way to run a source: on the oracle, or through LLVM without and with
// optimisation, on one thread and several, checked and unchecked, in debug mode, with its
// fields laid out flat, blocked, as structures of arrays, and in sparse trees with all
// elements active. These hold:
//
//   - A source never knows its variant. [Run.Place] lays out its fields, and all layouts
//     give the same elements.
//   - [Variants] cover each pair of choices of layout, level, number of threads and mode of
//     checks. With [TakeTurns] a test runs only some of them for each case, such that each case still has each choice.
//     With -variants all combinations run.
//   - The runtime of a variant verifies the IR after each pass. On the oracle it compares each launch with one on the typed tree.
//   - A variant has a fixed number of threads. None uses one thread for each processor
//     of the machine, since go test runs packages in parallel.
//
// Programs without a compiler (ti_ahead) have no oracle, so the package is empty there.
package runtest
