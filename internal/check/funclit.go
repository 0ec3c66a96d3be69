package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// funcLiteral makes the object of a function literal, an argument of a compile-time
// parameter. It sees the names of the place where it stands.
func (c *checker) funcLiteral(lit *ast.FuncLit) *object {
	s := c.pkg
	if c.fn != nil {
		s = c.fn.scope
	}
	name := &ast.Ident{NamePos: lit.Pos(), Name: "func"}
	return &object{
		kind: objFunc, name: name.Name, file: c.file, pos: lit.Pos(), scope: s, literal: true, state: done,
		decl: &ast.FuncDecl{Name: name, Type: lit.Type, Body: lit.Body},
	}
}

// defineLiteral checks f := func(…) …, which gives a function literal a name; false
// if this is something else.
func (c *checker) defineLiteral(lhs, rhs []ast.Expr) bool {
	if len(lhs) != 1 || len(rhs) != 1 {
		return false
	}
	lit, ok := ast.Unparen(rhs[0]).(*ast.FuncLit)
	id, name := lhs[0].(*ast.Ident)
	if !ok || !name || id.Name == "_" || c.fn.scope.names[id.Name] != nil {
		return false
	}
	o := c.funcLiteral(lit)
	o.name, o.pos, o.local = id.Name, id.Pos(), true
	o.scope = &scope{parent: o.scope.parent, names: maps.Clone(o.scope.names)} // what is declared before it
	o.decl.Name = &ast.Ident{NamePos: id.Pos(), Name: id.Name}
	c.declare(c.fn.scope, o)
	return true
}

// capture gives the function being checked, a function literal or one that such a
// literal was passed to, a variable from around the literal: each function from
// there on passes it along as a hidden parameter, by value. (A reference remains
// the place that it is.)
func (c *checker) capture(o *object, p token.Pos) typed.Expr {
	o = o.root()
	home := slices.Index(c.stack, o.frame)
	if o.frame == c.fn && o.place != nil {
		return o.place
	}
	if o.frame == c.fn {
		return &typed.VarRef{ExprBase: ex(c.at(p), placeType(o.v.Type)), Var: o.v}
	}
	if c.fn.inst == nil || home < 0 { // a constant or type: reported where it must be one
		return &typed.VarRef{ExprBase: ex(c.at(p), placeType(o.v.Type)), Var: o.v}
	}
	c.noteReadIn(o.frame, o, p)
	for _, f := range c.stack[home+1:] {
		if f.hidden[o] != nil {
			continue
		}
		if f.hidden == nil {
			f.hidden = map[*object]*typed.Var{}
		}
		v := &typed.Var{Name: o.name, Type: o.v.Type, Pos: o.v.Pos, Param: true, Section: o.v.Section}
		f.hidden[o] = v
		f.captured = append(f.captured, o)
		f.inst.Params = append(f.inst.Params, v)
	}
	v := c.fn.hidden[o]
	return &typed.VarRef{ExprBase: ex(c.at(p), placeType(v.Type)), Var: v}
}

// placeType is the type of a VarRef to a variable of type t.
func placeType(t typed.Type) typed.Type {
	if r, ok := t.(typed.Ref); ok {
		return r.Elem
	}
	return t
}

// captures returns the hidden arguments of a call.
func (c *checker) captures(in *instance, p token.Pos) []typed.Expr {
	var args []typed.Expr
	for _, o := range in.captured {
		args = append(args, c.capture(o, p))
	}
	return args
}

// isCaptured reports whether o is a variable from around the function literal being
// checked, other than a reference.
func (c *checker) isCaptured(o *object) bool {
	if o == nil || o.kind != objVar || o.frame == c.fn || c.fn.inst == nil {
		return false
	}
	_, ref := o.v.Type.(typed.Ref)
	return !ref
}

