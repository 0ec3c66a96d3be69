package check

import "go/ast"

// hintFn is a promise about an index; its value is the first argument.
func hintFn(fn Fn, n int, usage string) builtinFn {
	return func(c *checker, name string, e *ast.CallExpr) operand {
		xs, ok := c.countedArgs(name, e, n, n, usage)
		if !ok {
			return operand{}
		}
		for i, x := range xs {
			if s := ScalarOf(x.Type()); !s.IsInt() || len(Dims(x.Type())) > 1 {
				return c.argType(name, e, i, x, "integers")
			}
			xs[i] = c.defaultType(x, e.Args[i].Pos())
			if isUnknown(xs[i].Type()) {
				return operand{}
			}
		}
		return valueOf(&Builtin{ex{c.at(e.Pos()), xs[0].Type()}, fn, xs})
	}
}

func checkStopGrad(c *checker, name string, e *ast.CallExpr) operand {
	xs, ok := c.countedArgs(name, e, 1, 1, "stopGrad(x)")
	if !ok {
		return operand{}
	}
	x := c.defaultType(xs[0], e.Args[0].Pos())
	if _, slice := x.Type().(Slice); slice || isUnknown(x.Type()) {
		return operand{}
	}
	return valueOf(&Builtin{ex{c.at(e.Pos()), x.Type()}, StopGrad, []Expr{x}})
}
