package check

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A paramKind says what a parameter takes: a value at run time, or something that
// the compiler knows.
type paramKind uint8

const (
	runTime    paramKind = iota
	anyKind              // template
	fieldKind            // field[T], field[T, D2]
	nodeKind             // node
	funcKind             // func(f32) f32
	bundleKind           // a struct or array that holds fields
)

// A param is a declared parameter, the receiver of a method included.
type param struct {
	name  string // "" for none
	pos   token.Pos
	texpr ast.Expr
	kind  paramKind
	given typed.Type // of memory that the host passes for a template parameter, nil elsewhere
}

// isReference reports whether the parameter is declared as *T.
func (p param) isReference() bool {
	_, ok := ast.Unparen(p.texpr).(*ast.StarExpr)
	return ok
}

// params returns the parameters of a function, the receiver first.
func (c *checker) params(o *object) []param {
	if o.params != nil {
		return o.params
	}
	before, outer := c.turnTo(o), c.fn
	s := newScope(o.scope) // whatever the scope that calls it
	for _, t := range typeParams(o.decl.Type.TypeParams) {
		s.insert(&object{kind: objType, name: t.name.Name, state: done})
	}
	c.fn = &fn{scope: s}
	o.params = []param{}
	for _, list := range []*ast.FieldList{o.decl.Recv, o.decl.Type.Params} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			kind := c.paramKind(f.Type)
			for _, n := range f.Names {
				o.params = append(o.params, param{name: n.Name, pos: n.Pos(), texpr: f.Type, kind: kind})
			}
			if len(f.Names) == 0 {
				o.params = append(o.params, param{pos: f.Type.Pos(), texpr: f.Type, kind: kind})
			}
		}
	}
	c.where = before
	c.fn = outer
	return o.params
}

func (c *checker) paramKind(e ast.Expr) paramKind {
	switch e := ast.Unparen(e).(type) {
	case *ast.FuncType:
		return funcKind
	case *ast.Ident:
		switch {
		case c.isPredeclared(e.Name, "template"):
			return anyKind
		case c.isPredeclared(e.Name, "node"):
			return nodeKind
		case c.isPredeclared(e.Name, "field"): // reported where its type is evaluated
			return fieldKind
		}
	case *ast.IndexExpr, *ast.IndexListExpr:
		if c.isPredeclared(typeHead(e), "field") {
			return fieldKind
		}
	}
	if c.holdsField(e) {
		return bundleKind
	}
	return runTime
}

// isTemplate reports whether each call of a function chooses an instance.
func (c *checker) isTemplate(o *object) bool {
	if o.decl == nil {
		return false
	}
	if o.decl.Type.TypeParams != nil {
		return true
	}
	for _, p := range c.params(o) {
		if p.kind != runTime {
			return true
		}
	}
	return false
}

// paramType evaluates the declared type of a parameter of any kind.
func (c *checker) paramType(p param) typed.Type {
	if p.given != nil {
		return p.given
	}
	switch p.kind {
	case anyKind:
		return typed.TemplateType{}
	case nodeKind:
		return typed.NodeType{}
	case fieldKind:
		return c.fieldType(p.texpr)
	case funcKind:
		params, results := c.funcTypes(ast.Unparen(p.texpr).(*ast.FuncType))
		return funcType(params, results)
	case bundleKind:
		return c.bundleType(p.texpr)
	}
	return c.typeOf(p.texpr)
}

// funcTypes evaluates the types of a function type, one for each parameter.
func (c *checker) funcTypes(f *ast.FuncType) (params, results []typed.Type) {
	list := func(l *ast.FieldList) (types []typed.Type) {
		if l == nil {
			return nil
		}
		for _, f := range l.List {
			t := c.typeOf(f.Type)
			for range max(1, len(f.Names)) {
				types = append(types, t)
			}
		}
		return types
	}
	return list(f.Params), list(f.Results)
}

func funcType(params, results []typed.Type) typed.FuncType {
	return typed.FuncType{Params: typeNames(params), Results: typeNames(results), Several: len(results) > 1}
}

func typeNames(types []typed.Type) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.String()
	}
	return strings.Join(names, ", ")
}

// compileArg checks the argument of a compile-time parameter. It returns what the
// parameter is bound to, nil after an error; objBad where that is not known.
func (c *checker) compileArg(o *object, p param, e ast.Expr) *object {
	if lit, ok := ast.Unparen(e).(*ast.FuncLit); ok {
		return c.conform(o, p, c.funcLiteral(lit), e.Pos())
	}
	if v := c.memory(e); v != nil && p.kind == anyKind {
		return c.conform(o, p, v, e.Pos())
	}
	if part, ok := c.sectionOf(e); part != nil {
		return c.conform(o, p, part, e.Pos())
	} else if ok {
		return nil
	}
	c.fixed++
	op := c.expr(e)
	if op.mode == modeRef || op.mode == modeMethod {
		op = valueOf(c.valueOrTuple(e))
	}
	c.fixed--
	switch op.mode {
	case modeBad:
		return nil
	case modeType:
		return c.conform(o, p, &object{kind: objType, name: op.typ.String(), typ: op.typ, state: done}, e.Pos())
	case modeValue:
		if isUnknown(op.x.Type()) {
			return nil
		}
		if k, ok := op.x.(*typed.Const); ok && !isTuple(k.T) {
			return c.conform(o, p, &object{kind: objConst, name: constText(k), typ: k.T, cst: k, state: done}, e.Pos())
		}
		if p.kind == anyKind {
			c.errorf(syntax.RunTimeArg, e.Pos(), "pass a field, type, function or constant, or declare the parameter with the type of a value",
				"parameter %s of %s is a compile-time parameter, and the value of %s is known only at run time", p.name, o.name, c.shortText(e))
			return nil
		}
		c.wrongKind(o, p, "a value of type "+c.name(op.x.Type()), e.Pos())
		return nil
	}
	return c.conform(o, p, op.obj, e.Pos())
}

