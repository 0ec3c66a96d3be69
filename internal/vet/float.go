package vet

import (
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// floatEqual warns about == and != of floats of which one is computed in place.
func (v *vetter) floatEqual(e typed.Expr) {
	b, ok := e.(*typed.Binary)
	if !ok || b.Op != typed.Eq && b.Op != typed.Ne || !typed.ScalarOf(b.X.Type()).IsFloat() {
		return
	}
	if exact(b.X) || exact(b.Y) || !rounded(b.X) && !rounded(b.Y) {
		return
	}
	v.warn(syntax.VetFloatEqual, b.Position(), "compare the distance: abs(a-b) < 1e-6", "%s of computed floats, which are rounded", b.Op)
}

// exact reports a constant with which a comparison is meant exactly: 0, infinity.
func exact(e typed.Expr) bool {
	c, ok := e.(*typed.Const)
	if !ok {
		return false
	}
	for _, n := range c.Vals {
		if f := n.Float(); f != 0 && f == f && f-f == 0 {
			return false
		}
	}
	return true
}

// rounded reports whether a value comes right out of arithmetic that rounds.
func rounded(e typed.Expr) bool {
	switch e := e.(type) {
	case *typed.Binary:
		switch e.Op {
		case typed.Add, typed.Sub, typed.Mul, typed.Div, typed.MatMul:
			return true
		}
	case *typed.Unary:
		return rounded(e.X)
	case *typed.Builtin:
		switch e.Fn {
		case typed.Sin, typed.Cos, typed.Tan, typed.Asin, typed.Acos, typed.Atan, typed.Sinh, typed.Cosh, typed.Tanh,
			typed.Exp, typed.Exp2, typed.Log, typed.Log2, typed.Sqrt, typed.Rsqrt, typed.Cbrt, typed.Pow, typed.Atan2,
			typed.Dot, typed.Length:
			return true
		}
	}
	return false
}
