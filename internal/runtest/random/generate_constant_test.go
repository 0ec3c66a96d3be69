package random

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// A constantWriter writes expressions over numbers that it makes up, which may stand in the source or be read.
type constantWriter struct {
	*rand.Rand
	leaves []constantLeaf
}

// A constantLeaf is a number of an expression, whose name stands for it in the text.
type constantLeaf struct {
	kind ir.Kind
	bits uint64
}

// A constantType is a scalar, a vector of n or a matrix of n rows and m columns.
type constantType struct {
	kind ir.Kind
	n, m int
}

var constantInts = []ir.Kind{ir.I8, ir.I16, ir.I32, ir.I64, ir.U8, ir.U16, ir.U32, ir.U64}

var constantFloats = []ir.Kind{ir.F32, ir.F64, ir.F32, ir.F64, ir.F16}

func (t constantType) String() string {
	switch {
	case t.m > 0:
		return fmt.Sprintf("[%d][%d]%s", t.n, t.m, t.kind)
	case t.n > 0:
		return fmt.Sprintf("[%d]%s", t.n, t.kind)
	}
	return t.kind.String()
}

// components returns what selects each number of a value of the type.
func (t constantType) components() (all []string) {
	switch {
	case t.n == 0:
		return []string{""}
	case t.m == 0:
		for i := range t.n {
			all = append(all, fmt.Sprintf("[%d]", i))
		}
	default:
		for i := range t.n * t.m {
			all = append(all, fmt.Sprintf("[%d][%d]", i/t.m, i%t.m))
		}
	}
	return all
}

func (w *constantWriter) of(list ...string) string { return list[w.IntN(len(list))] }

func (w *constantWriter) floatKind() ir.Kind { return constantFloats[w.IntN(len(constantFloats))] }

func (w *constantWriter) intKind() ir.Kind { return constantInts[w.IntN(len(constantInts))] }

// anyType returns a type for a whole expression.
func (w *constantWriter) anyType() constantType {
	switch w.IntN(8) {
	case 0, 1:
		return constantType{kind: w.intKind()}
	case 2, 3:
		return constantType{kind: w.floatKind(), n: 2 + w.IntN(3)}
	case 4:
		n := 2 + w.IntN(3)
		return constantType{kind: w.floatKind(), n: n, m: n}
	}
	return constantType{kind: w.floatKind()}
}

// leaf makes up a number of kind k and returns its name.
func (w *constantWriter) leaf(k ir.Kind) string {
	bits := uint64(0)
	if k.IsFloat() {
		bits = w.floatNumber(k)
	} else {
		edges := []int64{0, 1, -1, 2, 3, -3, 7, math.MaxInt64, math.MinInt64, 1 << (k.Bits() - 1), 1<<(k.Bits()-1) - 1, 100, 31}
		n := edges[w.IntN(len(edges))]
		if w.IntN(3) == 0 {
			n = int64(w.Uint64())
		}
		bits = ir.IntBits(k, n)
	}
	w.leaves = append(w.leaves, constantLeaf{k, bits})
	return fmt.Sprintf("a%d_", len(w.leaves)-1)
}

// floatNumber makes up a float: of moderate size for the most part, but next to 1, to zeros of functions and to the
// borders of the kind, too.
func (w *constantWriter) floatNumber(k ir.Kind) uint64 {
	v := 0.0
	switch w.IntN(12) {
	case 0:
		v = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2, -2, 3, math.Inf(1), math.Inf(-1), math.NaN(), 10, 1e7, 1e8, -100}[w.IntN(15)]
	case 1:
		v = 1 + (w.Float64()-0.5)*math.Exp2(-50*w.Float64())
	case 2:
		v = -1 + w.Float64()*math.Exp2(-50*w.Float64())
	case 3:
		v = float64(w.IntN(2001)-1000) * math.Pi / 2
	case 4: // any number
		return ir.IntBits(k.Unsigned(), int64(w.Uint64()))
	case 5:
		v = (w.Float64() - 0.5) * math.Exp2(float64(w.IntN(60)-30))
	case 6:
		v = []float64{88.7, -103.9, 709.78, -745.1, 127.99, -149.2, 1023.9, -1074.3, 65504, 0x1p-24, 0x1p-149, 0x1p-1074, math.MaxFloat32, math.MaxFloat64}[w.IntN(14)]
	case 7:
		v = float64(w.IntN(41) - 20)
	default:
		v = 4 * (w.Float64() - 0.5)
	}
	return ir.FloatBits(k, v)
}

