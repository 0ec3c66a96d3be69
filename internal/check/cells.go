package check

import (
	"fmt"
	"go/ast"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// cellFn is a builtin on a cell: activate(B, i, j), B being a node or a field that
// stands for its node.
func cellFn(fn typed.CellFn) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		usage := name + "(b, i, j)"
		if !c.argCount(name, e, 1, -1, usage) {
			return operand{}
		}
		o := c.nodeArg(name, e.Args[0])
		args, n := c.indexArgs(e.Args[1:])
		var t typed.Type = &typed.Tuple{}
		if fn == typed.IsActive {
			t = typed.Bool
		}
		if o == nil || n < 0 || !c.cellIndex(fn, name, o, n, e) {
			return operand{}
		}
		return valueOf(&typed.CellOp{ExprBase: ex(c.at(e.Pos()), t), Fn: fn, Field: o.field, Index: args})
	}
}

// nodeArg checks an argument that names a node, or a field for its node.
func (c *checker) nodeArg(name string, e ast.Expr) *object {
	base, chain := unindexed(e)
	op := c.expr(base)
	switch {
	case len(chain) == 0 || op.mode == modeBad:
	case op.mode == modeField || op.mode == modeNode:
		c.survey(chain...)
		node := c.shortText(base)
		c.errorf(syntax.ArgType, e.Pos(), fmt.Sprintf("write %s, and the index behind a comma", node), "%s takes a node, and %s is an element", name, c.shortText(e))
		return nil
	default:
		op = c.expr(e)
	}
	switch op.mode {
	case modeField, modeNode:
		if op.obj.section != nil {
			c.errorf(syntax.ArgType, e.Pos(), "pass the field, and the index beside it", "%s takes a node, or a field that stands for its node, and %s is a section of a field", name, op.obj.name)
			return nil
		}
		if op.obj.field.View == nil {
			return op.obj
		}
		c.errorf(syntax.ArgType, e.Pos(), "", "%s takes a node, or a field that stands for its node, and %s is an array of the caller", name, op.obj.name)
		return nil
	case modeBad:
		return nil
	}
	c.errorf(syntax.ArgType, e.Pos(), "", "%s takes a node, or a field that stands for its node, first", name)
	return nil
}

// unindexed takes the indices off a name: x and i, j of x[i][j]. Anything else has none.
func unindexed(e ast.Expr) (base ast.Expr, chain []ast.Expr) {
	for base = e; ; {
		x, ok := base.(*ast.IndexExpr)
		if !ok {
			break
		}
		base, chain = x.X, append([]ast.Expr{x.Index}, chain...)
	}
	if _, name := base.(*ast.Ident); !name {
		return e, nil
	}
	return base, chain
}

// indexArgs checks indices and returns how many they are together, -1 after an
// error.
func (c *checker) indexArgs(list []ast.Expr) (xs []typed.Expr, n int) {
	for _, e := range list {
		a := c.indexArg(e)
		if a.n < 0 || n < 0 {
			n = -1
			continue
		}
		xs = append(xs, a.x)
		n += a.n
	}
	return xs, n
}

// cellIndex checks that n indices name a cell that the operation works on.
func (c *checker) cellIndex(fn typed.CellFn, name string, o *object, n int, e *ast.CallExpr) bool {
	f := o.field
	switch {
	case f.Rank < 0 || f.Shape == nil && f.Rank != 0: // unbound
		return true
	case f.List:
		c.errorf(syntax.ListElement, e.Pos(), fmt.Sprintf("append(%s, v), resize and clear change the list; an element is there if its index is below len", listCall(o.name, f.Rank)),
			"%s lies in a dynamic node, whose cells are the elements of lists: %s does not apply to them", o.name, name)
		return false
	case n != f.Rank:
		c.errorf(syntax.CellIndex, e.Rparen, "give one index for each axis of "+o.name+", or a vector of as many components", "%s has %s, and this gives %d", o.name, axes(f.Rank), n)
		return false
	case fn == typed.Deactivate && f.Node == typed.NodeDense && f.Sparse:
		c.errorf(syntax.DenseCell, e.Args[0].Pos(), "name the sparse node above it", "a cell of %s cannot be deactivated: it lies in a dense node, whose cells are active as long as that around them is", o.name)
		return false
	}
	return true
}
