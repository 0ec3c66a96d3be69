// Package mathlib is the maths library, written in the IR: each op with the
// trait ir.Math becomes ordinary arithmetic, so that it is vectorised like the
// code around it, and gives the same bits on every back end. So do mod and floorDiv
// of floats, and fused products where the target has no instruction for them.
//
// [Expand] takes a kernel and replaces its transcendental ops: by arithmetic in
// place, or, for sin, cos and tan, by calls of functions that [Library.Func]
// makes, for f16, f32 and f64 and any number of lanes. The code has no branches
// but one: these three reduce huge arguments in a part of its own (huge.go) that
// runs only if some lane needs it.
//
// Without strict maths, pow, log and log2 of f32 are faster functions (powquick.go and
// log.go). They branch, too: for special values they call the other functions.
//
// Under strict maths a function has the same bits on every target: where there is no fused multiply-add, it is computed
// exactly. For the exponents 1, 2, -1 and ½, pow gives the same bits as the simpler operation by which the compiler
// replaces it where the exponent is constant. [Eval] computes the same bits in Go: it assembles the IR of a function at
// its first use, and runs it. The checker and the passes fold constants with it, and the oracle computes with it. So a
// function of constants gives the same result as a function of variables.
//
// Invariants: no function accesses memory; all ops are Strict, since error terms
// vanish under reassociation; products that should be fused are written as fma,
// or, where the target has none, as a sequence that is as accurate.
//
// # Accuracy
//
// Results are within 2 units of the last place over the whole domain, denormal
// arguments and results included. Special values are those of IEEE 754 and annex
// F of C: signed zeros, infinities, NaN, the table of pow.
//
// Package judge tests them. It computes with 200 bits, and shares nothing with the library or with package ref.
//
// The greatest errors known, in units of the last place. Those of f32 and one
// argument are of all 2^32 numbers (go test -long); the others are of a hundred
// thousand each, and, for sin, cos and tan, of the numbers nearest to multiples
// of π/2 for every exponent.
//
//	          f32   f64
//	rsqrt    1.49  1.50
//	cbrt     0.54  0.51
//	sin      1.58  1.40
//	cos      1.58  1.44
//	tan      1.39  1.24
//	asin     1.19  1.13
//	acos     1.14  1.11
//	atan     1.22  1.11
//	sinh     1.02  0.93
//	cosh     1.02  0.95
//	tanh     1.47  1.31
//	exp      1.02  0.94
//	exp2     0.88  1.10
//	log      0.91  0.75
//	log2     1.06  0.96
//	pow      0.93  1.22
//	atan2    1.41  1.33
//
// rsqrt of f32 in packets, without strict maths on processors with AVX-512, starts from the
// machine's estimate ([EstimateRsqrt]): 1.04 over all f32. The quick pow is off by 1.48 at most
// in 26 million results.
//
// Where an instruction scales vectors by powers of two (target.Scales), exponentials are calls; the variants for vectors
// give the same bits.
//
// Three functions are defined to the last bit, for every target and mode: mod and floorDiv by the exact quotient
// (floored.go), and a fused product by its single rounding (fused.go). mod has a fast path of eight operations that
// tests its own result, and a slow path that is seldom taken; its code compiles fast and stays out of line.
//
// Without fused multiply-add no error is above 1.6. An f16 is computed as f32 and
// rounded.
//
// # Coefficients
//
// Polynomials are minimax, by Remez' exchange in gen, which writes coef.go. The
// reductions are those of the literature: Cody and Waite's by constants in
// pieces, Payne and Hanek's for huge arguments; sums and products in two pieces
// after Dekker, Knuth and Møller.
package mathlib

//go:generate go run ./gen
