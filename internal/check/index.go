package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// An indexArg is one bracket: an integer, or a vector of integers that stands for
// as many indices as it has components: none where it is that of a loop over a field of
// rank 0.
type indexArg struct {
	e ast.Expr
	x typed.Expr
	n int
}

// indexExpr checks x[i][j]…: the brackets after a field or array join into one
// index until the rank is reached; what follows reaches into the element.
// Brackets after an array of fields choose one of them, and after a generic function
// give its type arguments.
func (c *checker) indexExpr(e *ast.IndexExpr) operand {
	var chain []ast.Expr
	base := ast.Expr(e)
	for {
		ix, ok := base.(*ast.IndexExpr)
		if !ok {
			break
		}
		chain = append([]ast.Expr{ix.Index}, chain...)
		base = ix.X
	}
	op := c.expr(base)
	for len(chain) > 0 && (op.mode == modeBundle || op.mode == modeFunc) {
		if op.mode == modeFunc {
			op = c.instantiated(op.obj, chain[:1], e.Lbrack)
		} else {
			op = c.bundleElement(op.obj, chain[0])
		}
		chain = chain[1:]
		if len(chain) == 0 {
			return op
		}
	}
	return valueOf(c.indexed(op, base, chain, e))
}

// genericFunc returns the function that an expression names, if any.
func (c *checker) genericFunc(e ast.Expr) *object {
	if o := c.denoted(e); o != nil && o.kind == objFunc {
		o.used = true
		return o.root()
	}
	return nil
}

// instantiated is a generic function with type arguments.
func (c *checker) instantiated(o *object, args []ast.Expr, p token.Pos) operand {
	if d := c.typeArgs(o, args, p); d != nil {
		return operand{mode: modeFunc, obj: d}
	}
	return operand{}
}

// indexed checks what the brackets after a field or value give.
func (c *checker) indexed(op operand, base ast.Expr, chain []ast.Expr, e *ast.IndexExpr) typed.Expr {
	args := make([]indexArg, len(chain))
	failed := false
	for i, a := range chain {
		args[i] = c.indexArg(a)
		failed = failed || args[i].n < 0
	}
	switch op.mode {
	case modeField:
		if op.obj.field.Rank == 0 {
			if op.x = c.bareField(op.obj, base); isUnknown(op.x.Type()) {
				return c.bad(e.Pos())
			}
			break
		}
		if failed {
			return c.bad(e.Pos())
		}
		return c.fieldElement(op.obj, e, args)
	case modeValue, modeRef:
	case modeBad:
		return c.bad(e.Pos())
	default:
		help := ""
		if op.mode == modeNode {
			help = "a node has cells and no values; name a field that lies in it"
		}
		c.errorf(syntax.NotIndexable, e.Lbrack, help, "%s cannot be indexed", c.shortText(base))
		return c.bad(e.Pos())
	}
	if failed || isUnknown(op.x.Type()) {
		return c.bad(e.Pos())
	}
	if s, ok := op.x.Type().(typed.Slice); ok {
		return c.sliceElement(op.x.(*typed.VarRef), s, e, args)
	}
	return c.arrayElement(op.x, base, e, args)
}

// indexArg checks what stands in brackets; n is -1 after an error.
func (c *checker) indexArg(e ast.Expr) indexArg {
	x := c.value(e)
	t := x.Type()
	if isUnknown(t) {
		return indexArg{e: e, n: -1}
	}
	s := typed.ScalarOf(t)
	if !s.IsInt() || len(typed.Dims(t)) > 1 {
		help := ""
		if s.IsFloat() && len(typed.Dims(t)) <= 1 {
			help = "convert it: " + c.name(typed.WithScalar(t, c.widths.Int)) + "(" + c.shortText(e) + "), after floor if it may be negative"
			if s.IsUntyped() {
				help = "write an integer"
			}
		}
		c.errorf(syntax.IndexType, e.Pos(), help, "an index is an integer or a vector of integers, and this is %s", c.describe(x))
		return indexArg{e: e, n: -1}
	}
	x = c.defaultType(x, e.Pos())
	if isUnknown(x.Type()) {
		return indexArg{e: e, n: -1}
	}
	return indexArg{e, x, typed.Components(t)}
}

// fieldElement takes as many brackets as the rank needs.
func (c *checker) fieldElement(o *object, e *ast.IndexExpr, args []indexArg) typed.Expr {
	f := o.field
	if isUnknown(f.Elem) {
		return c.bad(e.Pos())
	}
	rank := f.Rank
	if rank < 0 { // unbound: certain only if no bracket can reach into the element
		_, scalar := f.Elem.(typed.Scalar)
		if !scalar && len(args) > 1 {
			return c.bad(e.Pos())
		}
		rank = 0
		for _, a := range args {
			rank += a.n
		}
	}
	el := &typed.Element{ExprBase: ex(c.at(e.Pos()), f.Elem), Field: f}
	n := 0
	for len(args) > 0 && n < rank {
		if !c.aboveLowest(o, args[0], n) {
			return c.bad(e.Pos())
		}
		el.Index = append(el.Index, args[0].x)
		n += args[0].n
		args = args[1:]
	}
	if n != rank {
		help := "give one index for each axis, or a vector of as many components"
		if n < rank && rank <= 3 {
			help = "write " + o.name + []string{"", "[i]", "[i][j]", "[i][j][k]"}[rank] + ", or index with a vector"
		}
		if f.List && n == rank-1 {
			help = "this is a list: name an element of it, or use len, append, clear or range"
		}
		c.errorf(syntax.IndexCount, e.Lbrack, help, "%s has %s, and this gives %d", o.name, axes(rank), n)
		return c.bad(e.Pos())
	}
	if o.section != nil {
		el = c.sectionElement(o, el, e.Pos())
	}
	if len(args) == 0 {
		return el
	}
	return c.arrayElement(el, e.X, e, args)
}

