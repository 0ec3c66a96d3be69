package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
)

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

// maxClosedInverse is the number of rows up to which the closed form of the inverse
// is as accurate as elimination. That of four rows is not: small cofactors are
// differences of large products. Determinants have one up to four rows.
const (
	maxClosedInverse     = 3
	maxClosedDeterminant = 4
)

func matrixFn(fn Fn) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		xs, ok := c.countedArgs(name, e, 1, 1, name+"(m)")
		if !ok {
			return operand{}
		}
		t := xs[0].Type()
		d, s := Dims(t), ScalarOf(t)
		if len(d) != 2 || !s.IsNumber() {
			return c.argType(name, e, 0, xs[0], "a matrix")
		}
		if fn != Transpose && d[0] != d[1] {
			return c.argType(name, e, 0, xs[0], "a square matrix")
		}
		switch fn {
		case Transpose:
			t = arrayOf(s, d[1], d[0])
		case Inverse:
			if !s.IsFloat() {
				return c.argType(name, e, 0, xs[0], "a matrix of floats")
			}
			if d[0] > maxClosedInverse {
				return c.linalg(name, e, linalgKey{d[0], d[0], s}, xs)
			}
		case Determinant:
			if d[0] > maxClosedDeterminant && !s.IsFloat() {
				name = "intDeterminant"
			}
			if d[0] > maxClosedDeterminant {
				return c.linalg(name, e, linalgKey{d[0], d[0], s}, xs)
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
	d, s := Dims(t), ScalarOf(t)
	switch {
	case len(d) == 1 && s.IsNumber():
		return c.builtin(Diag, arrayOf(s, d[0], d[0]), e.Pos(), xs...)
	case len(d) == 2 && d[0] == d[1] && s.IsNumber():
		return c.builtin(Diag, arrayOf(s, d[0]), e.Pos(), xs...)
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
		if !IsVector(x.Type()) || x.Type() != xs[0].Type() {
			return c.argType(name, e, i, x, "vectors of one length")
		}
	}
	rows := Dims(xs[0].Type())[0]
	return c.builtin(Cols, arrayOf(s, rows, len(xs)), e.Pos(), xs...)
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

func checkIfElse(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 3, 3, "ifelse(c, a, b)")
	if !ok {
		return operand{}
	}
	cond := xs[0]
	if _, slice := cond.Type().(Slice); slice || ScalarOf(cond.Type()) != Bool {
		return c.argType(name, e, 0, cond, "a bool, or a vector of bool, first")
	}
	if t := xs[1].Type(); HasStruct(t) && t == xs[2].Type() && cond.Type() == Type(Bool) {
		return valueOf(&Builtin{ex{c.at(e.Pos()), t}, IfElse, xs})
	}
	s, ok := c.unifyScalars(xs[1], xs[2])
	if !ok || HasStruct(xs[1].Type()) || HasStruct(xs[2].Type()) {
		c.errorf(syntax.ArgType, e.Pos(), "convert them to one type", "ifelse: the alternatives are of different types: %s", typeList(xs[1:]))
		return operand{}
	}
	if s.IsUntyped() {
		s = ScalarOf(c.typedResult(s))
	}
	shapes := []Expr{c.operandTo(xs[1], s, e.Args[1].Pos()), c.operandTo(xs[2], s, e.Args[2].Pos())}
	if isUnknown(shapes[0].Type()) || isUnknown(shapes[1].Type()) {
		return operand{}
	}
	if _, scalar := cond.Type().(Scalar); !scalar {
		shapes = append(shapes, cond)
	}
	shape, ok := c.sameShapes(name, e, shapes)
	if !ok {
		return operand{}
	}
	if k, ok := cond.(*Const); ok && len(k.Vals) == 1 && k.Vals[0].Known() {
		pick := shapes[1]
		if k.Vals[0].Bool() {
			pick = shapes[0]
		}
		if _, ok := pick.(*Const); ok && pure(shapes[0]) && pure(shapes[1]) {
			return valueOf(pick)
		}
	}
	return valueOf(&Builtin{ex{c.at(e.Pos()), WithScalar(shape, s)}, IfElse, []Expr{cond, shapes[0], shapes[1]}})
}

// randomFn is random() or randn(), of the default float type or a type given.
func randomFn(fn Fn) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		if !c.argCount(name, e, 0, 1, name+"() or "+name+"(vec3)") {
			return operand{}
		}
		var t Type = c.widths.Float
		if len(e.Args) == 1 {
			if t = c.valueType(e.Args[0]); isUnknown(t) {
				return operand{}
			}
		}
		s := ScalarOf(t)
		if s == Bool || fn == Randn && !s.IsFloat() || isTable(t) {
			c.errorf(syntax.ArgType, e.Args[0].Pos(), "use f32 or a vector, and compare for a bool: random() < 0.5", "%s does not make a %s", name, t)
			return operand{}
		}
		return valueOf(&Builtin{ex: ex{c.at(e.Pos()), t}, Fn: fn})
	}
}

