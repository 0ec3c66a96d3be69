package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"github.com/gotaichi/ti/internal/typed"
)

// An inference finds the type arguments of one use of a generic function or type.
// It compares the types that its declaration writes with those of what is given.
type inference struct {
	c     *checker
	of    *object // what is generic
	names []typeParam
	types []typed.Type // nil where not known yet
	depth int          // of generic types in the declarations of generic types
}

// newInference begins with the type arguments that the source writes in brackets.
func (c *checker) newInference(o *object) *inference {
	base := o.base()
	n := &inference{c: c, of: base, names: typeParams(base.decl.Type.TypeParams)}
	n.types = make([]typed.Type, len(n.names))
	copy(n.types, o.typeArg)
	return n
}

// infer fills in the types that follow from the arguments of a call, in whatever order they stand.
// Typed arguments come first. Untyped constants have the types that they have on their own, so one that is a float
// comes before an integer. It reports whether all arguments are known.
func (n *inference) infer(params []param, objs map[int]*object, xs []typed.Expr) (known bool) {
	known = true
	for i, p := range params {
		if p.kind != runTime {
			a := objs[i]
			known = known && a.kind != objBad && !(a.kind == objField && isUnknown(a.field.Elem))
			n.compileTime(p, a)
		} else if xs != nil {
			known = known && !isUnknown(xs[i].Type())
		}
	}
	for _, s := range []typed.Scalar{typed.Unknown, typed.UntypedFloat, typed.UntypedInt} {
		for i, p := range params {
			if p.kind != runTime || xs == nil {
				continue
			}
			t := xs[i].Type()
			is := typed.ScalarOf(t)
			if !is.IsUntyped() {
				is = typed.Unknown
			}
			if is == s {
				n.match(p.texpr, n.c.typedResult(t))
			}
		}
		n.functions(params, objs)
	}
	return known
}

// match compares the written type of a parameter with the type of an argument.
func (n *inference) match(e ast.Expr, t typed.Type) {
	n.c.typeIn(newScope(n.of.scope), n.of, func() typed.Type { n.compare(e, t); return nil })
}

// compare is match where the names of the declaration are seen.
func (n *inference) compare(e ast.Expr, t typed.Type) {
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
		n.compare(e.X, t)
	case *ast.ArrayType:
		switch t := t.(type) {
		case typed.Slice:
			if e.Len == nil {
				n.compare(e.Elt, t.Elem)
			}
		case typed.Array:
			if e.Len != nil {
				n.compare(e.Elt, t.Elem)
			}
		}
	case *ast.IndexExpr, *ast.IndexListExpr:
		x, args := splitIndex(e)
		switch t := t.(type) {
		case typed.FieldType:
			if n.c.isPredeclared(typeHead(e), "field") {
				n.compare(args[0], t.Elem)
			}
			return
		case typed.View:
			if n.c.isPredeclared(typeHead(e), "array") {
				n.compare(args[0], t.Elem)
			}
			return
		}
		if o := n.c.genericTypeOf(x); o != nil {
			n.generic(o, args, t)
		}
	}
}

// generic compares Pair[T], generic type o with arguments, with the type of an argument.
func (n *inference) generic(o *object, args []ast.Expr, t typed.Type) {
	for i, found := range n.argsOf(o, t) {
		if i < len(args) && found != nil {
			n.compare(args[i], found)
		}
	}
}

// argsOf returns the type arguments with which generic type o is t, nil where it is not known.
func (n *inference) argsOf(o *object, t typed.Type) []typed.Type {
	if _, ok := o.texpr.(*ast.StructType); ok {
		for _, key := range sortedNames(n.c.types) {
			in := n.c.types[key]
			if in.generic == o && in.typ == t && !slices.Contains(in.args, typed.Type(typed.Unknown)) {
				return in.args
			}
		}
		return nil
	}
	if n.depth >= maxTypeDepth { // a type in terms of itself, which is reported elsewhere
		return nil
	}
	names := typeParamsOf(o)
	inner := &inference{c: n.c, of: o, names: names, types: make([]typed.Type, len(names)), depth: n.depth + 1}
	inner.match(o.texpr, t)
	return inner.types
}

