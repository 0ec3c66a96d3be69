// Package oracle interprets the IR as it leaves lowering, one op at a time on one
// thread. It is slow and written to be obviously right: what the passes, layouts,
// back ends and the engine compute is compared with what it computes.
//
// What comes in: an [ir.Kernel] with a Body, and an [Env] with the fields it
// works on, its arguments and the random key of the launch. What goes out: the
// kernel's results, what it did to the fields and slices, and the first failure,
// if an index was out of range.
//
// With a [Tape] it also records the operations that it executes, with the partial derivatives of each, and goes back
// over them. So it tells what derivatives of kernels are, whatever their control flow, without any code that differentiates
// kernels: internal/autodiff is tested against it.
//
// It shares no code with layout, the passes, access lowering or code generation. A field is a plain map from index and
// component to value ([Cells]), or whatever else implements [Memory]. Transcendental functions are those of the maths
// library, evaluated by [mathlib.Eval], so that results can be compared bit for bit; arithmetic of 200 bits judges these. What else
// is shared stands in docs/testing.md.
//
// Invariants: a [Program] is not changed by running it; every value is held as
// [ir.IntBits] and [ir.FloatBits] leave it; each float op is rounded to its width.
package oracle
