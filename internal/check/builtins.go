package check

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A builtinFn checks a call of a builtin function.
type builtinFn func(c *checker, name string, e *ast.CallExpr) operand

type builtinRow struct {
	name  string
	check builtinFn
}

// builtinTable has a row for each predeclared function.
func builtinTable() []builtinRow {
	rows := []builtinRow{
		{"dot", vectorFn(typed.Dot, 2, false, true)}, {"length", vectorFn(typed.Length, 1, true, true)},
		{"length2", vectorFn(typed.Length2, 1, false, true)}, {"distance", vectorFn(typed.Distance, 2, true, true)},
		{"normalize", vectorFn(typed.Normalize, 1, true, false)}, {"reflect", vectorFn(typed.Reflect, 2, true, false)},
		{"refract", checkRefract}, {"cross", checkCross}, {"outer", checkOuter},
		{"sum", reduction(typed.Sum)}, {"product", reduction(typed.Product)}, {"minOf", reduction(typed.MinOf)}, {"maxOf", reduction(typed.MaxOf)},
		{"all", boolReduction(typed.All)}, {"any", boolReduction(typed.Any)},
		{"equal", checkEqual}, {"hadamard", checkHadamard}, {"unit", checkUnit},
		{"transpose", matrixFn(typed.Transpose)}, {"determinant", matrixFn(typed.Determinant)}, {"inverse", matrixFn(typed.Inverse)},
		{"trace", matrixFn(typed.Trace)}, {"diag", checkDiag}, {"col", checkCol}, {"cols", checkCols}, {"vec", checkVec},
		{"pow", checkPow}, {"ifelse", checkIfElse}, {"random", randomFn(typed.Random)}, {"randn", randomFn(typed.Randn)},
		{"len", checkLen}, {"rgba", checkRGBA}, {"stopGrad", checkStopGrad},
		{"assumeInRange", hintFn(typed.AssumeInRange, 4, "assumeInRange(i, base, lo, hi)")},
		{"loopUnique", hintFn(typed.LoopUnique, 1, "loopUnique(i)")},
		{"bitcast", func(c *checker, _ string, e *ast.CallExpr) operand {
			c.errorf(syntax.ArgType, e.Pos(), "write bitcast[u32](x)", "bitcast lacks the type in brackets")
			return operand{}
		}},
		{"activate", cellFn(typed.Activate)}, {"deactivate", cellFn(typed.Deactivate)}, {"isActive", cellFn(typed.IsActive)},
		{"append", checkAppend}, {"clear", checkClear}, {"resize", checkResize}, {"rescaleIndex", checkRescale},
		{"staticAssert", checkStaticAssert}, {"staticPrint", checkStaticPrint},
		{"print", checkPrint}, {"printf", checkPrintf}, {"assert", checkAssert},
	}
	rows = append(rows, linalgRows()...)
	rows = append(rows, reduceRows()...)
	rows = append(rows, transformRows()...)
	for _, fn := range typed.Fns() {
		if fn.Info().Class != 0 {
			rows = append(rows, builtinRow{fn.String(), elementwiseFn(fn)})
		}
	}
	for _, name := range sortedNames(atomicOps) {
		rows = append(rows, builtinRow{name, atomicFn(atomicOps[name])})
	}
	for _, name := range []string{"static", "serial", "config", "span", "ndrange"} {
		rows = append(rows, builtinRow{name, rangeOnly})
	}
	return rows
}

func rangeOnly(c *checker, name string, e *ast.CallExpr) operand {
	help := "write for i := range " + name + "(…)"
	if name == "static" {
		help = "write if static(c) or range static(…)"
	}
	c.errorf(syntax.NotAValue, e.Pos(), help, "%s(…) is not a value", name)
	c.survey(e.Args...)
	return operand{}
}

// builtin makes the node of a builtin, folded if all arguments are constant.
func (c *checker) builtin(fn typed.Fn, t typed.Type, p token.Pos, args ...typed.Expr) operand {
	c.growBy(typed.Components(t), args...)
	if c.choosesOfNothing(fn, p, args) {
		return valueOf(c.bad(p))
	}
	if k := c.foldBuiltin(fn, t, p, args); k != nil {
		return valueOf(k)
	}
	for i, a := range args { // untyped constants have served for folding
		args[i] = c.defaultType(a, p)
	}
	return valueOf(&typed.Builtin{ExprBase: ex(c.at(p), c.typedResult(t)), Fn: fn, Args: args})
}

