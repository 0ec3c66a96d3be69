package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A list is one of a field in a dynamic node: the field with an index that lacks the
// list's axis, which is the last.
type list struct {
	o       *object // nil after an error, and where it is unknown whether it is a list
	index   []typed.Expr
	unbound bool // it is a list if the field turns out to have lists
}

// listOf returns the list that an expression names: x[i] or, where the list's axis is
// the only one, x. It is not ok if the expression is something else.
func (c *checker) listOf(e ast.Expr) (l list, ok bool) {
	base, chain := indexChain(e)
	switch base.(type) {
	case *ast.Ident, *ast.SelectorExpr:
	default:
		return l, false
	}
	op := c.typeOnly(base)
	for op.mode == modeBundle && len(chain) > 0 {
		op, chain = c.bundleElement(op.obj, chain[0]), chain[1:]
	}
	switch {
	case op.mode == modeBad:
		c.survey(chain...)
		return l, true
	case op.mode != modeField && op.mode != modeNode:
		return l, false
	}
	f := op.obj.field
	unbound := f.Shape == nil && f.Rank != 0
	if !f.List && !unbound {
		return l, false
	}
	index, n := c.indexArgs(chain)
	switch {
	case n < 0:
		return l, true
	case f.Rank >= 0:
		return list{op.obj, index, unbound}, n == f.Rank-1
	case n == 0:
		return l, false
	}
	if _, scalar := f.Elem.(typed.Scalar); scalar { // an element would be no use
		l = list{op.obj, index, true}
	}
	return l, true
}

// indexChain splits x[i][j] into x and what stands in the brackets.
func indexChain(e ast.Expr) (base ast.Expr, chain []ast.Expr) {
	base = ast.Unparen(e)
	for {
		ix, ok := base.(*ast.IndexExpr)
		if !ok {
			return base, chain
		}
		chain = append([]ast.Expr{ix.Index}, chain...)
		base = ast.Unparen(ix.X)
	}
}

// listArg is listOf for an argument that must be a list.
func (c *checker) listArg(name string, e ast.Expr) (l list, ok bool) {
	before := len(c.errs)
	l, is := c.listOf(e)
	switch {
	case is && l.o != nil:
		return l, true
	case is && len(c.errs) > before:
		return l, false
	}
	base, chain := indexChain(e)
	op := c.typeOnly(base)
	for op.mode == modeBundle && len(chain) > 0 {
		op, chain = c.bundleElement(op.obj, chain[0]), chain[1:]
	}
	if op.mode != modeField {
		if op.mode != modeBad {
			c.errorf(syntax.NotAList, e.Pos(), "name a field placed on a dynamic node, without an index along the axis of its lists", "%s takes a list, and %s is none", name, c.shortText(e))
		}
		return l, false
	}
	f := op.obj.field
	_, n := c.indexArgs(chain)
	switch {
	case n < 0:
	case f.Shape == nil && f.Rank < 0:
		return list{op.obj, nil, true}, true
	case f.Shape != nil && !f.List:
		c.errorf(syntax.NotAList, e.Pos(), "let the host place it on a Dynamic node", "%s takes a list, and %s has none: it is placed on no dynamic node", name, op.obj.name)
	default:
		help := ""
		if f.Rank > 0 {
			help = "write " + listCall(op.obj.name, f.Rank)
		}
		c.errorf(syntax.NotAList, e.Pos(), help, "%s takes a list: an index of %s without the last of its %s; this gives %d", name, op.obj.name, axes(f.Rank), n)
	}
	return l, false
}

// listCall is how a list of a field is written.
func listCall(name string, rank int) string {
	return name + []string{"", "", "[i]", "[i][j]"}[min(rank, 3)] + map[bool]string{true: "…"}[rank > 3]
}

