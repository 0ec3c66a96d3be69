package check

import "go/ast"

// vectorFn is a builtin of vectors of one length (or scalars): float says that
// integers become floats, scalar that the result is a scalar.
func vectorFn(fn Fn, n int, float, scalar bool) builtinFn {
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
			if len(Dims(x.Type())) > 1 || ScalarOf(x.Type()) == Bool {
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
		t := WithScalar(shape, s)
		if scalar {
			t = s
		}
		return c.builtin(fn, t, e.Pos(), xs...)
	}
}

func reduction(fn Fn) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		xs, ok := c.countedArgs(name, e, 1, 1, name+"(v)")
		if !ok {
			return operand{}
		}
		t := xs[0].Type()
		if _, slice := t.(Slice); slice || isTable(t) || ScalarOf(t) == Bool {
			return c.argType(name, e, 0, xs[0], "a vector or matrix of numbers")
		}
		return c.builtin(fn, ScalarOf(t), e.Pos(), xs...)
	}
}

func boolReduction(fn Fn) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		xs, ok := c.countedArgs(name, e, 1, 1, name+"(v)")
		if !ok {
			return operand{}
		}
		if _, slice := xs[0].Type().(Slice); slice || ScalarOf(xs[0].Type()) != Bool {
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
	t := WithScalar(shape, Bool)
	if k := c.fold(Eq, xs[0], xs[1], t, s, e.Pos()); k != nil {
		return valueOf(k)
	}
	return valueOf(&Binary{ex{c.at(e.Pos()), t}, Eq, xs[0], xs[1]})
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
	if s == Bool {
		return c.argType(name, e, 0, xs[0], "numbers")
	}
	if _, ok = c.sameShapes(name, e, xs); !ok {
		return operand{}
	}
	return valueOf(c.elementwise(Mul, xs[0], xs[1], s, e.Args[1], e.Pos()))
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
	s, scalar := d.Type().(Scalar)
	if !scalar || !s.IsInt() {
		return c.argType(name, e, 1, d, "an integer")
	}
	t := c.makeArray(s, n, e.Args[0].Pos())
	if isUnknown(t) {
		return operand{}
	}
	steps := zero(t, c.at(e.Pos()))
	for i := range steps.Vals {
		steps.Vals[i] = IntNum(int64(i))
	}
	bools := WithScalar(t, Bool)
	x := c.fold(Eq, splat(d, t), steps, bools, s, e.Pos())
	if x == nil {
		x = &Binary{ex{c.at(e.Pos()), bools}, Eq, splat(d, t), steps}
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
		if len(Dims(x.Type())) > 1 {
			return c.argType(name, e, i, x, "scalars and vectors")
		}
		xs[i] = c.defaultType(x, e.Args[i].Pos())
		if isUnknown(xs[i].Type()) {
			return operand{}
		}
		n += Components(x.Type())
	}
	t := arrayOf(ScalarOf(c.typedResult(s)), n)
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
	if !IsVector(xs[0].Type()) || xs[0].Type() != xs[1].Type() {
		return c.argType(name, e, 1, xs[1], "two vectors of one length")
	}
	if _, scalar := xs[2].Type().(Scalar); !scalar {
		return c.argType(name, e, 2, xs[2], "a scalar as last argument")
	}
	return c.builtin(Refract, xs[0].Type(), e.Pos(), xs...)
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
	d := Dims(xs[0].Type())
	if len(d) != 1 || d[0] != 2 && d[0] != 3 || xs[0].Type() != xs[1].Type() || s == Bool {
		return c.argType(name, e, 0, xs[0], "two vectors of 3 components, or two of 2")
	}
	t := xs[0].Type()
	if d[0] == 2 {
		t = s
	}
	return c.builtin(Cross, t, e.Pos(), xs...)
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
		if !IsVector(x.Type()) || s == Bool {
			return c.argType(name, e, i, x, "two vectors of numbers")
		}
	}
	t := arrayOf(s, Dims(xs[0].Type())[0], Dims(xs[1].Type())[0])
	return c.builtin(Outer2, t, e.Pos(), xs...)
}