// typedResult replaces an untyped scalar type by the default.
func (c *checker) typedResult(t typed.Type) typed.Type {
	switch typed.ScalarOf(t) {
	case typed.UntypedInt:
		return typed.WithScalar(t, c.widths.Int)
	case typed.UntypedFloat:
		return typed.WithScalar(t, c.widths.Float)
	}
	return t
}

func (c *checker) argType(name string, e *ast.CallExpr, i int, x typed.Expr, want string) operand {
	c.errorf(syntax.ArgType, e.Args[i].Pos(), "", "%s takes %s, and this is %s", name, want, c.describe(x))
	return operand{}
}

// unifyArgs brings arguments to one scalar type, a float type if asked for.
func (c *checker) unifyArgs(name string, e *ast.CallExpr, xs []typed.Expr, float bool) (typed.Scalar, bool) {
	for i, x := range xs {
		if _, slice := x.Type().(typed.Slice); slice || isTable(x.Type()) {
			c.argType(name, e, i, x, "scalars, vectors and matrices")
			return typed.Unknown, false
		}
	}
	s, ok := c.unifyScalars(xs...)
	if !ok {
		c.errorf(syntax.ArgType, e.Pos(), "convert them to one type", "%s: the arguments are of different types: %s", name, c.typeList(xs))
		return typed.Unknown, false
	}
	if float && s == typed.UntypedInt {
		s = typed.UntypedFloat
	} else if float && s.IsInt() {
		s = c.widths.Float
	}
	for i := range xs {
		xs[i] = c.operandTo(xs[i], s, e.Args[i].Pos())
		if isUnknown(xs[i].Type()) {
			return typed.Unknown, false
		}
	}
	return s, true
}

func (c *checker) typeList(xs []typed.Expr) string {
	text := ""
	for i, x := range xs {
		if i > 0 {
			text += ", "
		}
		text += c.describe(x)
	}
	return text
}

// sameShapes brings arguments to one shape.
func (c *checker) sameShapes(name string, e *ast.CallExpr, xs []typed.Expr) (typed.Type, bool) {
	shape, ok := unifyShapes(xs)
	if !ok {
		c.errorf(syntax.ShapeMismatch, e.Pos(), "", "%s: the arguments have different shapes: %s", name, c.typeList(xs))
	}
	return shape, ok
}

// elementwiseFn is a builtin whose arguments and result have one type.
func elementwiseFn(fn typed.Fn) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		r := fn.Info()
		lo, hi, usage := r.Args, r.Args, r.Usage
		if r.Args < 0 {
			lo, hi = 2, -1
			if len(e.Args) == 1 {
				usage = name + "Of(v) for the components of a vector"
			}
		}
		xs, ok := c.countedArgs(name, e, lo, hi, usage)
		if !ok {
			return operand{}
		}
		return c.elementwiseCall(fn, r.Class, r.Args, name, e, xs)
	}
}

// elementwiseCall makes the call of an elementwise builtin of n arguments, -1 for any
// number of them, two at a time.
func (c *checker) elementwiseCall(fn typed.Fn, cl typed.FnClass, n int, name string, e *ast.CallExpr, xs []typed.Expr) operand {
	s, ok := c.unifyArgs(name, e, xs, cl == typed.OnFloats || cl == typed.OnTests)
	if !ok {
		return operand{}
	}
	if s == typed.Bool || cl == typed.OnInts && !s.IsInt() {
		want := "numbers"
		if cl == typed.OnInts {
			want = "integers"
		}
		return c.argType(name, e, 0, xs[0], want)
	}
	shape, ok := c.sameShapes(name, e, xs)
	if !ok {
		return operand{}
	}
	t := typed.WithScalar(shape, s)
	if cl == typed.OnTests {
		t = typed.WithScalar(shape, typed.Bool)
	}
	if n >= 0 {
		return c.builtin(fn, t, e.Pos(), xs...)
	}
	r := xs[0] // min and max of many
	for _, x := range xs[1:] {
		r = c.builtin(fn, t, e.Pos(), r, x).x
	}
	return valueOf(r)
}

// BuiltinNames lists the predeclared functions.
func BuiltinNames() []string {
	var names []string
	for _, b := range builtinTable() {
		names = append(names, b.name)
	}
	slices.Sort(names)
	return names
}
