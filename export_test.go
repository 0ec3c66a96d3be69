package ti

import (
	"io"
	"reflect"

	"github.com/gotaichi/ti/internal/gradient"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/variant"
)

// MakeFuncs makes the kernel function of type t for k twice: without reflection at each
// call, which is the zero Value if there is no closure for its signature, and with it.
func MakeFuncs(k *Kernel, t reflect.Type) (fast, reflected reflect.Value) {
	return (*session.Kernel)(k).MakeFuncs(t)
}

// Judge makes rt, which has to be a runtime of the oracle without a program, record what is launched within record.
// Of the last recording, gradient gives the derivatives of a loss by elements: what the oracle's tape says.
func Judge(rt *Runtime) (record func(f func() error) error, gradient func(loss AnyField) Verdict) {
	j := (*session.Runtime)(rt).Judge()
	return j.Record, func(loss AnyField) Verdict { return Verdict{j.Of(loss.field())} }
}

// A Verdict has derivatives by elements.
type Verdict struct{ v *variant.Verdict }

// At is the derivative by what an element held at first.
func (v Verdict) At(x AnyField, comp int, index ...int64) float64 {
	return v.v.At(x.field(), comp, index...)
}

// Left is the derivative by what the last store gave an element, or by what it held at first if none did.
func (v Verdict) Left(x AnyField, comp int, index ...int64) float64 {
	return v.v.Left(x.field(), comp, index...)
}

// Save keeps the state of a runtime.
func Save(rt *Runtime) (*gradient.State, error) { return (*session.Runtime)(rt).Gradients().Save() }

// Instances returns how many instances of a kernel there are.
func Instances(k *Kernel) int { return (*session.Kernel)(k).Instances() }

// Work returns how many sources a runtime has parsed and how many kernels it has lowered.
func Work(rt *Runtime) (parsed, lowered int64) { return (*session.Runtime)(rt).Work() }

// Warnings has warnings of rt written to w, from now on each once.
func Warnings(rt *Runtime, w io.Writer) { (*session.Runtime)(rt).Gradients().Warnings(w) }
