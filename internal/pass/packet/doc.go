// Package packet makes vectors of iterations: tasks whose innermost dim counts packets ([Make]),
// where LLVM's vectoriser gives up on control flow or elements of many components, and loops over rows of
// elements with a step for each vector ([Rows]), for pass interior.
//
// Iterations are independent of each other but for what they add up: lanes may meet in a place that atomics update, in a copy
// of a tree that the thread has for itself, and in a variable of the prologue. An access to a copy is part of an update, from a load to a
// store of one place with nothing but arithmetic between them, which a lane does whole; a task with any other access to a copy
// stays as it is.
//
// In: a task with addresses. Out: the same task on packets, or as it was, and why.
//
// Tests: internal/pass has kernels before and after (TestGolden, internal/pass/testdata/packet); internal/runtest/program and
// internal/runtest/random run packets (TestRandomUpdates).
package packet
