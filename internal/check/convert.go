package check

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// bad is what stands for an expression with an error.
func (c *checker) bad(p token.Pos) *typed.Const {
	return &typed.Const{ExprBase: ex(c.at(p), typed.Unknown), Vals: []typed.Num{{}}}
}

// describe names a value for a message: "f32", or "the constant 1.5".
func (c *checker) describe(x typed.Expr) string {
	if k, ok := x.(*typed.Const); ok && len(k.Vals) == 1 && k.Vals[0].Known() {
		if s, ok := k.T.(typed.Scalar); ok && s.IsUntyped() {
			return "the constant " + k.Vals[0].String()
		}
	}
	return c.name(x.Type())
}

// convert changes the scalar type of x's components to s, at run time if need be.
// Constants follow the run-time rules; see checkedConst for those of the source.
func convert(x typed.Expr, s typed.Scalar) typed.Expr {
	t := x.Type()
	if typed.ScalarOf(t) == s {
		return x
	}
	r := typed.WithScalar(t, s)
	if k, ok := x.(*typed.Const); ok {
		out := &typed.Const{ExprBase: ex(k.Pos, r), Vals: make([]typed.Num, len(k.Vals)), From: k.From}
		for i, v := range k.Vals {
			out.Vals[i], _ = typed.Represent(v, s)
		}
		return out
	}
	return &typed.Convert{ExprBase: ex(x.Position(), r), X: x}
}

// splat repeats a scalar to fill t.
func splat(x typed.Expr, t typed.Type) typed.Expr {
	if x.Type() == t {
		return x
	}
	if k, ok := x.(*typed.Const); ok {
		out := &typed.Const{ExprBase: ex(k.Pos, t), Vals: make([]typed.Num, typed.Components(t)), From: k.From}
		for i := range out.Vals {
			out.Vals[i] = k.Vals[0]
		}
		return out
	}
	return &typed.Splat{ExprBase: ex(x.Position(), t), X: x}
}

// extract picks components of x.
func extract(x typed.Expr, t typed.Type, comps []int, p token.Position) typed.Expr {
	if k, ok := x.(*typed.Const); ok {
		out := &typed.Const{ExprBase: ex(p, t), Vals: make([]typed.Num, len(comps)), From: k.From}
		for i, n := range comps {
			out.Vals[i] = k.Vals[n]
		}
		return out
	}
	if e, ok := x.(*typed.Extract); ok { // m[1].x picks from m at once
		inner := make([]int, len(comps))
		for i, n := range comps {
			inner[i] = e.Comps[n]
		}
		return &typed.Extract{ExprBase: ex(p, t), X: e.X, Comps: inner}
	}
	return &typed.Extract{ExprBase: ex(p, t), X: x, Comps: comps}
}

// compose joins the components of elems into a t.
func compose(elems []typed.Expr, t typed.Type, p token.Position) typed.Expr {
	var vals []typed.Num
	var from typed.Origin
	for _, e := range elems {
		k, ok := e.(*typed.Const)
		if !ok {
			return &typed.Compose{ExprBase: ex(p, t), Elems: elems}
		}
		vals = append(vals, k.Vals...)
		from |= k.From
	}
	return &typed.Const{ExprBase: ex(p, t), Vals: vals, From: from}
}

// checkedConst converts a constant to scalar type s where the language does so by
// itself, and reports a value that does not fit.
func (c *checker) checkedConst(k *typed.Const, s typed.Scalar, p token.Pos) typed.Expr {
	from := typed.ScalarOf(k.T)
	if from.IsFloat() && s.IsInt() {
		help := "write " + c.name(s) + "(" + k.Vals[0].String() + ") to convert it"
		if len(k.Vals) > 1 {
			help = "convert it"
		}
		c.errorf(syntax.Truncated, p, help, "%s is a float constant, and %s is needed", k.Vals[0], s)
		return c.bad(p)
	}
	for _, v := range k.Vals {
		if !c.fitsConst(v, s, k.From, p) {
			return c.bad(p)
		}
	}
	return convert(k, s)
}

// fitsConst reports a number of the source that is outside of what s holds.
func (c *checker) fitsConst(v typed.Num, s typed.Scalar, from typed.Origin, p token.Pos) bool {
	if _, f := typed.Represent(v, s); f == typed.TooLarge && from == 0 {
		help := ""
		if s.IsInt() && !s.IsUntyped() {
			a, b := typed.IntRange(s)
			help = "the type holds " + a.String() + " to " + b.String()
		}
		c.errorf(syntax.Overflow, p, help, "the constant %s cannot be represented in %s", v, s)
		return false
	}
	return true
}

// defaultType gives an untyped constant the type that it has on its own.
func (c *checker) defaultType(x typed.Expr, p token.Pos) typed.Expr {
	switch s := typed.ScalarOf(x.Type()); s {
	case typed.UntypedInt:
		return c.checkedConst(x.(*typed.Const), c.widths.Int, p)
	case typed.UntypedFloat:
		return c.checkedConst(x.(*typed.Const), c.widths.Float, p)
	}
	return x
}