// matchFunc checks that a function has the type of parameter p, and returns what
// the parameter is bound to: an instance of a generic function, or a function that
// calls a builtin with arguments of these types.
func (c *checker) matchFunc(o *object, p param, s *scope, a *object, at token.Pos) *object {
	ft := ast.Unparen(p.texpr).(*ast.FuncType)
	var params, results []typed.Type
	c.typeIn(s, o, func() typed.Type { params, results = c.funcTypes(ft); return nil })
	if slices.ContainsFunc(slices.Concat(params, results), isUnknown) {
		return a.root()
	}
	want := funcType(params, results)
	if a.kind == objBuiltin {
		return c.wrapBuiltin(o, p, s, a.root(), want, slices.Concat(params, results), at)
	}
	f := a.root()
	base := f.base()
	n := c.newInference(f)
	fits := n.matchSignature(params, results)
	if fits && !slices.Contains(n.types, nil) {
		b := c.boundTo(base, n.types, nil, func(int) token.Pos { return at })
		if b == nil {
			return nil
		}
		ps, rs, ok := c.signature(base, c.bindScope(base, b))
		if !ok {
			return nil
		}
		if fits = slices.Equal(varTypes(ps), params) && slices.Equal(varTypes(rs), results); fits {
			if len(n.types) > 0 {
				return c.withTypes(base, n.types)
			}
			return f
		}
		is := funcType(varTypes(ps), varTypes(rs))
		c.errorf(syntax.FuncArg, at, "", "parameter %s of %s takes a %s, and this is %s", p.name, o.name, want, is)
		return nil
	}
	c.errorf(syntax.FuncArg, at, "", "parameter %s of %s takes a %s, and %s is none", p.name, o.name, want, c.kindText(a))
	return nil
}

func varTypes(vars []*typed.Var) []typed.Type {
	types := make([]typed.Type, len(vars))
	for i, v := range vars {
		types[i] = v.Type
	}
	return types
}

// wrapBuiltin makes a function of the given type that calls a builtin.
func (c *checker) wrapBuiltin(o *object, p param, s *scope, a *object, want typed.FuncType, types []typed.Type, at token.Pos) *object {
	key := a.name + " " + want.String()
	for _, t := range types {
		key += fmt.Sprint(" ", c.number(t)) // two types may have one name
	}
	if w := c.derived[key]; w != nil {
		return w
	}
	src := ast.Unparen(p.texpr).(*ast.FuncType)
	here := src.Pos()
	name := func(s string) *ast.Ident { return &ast.Ident{NamePos: here, Name: s} }
	ft := &ast.FuncType{Func: here, Params: &ast.FieldList{}, Results: src.Results}
	call := &ast.CallExpr{Fun: name(a.name), Lparen: here, Rparen: here}
	for _, f := range src.Params.List {
		for range max(1, len(f.Names)) {
			arg := "a" + typed.IntNum(int64(len(call.Args))).String()
			ft.Params.List = append(ft.Params.List, &ast.Field{Names: []*ast.Ident{name(arg)}, Type: f.Type})
			call.Args = append(call.Args, name(arg))
		}
	}
	var body ast.Stmt = &ast.ReturnStmt{Return: here, Results: []ast.Expr{call}}
	if src.Results == nil {
		body = &ast.ExprStmt{X: call}
	}
	inner := newScope(s)
	inner.insert(a)
	w := &object{
		kind: objFunc, name: a.name, file: o.file, pos: here, scope: inner, state: done,
		decl: &ast.FuncDecl{Name: name(a.name), Type: ft, Body: &ast.BlockStmt{Lbrace: here, List: []ast.Stmt{body}, Rbrace: here}},
	}
	before := len(c.errs)
	c.instance(w, typed.Inside, noBindings(), at)
	if len(c.errs) > before {
		c.errs = c.errs[:before]
		c.errorf(syntax.FuncArg, at, "", "parameter %s of %s takes a %s, and the builtin %s is none", p.name, o.name, want, a.name)
		return nil
	}
	c.derived[key] = w
	return w
}
