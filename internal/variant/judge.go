//go:build !ti_ahead

package variant

import (
	"github.com/gotaichi/ti/internal/oracle"
	"github.com/gotaichi/ti/internal/store"
)

// A Judge records what kernels of an interpreting runtime execute, so that tests can compare gradients with what the
// oracle's tape makes of it. It knows fields by what they are on the host, whatever kernels call them.
type Judge struct {
	tape *oracle.Tape // nil while nothing is recorded
	vars map[*store.Field]*oracle.Variable
}

// Record runs f and records it, instead of what was recorded before. Fields with a placed adjoint are variables.
func (j *Judge) Record(f func() error) error {
	tape := &oracle.Tape{}
	j.tape, j.vars = tape, map[*store.Field]*oracle.Variable{}
	defer func() { j.tape = nil }()
	return f()
}

// join makes a launch of in record.
func (j *Judge) join(in *interpreter, env *oracle.Env) {
	if j == nil || j.tape == nil {
		return
	}
	env.Tape = j.tape
	for _, f := range in.k.Fields {
		var own *oracle.Variable
		if core := in.v.Scope.Named(f.Name); f.View == nil && core != nil && core.Placed(store.Grad) != nil {
			if own = j.vars[core]; own == nil {
				own = j.tape.Variable()
				j.vars[core] = own
			}
		}
		env.Variables = append(env.Variables, own)
	}
}

// A Verdict is a gradient that the oracle's tape gives.
type Verdict struct {
	way  *oracle.Way
	vars map[*store.Field]*oracle.Variable
}

// Of returns the gradient of loss, a field of one number, with respect to what elements held before the recorded run.
func (j *Judge) Of(loss *store.Field) *Verdict {
	v := &Verdict{vars: j.vars}
	if l := j.vars[loss]; l != nil {
		v.way = l.Tape().Back()
		v.way.Seed(l, nil, 0, 1)
		v.way.Run()
	}
	return v
}

// At is the derivative by a component of an element of x.
func (v *Verdict) At(x *store.Field, comp int, index ...int64) float64 {
	if v.way == nil || v.vars[x] == nil {
		return 0
	}
	return v.way.Adjoint(v.vars[x], index, comp)
}

// Left is what the tape leaves in the adjoint of a component of an element: see [oracle.Way.Left].
func (v *Verdict) Left(x *store.Field, comp int, index ...int64) float64 {
	if v.way == nil || v.vars[x] == nil {
		return 0
	}
	d, _ := v.way.Left(v.vars[x], index, comp)
	return d
}
