package check

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// holdsField reports whether a type is or contains that of a field or node.
func (c *checker) holdsField(e ast.Expr) bool { return c.holds(e, 0) }

// holds is holdsField; depth counts the declared types that led to e.
func (c *checker) holds(e ast.Expr, depth int) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.ArrayType:
		return e.Len != nil && c.holds(e.Elt, depth)
	case *ast.StructType:
		for _, f := range e.Fields.List {
			if c.holds(f.Type, depth) {
				return true
			}
		}
	case *ast.Ident, *ast.SelectorExpr:
		if name := typeHead(e); c.isPredeclared(name, "node") || c.isPredeclared(name, "field") {
			return true
		}
		if o := c.denoted(e); o != nil && o.kind == objType && o.texpr != nil {
			return c.nameHolds(o, depth+1)
		}
	case *ast.IndexExpr, *ast.IndexListExpr:
		return c.isPredeclared(typeHead(e), "field")
	}
	return false
}

// nameHolds is holds for a declared type, computed once per type. Types that o refers to
// are computed first, in order of dependency. So the recursion is deep only for types
// that contain themselves, which are reported elsewhere.
func (c *checker) nameHolds(o *object, depth int) bool {
	if o.holding == unresolved && depth == 1 {
		for _, p := range c.dependencies(o) {
			c.findHolds(p, depth)
		}
	}
	c.findHolds(o, depth)
	return o.holdsField
}

func (c *checker) findHolds(o *object, depth int) {
	if o.holding != unresolved || o.kind != objType || o.texpr == nil || depth > maxNested {
		return
	}
	o.holding = busy
	defer c.back(c.turnTo(o))
	defer func(f *fn) { c.fn = f }(c.fn)
	s := newScope(o.scope) // whatever the scope that the name is used in
	for _, t := range typeParamsOf(o) {
		s.insert(&object{kind: objType, name: t.name.Name, state: done})
	}
	c.fn = &fn{scope: s}
	o.holdsField = c.holds(o.texpr, depth)
	o.holding = done
}

// isStruct reports whether a type is a struct, or an array of structs.
func (c *checker) isStruct(e ast.Expr) bool {
	for range maxTypeDepth {
		switch x := c.underlying(e).e.(type) {
		case *ast.StructType:
			return true
		case *ast.ArrayType:
			e = x.Elt
			continue
		case *ast.IndexExpr, *ast.IndexListExpr:
			if x, _ := splitIndex(x); c.genericTypeOf(x) != nil {
				e = c.genericTypeOf(x).texpr
				continue
			}
		case *ast.SelectorExpr:
			if o := c.denoted(x); o != nil && o.kind == objType && o.texpr != nil {
				defer c.back(c.turnTo(o))
				e = o.texpr
				continue
			}
		}
		return false
	}
	return false
}

// declaredType evaluates the type of a type declaration.
func (c *checker) declaredType(o *object) typed.Type {
	if _, ok := o.texpr.(*ast.InterfaceType); ok {
		return typed.Unknown // a constraint; see satisfies
	}
	if !c.holdsField(o.texpr) {
		if e, ok := o.texpr.(*ast.StructType); ok {
			t := c.structType(e, o.fullName())
			if s, ok := t.(*typed.Struct); ok {
				c.declOf[s] = o
			}
			return t
		}
		return c.typeOf(o.texpr)
	}
	t := c.bundleType(o.texpr)
	if s, ok := t.(*typed.Struct); ok && s.Name == "" {
		s.Name = o.fullName()
		c.declOf[s] = o
	}
	return t
}

// bundleType evaluates a type that may hold fields and nodes.
func (c *checker) bundleType(e ast.Expr) typed.Type {
	if !c.holdsField(e) {
		return c.valueType(e)
	}
	switch e := ast.Unparen(e).(type) {
	case *ast.ArrayType:
		n, ok := c.constInt(e.Len)
		t := c.bundleType(e.Elt)
		if !ok || isUnknown(t) {
			return typed.Unknown
		}
		return c.makeArray(t, n, e.Len.Pos())
	case *ast.StructType:
		return c.bundleStruct(e)
	case *ast.Ident, *ast.SelectorExpr:
		if c.isPredeclared(typeHead(e), "node") {
			return typed.NodeType{}
		}
		if o := c.denoted(e); o != nil {
			o.used = true
			c.resolve(o, e.Pos())
			if o.kind == objType {
				return o.typ
			}
			return typed.Unknown
		}
	}
	return c.fieldType(e)
}

