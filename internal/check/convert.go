package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
)

// bad is what stands for an expression with an error.
func (c *checker) bad(p token.Pos) *Const {
	return &Const{ex: ex{c.at(p), Unknown}, Vals: []Num{{}}}
}

// describe names a value for a message: "f32", or "the constant 1.5".
func describe(x Expr) string {
	if k, ok := x.(*Const); ok && len(k.Vals) == 1 && k.Vals[0].Known() {
		if s, ok := k.T.(Scalar); ok && s.IsUntyped() {
			return "the constant " + k.Vals[0].String()
		}
	}
	return x.Type().String()
}

// convert changes the scalar type of x's components to s, at run time if need be.
// Constants follow the run-time rules; see checkedConst for those of the source.
func convert(x Expr, s Scalar) Expr {
	t := x.Type()
	if ScalarOf(t) == s {
		return x
	}
	r := WithScalar(t, s)
	if k, ok := x.(*Const); ok {
		out := &Const{ex: ex{k.Pos, r}, Vals: make([]Num, len(k.Vals)), from: k.from}
		for i, v := range k.Vals {
			out.Vals[i], _ = represent(v, s)
		}
		return out
	}
	return &Convert{ex{x.Position(), r}, x}
}

// splat repeats a scalar to fill t.
func splat(x Expr, t Type) Expr {
	if x.Type() == t {
		return x
	}
	if k, ok := x.(*Const); ok {
		out := &Const{ex: ex{k.Pos, t}, Vals: make([]Num, Components(t)), from: k.from}
		for i := range out.Vals {
			out.Vals[i] = k.Vals[0]
		}
		return out
	}
	return &Splat{ex{x.Position(), t}, x}
}

// extract picks components of x.
func extract(x Expr, t Type, comps []int, p token.Position) Expr {
	if k, ok := x.(*Const); ok {
		out := &Const{ex: ex{p, t}, Vals: make([]Num, len(comps)), from: k.from}
		for i, n := range comps {
			out.Vals[i] = k.Vals[n]
		}
		return out
	}
	if e, ok := x.(*Extract); ok { // m[1].x picks from m at once
		inner := make([]int, len(comps))
		for i, n := range comps {
			inner[i] = e.Comps[n]
		}
		return &Extract{ex{p, t}, e.X, inner}
	}
	return &Extract{ex{p, t}, x, comps}
}

// compose joins the components of elems into a t.
func compose(elems []Expr, t Type, p token.Position) Expr {
	var vals []Num
	var from origin
	for _, e := range elems {
		k, ok := e.(*Const)
		if !ok {
			return &Compose{ex{p, t}, elems}
		}
		vals = append(vals, k.Vals...)
		from |= k.from
	}
	return &Const{ex: ex{p, t}, Vals: vals, from: from}
}

// checkedConst converts a constant to scalar type s where the language does so by
// itself, and reports a value that does not fit.
func (c *checker) checkedConst(k *Const, s Scalar, p token.Pos) Expr {
	from := ScalarOf(k.T)
	if from.IsFloat() && s.IsInt() {
		help := "write " + s.String() + "(" + k.Vals[0].String() + ") to convert it"
		if len(k.Vals) > 1 {
			help = "convert it"
		}
		c.errorf(syntax.Truncated, p, help, "%s is a float constant, and %s is needed", k.Vals[0], s)
		return c.bad(p)
	}
	for _, v := range k.Vals {
		if !c.fitsConst(v, s, k.from, p) {
			return c.bad(p)
		}
	}
	return convert(k, s)
}

// fitsConst reports a number of the source that is outside of what s holds.
func (c *checker) fitsConst(v Num, s Scalar, from origin, p token.Pos) bool {
	if _, f := represent(v, s); f == tooLarge && from == 0 {
		help := ""
		if s.IsInt() && !s.IsUntyped() {
			a, b := intRange(s)
			help = "the type holds " + a.String() + " to " + b.String()
		}
		c.errorf(syntax.Overflow, p, help, "the constant %s cannot be represented in %s", v, s)
		return false
	}
	return true
}