// memory returns the parameter that an expression names if that is memory of the
// caller, a slice or view. As a template argument, it is passed along like what a
// function literal captures.
func (c *checker) memory(e ast.Expr) *object {
	id, ok := ast.Unparen(e).(*ast.Ident)
	if !ok {
		return nil
	}
	o := c.lookup(id.Name)
	if o == nil || o.kind != objVar {
		return nil
	}
	switch o.v.Type.(type) {
	case typed.Slice, typed.View:
		o.used = true
		return o.root()
	}
	return nil
}

func isTuple(t typed.Type) bool {
	_, ok := t.(*typed.Tuple)
	return ok
}

// conform checks that an argument is of the kind that a parameter takes, and gives
// it the parameter's name.
func (c *checker) conform(o *object, p param, a *object, at token.Pos) *object {
	ok := true
	switch p.kind {
	case fieldKind:
		ok = a.kind == objField
	case nodeKind:
		ok = a.kind == objNode || a.kind == objField && a.section == nil // a field stands for its node
	case funcKind:
		ok = a.kind == objFunc || a.kind == objBuiltin
	case bundleKind:
		ok = a.kind == objBundle
	}
	if a.kind != objBad && !ok {
		c.wrongKind(o, p, c.kindText(a), at)
		return nil
	}
	return a.named(p.name, p.pos, o.file)
}

// named returns an object that stands for o under the name of a parameter.
func (o *object) named(name string, at token.Pos, file *syntax.File) *object {
	if name == "" {
		name = "_"
	}
	n := *o
	n.name, n.pos, n.file, n.of, n.used = name, at, file, o.root(), true
	return &n
}

func (c *checker) kindText(a *object) string {
	switch a.kind {
	case objConst:
		return "the constant " + a.name
	case objType:
		return "type " + c.name(a.typ)
	case objField:
		if a.section != nil {
			return "section " + a.root().name
		}
		return "field " + a.root().name
	case objNode:
		return "node " + a.root().name
	case objBundle:
		return a.root().name + ", which holds several fields"
	}
	if a.literal {
		return "a function literal"
	}
	return "function " + a.root().name
}

func (c *checker) wrongKind(o *object, p param, is string, at token.Pos) {
	want := "a field"
	switch p.kind {
	case nodeKind:
		want = "a node or field"
	case funcKind:
		want = "a function"
	case bundleKind:
		want = "a " + o.file.Text(p.texpr.Pos(), p.texpr.End())
	}
	c.errorf(syntax.WrongKind, at, "", "parameter %s of %s takes %s, and this is %s", p.name, o.name, want, is)
}

// matches checks the declared types of compile-time parameters against what they
// are bound to, in the scope of the instance. It may replace objects.
func (c *checker) matches(o *object, s *scope, objs map[int]*object, at func(i int) token.Pos) bool {
	ok := true
	for i, p := range c.params(o) {
		a := objs[i]
		if a == nil || a.kind == objBad {
			continue
		}
		switch p.kind {
		case fieldKind:
			ok = c.matchField(o, p, s, a, at(i)) && ok
		case bundleKind:
			t := c.typeIn(s, o, func() typed.Type { return c.paramType(p) })
			if !isUnknown(t) && t != a.typ {
				c.errorf(syntax.WrongKind, at(i), "", "parameter %s of %s takes a %s, and this is %s", p.name, o.name, t, a.typ)
				ok = false
			}
		case funcKind:
			f := c.matchFunc(o, p, s, a, at(i))
			if f == nil {
				ok = false
				continue
			}
			*a = *f.named(p.name, p.pos, o.file)
		}
	}
	return ok
}

// typeIn evaluates f where the names of s are seen, in the file of o.
func (c *checker) typeIn(s *scope, o *object, f func() typed.Type) typed.Type {
	before, outer := c.turnTo(o), c.fn
	c.fn = &fn{scope: s}
	defer func() { c.where, c.fn = before, outer }()
	return f()
}

func (c *checker) matchField(o *object, p param, s *scope, a *object, at token.Pos) bool {
	t, ok := c.typeIn(s, o, func() typed.Type { return c.paramType(p) }).(typed.FieldType)
	return ok && c.matchFieldType(o, p, t, a, at)
}

// matchFieldType checks a field against the type that parameter p, or a part of it,
// declares.
func (c *checker) matchFieldType(o *object, p param, t typed.FieldType, a *object, at token.Pos) bool {
	f := a.field
	if t.Rank >= 0 && f.Rank >= 0 && t.Rank != f.Rank {
		c.errorf(syntax.WrongKind, at, "pass a field of "+axes(t.Rank), "parameter %s of %s takes a field of %s, and %s has %s", p.name, o.name, axes(t.Rank), a.root().name, axes(f.Rank))
		return false
	}
	if !isUnknown(t.Elem) && !isUnknown(f.Elem) && t.Elem != f.Elem {
		c.errorf(syntax.WrongKind, at, "pass a field of "+c.name(t.Elem), "parameter %s of %s takes a field of %s, and %s is a field of %s", p.name, o.name, t.Elem, a.root().name, f.Elem)
		return false
	}
	return true
}
