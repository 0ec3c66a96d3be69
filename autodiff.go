package ti

import (
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/store"
)

// Differentiation works on launches: kernels are differentiated by the compiler,
// and the functions below run the derivatives of the kernels that a Go function
// launches. What the Go function computes by itself, and what it stores with Set,
// is constant to them; so are the arguments and results of kernels. Derivatives
// pass through fields of real numbers whose Grad (or Dual) is placed.
//
// Two rules make the reverse mode well-defined: from its second write on, an
// element is only added to (x[i] += v); and it is not read before the last of
// these. Keep what later steps overwrite under an index of its own, such as
// x[t][i], or see [Runtime.Checkpoint].

// Grad returns the field's adjoint, a field of the same type: where
// [Runtime.Tape] accumulates the derivative of the loss by each element. It
// exists once it is placed, wherever the program likes, in a node with the same
// axes and extents; [WithGrad] is the short way. A kernel calls it x.grad.
func (f *Field[T]) Grad() *Field[T] {
	return f.field().Companion(store.Grad, func() (*store.Field, any) {
		g := new(Field[T])
		return g.field(), g
	}).(*Field[T])
}

// Dual returns the field's tangent, a field of the same type, for
// [Runtime.Tangent]. It is placed as Grad is; a kernel calls it x.dual.
func (f *Field[T]) Dual() *Field[T] {
	return f.field().Companion(store.Dual, func() (*store.Field, any) {
		g := new(Field[T])
		return g.field(), g
	}).(*Field[T])
}

func (f *Field[T]) companion(r store.Role) AnyField {
	if r == store.Dual {
		return f.Dual()
	}
	return f.Grad()
}

// WithGrad returns the fields with their adjoints, each behind its own, to be
// placed together:
//
//	rt.Place(ti.Shape{n}, ti.WithGrad(&s.X, &s.V)...)
func WithGrad(fields ...AnyField) []AnyField { return with(store.Grad, fields) }

// WithDual returns the fields with their tangents, each behind its own.
func WithDual(fields ...AnyField) []AnyField { return with(store.Dual, fields) }

func with(r store.Role, fields []AnyField) []AnyField {
	var out []AnyField
	for _, f := range fields {
		out = append(out, f)
		if !isNil(f) { // Place reports it
			out = append(out, f.companion(r))
		}
	}
	return out
}

// Tape computes the gradient of loss, a field with a single element, by reverse
// differentiation. It zeroes all adjoints, runs f and records its launches, sets
// the adjoint of loss to 1, and runs the adjoints of the recorded kernels in
// reverse order. Then x.Grad() holds d loss/d x for each field x that has a Grad,
// and loss the value that f gave it, also if checkpoints ran parts of f again:
//
//	err := rt.Tape(&s.Loss, func() error {
//		for t := range steps {
//			s.Step(t)
//		}
//		s.ComputeLoss()
//		return nil
//	})
//
// If f fails or panics, nothing is differentiated and its error is returned, or the panic goes on. So it is with the
// error of a launch that f drops. Slices that f passes to kernels are copied. The backward pass is a part of no launch
// of f, so it does not end with a context that one was given; [Runtime.Close] ends it. A Tape inside another, or on
// the backward pass of one, is [ErrBusy]. A Tape inside a [Runtime.Tangent] is forward over reverse: afterwards
// x.Grad().Dual(), where it is placed, holds the product of the Hessian with the tangent. A kernel without a
// derivative is a [*RuntimeError] for which errors.Is finds [ErrGradient], with the place in the source and the cause.
//
// A field without an adjoint ends the derivative between a kernel that stores numbers in it and
// another one that reads them. If the derivative would have gone on to the loss, one line on standard
// error names the field and both kernels, once for each field. In debug mode it is an error for which
// errors.Is finds [ErrGradient]. See [Runtime.Constant].
func (rt *Runtime) Tape(loss AnyField, f func() error) error {
	if isNil(loss) {
		return diag.Errorf(ErrArgs, "a tape with a nil loss")
	}
	return (*session.Runtime)(rt).Gradients().Tape(loss.field(), f)
}

// Adjoint runs the adjoints of the kernels that f launches, in reverse order, in
// place of the kernels; it neither zeroes nor sets any adjoint first. It is the
// building block of [Runtime.CustomGrad], and accumulates gradients over several
// losses. In f a kernel may not return a value. While a tape records, Adjoint is
// [ErrBusy], since the tape would miss it; see [Runtime.CustomGrad].
//
// On the backward pass of a tape it zeroes the adjoint of an element when that of a
// plain store to it has been taken, as [Runtime.Checkpoint] does: the fields may have
// been used again meanwhile. The adjoints draw the random numbers of the last
// launches that were made, as many as f makes; in a CustomGrad those of its forward.
func (rt *Runtime) Adjoint(f func() error) error {
	return (*session.Runtime)(rt).Gradients().Adjoint(f)
}

// Tangent runs f, and with each kernel that it launches the propagation of
// tangents, from x.Dual(), which the program sets, to those of all fields that have
// a Dual: forward differentiation, for few inputs and many outputs. A store that rounds by
// random numbers ([Quant.Stochastic]) is [ErrGradient] in it. A Tangent inside
// another or inside a tape is [ErrBusy]; a tape inside a Tangent gives derivatives of
// second order, see [Runtime.Tape].
func (rt *Runtime) Tangent(f func() error) error {
	return (*session.Runtime)(rt).Gradients().Tangent(f)
}

// CustomGrad runs forward. If a [Runtime.Tape] is recording, it records backward
// in place of the launches of forward, to be called when the tape comes to it: a
// derivative known better by hand, or a recomputation of what was not kept. With a
// backward that does nothing, forward is constant to the tape. Launches of backward,
// and those whose adjoints its [Runtime.Adjoint] runs, draw the random numbers that
// those of forward drew, in their order.
func (rt *Runtime) CustomGrad(forward, backward func() error) error {
	return (*session.Runtime)(rt).Gradients().CustomGrad(forward, backward)
}

// Checkpoint runs f and keeps only the given fields, as they are before f. When
// the tape comes to it, it restores them, runs f again, and then its adjoints:
// time for memory, for example to differentiate a long simulation part by part,
// with fields for the steps of one part. Keep what f depends on and what f or
// later launches overwrite. Checkpoints nest: by halves, 1,024 steps need 11 states.
// A second run that launches something else than the first is [ErrAccess], and the
// error names the difference.
//
// While it runs f again it records, CustomGrad and Checkpoint included; the rules
// above hold within one checkpoint.
//
// So that other checkpoints can use the same fields, the adjoint of an element is
// zeroed when that of a plain store to it has been taken; do not expect
// intermediate adjoints from it.
func (rt *Runtime) Checkpoint(f func() error, keep ...AnyField) error {
	return (*session.Runtime)(rt).Gradients().Checkpoint(f, cores(keep)...)
}

// Constant declares that fields without an adjoint or tangent are meant to be constants to
// derivatives, though kernels store numbers in them that others read: masks, measures, targets of a
// control. Without it, or stopGrad where a kernel reads them, a [Runtime.Tape] or a [Runtime.Tangent]
// through them says that the derivative ends there. A field with an adjoint or tangent, and one of
// another runtime, are errors.
func (rt *Runtime) Constant(fields ...AnyField) error {
	return (*session.Runtime)(rt).Gradients().Constant(cores(fields)...)
}
