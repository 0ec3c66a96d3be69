package check

import (
	"fmt"
	"go/ast"
	"go/token"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A typeInstance is a generic type with type arguments.
type typeInstance struct {
	generic *object
	args    []typed.Type
	typ     typed.Type // nil while it is being evaluated
	deps    *deps
}

// typeParamsOf returns the type parameters of a declared type.
func typeParamsOf(o *object) []typeParam {
	if spec, ok := o.spec.(*ast.TypeSpec); ok && o.kind == objType {
		return typeParams(spec.TypeParams)
	}
	return nil
}

// genericTypeOf returns the generic type that an expression names, if any.
func (c *checker) genericTypeOf(e ast.Expr) *object {
	if o := c.denoted(e); o != nil && typeParamsOf(o) != nil {
		return o
	}
	return nil
}

// splitIndex takes x[a] and x[a, b] apart.
func splitIndex(e ast.Expr) (x ast.Expr, args []ast.Expr) {
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		return e.X, []ast.Expr{e.Index}
	case *ast.IndexListExpr:
		return e.X, e.Indices
	}
	return e, nil
}

// typeOfGeneric evaluates Pair[f32]; each combination of arguments is one type.
func (c *checker) typeOfGeneric(o *object, args []ast.Expr, p token.Pos) typed.Type {
	o.used = true
	params := typeParamsOf(o)
	types, ok := make([]typed.Type, len(args)), true
	for i, a := range args {
		types[i] = c.valueType(a)
		ok = ok && !isUnknown(types[i])
	}
	switch {
	case len(args) != len(params):
		c.errorf(syntax.TypeArgs, p, "", "%s has %d type %s, and this gives %d", o.name, len(params), plural("parameter", len(params)), len(args))
		return typed.Unknown
	case !ok:
		return typed.Unknown
	}
	key, name := fmt.Sprint(c.number(o)), o.fullName()+"["+typeNames(types)+"]"
	for _, t := range types {
		key += fmt.Sprint(" ", c.number(t))
	}
	in := c.types[key]
	switch {
	case in == nil && len(name) > maxTypeName:
		c.errorf(syntax.TooDeep, p, "give names to structs in place of type arguments inside one another", "%s is instantiated with types whose names have more than %d characters", o.name, maxTypeName)
		return typed.Unknown
	case in == nil:
		if !c.instantiate(func() string { return name }, p) {
			return typed.Unknown
		}
		in = &typeInstance{generic: o, args: types}
		c.types[key] = in
		if in.typ = c.evaluateGeneric(in, name, p); isUnknown(in.typ) {
			in.typ = typed.Unknown
		}
	case in.typ == nil:
		c.errorf(syntax.InitCycle, p, "break the cycle", "%s is defined in terms of itself", name)
		return typed.Unknown
	}
	if in.deps != nil {
		c.deps.add(in.deps)
	}
	return in.typ
}

// evaluateGeneric evaluates the declaration of a generic type for its arguments.
func (c *checker) evaluateGeneric(in *typeInstance, name string, p token.Pos) typed.Type {
	o := in.generic
	if c.typeDepth > 50 {
		c.errorf(syntax.InitCycle, p, "end it", "%s contains an instance of itself, without end", o.name)
		return typed.Unknown
	}
	s := newScope(o.scope)
	for i, t := range typeParamsOf(o) {
		s.insert(&object{kind: objType, name: t.name.Name, file: o.file, pos: t.name.Pos(), typ: in.args[i], state: done, used: true})
	}
	outer := c.deps
	c.deps = newDeps()
	c.typeDepth++
	defer func() { in.deps, c.deps, c.typeDepth = c.deps, outer, c.typeDepth-1 }()
	for i, t := range typeParamsOf(o) {
		fits := true
		c.typeIn(s, o, func() typed.Type { fits = c.satisfies(in.args[i], t.bound); return nil })
		if !fits {
			c.errorf(syntax.Constraint, p, "", "%s of %s cannot be %s: it must be %s", t.name.Name, o.name, in.args[i], o.file.Text(t.bound.Pos(), t.bound.End()))
			return typed.Unknown
		}
	}
	return c.typeIn(s, o, func() typed.Type {
		if st, ok := o.texpr.(*ast.StructType); ok {
			t := c.structType(st, name)
			if s, ok := t.(*typed.Struct); ok {
				c.declOf[s] = o
			}
			return t
		}
		return c.valueType(o.texpr)
	})
}
