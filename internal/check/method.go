package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
)

// collectMethods gives struct types their methods.
func (c *checker) collectMethods() {
	for _, o := range c.methods {
		c.file = o.file
		c.collectMethod(o)
	}
}

func (c *checker) collectMethod(o *object) {
	recv := o.decl.Recv
	if len(recv.List) != 1 || len(recv.List[0].Names) > 1 {
		c.errorf(syntax.BadMethod, recv.Pos(), "write func (b Body) f()", "a method has one receiver")
		o.kind = objBad
		return
	}
	e := ast.Unparen(recv.List[0].Type)
	if s, ok := e.(*ast.StarExpr); ok {
		e = ast.Unparen(s.X)
	}
	switch e.(type) {
	case *ast.IndexExpr, *ast.IndexListExpr:
		o.kind = objBad
		c.notYet(e.Pos(), "methods of generic types")
		return
	}
	t := c.structNamed(e)
	if t == nil {
		o.kind = objBad
		c.errorf(syntax.BadMethod, e.Pos(), "declare type Body struct {…} and give it the method", "%s is no struct type of this source, so it has no methods", c.shortText(e))
		return
	}
	name := o.name
	o.name = t.name + "." + name
	for _, f := range t.texpr.(*ast.StructType).Fields.List {
		for _, n := range f.Names {
			if n.Name == name {
				c.errorf(syntax.BadMethod, o.pos, "choose another name", "%s has a field %s already", t.name, name)
			}
		}
	}
	if old := t.methods[name]; old != nil {
		c.errorf(syntax.Redeclared, o.pos, "choose another name", "%s is declared already in line %d", o.name, old.file.Position(old.pos).Line)
		return
	}
	if t.methods == nil {
		t.methods = map[string]*object{}
	}
	t.methods[name] = o
}

// structNamed returns the declaration of the struct type that e names, by way of
// aliases; nil if it is none.
func (c *checker) structNamed(e ast.Expr) *object {
	for range len(c.pkg.names) + 1 { // aliases may be circular
		id, ok := ast.Unparen(e).(*ast.Ident)
		if !ok {
			return nil
		}
		o := c.pkg.names[id.Name]
		if o == nil || o.kind != objType || o.texpr == nil {
			return nil
		}
		if _, ok := o.texpr.(*ast.StructType); ok {
			return o
		}
		e = o.texpr
	}
	return nil
}

// method returns the method of that name of a struct type, nil if there is none.
func (c *checker) method(t *Struct, name string) *object {
	if o := c.owners[t]; o != nil {
		return o.methods[name]
	}
	return nil
}

// receiver returns the argument for the receiver of a method: a value, or the place
// itself if it is a reference.
func (c *checker) receiver(o *object, x Expr, e ast.Expr) Expr {
	if _, ref := ast.Unparen(c.params(o)[0].texpr).(*ast.StarExpr); !ref {
		return x
	}
	if notPlace(x) != "" {
		c.errorf(syntax.NotAPlace, e.Pos(), "assign it to a variable first", "%s changes its receiver, and %s is %s", o.name, c.shortText(e), notPlace(x))
		return nil
	}
	return c.placeFor(x, e)
}

// checkMethods checks the methods that nothing calls.
func (c *checker) checkMethods() {
	for _, o := range c.methods {
		if o.kind == objFunc && !o.checked && !c.isTemplate(o) {
			c.instance(o, Inside, noBindings, token.NoPos)
		}
	}
}