// compileTime compares a compile-time parameter with what it is bound to.
func (n *inference) compileTime(p param, a *object) {
	switch {
	case a.kind == objField && p.kind == fieldKind:
		n.match(p.texpr, typed.FieldType{Elem: a.field.Elem, Rank: a.field.Rank})
	case a.kind == objBundle && p.kind == bundleKind:
		n.match(p.texpr, a.typ)
	case a.kind == objFunc && p.kind == funcKind && !n.c.isTemplate(a.root().base()):
		n.signature(p, a.root().base(), nil)
	}
}

// functions fills in the types that follow from arguments that are generic functions and builtins.
// Their results are known when their parameters are, which may follow from the result of another one.
func (n *inference) functions(params []param, objs map[int]*object) {
	for slices.Contains(n.types, nil) {
		before := slices.Clone(n.types)
		for i, p := range params {
			if p.kind == funcKind && objs[i] != nil {
				n.function(p, objs[i].root())
			}
		}
		if slices.Equal(before, n.types) {
			return
		}
	}
}

// function compares the function type of p with the instance of f that the types known so far choose.
func (n *inference) function(p param, f *object) {
	want := ast.Unparen(p.texpr).(*ast.FuncType)
	switch {
	case f.kind == objBuiltin:
		n.resultsOf(f, want)
	case f.kind == objFunc && typeParams(f.base().decl.Type.TypeParams) != nil:
		inner := n.c.newInference(f)
		if inner.matchSignature(n.known(want.Params), n.known(want.Results)) && !slices.Contains(inner.types, nil) {
			n.signature(p, f.base(), inner.types)
		}
	}
}

// signature compares the function type of p with function f, instantiated with types.
func (n *inference) signature(p param, f *object, types []typed.Type) {
	want := ast.Unparen(p.texpr).(*ast.FuncType)
	s := newScope(f.scope)
	for i, t := range typeParams(f.decl.Type.TypeParams) {
		s.insert(typeObject(t, f, types[i]))
	}
	var params, results []*typed.Var
	n.c.quietly(func() { params, results, _ = n.c.signature(f, s) })
	n.list(want.Params, varTypes(params))
	n.list(want.Results, varTypes(results))
}

// matchSignature compares the parameters and results of a function with types, nil where they are not known.
// It is false if the numbers of parameters differ, or if the function has compile-time parameters.
func (n *inference) matchSignature(params, results []typed.Type) bool {
	declared := n.c.params(n.of)
	if len(declared) != len(params) {
		return false
	}
	for i, d := range declared {
		if d.kind != runTime {
			return false
		}
		if params[i] != nil {
			n.match(d.texpr, params[i])
		}
	}
	n.list(n.of.decl.Type.Results, results)
	return true
}

// list compares the types of written parameters or results with types, nil where they are not known.
func (n *inference) list(fields *ast.FieldList, types []typed.Type) {
	for _, e := range eachType(fields) {
		if len(types) == 0 {
			return
		}
		if types[0] != nil {
			n.match(e, types[0])
		}
		types = types[1:]
	}
}

// eachType returns the written type of each parameter or result.
func eachType(fields *ast.FieldList) (types []ast.Expr) {
	if fields == nil {
		return nil
	}
	for _, f := range fields.List {
		for range max(1, len(f.Names)) {
			types = append(types, f.Type)
		}
	}
	return types
}

