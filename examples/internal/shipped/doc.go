// Package shipped tests that all examples run with kernels that were compiled ahead of time, in programs
// without a compiler.
package shipped
