package check

import (
	"go/ast"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// checkLen checks len(x): of a field the first extent, of a slice, list or array its
// length.
func checkLen(c *checker, name string, e *ast.CallExpr) operand {
	if !c.argCount(name, e, 1, 1, "len(x)") {
		return operand{}
	}
	constant := func(n int) operand {
		return valueOf(&typed.Const{ExprBase: ex(c.at(e.Pos()), c.widths.Int), Vals: []typed.Num{typed.IntNum(int64(n))}, From: typed.FromShape})
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
			return valueOf(&typed.Const{ExprBase: ex(c.at(e.Pos()), c.widths.Int), Vals: []typed.Num{{}}, From: typed.FromShape})
		}
		if !c.bounded(op.obj, e.Args[0].Pos()) {
			return operand{}
		}
		return valueOf(c.extents(op.obj, e.Pos())[0])
	case modeValue:
		switch t := op.x.Type().(type) {
		case typed.Array:
			return constant(t.Len)
		case typed.Slice:
			return valueOf(&typed.Builtin{ExprBase: ex(c.at(e.Pos()), c.widths.Int), Fn: typed.LenFn, Args: []typed.Expr{op.x}})
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
