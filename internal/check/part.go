package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// partExpr checks v[lo:hi] and v[lo:hi:step], a part of a vector, matrix or array: its
// components, rows or elements lo, lo+step, … below hi. It can be assigned to, as a
// swizzle can.
func (c *checker) partExpr(e *ast.SliceExpr) operand {
	x, ok := c.partBase(e)
	if !ok { // perhaps of what may be a field, whose bounds need not be constants
		c.surveyBrackets([]ast.Expr{e})
		return operand{}
	}
	lo, hi, step, known := c.partBounds(e)
	if !known {
		return operand{}
	}
	t := x.Type().(typed.Array)
	if e.High == nil {
		hi = int64(t.Len)
	}
	if !c.partFits(e, t, lo, hi, step) {
		return operand{}
	}
	step = min(step, int64(t.Len)) // a longer one leaves the first element alone, too
	size := typed.Components(t.Elem)
	n := int((hi - lo + step - 1) / step)
	comps := make([]int, 0, n*size)
	for i := lo; i < hi; i += step {
		for j := range size {
			comps = append(comps, int(i)*size+j)
		}
	}
	c.growBy(len(comps), x)
	return valueOf(extract(x, typed.Array{Len: n, Elem: t.Elem}, comps, c.at(e.Lbrack)))
}

// partBase checks what stands before the brackets.
func (c *checker) partBase(e *ast.SliceExpr) (x typed.Expr, ok bool) {
	refuse := func(what, help string) (typed.Expr, bool) {
		c.errorf(syntax.NoParts, e.Lbrack, help+"pass the bounds beside it, and loop over span(lo, hi)", "%s, and has no parts", what)
		return nil, false
	}
	op := c.expr(e.X)
	switch op.mode {
	case modeField:
		if op.obj.field.Rank == 0 {
			op = valueOf(c.bareField(op.obj, e.X))
			break
		}
		return refuse(c.shortText(e.X)+" is a field", "a section is the argument of a field or template parameter; or ")
	case modeNode:
		return refuse(c.shortText(e.X)+" is a node", "")
	case modeBad:
		return nil, false
	case modeValue, modeRef:
	default:
		c.errorf(syntax.NotIndexable, e.Lbrack, "", "%s has no parts", c.shortText(e.X))
		return nil, false
	}
	switch t := op.x.Type().(type) {
	case typed.Array:
		return op.x, true
	case typed.Slice:
		return refuse(c.shortText(e.X)+" is memory of the caller", "")
	default:
		if !isUnknown(t) {
			c.errorf(syntax.NotIndexable, e.Lbrack, "", "%s has no parts: it is %s", c.shortText(e.X), c.describe(op.x))
		}
	}
	return nil, false
}

// partBounds evaluates the bounds; hi is not known where it is left out.
func (c *checker) partBounds(e *ast.SliceExpr) (lo, hi, step int64, ok bool) {
	step, ok = 1, true
	for _, b := range []struct {
		e  ast.Expr
		to *int64
	}{{e.Low, &lo}, {e.High, &hi}, {e.Max, &step}} {
		if b.e == nil {
			continue
		}
		if _, bad := b.e.(*ast.BadExpr); bad { // the parser has said what it lacks
			ok = false
			continue
		}
		n, known := c.constInt(b.e)
		*b.to, ok = n, ok && known
	}
	return lo, hi, step, ok
}

// partFits reports bounds that leave no part, or are outside of type t.
func (c *checker) partFits(e *ast.SliceExpr, t typed.Array, lo, hi, step int64) bool {
	at := func(bound ast.Expr) token.Pos {
		if bound == nil {
			return e.Lbrack
		}
		return bound.Pos()
	}
	n := int64(t.Len)
	switch {
	case n == 0:
		c.errorf(syntax.NoParts, e.Lbrack, "", "%s has no elements, and so no parts: a field of rank 0 has no axes", t)
	case e.Slice3 && step < 1:
		c.errorf(syntax.NoParts, at(e.Max), "turn it round with a swizzle, v.zyx, or in a loop", "the step of a part is at least 1, and this is %d", step)
	case lo < 0 || lo >= n:
		c.errorf(syntax.IndexRange, at(e.Low), "", "%s has elements 0 to %d, and the part begins at %d", t, n-1, lo)
	case hi < 0 || hi > n:
		c.errorf(syntax.IndexRange, at(e.High), "", "%s has elements 0 to %d, and the part ends before %d", t, n-1, hi)
	case hi <= lo:
		c.errorf(syntax.NoParts, at(e.High), "the first bound belongs to the part, the second does not", "the part %d:%d has no elements", lo, hi)
	default:
		return true
	}
	return false
}
