package check

import (
	"go/ast"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// maxClosedInverse is the number of rows up to which the closed form of the inverse
// is as accurate as elimination. That of four rows is not: small cofactors are
// differences of large products. Determinants have one up to four rows.
const (
	maxClosedInverse     = 3
	maxClosedDeterminant = 4
)

func matrixFn(fn typed.Fn) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		xs, ok := c.countedArgs(name, e, 1, 1, name+"(m)")
		if !ok {
			return operand{}
		}
		t := xs[0].Type()
		d, s := typed.Dims(t), typed.ScalarOf(t)
		if len(d) != 2 || !s.IsNumber() {
			return c.argType(name, e, 0, xs[0], "a matrix")
		}
		if fn != typed.Transpose && d[0] != d[1] {
			return c.argType(name, e, 0, xs[0], "a square matrix")
		}
		switch fn {
		case typed.Transpose:
			t = typed.ArrayOf(s, d[1], d[0])
		case typed.Inverse:
			if !s.IsFloat() {
				return c.argType(name, e, 0, xs[0], "a matrix of floats")
			}
			if d[0] > maxClosedInverse {
				return c.linalg(name, e.Pos(), linalgKey{d[0], d[0], 1, s}, xs)
			}
		case typed.Determinant:
			if d[0] > maxClosedDeterminant && !s.IsFloat() {
				name = "intDeterminant"
			}
			if d[0] > maxClosedDeterminant {
				return c.linalg(name, e.Pos(), linalgKey{d[0], d[0], 1, s}, xs)
			}
			t = s
		default:
			t = s
		}
		return c.builtin(fn, t, e.Pos(), xs...)
	}
}

func checkDiag(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 1, 1, "diag(v)")
	if !ok {
		return operand{}
	}
	t := xs[0].Type()
	d, s := typed.Dims(t), typed.ScalarOf(t)
	switch {
	case len(d) == 1 && s.IsNumber():
		return c.builtin(typed.Diag, typed.ArrayOf(s, d[0], d[0]), e.Pos(), xs...)
	case len(d) == 2 && d[0] == d[1] && s.IsNumber():
		return c.builtin(typed.Diag, typed.ArrayOf(s, d[0]), e.Pos(), xs...)
	}
	return c.argType(name, e, 0, xs[0], "a vector, or a square matrix")
}

func checkCols(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 1, -1, "cols(a, b)")
	if !ok {
		return operand{}
	}
	s, ok := c.unifyArgs(name, e, xs, false)
	if !ok {
		return operand{}
	}
	for i, x := range xs {
		if !typed.IsVector(x.Type()) || x.Type() != xs[0].Type() {
			return c.argType(name, e, i, x, "vectors of one length")
		}
	}
	rows := typed.Dims(xs[0].Type())[0]
	return c.builtin(typed.Cols, typed.ArrayOf(s, rows, len(xs)), e.Pos(), xs...)
}

// checkCol checks col(m, j), a column of a matrix as a vector: a value, not a place.
func checkCol(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 2, 2, "col(m, j)")
	if !ok {
		return operand{}
	}
	if !typed.IsMatrix(xs[0].Type()) {
		return c.argType(name, e, 0, xs[0], "a matrix")
	}
	if s, scalar := xs[1].Type().(typed.Scalar); !scalar || !s.IsInt() {
		return c.argType(name, e, 1, xs[1], "an integer, the number of the column")
	}
	for i := range xs {
		if xs[i] = c.defaultType(xs[i], e.Args[i].Pos()); isUnknown(xs[i].Type()) {
			return operand{}
		}
	}
	d := typed.Dims(xs[0].Type())
	t := typed.ArrayOf(typed.ScalarOf(xs[0].Type()), d[0])
	j, isConst := xs[1].(*typed.Const)
	if !isConst {
		if v := rootVar(xs[0]); v != nil {
			v.Indexed = true
		}
		return c.builtin(typed.Col, t, e.Pos(), xs...)
	}
	if !j.Vals[0].Known() {
		return operand{}
	}
	if n := j.Vals[0].Int(); n < 0 || n >= int64(d[1]) {
		c.errorf(syntax.IndexRange, e.Args[1].Pos(), "", "column %s is out of range: %s has columns 0 to %d", j.Vals[0], xs[0].Type(), d[1]-1)
		return operand{}
	}
	return c.builtin(typed.Col, t, e.Pos(), xs...)
}
