package check

import (
	"fmt"
	"go/ast"
	"go/token"

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

// An inference finds the type arguments of one call.
type inference struct {
	c     *checker
	names []typeParam
	types []typed.Type
}

// match compares the written type of a parameter with the type of an argument.
func (n *inference) match(e ast.Expr, t typed.Type) {
	if isUnknown(t) {
		return
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		if _, ok := t.(typed.Ref); ok {
			return // no type argument is a reference
		}
		for i, p := range n.names {
			if p.name.Name == e.Name && n.types[i] == nil {
				n.types[i] = t
			}
		}
	case *ast.StarExpr:
		if r, ok := t.(typed.Ref); ok { // a parameter of a function that is an argument
			t = r.Elem
		}
		n.match(e.X, t)
	case *ast.ArrayType:
		switch t := t.(type) {
		case typed.Slice:
			if e.Len == nil {
				n.match(e.Elt, t.Elem)
			}
		case typed.Array:
			if e.Len != nil {
				n.match(e.Elt, t.Elem)
			}
		}
	case *ast.IndexExpr:
		n.matchGeneric(e, t)
	case *ast.IndexListExpr:
		n.matchGeneric(e, t)
		if v, ok := t.(typed.View); ok && n.c.isPredeclared(typeHead(e), "array") && len(e.Indices) > 0 {
			n.match(e.Indices[0], v.Elem)
		}
	}
}

// compileTime compares a compile-time parameter with what it is bound to.
func (n *inference) compileTime(p param, a *object) {
	switch {
	case a.kind == objField && p.kind == fieldKind:
		switch e := ast.Unparen(p.texpr).(type) {
		case *ast.IndexExpr:
			n.match(e.Index, a.field.Elem)
		case *ast.IndexListExpr:
			n.match(e.Indices[0], a.field.Elem)
		}
	case a.kind == objFunc && p.kind == funcKind && !n.c.isTemplate(a):
		want := ast.Unparen(p.texpr).(*ast.FuncType)
		params, results, _ := n.c.signature(a.root(), newScope(a.scope))
		n.list(want.Params, params)
		n.list(want.Results, results)
	}
}

func (n *inference) list(fields *ast.FieldList, vars []*typed.Var) {
	if fields == nil {
		return
	}
	for _, f := range fields.List {
		for range max(1, len(f.Names)) {
			if len(vars) > 0 {
				n.match(f.Type, vars[0].Type)
				vars = vars[1:]
			}
		}
	}
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
	n := &inference{c, names, make([]typed.Type, len(names))}
	copy(n.types, o.typeArg)
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

// infer fills in the types that follow from arguments; it reports whether all
// arguments are known.
func (n *inference) infer(params []param, objs map[int]*object, xs []typed.Expr) (known bool) {
	known = true
	for _, untyped := range []bool{false, true} {
		for i, p := range params {
			if p.kind != runTime {
				a := objs[i]
				known = known && a.kind != objBad && !(a.kind == objField && isUnknown(a.field.Elem))
				n.compileTime(p, a)
				continue
			}
			if xs == nil {
				continue
			}
			t := xs[i].Type()
			known = known && !isUnknown(t)
			if typed.ScalarOf(t).IsUntyped() == untyped {
				n.match(p.texpr, n.c.typedResult(t))
			}
		}
	}
	return known
}

// boundTo makes the bindings of a function from types and objects, checked.
func (c *checker) boundTo(o *object, types []typed.Type, objs map[int]*object, at func(i int) token.Pos) *bindings {
	var list []*object
	for i, p := range typeParams(o.decl.Type.TypeParams) {
		list = append(list, &object{kind: objType, name: p.name.Name, file: o.file, pos: p.name.Pos(), typ: types[i], state: done, used: true})
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
			o.used = true
			return c.satisfies(t, i)
		}
	}
	u := c.valueType(e)
	return isUnknown(u) || u == t
}
