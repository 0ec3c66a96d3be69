package check

import (
	"go/ast"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// checkRGBA packs a colour of 3 or 4 components.
func checkRGBA(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 1, 4, "rgba(color)")
	if !ok {
		return operand{}
	}
	n := 0
	for i, x := range xs {
		if s := typed.ScalarOf(x.Type()); len(typed.Dims(x.Type())) > 1 || !s.IsNumber() {
			return c.argType(name, e, i, x, "a colour of 3 or 4 numbers")
		}
		n += typed.Components(x.Type())
		xs[i] = c.operandTo(x, c.widths.Float, e.Args[i].Pos())
	}
	if n != 3 && n != 4 {
		c.errorf(syntax.ArgCount, e.Pos(), "give red, green, blue, and alpha if it is not 1", "rgba takes 3 or 4 components, not %d", n)
		return operand{}
	}
	if n == 3 {
		xs = append(xs, &typed.Const{ExprBase: ex(c.at(e.Pos()), c.widths.Float), Vals: []typed.Num{typed.FloatNum(1)}})
	}
	v := compose(xs, typed.ArrayOf(c.widths.Float, 4), c.at(e.Pos()))
	return valueOf(&typed.Builtin{ExprBase: ex(c.at(e.Pos()), typed.U32), Fn: typed.RGBA, Args: []typed.Expr{v}})
}