// easy generates a float for which the compiler may have a special case, as an exponent, a factor or a divisor.
func (w *constantWriter) easy(k ir.Kind) string {
	v := []float64{2, 1, 0, -1, 0.5, 3, 4, -2, 2, 1, -1, 0.5, 10, 0x1p-14, 0x1p14, math.Copysign(0, -1)}[w.IntN(16)]
	w.leaves = append(w.leaves, constantLeaf{k, ir.FloatBits(k, v)})
	return fmt.Sprintf("a%d_", len(w.leaves)-1)
}

// row writes an operation on an x of kind k that is read, and constants.
func (w *constantWriter) row(k ir.Kind) string {
	c := func() string {
		if w.IntN(3) == 0 {
			return w.leaf(k)
		}
		return w.easy(k)
	}
	switch w.IntN(8) {
	case 0, 1, 2:
		return w.of("pow(x, "+c()+")", "pow(x, "+c()+")", "pow("+c()+", x)")
	case 3:
		op := w.of("+", "-", "*", "/")
		return w.of(fmt.Sprintf("(x %s %s)", op, c()), fmt.Sprintf("(%s %s x)", c(), op))
	case 4:
		return fmt.Sprintf("((x %s %s) %s %s)", w.of("+", "-", "*", "/"), c(), w.of("+", "-", "*", "/"), c())
	case 5:
		return w.of(fmt.Sprintf("fma(x, %s, %s)", c(), c()), fmt.Sprintf("fma(%s, %s, x)", c(), c()), fmt.Sprintf("fma(x, x, %s)", c()))
	case 6:
		return fmt.Sprintf("%s(x, %s)", w.of("mod", "floorDiv", "atan2", "hypot", "step"), c())
	}
	return w.of(fmt.Sprintf("mix(x, %s, %s)", c(), c()), fmt.Sprintf("smoothstep(%s, %s, x)", c(), c()), fmt.Sprintf("(clamp(x, %s, %s) + 0.0)", c(), c()))
}

// literal writes a number as the source has it. Shape is 0, and a number of the shape of things: constants that are
// computed from such follow the rules of values, and are no mistakes where they overflow.
func (l constantLeaf) literal(shape string) string {
	text := ""
	switch v := ir.FloatValue(l.kind, l.bits); {
	case !l.kind.IsFloat():
		text = fmt.Sprint(int64(l.bits))
		if l.kind.IsUnsigned() {
			text = fmt.Sprint(l.bits)
		}
	case v != v:
		text = "nan"
	case math.IsInf(v, 0):
		text = strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(v), "+"), "Inf") + "inf"
	case v == 0 && math.Signbit(v):
		return fmt.Sprintf("(-(%s(0)*%s(%s+1)))", l.kind, l.kind, shape)
	default:
		text = fmt.Sprintf("%x", v)
	}
	return fmt.Sprintf("(%s(%s)*%s(%s+1))", l.kind, text, l.kind, shape)
}

// expr writes an expression of type t.
func (w *constantWriter) expr(t constantType, depth int) string {
	switch {
	case t.m > 0:
		return w.matrix(t, depth)
	case t.n > 0:
		return w.vector(t, depth)
	case depth <= 0 || w.IntN(6) == 0:
		return w.leaf(t.kind)
	case t.kind.IsFloat():
		return w.float(t, depth)
	}
	return w.integer(t, depth)
}

// call writes a call of a builtin with n arguments of type t.
func (w *constantWriter) call(name string, n int, t constantType, depth int) string {
	return name + "(" + w.list(n, t, depth-1) + ")"
}