// checkLen checks len(x): of a field the first extent, of a slice, list or array its
// length.
func checkLen(c *checker, name string, e *ast.CallExpr) operand {
	if !c.argCount(name, e, 1, 1, "len(x)") {
		return operand{}
	}
	constant := func(n int) operand {
		return valueOf(&Const{ex: ex{c.at(e.Pos()), c.widths.Int}, Vals: []Num{IntNum(int64(n))}, from: fromShape})
	}
	if of, ok := c.shapeOf(e.Args[0]); ok { // the rank, also of a single cell, whose shape is no value
		if of.mode == modeBad {
			return of
		}
		return constant(of.obj.field.Rank)
	}
	l, ok := c.listOf(e.Args[0])
	switch {
	case ok && l.o == nil:
		return operand{}
	case ok && (len(l.index) > 0 || !l.unbound):
		return valueOf(c.length(l, e.Pos()))
	}
	op := c.typeOnly(e.Args[0])
	switch op.mode {
	case modeField:
		f := op.obj.field
		switch {
		case f.Rank == 0:
			c.errorf(syntax.ArgType, e.Args[0].Pos(), "", "%s has a single cell, and no length", op.obj.name)
			return operand{}
		case f.Rank < 0 || f.Shape == nil:
			return valueOf(&Const{ex: ex{c.at(e.Pos()), c.widths.Int}, Vals: []Num{{}}, from: fromShape})
		}
		if !c.bounded(op.obj, e.Args[0].Pos()) {
			return operand{}
		}
		return valueOf(c.extent(f, 0, c.at(e.Pos())))
	case modeValue:
		switch t := op.x.Type().(type) {
		case Array:
			return constant(t.Len)
		case Slice:
			return valueOf(&Builtin{ex{c.at(e.Pos()), c.widths.Int}, LenFn, []Expr{op.x}})
		}
		if !isUnknown(op.x.Type()) {
			return c.argType(name, e, 0, op.x, "a field, slice, array or vector")
		}
	case modeBundle:
		return constant(len(op.obj.parts))
	case modeType, modeFunc, modeBuiltin, modeNode:
		c.errorf(syntax.ArgType, e.Args[0].Pos(), "", "len takes a field, slice, array or vector")
	}
	return operand{}
}

// checkRGBA packs a colour of 3 or 4 components.
func checkRGBA(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 1, 4, "rgba(color)")
	if !ok {
		return operand{}
	}
	n := 0
	for i, x := range xs {
		if s := ScalarOf(x.Type()); len(Dims(x.Type())) > 1 || !s.IsNumber() {
			return c.argType(name, e, i, x, "a colour of 3 or 4 numbers")
		}
		n += Components(x.Type())
		xs[i] = c.operandTo(x, c.widths.Float, e.Args[i].Pos())
	}
	if n != 3 && n != 4 {
		c.errorf(syntax.ArgCount, e.Pos(), "give red, green, blue, and alpha if it is not 1", "rgba takes 3 or 4 components, not %d", n)
		return operand{}
	}
	if n == 3 {
		xs = append(xs, &Const{ex: ex{c.at(e.Pos()), c.widths.Float}, Vals: []Num{FloatNum(1)}})
	}
	v := compose(xs, arrayOf(c.widths.Float, 4), c.at(e.Pos()))
	return valueOf(&Builtin{ex{c.at(e.Pos()), U32}, RGBA, []Expr{v}})
}

func checkStopGrad(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 1, 1, "stopGrad(x)")
	if !ok {
		return operand{}
	}
	x := c.defaultType(xs[0], e.Args[0].Pos())
	if _, slice := x.Type().(Slice); slice || isUnknown(x.Type()) {
		return operand{}
	}
	return valueOf(&Builtin{ex{c.at(e.Pos()), x.Type()}, StopGrad, []Expr{x}})
}

// hintFn is a promise about an index; its value is the first argument.
func hintFn(fn Fn, n int, usage string) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		xs, ok := c.countedArgs(name, e, n, n, usage)
		if !ok {
			return operand{}
		}
		for i, x := range xs {
			if s := ScalarOf(x.Type()); !s.IsInt() || len(Dims(x.Type())) > 1 {
				return c.argType(name, e, i, x, "integers")
			}
			xs[i] = c.defaultType(x, e.Args[i].Pos())
			if isUnknown(xs[i].Type()) {
				return operand{}
			}
		}
		return valueOf(&Builtin{ex{c.at(e.Pos()), xs[0].Type()}, fn, xs})
	}
}

// nothing is the value of a call that leaves no node.
func nothing(p token.Position) Expr {
	return &Const{ex: ex{p, &Tuple{}}}
}

// staticCond evaluates a condition that must be constant; known is false after an
// error, or where it depends on a host that is not bound.
func (c *checker) staticCond(e ast.Expr) (known, yes bool) {
	x := c.constant(e)
	if isUnknown(x.Type()) {
		return false, false
	}
	if x.Type() != Type(Bool) {
		c.errorf(syntax.NotACondition, e.Pos(), "compare it: x != 0", "a condition is a bool, and this is %s", describe(x))
		return false, false
	}
	k, ok := x.(*Const)
	if !ok {
		c.errorf(syntax.UnknownForStatic, e.Pos(), "leave out static for a condition that is known at run time only", "the argument of static must be a constant")
		return false, false
	}
	return k.Vals[0].Known(), k.Vals[0].Bool()
}
