package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// checkRescale checks rescaleIndex(from, to, p): the index of the cell of to that
// holds, or begins, the cell p of from.
func checkRescale(c *checker, name string, e *ast.CallExpr) operand {
	if !c.argCount(name, e, 3, 3, "rescaleIndex(from, to, p)") {
		return operand{}
	}
	from, to := c.nodeArg(name, e.Args[0]), c.nodeArg(name, e.Args[1])
	p := c.indexArg(e.Args[2])
	if from == nil || to == nil || p.n < 0 {
		return operand{}
	}
	a, b := from.field, to.field
	if a.Rank < 0 || b.Rank < 0 || a.Shape == nil && a.Rank > 0 || b.Shape == nil && b.Rank > 0 { // unbound
		return valueOf(c.bad(e.Pos()))
	}
	common := a.Rank
	if a.List && a.Rank == b.Rank+1 || a.List && b.List && p.n == a.Rank-1 {
		common--
	}
	switch {
	case common != b.Rank && !(b.List && common == b.Rank-1):
		c.errorf(syntax.Rescale, e.Args[1].Pos(), "", "%s has %s and %s %s, so an index of one has no counterpart in the other", from.name, axes(a.Rank), to.name, axes(b.Rank))
		return operand{}
	case p.n != a.Rank && p.n != common:
		c.errorf(syntax.CellIndex, e.Args[2].Pos(), "", "%s has %s, and this index has %d components", from.name, axes(a.Rank), p.n)
		return operand{}
	}
	s := typed.ScalarOf(p.x.Type())
	if s != typed.I64 {
		s = c.widths.Int
	}
	down, up, ok := c.ratios(from, to, common, e)
	if !ok {
		return operand{}
	}
	x := convert(p.x, s)
	if common < p.n {
		comps := make([]int, common)
		for i := range comps {
			comps[i] = i
		}
		x = extract(x, indexType(s, common), comps, c.at(e.Pos()))
	}
	x = c.scaled(x, typed.FloorDiv, down, e.Pos())
	x = c.scaled(x, typed.NoFn, up, e.Pos())
	if common < b.Rank { // the first element of the list
		zero := &typed.Const{ExprBase: ex(c.at(e.Pos()), s), Vals: []typed.Num{typed.IntNum(0)}}
		x = compose([]typed.Expr{x, zero}, typed.ArrayOf(s, b.Rank), c.at(e.Pos()))
	}
	return valueOf(x)
}

// indexType is the type of an index of n axes, as loops give it.
func indexType(s typed.Scalar, n int) typed.Type {
	if n == 1 {
		return s
	}
	return typed.ArrayOf(s, n)
}

// ratios returns by what an index of from is divided and multiplied along each of n
// axes to give one of to. As a node's lowest index is the origin of the tree by the
// extent of its cells, plain division is exact.
func (c *checker) ratios(from, to *object, n int, e *ast.CallExpr) (down, up []int64, ok bool) {
	c.fixed++
	c.atLaunch(from.field) // notes that the extents are needed
	c.atLaunch(to.field)
	c.fixed--
	a, b := from.field, to.field
	down, up = make([]int64, n), make([]int64, n)
	for i := range n {
		switch {
		case a.Shape[i]%b.Shape[i] == 0 && a.Origin[i] == b.Origin[i]*(a.Shape[i]/b.Shape[i]):
			down[i], up[i] = int64(a.Shape[i]/b.Shape[i]), 1
		case b.Shape[i]%a.Shape[i] == 0 && b.Origin[i] == a.Origin[i]*(b.Shape[i]/a.Shape[i]):
			down[i], up[i] = 1, int64(b.Shape[i]/a.Shape[i])
		default:
			c.errorf(syntax.Rescale, e.Pos(), "name two of one tree", "the cells of %s are no multiples of those of %s, nor the other way: along axis %d they have the extents %d and %d from %d and %d",
				to.name, from.name, i, b.Shape[i], a.Shape[i], b.Origin[i], a.Origin[i])
			return nil, nil, false
		}
	}
	return down, up, true
}

// scaled divides (rounding down) or multiplies the components of an index.
func (c *checker) scaled(x typed.Expr, fn typed.Fn, by []int64, p token.Pos) typed.Expr {
	k := &typed.Const{ExprBase: ex(c.at(p), x.Type())}
	same := true
	for _, n := range by {
		k.Vals = append(k.Vals, typed.IntNum(n))
		same = same && n == 1
	}
	switch {
	case same:
		return x
	case fn == typed.FloorDiv:
		return c.builtin(fn, x.Type(), p, x, k).x
	}
	return c.elementwise(typed.Mul, x, k, typed.ScalarOf(x.Type()), nil, p)
}