// defaultType gives an untyped constant the type that it has on its own.
func (c *checker) defaultType(x Expr, p token.Pos) Expr {
	switch s := ScalarOf(x.Type()); s {
	case UntypedInt:
		return c.checkedConst(x.(*Const), c.widths.Int, p)
	case UntypedFloat:
		return c.checkedConst(x.(*Const), c.widths.Float, p)
	}
	return x
}

// assignable converts x to type t where a value is assigned, passed or returned:
// only untyped constants adapt. what names the place in a message.
func (c *checker) assignable(x Expr, t Type, e ast.Expr, what string) Expr {
	xt := x.Type()
	if isUnknown(t) || isUnknown(xt) {
		return c.bad(e.Pos())
	}
	if xt == t {
		return x
	}
	s, scalar := t.(Scalar)
	if k, ok := x.(*Const); ok && ScalarOf(xt).IsUntyped() && scalar && s != Bool {
		if _, ok := xt.(Scalar); ok {
			return c.checkedConst(k, s, e.Pos())
		}
	}
	help := ""
	switch {
	case convertible(xt, t):
		help = "convert it: " + t.String() + "(" + c.shortText(e) + ")"
	case Components(xt) > Components(t) && IsVector(xt) && IsVector(t):
		help = "pick components with a swizzle: .xy"
	}
	c.errorf(syntax.NeedsConversion, e.Pos(), help, "%s is of type %s, and this is %s", what, t, describe(x))
	return c.bad(e.Pos())
}

// convertible reports whether t(x) works for an x of type u.
func convertible(u, t Type) bool {
	for _, x := range []Type{u, t} {
		switch x.(type) {
		case Slice, View:
			return false
		}
	}
	if _, ok := u.(Scalar); ok {
		return !isTable(t)
	}
	return sameShape(u, t)
}

// isTable reports whether t is a type without arithmetic: a struct, an array of
// structs, or an array of more than two dimensions.
func isTable(t Type) bool { return len(Dims(t)) > 2 || HasStruct(t) }

func sameShape(a, b Type) bool { return WithScalar(a, Bool) == WithScalar(b, Bool) }

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
func (c *checker) unifyScalars(xs ...Expr) (Scalar, bool) {
	s := Unknown
	for _, untyped := range []bool{false, true} {
		for _, x := range xs {
			t := ScalarOf(x.Type())
			if t.IsUntyped() != untyped {
				continue
			}
			u, ok := c.commonScalar(s, t)
			if !ok {
				return Unknown, false
			}
			s = u
		}
	}
	return s, true
}

func (c *checker) commonScalar(a, b Scalar) (Scalar, bool) {
	switch {
	case a == b || b == Unknown:
		return a, true
	case a == Unknown:
		return b, true
	case a == Bool || b == Bool:
		return Unknown, false
	case b.IsUntyped() && !a.IsUntyped() || a == UntypedFloat && b == UntypedInt:
		a, b = b, a
		fallthrough
	case a.IsUntyped():
		if a == UntypedFloat && b.IsInt() {
			return c.widths.Float, true
		}
		return b, true
	case a.IsFloat() && b.IsInt():
		return a, true
	case a.IsInt() && b.IsFloat():
		return b, true
	}
	return Unknown, false
}

// operandTo converts an operand to the common scalar type.
func (c *checker) operandTo(x Expr, s Scalar, p token.Pos) Expr {
	if k, ok := x.(*Const); ok && ScalarOf(k.T).IsUntyped() {
		return c.checkedConst(k, s, p)
	}
	return convert(x, s)
}

// unifyShapes splats scalars so that all operands have one shape; false if two
// differ. It returns the shape, with an arbitrary scalar type.
func unifyShapes(xs []Expr) (Type, bool) {
	var shape Type
	for _, x := range xs {
		if _, scalar := x.Type().(Scalar); scalar {
			continue
		}
		if shape != nil && !sameShape(shape, x.Type()) {
			return nil, false
		}
		shape = x.Type()
	}
	if shape == nil {
		return Bool, true
	}
	for i, x := range xs {
		if s, scalar := x.Type().(Scalar); scalar {
			xs[i] = splat(x, WithScalar(shape, s))
		}
	}
	return shape, true
}
