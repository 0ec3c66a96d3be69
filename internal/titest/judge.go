//go:build !ti_ahead

package titest

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/variant"
)

// Judge makes rt, which has to be a runtime of the oracle without a program, record what is launched within record.
// Of the last recording, gradient gives the derivatives of a loss by elements: what the oracle's tape says.
func Judge(rt *ti.Runtime) (record func(f func() error) error, gradient func(loss ti.AnyField) Verdict) {
	s := (*session.Runtime)(rt)
	j := s.Judge()
	return j.Record, func(loss ti.AnyField) Verdict { return Verdict{s, j.Of(s.FieldOf(loss))} }
}

// A Verdict has derivatives by elements.
type Verdict struct {
	rt *session.Runtime
	v  *variant.Verdict
}

// At is the derivative by what an element held at first.
func (v Verdict) At(x ti.AnyField, comp int, index ...int64) float64 {
	return v.v.At(v.rt.FieldOf(x), comp, index...)
}

// Left is the derivative by what the last store gave an element, or by what it held at first if none did.
func (v Verdict) Left(x ti.AnyField, comp int, index ...int64) float64 {
	return v.v.Left(v.rt.FieldOf(x), comp, index...)
}
