package check

import (
	"go/ast"

	"github.com/gotaichi/ti/internal/typed"
)

// vectorFn is a builtin of vectors of one length (or scalars): float says that
// integers become floats, scalar that the result is a scalar.
func vectorFn(fn typed.Fn, n int, float, scalar bool) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		usage := name + "(v)"
		if n == 2 {
			usage = name + "(a, b)"
		}
		xs, ok := c.countedArgs(name, e, n, n, usage)
		if !ok {
			return operand{}
		}
		for i, x := range xs {
			if len(typed.Dims(x.Type())) > 1 || typed.ScalarOf(x.Type()) == typed.Bool {
				return c.argType(name, e, i, x, "vectors of numbers")
			}
		}
		s, ok := c.unifyArgs(name, e, xs, float)
		if !ok {
			return operand{}
		}
		shape, ok := c.sameShapes(name, e, xs)
		if !ok {
			return operand{}
		}
		t := typed.WithScalar(shape, s)
		if scalar {
			t = s
		}
		return c.builtin(fn, t, e.Pos(), xs...)
	}
}

func reduction(fn typed.Fn) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		xs, ok := c.countedArgs(name, e, 1, 1, name+"(v)")
		if !ok {
			return operand{}
		}
		t := xs[0].Type()
		if _, slice := t.(typed.Slice); slice || isTable(t) || typed.ScalarOf(t) == typed.Bool {
			return c.argType(name, e, 0, xs[0], "a vector or matrix of numbers")
		}
		return c.builtin(fn, typed.ScalarOf(t), e.Pos(), xs...)
	}
}

func boolReduction(fn typed.Fn) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		xs, ok := c.countedArgs(name, e, 1, 1, name+"(v)")
		if !ok {
			return operand{}
		}
		if _, slice := xs[0].Type().(typed.Slice); slice || typed.ScalarOf(xs[0].Type()) != typed.Bool {
			return c.argType(name, e, 0, xs[0], "a vector of bool, such as v < 0")
		}
		return valueOf(c.reduceBools(fn, xs[0], e.Pos()))
	}
}

func checkEqual(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 2, 2, "equal(a, b)")
	if !ok {
		return operand{}
	}
	s, ok := c.unifyArgs(name, e, xs, false)
	if !ok {
		return operand{}
	}
	shape, ok := c.sameShapes(name, e, xs)
	if !ok {
		return operand{}
	}
	t := typed.WithScalar(shape, typed.Bool)
	if k := c.fold(typed.Eq, xs[0], xs[1], t, s, e.Pos()); k != nil {
		return valueOf(k)
	}
	return valueOf(&typed.Binary{ExprBase: ex(c.at(e.Pos()), t), Op: typed.Eq, X: xs[0], Y: xs[1]})
}

func checkHadamard(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 2, 2, "hadamard(a, b)")
	if !ok {
		return operand{}
	}
	s, ok := c.unifyArgs(name, e, xs, false)
	if !ok {
		return operand{}
	}
	if s == typed.Bool {
		return c.argType(name, e, 0, xs[0], "numbers")
	}
	if _, ok = c.sameShapes(name, e, xs); !ok {
		return operand{}
	}
	return valueOf(c.elementwise(typed.Mul, xs[0], xs[1], s, e.Args[1], e.Pos()))
}

// checkUnit makes the d-th unit vector of n integers: equal(d, (0, 1, …)) as ints.
func checkUnit(c *checker, name string, e *ast.CallExpr) operand {
	if !c.argCount(name, e, 2, 2, "unit(n, d)") {
		return operand{}
	}
	n, ok := c.constInt(e.Args[0])
	d := c.defaultType(c.value(e.Args[1]), e.Args[1].Pos())
	if !ok || isUnknown(d.Type()) {
		return operand{}
	}
	s, scalar := d.Type().(typed.Scalar)
	if !scalar || !s.IsInt() {
		return c.argType(name, e, 1, d, "an integer")
	}
	t := c.makeArray(s, n, e.Args[0].Pos())
	if isUnknown(t) {
		return operand{}
	}
	steps := zero(t, c.at(e.Pos()))
	for i := range steps.Vals {
		steps.Vals[i] = typed.IntNum(int64(i))
	}
	bools := typed.WithScalar(t, typed.Bool)
	x := c.fold(typed.Eq, splat(d, t), steps, bools, s, e.Pos())
	if x == nil {
		x = &typed.Binary{ExprBase: ex(c.at(e.Pos()), bools), Op: typed.Eq, X: splat(d, t), Y: steps}
	}
	return valueOf(convert(x, c.widths.Int))
}

// checkVec makes a vector whose length and type follow from the arguments.
func checkVec(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 1, -1, "vec(a, b)")
	if !ok {
		return operand{}
	}
	s, ok := c.unifyArgs(name, e, xs, false)
	if !ok {
		return operand{}
	}
	n := 0
	for i, x := range xs {
		if len(typed.Dims(x.Type())) > 1 {
			return c.argType(name, e, i, x, "scalars and vectors")
		}
		xs[i] = c.defaultType(x, e.Args[i].Pos())
		if isUnknown(xs[i].Type()) {
			return operand{}
		}
		n += typed.Components(x.Type())
	}
	t := typed.ArrayOf(typed.ScalarOf(c.typedResult(s)), n)
	return valueOf(compose(xs, t, c.at(e.Pos())))
}

func checkRefract(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 3, 3, "refract(d, n, eta)")
	if !ok {
		return operand{}
	}
	if _, ok := c.unifyArgs(name, e, xs, true); !ok {
		return operand{}
	}
	if !typed.IsVector(xs[0].Type()) || xs[0].Type() != xs[1].Type() {
		return c.argType(name, e, 1, xs[1], "two vectors of one length")
	}
	if _, scalar := xs[2].Type().(typed.Scalar); !scalar {
		return c.argType(name, e, 2, xs[2], "a scalar as last argument")
	}
	return c.builtin(typed.Refract, xs[0].Type(), e.Pos(), xs...)
}

func checkCross(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 2, 2, "cross(a, b)")
	if !ok {
		return operand{}
	}
	s, ok := c.unifyArgs(name, e, xs, false)
	if !ok {
		return operand{}
	}
	d := typed.Dims(xs[0].Type())
	if len(d) != 1 || d[0] != 2 && d[0] != 3 || xs[0].Type() != xs[1].Type() || s == typed.Bool {
		return c.argType(name, e, 0, xs[0], "two vectors of 3 components, or two of 2")
	}
	t := xs[0].Type()
	if d[0] == 2 {
		t = s
	}
	return c.builtin(typed.Cross, t, e.Pos(), xs...)
}

func checkOuter(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 2, 2, "outer(a, b)")
	if !ok {
		return operand{}
	}
	s, ok := c.unifyArgs(name, e, xs, false)
	if !ok {
		return operand{}
	}
	for i, x := range xs {
		if !typed.IsVector(x.Type()) || s == typed.Bool {
			return c.argType(name, e, i, x, "two vectors of numbers")
		}
	}
	t := typed.ArrayOf(s, typed.Dims(xs[0].Type())[0], typed.Dims(xs[1].Type())[0])
	return c.builtin(typed.Outer2, t, e.Pos(), xs...)
}