// assignable converts x to type t where a value is assigned, passed or returned:
// only untyped constants adapt. what names the place in a message.
func (c *checker) assignable(x typed.Expr, t typed.Type, e ast.Expr, what string) typed.Expr {
	xt := x.Type()
	if isUnknown(t) || isUnknown(xt) {
		return c.bad(e.Pos())
	}
	if xt == t {
		return x
	}
	s, scalar := t.(typed.Scalar)
	if k, ok := x.(*typed.Const); ok && typed.ScalarOf(xt).IsUntyped() && scalar && s != typed.Bool {
		if _, ok := xt.(typed.Scalar); ok {
			return c.checkedConst(k, s, e.Pos())
		}
	}
	help := ""
	switch {
	case convertible(xt, t):
		help = c.conversionOf(e, xt, t)
	case typed.Components(xt) > typed.Components(t) && typed.IsVector(xt) && typed.IsVector(t):
		help = "pick components with a swizzle: .xy"
	}
	c.errorf(syntax.NeedsConversion, e.Pos(), help, "%s is of type %s, and this is %s", what, t, c.describe(x))
	return c.bad(e.Pos())
}

// conversionSince returns the conversion that the error from before on gives as its remedy, if there is such an error.
func (c *checker) conversionSince(before int) (how string, ok bool) {
	if len(c.errs) != before+1 {
		return "", false
	}
	return strings.CutPrefix(c.errs[before].Help, "convert it: ")
}

// conversionOf says how to convert the value of e, of type u, to type t. Of a quotient of integers it names both orders,
// since the conversion of its operands is what is meant most often.
func (c *checker) conversionOf(e ast.Expr, u, t typed.Type) string {
	of := func(e ast.Expr) string { return c.name(t) + "(" + c.shortText(e) + ")" }
	q, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if ok && q.Op == token.QUO && typed.ScalarOf(u).IsInt() && typed.ScalarOf(t).IsFloat() {
		if _, scalar := u.(typed.Scalar); scalar {
			return "convert the dividend, " + of(q.X) + " / " + c.shortText(q.Y) + ", or for the integer quotient the result, " + of(e)
		}
	}
	return "convert it: " + of(e)
}

// convertible reports whether t(x) works for an x of type u.
func convertible(u, t typed.Type) bool {
	for _, x := range []typed.Type{u, t} {
		switch x.(type) {
		case typed.Slice, typed.View:
			return false
		}
	}
	if _, ok := u.(typed.Scalar); ok {
		return !isTable(t)
	}
	return sameShape(u, t)
}

// isTable reports whether t is a type without arithmetic: a struct, an array of
// structs, or an array of more than two dimensions.
func isTable(t typed.Type) bool { return len(typed.Dims(t)) > 2 || typed.HasStruct(t) }

func sameShape(a, b typed.Type) bool {
	return typed.WithScalar(a, typed.Bool) == typed.WithScalar(b, typed.Bool)
}

// shortText returns the source of e, or … where it is long.
func (c *checker) shortText(e ast.Expr) string {
	s := c.file.Text(e.Pos(), e.End())
	if len(s) > 30 {
		return "…"
	}
	for _, r := range s {
		if r == '\n' {
			return "…"
		}
	}
	return s
}

// unifyScalars finds the common scalar type of operands: an untyped constant
// adapts, an integer becomes a float beside a float. Typed operands come first, so
// that the order of operands does not matter.
func (c *checker) unifyScalars(xs ...typed.Expr) (typed.Scalar, bool) {
	s := typed.Unknown
	for _, untyped := range []bool{false, true} {
		for _, x := range xs {
			t := typed.ScalarOf(x.Type())
			if t.IsUntyped() != untyped {
				continue
			}
			u, ok := c.commonScalar(s, t)
			if !ok {
				return typed.Unknown, false
			}
			s = u
		}
	}
	return s, true
}

func (c *checker) commonScalar(a, b typed.Scalar) (typed.Scalar, bool) {
	switch {
	case a == b || b == typed.Unknown:
		return a, true
	case a == typed.Unknown:
		return b, true
	case a == typed.Bool || b == typed.Bool:
		return typed.Unknown, false
	case b.IsUntyped() && !a.IsUntyped() || a == typed.UntypedFloat && b == typed.UntypedInt:
		a, b = b, a
		fallthrough
	case a.IsUntyped():
		if a == typed.UntypedFloat && b.IsInt() {
			return c.widths.Float, true
		}
		return b, true
	case a.IsFloat() && b.IsInt():
		return a, true
	case a.IsInt() && b.IsFloat():
		return b, true
	}
	return typed.Unknown, false
}

// operandTo converts an operand to the common scalar type.
func (c *checker) operandTo(x typed.Expr, s typed.Scalar, p token.Pos) typed.Expr {
	if k, ok := x.(*typed.Const); ok && typed.ScalarOf(k.T).IsUntyped() {
		return c.checkedConst(k, s, p)
	}
	return convert(x, s)
}

// unifyShapes splats scalars so that all operands have one shape; false if two
// differ. It returns the shape, with an arbitrary scalar type.
func unifyShapes(xs []typed.Expr) (typed.Type, bool) {
	var shape typed.Type
	for _, x := range xs {
		if _, scalar := x.Type().(typed.Scalar); scalar {
			continue
		}
		if shape != nil && !sameShape(shape, x.Type()) {
			return nil, false
		}
		shape = x.Type()
	}
	if shape == nil {
		return typed.Bool, true
	}
	for i, x := range xs {
		if s, scalar := x.Type().(typed.Scalar); scalar {
			xs[i] = splat(x, typed.WithScalar(shape, s))
		}
	}
	return shape, true
}
