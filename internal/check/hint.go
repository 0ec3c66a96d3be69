package check

import (
	"go/ast"

	"github.com/gotaichi/ti/internal/typed"
)

// hintFn is a promise about an index; its value is the first argument.
func hintFn(fn typed.Fn, n int, usage string) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		xs, ok := c.countedArgs(name, e, n, n, usage)
		if !ok {
			return operand{}
		}
		for i, x := range xs {
			if s := typed.ScalarOf(x.Type()); !s.IsInt() || len(typed.Dims(x.Type())) > 1 {
				return c.argType(name, e, i, x, "integers")
			}
			xs[i] = c.defaultType(x, e.Args[i].Pos())
			if isUnknown(xs[i].Type()) {
				return operand{}
			}
		}
		return valueOf(&typed.Builtin{ExprBase: ex(c.at(e.Pos()), xs[0].Type()), Fn: fn, Args: xs})
	}
}

func checkStopGrad(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 1, 1, "stopGrad(x)")
	if !ok {
		return operand{}
	}
	x := c.defaultType(xs[0], e.Args[0].Pos())
	if _, slice := x.Type().(typed.Slice); slice || isUnknown(x.Type()) {
		return operand{}
	}
	return valueOf(&typed.Builtin{ExprBase: ex(c.at(e.Pos()), x.Type()), Fn: typed.StopGrad, Args: []typed.Expr{x}})
}
