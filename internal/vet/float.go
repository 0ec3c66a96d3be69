package vet

import (
	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/syntax"
)

// floatEqual warns about == and != of floats of which one is computed in place.
func (v *vetter) floatEqual(e check.Expr) {
	b, ok := e.(*check.Binary)
	if !ok || b.Op != check.Eq && b.Op != check.Ne || !check.ScalarOf(b.X.Type()).IsFloat() {
		return
	}
	if exact(b.X) || exact(b.Y) || !rounded(b.X) && !rounded(b.Y) {
		return
	}
	v.warn(syntax.VetFloatEqual, b.Position(), "compare the distance: abs(a-b) < 1e-6", "%s of computed floats, which are rounded", b.Op)
}

// exact reports a constant with which a comparison is meant exactly: 0, infinity.
func exact(e check.Expr) bool {
	c, ok := e.(*check.Const)
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
func rounded(e check.Expr) bool {
	switch e := e.(type) {
	case *check.Binary:
		switch e.Op {
		case check.Add, check.Sub, check.Mul, check.Div, check.MatMul:
			return true
		}
	case *check.Unary:
		return rounded(e.X)
	case *check.Builtin:
		switch e.Fn {
		case check.Sin, check.Cos, check.Tan, check.Asin, check.Acos, check.Atan, check.Sinh, check.Cosh, check.Tanh,
			check.Exp, check.Exp2, check.Log, check.Log2, check.Sqrt, check.Rsqrt, check.Cbrt, check.Pow, check.Atan2,
			check.Dot, check.Length:
			return true
		}
	}
	return false
}