// known evaluates the types of written parameters or results as far as the type arguments found so far
// allow, nil for the others.
func (n *inference) known(fields *ast.FieldList) []typed.Type {
	s := newScope(n.of.scope)
	missing := map[string]bool{}
	for i, p := range n.names {
		if n.types[i] == nil {
			missing[p.name.Name] = true
			continue
		}
		s.insert(typeObject(p, n.of, n.types[i]))
	}
	var types []typed.Type
	for _, e := range eachType(fields) {
		var t typed.Type
		if !mentions(e, missing) {
			n.c.quietly(func() { t = n.c.typeIn(s, n.of, func() typed.Type { return n.c.typeOf(e) }) })
		}
		if isUnknown(t) {
			t = nil
		}
		types = append(types, t)
	}
	return types
}

// mentions reports whether one of the names occurs in an expression.
func mentions(e ast.Expr, names map[string]bool) (found bool) {
	ast.Inspect(e, func(x ast.Node) bool {
		id, ok := x.(*ast.Ident)
		found = found || ok && names[id.Name]
		return !found
	})
	return found
}

// resultsOf compares the results of a function type with those of a builtin that is called with its parameters.
func (n *inference) resultsOf(builtin *object, want *ast.FuncType) {
	params := n.known(want.Params)
	if want.Results.NumFields() == 0 || slices.Contains(params, nil) || !slices.Contains(n.known(want.Results), nil) {
		return
	}
	n.list(want.Results, n.builtinResults(builtin, params, want.Results.NumFields()))
}

// builtinResults returns the types of the results of a builtin for arguments of these types, nil if it takes no such
// arguments or has another number of results. It checks a function that calls the builtin and keeps what it gives.
func (n *inference) builtinResults(builtin *object, params []typed.Type, results int) []typed.Type {
	at := n.of.pos
	name := func(prefix string, i int) *ast.Ident { return &ast.Ident{NamePos: at, Name: fmt.Sprint(prefix, i)} }
	s := newScope(n.c.pkg)
	s.insert(builtin)
	ft := &ast.FuncType{Func: at, Params: &ast.FieldList{}}
	call := &ast.CallExpr{Fun: &ast.Ident{NamePos: at, Name: builtin.name}, Lparen: at, Rparen: at}
	for i, t := range params {
		s.insert(&object{kind: objType, name: name("t", i).Name, file: n.of.file, pos: at, typ: t, state: done, used: true})
		ft.Params.List = append(ft.Params.List, &ast.Field{Names: []*ast.Ident{name("a", i)}, Type: name("t", i)})
		call.Args = append(call.Args, name("a", i))
	}
	keep := &ast.AssignStmt{TokPos: at, Tok: token.DEFINE, Rhs: []ast.Expr{call}}
	index := map[string]int{}
	for i := range results {
		keep.Lhs = append(keep.Lhs, name("r", i))
		index[name("r", i).Name] = i
	}
	f := &object{
		kind: objFunc, name: builtin.name, file: n.of.file, pos: at, scope: s, state: done,
		decl: &ast.FuncDecl{Name: call.Fun.(*ast.Ident), Type: ft, Body: &ast.BlockStmt{Lbrace: at, List: []ast.Stmt{keep}, Rbrace: at}},
	}
	types := make([]typed.Type, results)
	n.c.quietly(func() {
		n.c.typeIn(s, n.of, func() typed.Type {
			if in := n.c.instance(f, typed.Inside, noBindings(), at); in != nil {
				typed.Visit(in.f.Body.List, func(s typed.Stmt) {
					if d, ok := s.(*typed.Define); ok {
						if i, ok := index[d.Var.Name]; ok {
							types[i] = d.Var.Type
						}
					}
				})
			}
			return nil
		})
	})
	return types
}

// typeObject is the object of a type parameter of o that stands for t.
func typeObject(p typeParam, o *object, t typed.Type) *object {
	return &object{kind: objType, name: p.name.Name, file: o.file, pos: p.name.Pos(), typ: t, state: done, used: true}
}

// quietly runs f, whose errors another place reports.
func (c *checker) quietly(f func()) {
	before := len(c.errs)
	f()
	c.errs = c.errs[:before]
}