func (c *checker) bundleStruct(e *ast.StructType) typed.Type {
	s := &typed.Struct{}
	names := map[string]bool{}
	ok, parts := true, 0
	for _, f := range e.Fields.List {
		t := c.bundleType(f.Type)
		ok = ok && !isUnknown(t)
		if len(f.Names) == 0 {
			c.errorf(syntax.BadDeclaration, f.Pos(), "give it a name", "a struct that holds fields has no embedded ones")
			ok = false
		}
		for _, n := range f.Names {
			if names[n.Name] {
				c.errorf(syntax.Redeclared, n.Pos(), "choose another name", "%s is declared already in this struct", n.Name)
				ok = false
			}
			names[n.Name] = true
			s.Fields = append(s.Fields, typed.StructField{Name: n.Name, Type: t})
			s.Nesting = max(s.Nesting, typed.Nesting(t)+1)
			parts += typed.Components(t)
		}
		if c.tooDeep(s.Nesting-1, f.Pos()) {
			return typed.Unknown
		}
	}
	switch {
	case !ok:
		return typed.Unknown
	case parts > maxComponents:
		c.errorf(syntax.BadLength, e.Pos(), "bind fewer and larger fields", "a struct of %d fields and constants is too large: at most %d", parts, maxComponents)
		return typed.Unknown
	}
	return s
}

// fieldType evaluates field[T] or field[T, D2].
func (c *checker) fieldType(e ast.Expr) typed.Type {
	var args []ast.Expr
	switch e := ast.Unparen(e).(type) {
	case *ast.IndexExpr:
		args = []ast.Expr{e.Index}
	case *ast.IndexListExpr:
		args = e.Indices
	}
	if len(args) == 0 || len(args) > 2 {
		c.errorf(syntax.NotAType, e.Pos(), "write field[f32], or field[f32, D2] for a field of two axes", "field needs an element type")
		return typed.FieldType{Elem: typed.Unknown, Rank: -1}
	}
	t := typed.FieldType{Elem: c.valueType(args[0]), Rank: -1}
	if len(args) == 2 {
		rank, ok := axesArg(args[1])
		if !ok {
			c.errorf(syntax.NotAType, args[1].Pos(), "write D0 to D8", "the second argument of field is its number of axes")
			return t
		}
		t.Rank = rank
	}
	return t
}

// axesArg reads a number of axes, D0 to D8.
func axesArg(e ast.Expr) (rank int, ok bool) {
	id, ok := e.(*ast.Ident)
	if !ok || len(id.Name) != 2 || id.Name[0] != 'D' || id.Name[1] < '0' || id.Name[1] > '8' {
		return 0, false
	}
	return int(id.Name[1] - '0'), true
}

// declareVar finds out what a var of the source is and makes the parts of a bundle.
func (c *checker) declareVar(o *object) {
	t := c.bundleType(o.texpr)
	switch {
	case isUnknown(t):
		o.kind = objBad
		o.typ, o.state = typed.Unknown, done
	case typed.HasParts(t), typed.IsField(t), typed.IsNode(t):
		c.makePart(o, t, "")
	}
}

// makePart makes o, named by its path, an object of type t. Open ranks are assumed by that name behind within, which is
// "" or the function whose parameter o is, with a dot.
func (c *checker) makePart(o *object, t typed.Type, within string) {
	o.typ, o.state = t, done
	part := func(path string, t typed.Type) {
		p := &object{name: path, file: o.file, pos: o.pos, scope: o.scope, used: true}
		c.makePart(p, t, within)
		o.parts = append(o.parts, p)
	}
	if typed.HasParts(t) {
		typed.EachPart(t, func(name string, t typed.Type) { part(o.name+name, t) })
		o.kind, o.host = objBundle, false
		return
	}
	switch t := t.(type) {
	case typed.FieldType:
		o.kind = objField
		o.field = &typed.Field{Name: o.name, Pos: o.file.Position(o.pos), Elem: t.Elem, Rank: t.Rank}
		if t.Rank < 0 {
			o.field.Rank = c.openRank(within + o.name)
		}
		return
	case typed.NodeType:
		o.kind = objNode
		o.field = &typed.Field{Name: o.name, Pos: o.file.Position(o.pos), Elem: typed.NodeType{}, Rank: -1, Index: -1}
		return
	}
	o.kind, o.host = objConst, true
	o.cst = c.hostConst(o)
	o.deps = newDeps()
	o.deps.consts[o.name] = true
}

// leaves calls f for what o is bound to: itself, or the parts of a bundle.
func (o *object) leaves(f func(o *object)) {
	if o.kind != objBundle {
		f(o)
		return
	}
	for _, p := range o.parts {
		p.leaves(f)
	}
}

// bundleElement chooses a part by a constant index.
func (c *checker) bundleElement(o *object, e ast.Expr) operand {
	x := c.constant(e)
	if isUnknown(x.Type()) {
		return operand{}
	}
	if _, ok := o.typ.(typed.Array); !ok {
		c.errorf(syntax.NotIndexable, e.Pos(), "choose a part by its name", "%s is a struct, and has no elements", o.name)
		return operand{}
	}
	k, constant := x.(*typed.Const)
	s, scalar := x.Type().(typed.Scalar)
	switch {
	case !scalar || !s.IsInt():
		c.errorf(syntax.IndexType, e.Pos(), "", "an index of %s is an integer, and this is %s", o.name, c.describe(x))
		return operand{}
	case !constant:
		c.errorf(syntax.BundleIndex, e.Pos(), "write for l := range static(len("+o.name+")), or pass the index as a template parameter",
			"the index of %s must be constant, and is known only at run time", o.name)
		return operand{}
	case !k.Vals[0].Known():
		return operand{}
	}
	i := k.Vals[0].Int()
	if i < 0 || i >= int64(len(o.parts)) {
		c.errorf(syntax.IndexRange, e.Pos(), "", "index %s is out of range: %s has elements 0 to %d", k.Vals[0], o.name, len(o.parts)-1)
		return operand{}
	}
	return c.denotes(o.parts[i], e.Pos())
}

