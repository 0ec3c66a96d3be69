// Package oracle interprets the IR as lowering makes it, one op at a time on one
// thread. It is slow and written to be obviously right: tests compare the results of
// the passes, layouts, back ends and the engine with those of the oracle.
//
// In: an [ir.Kernel] with a Body, and an [Env] with the fields it
// works on, its arguments and the random key of the launch. Out: the
// kernel's results, the changed fields and slices, and the first failure,
// if an index was out of range.
//
// With a [Tape] it also records the operations that it executes, with the partial derivatives of each, and computes
// adjoints from them in reverse order. So it computes derivatives of kernels with any control flow without
// differentiating kernels, and internal/autodiff is tested against it.
//
// It shares no code with layout, the passes, access lowering or code generation. A field is a plain map from index and
// component to value ([Cells]), or another implementation of [Memory]. Transcendental functions are those of the maths
// library, evaluated by [mathlib.Eval], so that results can be compared bit for bit; these functions are tested with
// arithmetic of 200 bits. docs/testing.md lists everything that is shared.
//
// Invariants: running a [Program] does not change it; every value is held as
// [ir.IntBits] and [ir.FloatBits] leave it; each float op is rounded to its width.
package oracle
