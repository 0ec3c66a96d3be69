package check

import (
	"go/ast"
	"go/token"
)

// This file checks what stands beside a mistake that leaves no use for its value:
// the arguments of a call of an unknown function, the values of an assignment of
// wrong number. All mistakes of a source are reported at once.

// survey checks expressions for the mistakes in themselves. What they are for is not
// known, so a field or function without index or call is as good as a value.
func (c *checker) survey(list ...ast.Expr) {
	for _, e := range list {
		c.surveyOne(e)
	}
}

func (c *checker) surveyOne(e ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case nil:
	case *ast.FuncLit:
		c.surveyFunc(c.funcLiteral(e), e.Pos())
	case *ast.KeyValueExpr: // the key may be the name of a field
		c.surveyOne(e.Value)
	case *ast.UnaryExpr:
		if e.Op == token.AND {
			c.surveyOne(e.X)
			return
		}
		c.expr(e)
	case *ast.CompositeLit:
		if e.Type == nil { // of the type that the place of the literal has
			c.survey(e.Elts...)
			return
		}
		c.expr(e)
	case *ast.IndexExpr:
		if _, list := c.listOf(e); !list {
			c.surveyResult(c.expr(e), e.Pos())
		}
	case *ast.BasicLit:
		if e.Kind != token.STRING { // an argument of print, perhaps
			c.expr(e)
		}
	case *ast.CallExpr:
		if _, ok := ast.Unparen(e.Fun).(*ast.FuncLit); ok {
			c.survey(e.Fun)
			c.survey(e.Args...)
			return
		}
		for _, name := range []string{"static", "serial", "config", "span", "ndrange"} {
			if _, ok := c.builtinCall(e, name); ok { // behind range, perhaps
				c.survey(e.Args...)
				return
			}
		}
		c.surveyResult(c.expr(e), e.Pos())
	default:
		c.surveyResult(c.expr(e), e.Pos())
	}
}

// surveyResult checks the body of a function that is named and not called.
func (c *checker) surveyResult(op operand, p token.Pos) {
	if op.mode == modeFunc {
		c.surveyFunc(op.obj, p)
	}
}

// surveyFunc checks the body of a function whose call at p is wrong, for its own
// mistakes. Templates that nothing instantiates are checked in the end.
func (c *checker) surveyFunc(o *object, p token.Pos) {
	base := o.base()
	if base.kind == objFunc && base.decl != nil && !c.isTemplate(base) {
		c.instance(base, c.calleeContext(base), noBindings(), p)
	}
}

// declareUnknown declares the names on the left of a wrong definition, so that what
// follows may use them.
func (c *checker) declareUnknown(list []ast.Expr) {
	for _, e := range list {
		if id, ok := e.(*ast.Ident); ok && c.fn.scope.names[id.Name] == nil {
			c.newVar(id, Unknown)
		}
	}
}
