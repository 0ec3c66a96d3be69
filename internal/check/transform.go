package check

import (
	"go/ast"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// This file checks the builtins that make matrices of rotations, translations and
// scalings, and folds them.

// transformRows is the table of these builtins.
func transformRows() []builtinRow {
	return []builtinRow{
		{"rotation2", checkRotation2}, {"rotation", checkRotation}, {"homogeneous", checkHomogeneous},
		{"translate", moveFn(typed.Translate)}, {"scale", moveFn(typed.Scale)},
	}
}

func checkRotation2(c *checker, name string, e *ast.CallExpr) operand {
	xs, s, ok := c.transformArgs(name, e, 1, "rotation2(angle)")
	if !ok {
		return operand{}
	}
	if _, scalar := xs[0].Type().(typed.Scalar); !scalar {
		return c.argType(name, e, 0, xs[0], "an angle")
	}
	return c.builtin(typed.Rotation2, typed.ArrayOf(s, 2, 2), e.Pos(), xs...)
}

func checkRotation(c *checker, name string, e *ast.CallExpr) operand {
	xs, s, ok := c.transformArgs(name, e, 2, "rotation(axis, angle), or rotation2(angle) in the plane")
	if !ok {
		return operand{}
	}
	if xs[0].Type() != typed.ArrayOf(s, 3) {
		return c.argType(name, e, 0, xs[0], "an axis, a vector of 3 components")
	}
	if _, scalar := xs[1].Type().(typed.Scalar); !scalar {
		return c.argType(name, e, 1, xs[1], "an angle")
	}
	return c.builtin(typed.Rotation, typed.ArrayOf(s, 3, 3), e.Pos(), xs...)
}

func checkHomogeneous(c *checker, name string, e *ast.CallExpr) operand {
	xs, s, ok := c.transformArgs(name, e, 1, "homogeneous(m)")
	if !ok {
		return operand{}
	}
	d := typed.Dims(xs[0].Type())
	if len(d) != 2 || d[0] != d[1] || d[0] != 2 && d[0] != 3 {
		return c.argType(name, e, 0, xs[0], "a matrix of 2 or 3 rows and columns")
	}
	return c.builtin(typed.Homogeneous, typed.ArrayOf(s, d[0]+1, d[0]+1), e.Pos(), xs...)
}

// moveFn is translate or scale, of a vector of 2 or 3 components.
func moveFn(fn typed.Fn) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		xs, s, ok := c.transformArgs(name, e, 1, name+"(v)")
		if !ok {
			return operand{}
		}
		d := typed.Dims(xs[0].Type())
		if len(d) != 1 || d[0] != 2 && d[0] != 3 {
			return c.argType(name, e, 0, xs[0], "a vector of 2 or 3 components")
		}
		return c.builtin(fn, typed.ArrayOf(s, d[0]+1, d[0]+1), e.Pos(), xs...)
	}
}

// transformArgs checks n arguments, which are made floats of one type.
func (c *checker) transformArgs(name string, e *ast.CallExpr, n int, usage string) ([]typed.Expr, typed.Scalar, bool) {
	xs, ok := c.countedArgs(name, e, n, n, usage)
	if !ok {
		return nil, typed.Unknown, false
	}
	for i, x := range xs {
		if typed.ScalarOf(x.Type()) == typed.Bool {
			c.argType(name, e, i, x, "numbers")
			return nil, typed.Unknown, false
		}
	}
	s, ok := c.unifyArgs(name, e, xs, true)
	return xs, s, ok
}

// transform folds these builtins; nil if fn is none.
func (a *arithmetic) transform(fn typed.Fn, t typed.Type, ks []*typed.Const) []typed.Num {
	switch fn {
	case typed.Rotation2, typed.Rotation:
		var axis []typed.Num
		angle := ks[len(ks)-1].Vals[0]
		if fn == typed.Rotation {
			axis = ks[0].Vals
		}
		return a.rotation(axis, angle, typed.Components(t))
	case typed.Translate, typed.Scale, typed.Homogeneous:
	default:
		return nil
	}
	n := typed.Dims(t)[0]
	m := make([]typed.Num, n*n)
	for i := range m {
		r, col := i/n, i%n
		switch {
		case fn == typed.Translate && col == n-1 && r < n-1:
			m[i] = ks[0].Vals[r]
		case fn == typed.Scale && r == col && r < n-1:
			m[i] = ks[0].Vals[r]
		case fn == typed.Homogeneous && r < n-1 && col < n-1:
			m[i] = ks[0].Vals[r*(n-1)+col]
		case r == col:
			m[i] = typed.FloatNum(1)
		default:
			m[i] = typed.FloatNum(0)
		}
	}
	return m
}

// rotation computes the n entries of a rotation about an axis, none in the plane.
func (a *arithmetic) rotation(axis []typed.Num, angle typed.Num, n int) []typed.Num {
	m := make([]typed.Num, n)
	if !angle.Known() || slices.ContainsFunc(axis, func(x typed.Num) bool { return !x.Known() }) {
		return m
	}
	cos, sin := a.function(ir.OpCos, angle), a.function(ir.OpSin, angle)
	if axis == nil {
		return []typed.Num{cos, a.neg(sin), sin, cos}
	}
	rest := a.sub(a.number(1), cos)
	for i := range 3 {
		j, k := (i+1)%3, (i+2)%3
		part, turn := a.mul(axis[i], rest), a.mul(axis[k], sin)
		both := a.mul(part, axis[j])
		m[3*i+i] = a.add(a.mul(part, axis[i]), cos)
		m[3*i+j], m[3*j+i] = a.sub(both, turn), a.add(both, turn)
	}
	return m
}