func (w *constantWriter) list(n int, t constantType, depth int) string {
	args := make([]string, n)
	for i := range args {
		args[i] = w.expr(t, depth)
	}
	return strings.Join(args, ", ")
}

// elementwise writes a call of an elementwise builtin of floats. Of min, max and clamp of zeros either may be the
// result: the sum makes it +0.
func (w *constantWriter) elementwise(t constantType, depth int) string {
	switch w.IntN(9) {
	case 8:
		easy := w.easy(t.kind)
		return w.of(fmt.Sprintf("pow(%s, %s)", w.expr(t, depth-1), easy), fmt.Sprintf("pow(%s, %s)", easy, w.expr(t, depth-1)))
	case 0, 1, 2:
		return w.call(w.of("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "exp2", "log", "log2", "rsqrt", "cbrt"), 1, t, depth)
	case 3:
		return w.call(w.of("sqrt", "floor", "ceil", "round", "trunc", "fract", "radians", "degrees", "abs", "sign", "sqr", "-"), 1, t, depth)
	case 4, 5:
		return w.call(w.of("atan2", "hypot", "pow", "pow", "step", "mod", "floorDiv"), 2, t, depth)
	case 6:
		return w.call(w.of("mix", "smoothstep", "fma", "fma"), 3, t, depth)
	}
	return "(" + w.of(w.call("min", 2, t, depth), w.call("max", 2, t, depth), w.call("clamp", 3, t, depth)) + " + 0.0)"
}

func (w *constantWriter) float(t constantType, depth int) string {
	same := func() string { return w.expr(t, depth-1) }
	v := constantType{kind: t.kind, n: 2 + w.IntN(3)}
	switch w.IntN(12) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", same(), w.of("+", "-", "*", "/"), same())
	case 3:
		return fmt.Sprintf("%s(%s)", t.kind, w.expr(constantType{kind: w.of2()}, depth-1))
	case 4:
		return fmt.Sprintf("ifelse(%s, %s, %s)", w.condition(depth-1), same(), same())
	case 5:
		if w.IntN(2) == 0 {
			return w.call(w.of("dot", "distance"), 2, v, depth)
		}
		return w.call(w.of("length", "length2", "sum", "product"), 1, v, depth)
	case 6:
		v.m = v.n
		return w.call(w.of("determinant", "trace"), 1, v, depth)
	case 7:
		if w.IntN(2) == 0 {
			return w.call("cross", 2, constantType{kind: t.kind, n: 2}, depth)
		}
		return "(" + w.call(w.of("minOf", "maxOf"), 1, v, depth) + " + 0.0)"
	}
	return w.elementwise(t, depth)
}

// of2 returns a kind to convert from.
func (w *constantWriter) of2() ir.Kind {
	if w.IntN(2) == 0 {
		return w.intKind()
	}
	return w.floatKind()
}

func (w *constantWriter) condition(depth int) string {
	t := constantType{kind: w.of2()}
	switch w.IntN(4) {
	case 0:
		return w.call(w.of("isnan", "isinf"), 1, constantType{kind: w.floatKind()}, depth)
	case 1:
		return fmt.Sprintf("(%s %s %s)", w.comparison(t, depth), w.of("&&", "||"), w.comparison(t, depth))
	case 2:
		t.n = 2
		return fmt.Sprintf("%s(%s %s %s)", w.of("any", "all"), w.expr(t, depth-1), w.of("<", "<=", ">", ">="), w.expr(t, depth-1))
	}
	return w.comparison(t, depth)
}

func (w *constantWriter) comparison(t constantType, depth int) string {
	return fmt.Sprintf("(%s %s %s)", w.expr(t, depth-1), w.of("<", "<=", ">", ">=", "==", "!="), w.expr(t, depth-1))
}

func (w *constantWriter) integer(t constantType, depth int) string {
	same := func() string { return w.expr(t, depth-1) }
	switch w.IntN(9) {
	case 0, 1, 2:
		return fmt.Sprintf("(%s %s %s)", same(), w.of("+", "-", "*", "/", "%", "&", "|", "^", "&^"), same())
	case 3:
		return fmt.Sprintf("(%s %s %s)", same(), w.of("<<", ">>"), w.expr(constantType{kind: w.intKind()}, depth-1))
	case 4:
		return w.call(w.of("-", "^", "abs", "sign", "sqr", "popcount", "clz"), 1, t, depth)
	case 5:
		return w.call(w.of("mod", "floorDiv", "min", "max"), 2, t, depth)
	case 6:
		return fmt.Sprintf("pow(%s, %s)", same(), w.expr(constantType{kind: w.intKind()}, depth-1))
	case 7:
		return fmt.Sprintf("ifelse(%s, %s, %s)", w.condition(depth-1), same(), same())
	}
	return fmt.Sprintf("%s(%s)", t.kind, w.expr(constantType{kind: w.of2()}, depth-1))
}

func (w *constantWriter) vector(t constantType, depth int) string {
	scalar, square := constantType{kind: t.kind}, constantType{kind: t.kind, n: t.n, m: t.n}
	if depth <= 0 || w.IntN(4) == 0 {
		return fmt.Sprintf("%s{%s}", t, w.list(t.n, scalar, depth-1))
	}
	same := func() string { return w.expr(t, depth-1) }
	if t.kind.IsInt() {
		return fmt.Sprintf("(%s %s %s)", same(), w.of("+", "-", "*", "/", "%"), same())
	}
	switch w.IntN(10) {
	case 0, 1:
		return fmt.Sprintf("(%s %s %s)", same(), w.of("+", "-", "*", "/"), w.of(same(), w.expr(scalar, depth-1)))
	case 2:
		return w.call("normalize", 1, t, depth)
	case 3:
		return w.call("reflect", 2, t, depth)
	case 4:
		return fmt.Sprintf("refract(%s, %s, %s)", same(), same(), w.expr(scalar, depth-1))
	case 5:
		if t.n == 3 {
			return w.call("cross", 2, t, depth)
		}
		return w.call("diag", 1, square, depth)
	case 6:
		if w.IntN(2) == 0 {
			return fmt.Sprintf("(%s * %s)", same(), w.expr(square, depth-1))
		}
		return fmt.Sprintf("(%s * %s)", w.expr(square, depth-1), same())
	case 7:
		return fmt.Sprintf("ifelse(%s, %s, %s)", w.condition(depth-1), same(), same())
	}
	return w.elementwise(t, depth)
}

// matrix writes a square matrix.
func (w *constantWriter) matrix(t constantType, depth int) string {
	scalar, v := constantType{kind: t.kind}, constantType{kind: t.kind, n: t.n}
	if depth <= 0 {
		rows := make([]string, t.n)
		for i := range rows {
			rows[i] = "{" + w.list(t.m, scalar, 0) + "}"
		}
		return fmt.Sprintf("%s{%s}", t, strings.Join(rows, ", "))
	}
	same := func() string { return w.expr(t, depth-1) }
	less := constantType{kind: t.kind, n: t.n - 1}
	switch w.IntN(9) {
	case 0, 1:
		return fmt.Sprintf("(%s * %s)", same(), w.of(same(), w.expr(scalar, depth-1)))
	case 2:
		return fmt.Sprintf("(%s %s %s)", same(), w.of("+", "-"), same())
	case 3:
		return w.call("outer", 2, v, depth)
	case 4:
		return w.call(w.of("transpose", "inverse"), 1, t, depth)
	case 5:
		return w.call("hadamard", 2, t, depth)
	case 6:
		switch {
		case t.n == 2:
			return w.call("rotation2", 1, scalar, depth)
		case w.IntN(2) == 0 && t.n == 3:
			return fmt.Sprintf("rotation(%s, %s)", w.expr(v, depth-1), w.expr(scalar, depth-1))
		}
		return w.call(w.of("translate", "scale"), 1, less, depth)
	case 7:
		if t.n > 2 {
			less.m = less.n
			return w.call("homogeneous", 1, less, depth)
		}
		return w.call("diag", 1, v, depth)
	}
	return w.call("cols", t.n, v, depth)
}
