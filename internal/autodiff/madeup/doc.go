// Package madeup generates kernels for tests of differentiation: nests of loops of all kinds, jumps and labels, local arrays with indices
// known at run time, branches on data and on indices, functions with early returns, reductions.
//
// In: a seed. Out: a source without its declarations.
//
// Invariants: a seed always gives the same source. All numbers stay small, so that difference quotients are accurate unless a condition on
// data changes near the point.
//
// Tests: internal/autodiff and internal/autodiff/compiled run the kernels; a kernel that does not compile fails there.
package madeup
