// Package mathlib is the maths library, written in the IR: each op with the
// trait ir.Math becomes a function of ordinary arithmetic, so that it is inlined
// and vectorised like the code around it, and gives the same bits on every back
// end.
//
// [Library.Func] takes an op and a type, f16, f32 or f64 of any number of lanes,
// and gives an [ir.Func]. No function touches memory. The code
// has no branches but one: sin, cos and tan of huge arguments are reduced in a
// part that runs only if some lane needs it. All ops are Strict, since error
// terms vanish under reassociation; products that should be fused are written
// as fma.
//
// Results are within 2 units of the last place over the whole domain, denormal
// arguments and results included, and special values are those of IEEE 754 and
// annex F of C: signed zeros, infinities, NaN, the table of pow.
//
// Polynomials are minimax, from gen, which writes coef.go.
package mathlib

//go:generate go run ./gen
