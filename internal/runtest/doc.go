// Package runtest holds the run tests: kernel sources with what they must compute,
// written in plain Go. It has tests only.
//
// Each case runs in every variant (variant_test.go): on the oracle, and through
// LLVM without and with optimisation, on one thread and several, checked and
// unchecked, with its fields laid out flat, blocked, as structures of arrays, and in
// sparse trees with all elements active (sparselayout_test.go).
//
//   - expr_*_test.go are tables of expressions. A group of them with the same
//     arguments becomes one kernel, a parallel loop that evaluates all of them for
//     many arguments.
//   - case_*_test.go are programs: statements, loops, reductions, parameters,
//     failures.
//   - conform_*_test.go are rules of the language, one a row with its name and an
//     example; conformance_test.go writes docs/conformance.md from them.
//   - threads_test.go compares the bits of results between numbers of threads.
//   - format_test.go compares printf with package fmt.
//   - fuzz_test.go compares random kernels on the oracle and LLVM, stress_test.go
//     watches the memory of the process while many are compiled, and
//     determinism_test.go the code that two compilations give.
package runtest
