package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A typeParam is a type parameter with its constraint.
type typeParam struct {
	name  *ast.Ident
	bound ast.Expr
}

func typeParams(l *ast.FieldList) []typeParam {
	if l == nil {
		return nil
	}
	var all []typeParam
	for _, f := range l.List {
		for _, n := range f.Names {
			all = append(all, typeParam{n, f.Type})
		}
	}
	return all
}

// typeArgs makes the object of a generic function with type arguments written out,
// the same for the same types.
func (c *checker) typeArgs(o *object, args []ast.Expr, p token.Pos) *object {
	base := o
	var types []typed.Type
	ok := true
	for _, a := range args {
		t := c.valueType(a)
		types, ok = append(types, t), ok && !isUnknown(t)
	}
	n := len(typeParams(base.decl.Type.TypeParams))
	switch {
	case o.typeArg != nil || n == 0:
		c.errorf(syntax.TypeArgs, p, "", "%s has no type parameters left", o.name)
		return nil
	case len(args) > n:
		c.errorf(syntax.TypeArgs, args[n].Pos(), "", "%s has %d type %s, and this gives %d", o.name, n, plural("parameter", n), len(args))
		return nil
	case !ok:
		return nil
	}
	return c.withTypes(o, types)
}

func (c *checker) withTypes(o *object, types []typed.Type) *object {
	key := fmt.Sprint(c.number(o))
	for _, t := range types {
		key += fmt.Sprint(" ", c.number(t))
	}
	if d := c.derived[key]; d != nil {
		return d
	}
	d := *o
	d.of, d.typeArg = nil, types
	d.generic = o
	c.derived[key] = &d
	return &d
}

// bindCall finds what the parameters of o stand for in a call: objs and xs are its
// arguments by the number of the parameter, at is where they stand. nil: there was
// an error, or what follows from one.
func (c *checker) bindCall(o *object, objs map[int]*object, xs []typed.Expr, at func(i int) token.Pos) *bindings {
	base := o.base()
	names := typeParams(base.decl.Type.TypeParams)
	if len(names) == 0 && len(objs) == 0 {
		return noBindings()
	}
	n := c.newInference(o)
	known := n.infer(c.params(base), objs, xs)
	for i, t := range n.types {
		if t != nil {
			continue
		}
		if known {
			c.errorf(syntax.CannotInfer, at(-1), fmt.Sprintf("write the type arguments: %s[f32](…)", base.name),
				"the arguments do not say what %s of %s is", names[i].name.Name, base.name)
		}
		return nil
	}
	return c.boundTo(base, n.types, objs, at)
}

// boundTo makes the bindings of a function from types and objects, checked.
func (c *checker) boundTo(o *object, types []typed.Type, objs map[int]*object, at func(i int) token.Pos) *bindings {
	var list []*object
	for i, p := range typeParams(o.decl.Type.TypeParams) {
		list = append(list, typeObject(p, o, types[i]))
	}
	s := c.bindScope(o, &bindings{objs: list})
	for i, p := range typeParams(o.decl.Type.TypeParams) {
		if isUnknown(types[i]) {
			continue
		}
		ok := true
		c.typeIn(s, o, func() typed.Type { ok = c.satisfies(types[i], p.bound); return nil })
		if !ok {
			c.errorf(syntax.Constraint, at(-1), "", "%s of %s cannot be %s: it must be %s", p.name.Name, o.name, types[i], o.file.Text(p.bound.Pos(), p.bound.End()))
			return nil
		}
	}
	params := c.params(o)
	for i := range params {
		if a := objs[i]; a != nil {
			list = append(list, a)
			if a.name != "_" {
				s.insert(a)
			}
		}
	}
	if !c.matches(o, s, objs, at) {
		return nil
	}
	return c.newBindings(list)
}

// satisfiesNamed is satisfies for a constraint that o declares, named at p.
func (c *checker) satisfiesNamed(t typed.Type, o *object, declared *ast.InterfaceType, p token.Pos) bool {
	o.used = true
	if slices.Contains(c.constraints, o) {
		c.errorf(syntax.InitCycle, p, "break the cycle: list the types", "%s is defined in terms of itself", o.name)
		return true
	}
	c.constraints = append(c.constraints, o)
	defer c.back(c.turnTo(o))
	ok := c.satisfies(t, declared)
	c.constraints = c.constraints[:len(c.constraints)-1]
	return ok
}

// satisfies reports whether t meets a constraint: any, number, integer, real, a
// type, or a union of these. The predeclared ones look at components, so that they
// hold for vectors too.
func (c *checker) satisfies(t typed.Type, e ast.Expr) bool {
	s := typed.ScalarOf(t)
	switch e := ast.Unparen(e).(type) {
	case *ast.BinaryExpr:
		if e.Op == token.OR {
			x, y := c.satisfies(t, e.X), c.satisfies(t, e.Y) // both, for their errors
			return x || y
		}
	case *ast.UnaryExpr:
		if e.Op == token.TILDE {
			return c.satisfies(t, e.X)
		}
	case *ast.InterfaceType:
		for _, m := range e.Methods.List {
			if len(m.Names) > 0 {
				c.notGo(m.Pos(), "method in a constraint", "list the types that are allowed: f32 | f64")
			} else if !c.satisfies(t, m.Type) {
				return false
			}
		}
		return true
	case *ast.Ident:
		if o := c.lookup(e.Name); o == nil || o.kind == objBuiltin {
			switch e.Name {
			case "any", "comparable":
				return true
			case "number":
				return s.IsNumber()
			case "integer":
				return s.IsInt()
			case "real":
				return s.IsFloat()
			}
		} else if i, ok := o.texpr.(*ast.InterfaceType); ok && o.kind == objType {
			return c.satisfiesNamed(t, o, i, e.Pos())
		}
	case *ast.SelectorExpr:
		if o := c.denoted(e); o != nil && o.kind == objType {
			if i, ok := o.texpr.(*ast.InterfaceType); ok {
				return c.satisfiesNamed(t, o, i, e.Pos())
			}
		}
	}
	u := c.valueType(e)
	return isUnknown(u) || u == t
}