// aboveLowest reports a constant of the source that is below the lowest index of a
// field, whatever its extents: axis is that of the first component.
func (c *checker) aboveLowest(o *object, a indexArg, axis int) bool {
	f := o.field
	for i := range a.n {
		if axis+i >= len(f.Origin) { // too many indices, or not bound
			break
		}
		if !c.notBelow(a, i, int64(f.Origin[axis+i]), o.name) {
			return false
		}
	}
	return true
}

// notBelow reports component comp of a constant index below lowest. A constant of the
// host, or one of an unrolled loop, may stand where it is never used.
func (c *checker) notBelow(a indexArg, comp int, lowest int64, what string) bool {
	k, ok := a.x.(*typed.Const)
	if !ok || k.From != 0 || !k.Vals[comp].Known() || typed.ScalarOf(k.T) == typed.U64 || k.Vals[comp].Int() >= lowest {
		return true
	}
	c.errorf(syntax.IndexRange, a.e.Pos(), "", "index %s is out of range: the lowest of %s is %d", k.Vals[comp], what, lowest)
	return false
}

func (c *checker) sliceElement(s *typed.VarRef, t typed.Slice, e *ast.IndexExpr, args []indexArg) typed.Expr {
	if args[0].n != 1 || len(typed.Dims(args[0].x.Type())) != 0 {
		c.errorf(syntax.IndexType, args[0].e.Pos(), "compute the position: i*width + j", "a slice is indexed by a single integer")
		return c.bad(e.Pos())
	}
	if !c.notBelow(args[0], 0, 0, "a slice") {
		return c.bad(e.Pos())
	}
	el := &typed.SliceElement{ExprBase: ex(c.at(e.Pos()), t.Elem), Slice: s.Var, Index: args[0].x}
	if len(args) == 1 {
		return el
	}
	return c.arrayElement(el, e.X, e, args[1:])
}

// arrayElement reaches into a vector, matrix or array, bracket by bracket.
func (c *checker) arrayElement(x typed.Expr, base ast.Expr, e *ast.IndexExpr, args []indexArg) typed.Expr {
	for _, a := range args {
		if a.n > 1 && !pure(a.x) {
			c.errorf(syntax.IndexType, a.e.Pos(), "give the index a name first: p := …", "an array is indexed by a vector only if that is a variable or a simple expression")
			return c.bad(e.Pos())
		}
		for i := range a.n {
			t, ok := x.Type().(typed.Array)
			if !ok {
				c.errorf(syntax.NotIndexable, a.e.Pos(), "", "%s cannot be indexed: it is %s", c.shortText(base), c.describe(x))
				return c.bad(e.Pos())
			}
			ix := a.x
			if typed.IsVector(ix.Type()) {
				ix = extract(ix, typed.ScalarOf(ix.Type()), []int{i}, ix.Position())
			}
			if x = c.elementAt(x, t, ix, a.e); isUnknown(x.Type()) {
				return x
			}
		}
	}
	return x
}

func (c *checker) elementAt(x typed.Expr, t typed.Array, ix typed.Expr, e ast.Expr) typed.Expr {
	if t.Len == 0 {
		c.errorf(syntax.IndexRange, e.Pos(), "", "%s has no elements: a field of rank 0 has no axes", t)
		return c.bad(e.Pos())
	}
	k, ok := ix.(*typed.Const)
	if !ok {
		if v := rootVar(x); v != nil {
			v.Indexed = true
		}
		return &typed.Index{ExprBase: ex(c.at(e.Pos()), t.Elem), X: x, I: ix}
	}
	if !k.Vals[0].Known() {
		return c.bad(e.Pos())
	}
	i := k.Vals[0].Int()
	if i < 0 || i >= int64(t.Len) {
		c.errorf(syntax.IndexRange, e.Pos(), "", "index %s is out of range: %s has elements 0 to %d", k.Vals[0], t, t.Len-1)
		return c.bad(e.Pos())
	}
	n := typed.Components(t.Elem)
	comps := make([]int, n)
	for j := range comps {
		comps[j] = int(i)*n + j
	}
	return extract(x, t.Elem, comps, c.at(e.Pos()))
}

// rootVar returns the variable that a place is part of, nil for other places.
func rootVar(x typed.Expr) *typed.Var {
	for {
		switch e := x.(type) {
		case *typed.VarRef:
			return e.Var
		case *typed.Extract:
			x = e.X
		case *typed.Index:
			x = e.X
		default:
			return nil
		}
	}
}

// pure reports whether x may be evaluated twice.
func pure(x typed.Expr) bool {
	switch x := x.(type) {
	case *typed.Const, *typed.VarRef, *typed.Extent:
		return true
	case *typed.Extract:
		return pure(x.X)
	case *typed.Convert:
		return pure(x.X)
	case *typed.Splat:
		return pure(x.X)
	case *typed.Unary:
		return pure(x.X)
	case *typed.Binary:
		return pure(x.X) && pure(x.Y)
	case *typed.Compose:
		for _, e := range x.Elems {
			if !pure(e) {
				return false
			}
		}
		return true
	}
	return false
}
