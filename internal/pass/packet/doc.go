// Package packet makes vectors of iterations: tasks whose innermost dim counts packets ([Make]),
// where LLVM's vectoriser gives up on control flow or elements of many components, and loops over rows of
// elements with a step for each vector ([Rows]), for pass interior.
//
// In: a task with addresses. Out: the same task on packets, or as it was, and why.
package packet
