package vet

import (
	"slices"

	"github.com/gotaichi/ti/internal/typed"
)

// An iteration of a parallel loop, by its indices.
type iteration struct {
	l       *parallel
	at      []int64 // nil for what is evaluated before the loop
	assumed bool    // what the host gives is not known
}

// evaluate computes the components of an integer expression in an iteration.
// It fails where the value depends on anything else, or may not fit: numbers of fewer than 64 bits are taken for i32s.
func evaluate(e typed.Expr, in *iteration) ([]int64, bool) {
	s := typed.ScalarOf(e.Type())
	if !s.IsInt() && !s.IsUntyped() {
		return nil, false
	}
	v, ok := evaluateParts(e, in)
	if !ok || s.Bits() < 64 && slices.ContainsFunc(v, func(n int64) bool { return n != int64(int32(n)) }) {
		return nil, false
	}
	return v, true
}

// evaluateParts is evaluate, but for the check of what fits.
func evaluateParts(e typed.Expr, in *iteration) (v []int64, ok bool) {
	switch e := e.(type) {
	case *typed.Const:
		if in.assumed && e.From != 0 {
			return nil, false
		}
		for _, n := range e.Vals {
			if !n.Known() || !n.IsInt() {
				return nil, false
			}
			v = append(v, n.Int())
		}
		return v, true
	case *typed.Extent:
		if f := e.Field; !in.assumed && e.Axis < len(f.Shape) && f.View == nil {
			return []int64{int64(f.Shape[e.Axis])}, true
		}
	case *typed.VarRef:
		return in.variable(e.Var)
	case *typed.Extract:
		from, ok := evaluate(e.X, in)
		if !ok {
			return nil, false
		}
		for _, c := range e.Comps {
			v = append(v, from[c])
		}
		return v, true
	case *typed.Convert:
		return evaluate(e.X, in)
	case *typed.Splat:
		if x, ok := evaluate(e.X, in); ok {
			return slices.Repeat(x, typed.Components(e.Type())), true
		}
	case *typed.Compose:
		for _, x := range e.Elems {
			n, ok := evaluate(x, in)
			if !ok {
				return nil, false
			}
			v = append(v, n...)
		}
		return v, true
	case *typed.Unary:
		if x, ok := evaluate(e.X, in); ok && e.Op == typed.Neg {
			for _, n := range x {
				v = append(v, -n)
			}
			return v, true
		}
	case *typed.Binary:
		return evaluateBinary(e, in)
	}
	return nil, false
}

// variable computes a loop variable, or one that an iteration defines and never changes.
func (in *iteration) variable(x *typed.Var) ([]int64, bool) {
	if in.at == nil {
		return nil, false
	}
	if axis, ok := in.l.axes[x]; ok {
		return []int64{in.at[axis]}, true
	}
	if x == in.l.group {
		return in.at, true
	}
	if init := in.l.init[x]; init != nil {
		return evaluate(init, in)
	}
	return nil, false
}

// evaluateBinary computes an operation component by component. Operands beyond 2^31 are given up, so that nothing overflows.
func evaluateBinary(e *typed.Binary, in *iteration) ([]int64, bool) {
	x, ok1 := evaluate(e.X, in)
	y, ok2 := evaluate(e.Y, in)
	if !ok1 || !ok2 || len(x) != len(y) {
		return nil, false
	}
	v := make([]int64, len(x))
	for i := range x {
		if max(x[i], -x[i], y[i], -y[i]) > 1<<31 {
			return nil, false
		}
		switch e.Op {
		case typed.Add:
			v[i] = x[i] + y[i]
		case typed.Sub:
			v[i] = x[i] - y[i]
		case typed.Mul:
			v[i] = x[i] * y[i]
		case typed.Div, typed.Rem:
			if y[i] == 0 {
				return nil, false
			}
			if v[i] = x[i] / y[i]; e.Op == typed.Rem {
				v[i] = x[i] % y[i]
			}
		case typed.Shr:
			if y[i] < 0 || y[i] > 31 || x[i] < 0 {
				return nil, false
			}
			v[i] = x[i] >> y[i]
		case typed.And:
			v[i] = x[i] & y[i]
		default:
			return nil, false
		}
	}
	return v, true
}
