// Package packet vectorises iterations: tasks whose innermost dim counts packets ([Make]), if LLVM's vectoriser fails because of
// control flow or elements of many components, and loops over rows of elements with a step for each vector ([Rows]), for pass interior.
//
// Iterations are independent of each other except for what they accumulate: several lanes may update the same place by atomics, the same
// place of a thread's private copy of a tree, or the same variable of the prologue. An access to a private copy is part of an update: a
// load and a store of one place, and arithmetic between them, which a lane executes without interruption by other lanes. A task with any
// other access to a private copy stays as it is.
//
// In: a task with addresses. Out: the same task on packets, or unchanged, and the reason.
//
// Tests: internal/pass has kernels before and after (TestGolden, internal/pass/testdata/packet); internal/runtest/program and
// internal/runtest/random run packets (TestRandomUpdates).
package packet
