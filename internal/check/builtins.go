package check

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/gotaichi/ti/internal/syntax"
)

// A builtinFn checks a call of a builtin function.
type builtinFn func(c *checker, name string, e *ast.CallExpr) operand

type builtinRow struct {
	name  string
	check builtinFn
}

// A class says what number types an elementwise builtin takes.
type class uint8

const (
	floats  class = iota // floats; integers become floats
	numbers              // any numbers
	ints                 // integers
	tests                // floats, giving bools
)

// builtinTable has a row for each predeclared function.
func builtinTable() []builtinRow {
	rows := []builtinRow{
		{"dot", vectorFn(Dot, 2, false, true)}, {"length", vectorFn(Length, 1, true, true)},
		{"length2", vectorFn(Length2, 1, false, true)}, {"distance", vectorFn(Distance, 2, true, true)},
		{"normalize", vectorFn(Normalize, 1, true, false)}, {"reflect", vectorFn(Reflect, 2, true, false)},
		{"refract", checkRefract}, {"cross", checkCross}, {"outer", checkOuter},
		{"sum", reduction(Sum)}, {"product", reduction(Product)}, {"minOf", reduction(MinOf)}, {"maxOf", reduction(MaxOf)},
		{"all", boolReduction(All)}, {"any", boolReduction(Any)},
		{"equal", checkEqual}, {"hadamard", checkHadamard}, {"unit", checkUnit},
		{"transpose", matrixFn(Transpose)}, {"determinant", matrixFn(Determinant)}, {"inverse", matrixFn(Inverse)},
		{"trace", matrixFn(Trace)}, {"diag", checkDiag}, {"col", checkCol}, {"cols", checkCols}, {"vec", checkVec},
		{"pow", checkPow}, {"ifelse", checkIfElse}, {"random", randomFn(Random)}, {"randn", randomFn(Randn)},
		{"len", checkLen}, {"rgba", checkRGBA}, {"stopGrad", checkStopGrad},
		{"assumeInRange", hintFn(AssumeInRange, 4, "assumeInRange(i, base, lo, hi)")},
		{"loopUnique", hintFn(LoopUnique, 1, "loopUnique(i)")},
		{"bitcast", func(c *checker, _ string, e *ast.CallExpr) operand {
			c.errorf(syntax.ArgType, e.Pos(), "write bitcast[u32](x)", "bitcast lacks the type in brackets")
			return operand{}
		}},
		{"activate", cellFn(Activate)}, {"deactivate", cellFn(Deactivate)}, {"isActive", cellFn(IsActive)},
		{"append", checkAppend}, {"clear", checkClear}, {"rescaleIndex", checkRescale},
		{"staticAssert", checkStaticAssert}, {"staticPrint", checkStaticPrint},
		{"print", checkPrint}, {"printf", checkPrintf}, {"assert", checkAssert},
	}
	rows = append(rows, linalgRows()...)
	rows = append(rows, transformRows()...)
	for _, r := range []struct {
		name  string
		fn    Fn
		class class
		n     int
		usage string
	}{
		{"sin", Sin, floats, 1, ""}, {"cos", Cos, floats, 1, ""}, {"tan", Tan, floats, 1, ""},
		{"asin", Asin, floats, 1, ""}, {"acos", Acos, floats, 1, ""}, {"atan", Atan, floats, 1, ""},
		{"sinh", Sinh, floats, 1, ""}, {"cosh", Cosh, floats, 1, ""}, {"tanh", Tanh, floats, 1, ""},
		{"exp", Exp, floats, 1, ""}, {"exp2", Exp2, floats, 1, ""}, {"log", Log, floats, 1, ""}, {"log2", Log2, floats, 1, ""},
		{"sqrt", Sqrt, floats, 1, ""}, {"rsqrt", Rsqrt, floats, 1, ""}, {"cbrt", Cbrt, floats, 1, ""},
		{"floor", Floor, floats, 1, ""}, {"ceil", Ceil, floats, 1, ""}, {"round", Round, floats, 1, ""},
		{"trunc", Trunc, floats, 1, ""}, {"fract", Fract, floats, 1, ""},
		{"radians", Radians, floats, 1, ""}, {"degrees", Degrees, floats, 1, ""},
		{"atan2", Atan2, floats, 2, "atan2(y, x)"},
		{"mix", Mix, floats, 3, "mix(a, b, t)"}, {"step", Step, floats, 2, "step(edge, x)"},
		{"smoothstep", Smoothstep, floats, 3, "smoothstep(lo, hi, x)"}, {"fma", Fma, floats, 3, "fma(a, b, c)"},
		{"abs", Abs, numbers, 1, ""}, {"sign", Sign, numbers, 1, ""}, {"sqr", Sqr, numbers, 1, ""},
		{"mod", Mod, numbers, 2, "mod(a, b)"}, {"floorDiv", FloorDiv, numbers, 2, "floorDiv(a, b)"},
		{"min", MinFn, numbers, -1, "min(a, b)"}, {"max", MaxFn, numbers, -1, "max(a, b)"},
		{"clamp", Clamp, numbers, 3, "clamp(x, lo, hi)"},
		{"popcount", Popcount, ints, 1, ""}, {"clz", Clz, ints, 1, ""},
		{"isnan", IsNaN, tests, 1, ""}, {"isinf", IsInf, tests, 1, ""},
	} {
		usage := r.usage
		if usage == "" {
			usage = r.name + "(x)"
		}
		rows = append(rows, builtinRow{r.name, elementwiseFn(r.fn, r.class, r.n, usage)})
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
func (c *checker) builtin(fn Fn, t Type, p token.Pos, args ...Expr) operand {
	c.growBy(Components(t), args...)
	if c.choosesOfNothing(fn, p, args) {
		return valueOf(c.bad(p))
	}
	if k := c.foldBuiltin(fn, t, p, args); k != nil {
		return valueOf(k)
	}
	for i, a := range args { // untyped constants have served for folding
		args[i] = c.defaultType(a, p)
	}
	return valueOf(&Builtin{ex{c.at(p), c.typedResult(t)}, fn, args})
}

// typedResult replaces an untyped scalar type by the default.
func (c *checker) typedResult(t Type) Type {
	switch ScalarOf(t) {
	case UntypedInt:
		return WithScalar(t, c.widths.Int)
	case UntypedFloat:
		return WithScalar(t, c.widths.Float)
	}
	return t
}

func (c *checker) argType(name string, e *ast.CallExpr, i int, x Expr, want string) operand {
	c.errorf(syntax.ArgType, e.Args[i].Pos(), "", "%s takes %s, and this is %s", name, want, describe(x))
	return operand{}
}

// unifyArgs brings arguments to one scalar type, a float type if asked for.
func (c *checker) unifyArgs(name string, e *ast.CallExpr, xs []Expr, float bool) (Scalar, bool) {
	for i, x := range xs {
		if _, slice := x.Type().(Slice); slice || isTable(x.Type()) {
			c.argType(name, e, i, x, "scalars, vectors and matrices")
			return Unknown, false
		}
	}
	s, ok := c.unifyScalars(xs...)
	if !ok {
		c.errorf(syntax.ArgType, e.Pos(), "convert them to one type", "%s: the arguments are of different types: %s", name, typeList(xs))
		return Unknown, false
	}
	if float && s == UntypedInt {
		s = UntypedFloat
	} else if float && s.IsInt() {
		s = c.widths.Float
	}
	for i := range xs {
		xs[i] = c.operandTo(xs[i], s, e.Args[i].Pos())
		if isUnknown(xs[i].Type()) {
			return Unknown, false
		}
	}
	return s, true
}

func typeList(xs []Expr) string {
	text := ""
	for i, x := range xs {
		if i > 0 {
			text += ", "
		}
		text += describe(x)
	}
	return text
}

// sameShapes brings arguments to one shape.
func (c *checker) sameShapes(name string, e *ast.CallExpr, xs []Expr) (Type, bool) {
	shape, ok := unifyShapes(xs)
	if !ok {
		c.errorf(syntax.ShapeMismatch, e.Pos(), "", "%s: the arguments have different shapes: %s", name, typeList(xs))
	}
	return shape, ok
}

// elementwiseFn is a builtin whose arguments and result have one type.
func elementwiseFn(fn Fn, cl class, n int, usage string) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		lo, hi, usage := n, n, usage
		if n < 0 {
			lo, hi = 2, -1
			if len(e.Args) == 1 {
				usage = name + "Of(v) for the components of a vector"
			}
		}
		xs, ok := c.countedArgs(name, e, lo, hi, usage)
		if !ok {
			return operand{}
		}
		return c.elementwiseCall(fn, cl, n, name, e, xs)
	}
}

// elementwiseCall makes the call of an elementwise builtin of n arguments, -1 for any
// number of them, two at a time.
func (c *checker) elementwiseCall(fn Fn, cl class, n int, name string, e *ast.CallExpr, xs []Expr) operand {
	s, ok := c.unifyArgs(name, e, xs, cl == floats || cl == tests)
	if !ok {
		return operand{}
	}
	if s == Bool || cl == ints && !s.IsInt() {
		want := "numbers"
		if cl == ints {
			want = "integers"
		}
		return c.argType(name, e, 0, xs[0], want)
	}
	shape, ok := c.sameShapes(name, e, xs)
	if !ok {
		return operand{}
	}
	t := WithScalar(shape, s)
	if cl == tests {
		t = WithScalar(shape, Bool)
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