// bundleMember chooses a part by name.
func (c *checker) bundleMember(o *object, e *ast.SelectorExpr) operand {
	s, ok := o.typ.(*typed.Struct)
	if !ok {
		if e.Sel.Name == "n" {
			return valueOf(&typed.Const{ExprBase: ex(c.at(e.Pos()), typed.UntypedInt), Vals: []typed.Num{typed.IntNum(int64(len(o.parts)))}, From: typed.FromShape})
		}
		c.errorf(syntax.NoMember, e.Sel.Pos(), "choose an element first: "+o.name+"[0]."+e.Sel.Name, "%s has no member %s", o.name, e.Sel.Name)
		return operand{}
	}
	for i, f := range s.Fields {
		if f.Name == e.Sel.Name && c.hiddenMember(c.declOf[s], e.Sel) {
			return operand{}
		} else if f.Name == e.Sel.Name {
			return c.denotes(o.parts[i], e.Sel.Pos())
		}
	}
	if m := c.method(s, e.Sel.Name); m != nil {
		if c.hiddenMember(c.declOf[s], e.Sel) {
			return operand{}
		}
		op := operand{mode: modeMethod, obj: m}
		if c.params(m)[0].kind == runTime { // a bundle of constants only
			op.x = c.bundleValue(o, e.X.Pos())
		}
		return op
	}
	names := make([]string, len(s.Fields))
	for i, f := range s.Fields {
		names[i] = f.Name
	}
	c.noMember(e.Sel, "it has "+strings.Join(names, ", "), "%s has no member %s", o.name, e.Sel.Name)
	return operand{}
}

// bundleValue is a bundle used as a value: one that holds nothing but constants.
func (c *checker) bundleValue(o *object, p token.Pos) typed.Expr {
	k := &typed.Const{ExprBase: ex(c.at(p), o.typ), From: typed.FromHost}
	o.leaves(func(l *object) {
		if l.kind != objConst || k == nil {
			k = nil
			return
		}
		c.dependOn(l)
		k.Vals = append(k.Vals, l.cst.Vals...)
	})
	if k == nil {
		c.errorf(syntax.NotAValue, p, "use its parts", "%s holds fields or nodes, so it is not a value", o.name)
		return c.bad(p)
	}
	return k
}

// overBundle unrolls a loop over the parts of an array.
func (r *ranging) overBundle(o *object) []typed.Stmt {
	c := r.c
	if _, ok := o.typ.(typed.Array); !ok {
		c.cannotRange(r.spec.core, o.name+", a struct")
		r.unknown()
		return nil
	}
	if !r.spec.static {
		c.errorf(syntax.BundleIndex, r.spec.core.Pos(), "write range static("+c.shortText(r.spec.core)+")", "a loop over %s, which holds fields, is unrolled at compile time", o.name)
	}
	p := c.at(r.s.Pos())
	return r.unroll(len(o.parts), func(n int) []typed.Stmt {
		if len(r.vars) > 0 && r.vars[0] != nil {
			r.constant(r.vars[0], &typed.Const{ExprBase: ex(p, c.widths.Int), Vals: []typed.Num{typed.IntNum(int64(n))}, From: typed.FromShape})
		}
		if len(r.vars) == 2 && r.vars[1] != nil {
			id := r.vars[1]
			c.declare(c.fn.scope, o.parts[n].named(id.Name, id.Pos(), c.file))
		}
		return nil
	})
}

// overNode makes a loop over the cells of a node.
func (r *ranging) overNode(o *object) []typed.Stmt {
	c, f := r.c, o.field
	if f.Rank < 0 { // unbound
		r.unknown()
		return nil
	}
	if f.Rank == 0 {
		c.errorf(syntax.CannotRange, r.spec.core.Pos(), "", "node %s has a single cell, and no index", o.name)
		r.unknown()
		return nil
	}
	if f.Sparse {
		return r.field(o)
	}
	p := r.spec.core.Pos()
	dims := make([]bounds, f.Rank)
	number := func(n int) typed.Expr {
		return &typed.Const{ExprBase: ex(c.at(p), c.widths.Int), Vals: []typed.Num{typed.IntNum(int64(n))}, From: typed.FromShape}
	}
	for a := range dims {
		dims[a] = bounds{number(f.Origin[a]), number(f.Origin[a] + f.Shape[a]), r.spec.core}
	}
	return r.over(dims)
}