// checkAppend checks append(x[i], v).
func checkAppend(c *checker, name string, e *ast.CallExpr) operand {
	if !c.argCount(name, e, 2, 2, "append(x[i], v), for each element") {
		return operand{}
	}
	l, ok := c.listArg(name, e.Args[0])
	v := c.value(e.Args[1])
	if !ok {
		return operand{}
	}
	f := l.o.field
	if typed.IsNode(f.Elem) {
		c.errorf(syntax.NotAList, e.Args[0].Pos(), "append to a field placed on it", "%s is a node, so its lists have no elements to append", l.o.name)
		return operand{}
	}
	v = c.assignable(v, f.Elem, e.Args[1], "an element of "+l.o.name)
	if isUnknown(v.Type()) && !l.unbound {
		return operand{}
	}
	return valueOf(&typed.CellOp{ExprBase: ex(c.at(e.Pos()), c.widths.Int), Fn: typed.Append, Field: f, Index: l.index, Value: v})
}

// checkClear checks clear(x[i]).
func checkClear(c *checker, name string, e *ast.CallExpr) operand {
	if !c.argCount(name, e, 1, 1, "clear(x[i])") {
		return operand{}
	}
	l, ok := c.listArg(name, e.Args[0])
	if !ok {
		return operand{}
	}
	return valueOf(&typed.CellOp{ExprBase: ex(c.at(e.Pos()), &typed.Tuple{}), Fn: typed.Empty, Field: l.o.field, Index: l.index})
}

// checkResize checks resize(x[i], n).
func checkResize(c *checker, name string, e *ast.CallExpr) operand {
	if !c.argCount(name, e, 2, 2, "resize(x[i], n), where n is at most len(x[i])") {
		return operand{}
	}
	l, ok := c.listArg(name, e.Args[0])
	n := c.value(e.Args[1])
	if isUnknown(n.Type()) {
		return operand{}
	}
	if s, scalar := n.Type().(typed.Scalar); !scalar || !s.IsInt() {
		c.errorf(syntax.ArgType, e.Args[1].Pos(), "", "a length is an integer, and this is %s", c.describe(n))
		return operand{}
	}
	if n = c.defaultType(n, e.Args[1].Pos()); !ok || isUnknown(n.Type()) {
		return operand{}
	}
	return valueOf(&typed.CellOp{ExprBase: ex(c.at(e.Pos()), &typed.Tuple{}), Fn: typed.Resize, Field: l.o.field, Index: l.index, Value: n})
}

// length is the length of a list.
func (c *checker) length(l list, p token.Pos) typed.Expr {
	return &typed.CellOp{ExprBase: ex(c.at(p), c.widths.Int), Fn: typed.ListLen, Field: l.o.field, Index: l.index}
}

// list makes a loop over the elements that a list has when the loop starts.
func (r *ranging) list(l list) []typed.Stmt {
	c := r.c
	if l.o == nil {
		c.markUsed(r.spec.core)
		r.unknown()
		return nil
	}
	if r.spec.static {
		c.errorf(syntax.UnknownForStatic, r.spec.core.Pos(), "use an ordinary loop", "the length of a list is known at run time only")
		r.unknown()
		return nil
	}
	for i, x := range l.index { // the body names the list again
		if !pure(x) || !isConst(x) {
			ref, def := c.temp(x)
			l.index[i] = ref
			r.pre = append(r.pre, def)
		}
	}
	f := l.o.field
	if typed.IsNode(f.Elem) && len(r.vars) == 2 && r.vars[1] != nil {
		c.errorf(syntax.RangeVarCount, r.vars[1].Pos(), "use one variable", "the elements of node %s have no value", l.o.name)
		r.unknown()
		return nil
	}
	parallel := r.parallel()
	element := func(i *typed.VarRef, v *typed.Var) typed.Expr {
		return &typed.Element{ExprBase: ex(v.Pos, f.Elem), Field: f, Index: append(l.index[:len(l.index):len(l.index)], i)}
	}
	return append(r.pre, r.elements(c.length(l, r.s.Pos()), parallel, f.Elem, element))
}

func isConst(x typed.Expr) bool { _, ok := x.(*typed.Const); return ok }
