package check

import (
	"go/ast"
	"go/token"
	"maps"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// This file checks expressions whose value is not needed because of another mistake: the
// arguments of an unknown function, or the values of an assignment with too few places.
// Their own mistakes are reported too, so that one check finds all mistakes of a source.

// survey reports mistakes within expressions. Their context is unknown, so a field
// without an index or a function without a call is not a mistake.
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

// surveyResult checks the body of a function that is named but not called.
func (c *checker) surveyResult(op operand, p token.Pos) {
	if op.mode == modeFunc {
		c.surveyFunc(op.obj, p)
	}
}

// surveyFunc reports mistakes in the body of a function whose call at p is wrong.
// Templates are left to checkTemplates.
func (c *checker) surveyFunc(o *object, p token.Pos) {
	base := o.base()
	if base.kind == objFunc && base.decl != nil && !c.isTemplate(base) {
		c.instance(base, c.calleeContext(base), noBindings(), p)
	}
}

// surveyMisdeclared checks the bodies that no call can reach: those of functions whose
// name is declared already, and of methods whose receiver is wrong.
func (c *checker) surveyMisdeclared() {
	for _, o := range c.methods {
		if o.kind != objBad {
			continue
		}
		var list []*object // the receiver is of no known type
		bad := func(n *ast.Ident) {
			list = append(list, &object{kind: objBad, name: n.Name, file: o.file, pos: n.Pos(), state: done, used: true})
		}
		for _, f := range o.decl.Recv.List {
			for _, n := range f.Names {
				bad(n)
			}
			e := ast.Unparen(f.Type)
			if star, ok := e.(*ast.StarExpr); ok {
				e = star.X
			}
			_, args := splitIndex(e) // names of type parameters
			for _, a := range args {
				if n, ok := a.(*ast.Ident); ok {
					bad(n)
				}
			}
		}
		decl, fn := *o.decl, *o
		decl.Recv = nil
		fn.kind, fn.decl = objFunc, &decl
		b := c.newBindings(list)
		b.unknown = true
		c.surveyBody(&fn, b)
	}
	for _, o := range c.homeless {
		if !c.isTemplate(o) {
			c.surveyBody(o, noBindings())
		}
	}
}

func (c *checker) surveyBody(o *object, b *bindings) {
	c.instanceByItself(o, typed.Inside, b)
}

// declareUnknown declares the names on the left of a wrong definition with an unknown
// type, so that their uses are not reported as undefined.
func (c *checker) declareUnknown(list []ast.Expr) {
	for _, e := range list {
		if id, ok := e.(*ast.Ident); ok && c.fn.scope.names[id.Name] == nil {
			c.newVar(id, typed.Unknown)
		}
	}
}

// namesLeftOut returns the names that occur in parts of files that do not parse. Such a
// part may declare or use them.
func namesLeftOut(files []*syntax.File) map[string]bool {
	names := map[string]bool{}
	for _, f := range files {
		if f.Partial() {
			maps.Copy(names, f.NamesLeftOut())
		}
	}
	return names
}
