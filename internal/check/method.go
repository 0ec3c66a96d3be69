package check

import (
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// collectMethod gives a struct type of the current package a method.
func (c *checker) collectMethod(o *object) {
	recv := o.decl.Recv
	if len(recv.List) != 1 || len(recv.List[0].Names) > 1 {
		c.errorf(syntax.BadMethod, recv.Pos(), "write func (b Body) f()", "a method has one receiver")
		o.kind = objBad
		return
	}
	e := ast.Unparen(recv.List[0].Type)
	star, reference := e.(*ast.StarExpr)
	if reference {
		e = ast.Unparen(star.X)
	}
	t := c.structNamed(e)
	if x, args := splitIndex(e); args != nil {
		if t = c.structNamed(x); t != nil && !c.genericReceiver(o, t, args, e.Pos()) {
			o.kind = objBad
			return
		}
	} else if t != nil && typeParamsOf(t) != nil {
		o.kind = objBad
		c.errorf(syntax.BadMethod, e.Pos(), "name its type parameters: "+t.name+"[T]", "%s is generic", t.name)
		return
	}
	if t != nil && reference && c.holdsField(t.texpr) {
		o.kind = objBad
		c.errorf(syntax.BadMethod, e.Pos(), "write "+t.name+" without the *", "%s holds fields, so it is bound at compile time and has no references", t.name)
		return
	}
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

// genericReceiver gives the method of a generic type that type's parameters, under
// the names that its receiver has for them: it becomes a generic function.
func (c *checker) genericReceiver(o, t *object, args []ast.Expr, p token.Pos) bool {
	params := typeParamsOf(t)
	if len(args) != len(params) {
		c.errorf(syntax.TypeArgs, p, "", "%s has %d type %s, and this gives %d", t.name, len(params), plural("parameter", len(params)), len(args))
		return false
	}
	list := &ast.FieldList{}
	for i, a := range args {
		name, ok := ast.Unparen(a).(*ast.Ident)
		if !ok || name.Name == "_" {
			c.errorf(syntax.BadMethod, a.Pos(), "write func (p "+t.name+"[T]) f()", "a receiver names the type parameters of %s", t.name)
			return false
		}
		list.List = append(list.List, &ast.Field{Names: []*ast.Ident{name}, Type: params[i].bound})
	}
	decl, typ := *o.decl, *o.decl.Type
	typ.TypeParams = list
	decl.Type = &typ
	o.decl = &decl
	return true
}

// structNamed returns the declaration of the struct type that e names, by way of
// aliases; nil if it is none.
func (c *checker) structNamed(e ast.Expr) *object {
	end := c.underlying(e)
	if _, ok := end.e.(*ast.StructType); !ok {
		return nil
	}
	return end.o
}

// method returns the method of that name of a struct type, nil if there is none.
func (c *checker) method(t *typed.Struct, name string) *object {
	if o := c.declOf[t]; o != nil {
		return o.methods[name]
	}
	return nil
}

// receiver returns the argument for the receiver of a method: a value, or the place
// itself if it is a reference.
func (c *checker) receiver(o *object, x typed.Expr, e ast.Expr) typed.Expr {
	if !c.params(o)[0].isReference() {
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
			c.instanceByItself(o, typed.Inside, noBindings())
		}
	}
}
