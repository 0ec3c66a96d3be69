package check

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

var (
	posInf     = math.Inf(1)
	notANumber = math.NaN()
)

// A checker checks one package against one host.
type checker struct {
	where // what is being checked

	files  []*syntax.File
	host   *Host                // nil: unbound
	given  map[string]HostConst // constants of the host, where they are known
	widths typed.Widths
	prog   *Program
	errs   syntax.ErrorList

	funcs    map[instanceKey]*instance
	stack    []*fn // functions being checked, outermost first
	fn       *fn   // the last of stack; nil at package level
	deps     *deps // what the constant, type or function being resolved depends on
	fixed    int   // above 0 where only a constant will do
	typing   int   // above 0 where only a type is asked for
	nested   int   // nesting of the declarations of the package that are being resolved
	views    map[*typed.Var]*object
	sections map[string]*typed.Field // see newSection

	companions     map[companion]*object    // of fields: x.grad, x.dual
	hostCompanions map[companion]*HostField // what the host binds to these

	ids     map[any]int // see number
	types   map[string]*typeInstance
	derived map[string]*object // functions with type arguments, and builtins as functions

	structs     map[string]*typed.Struct  // types written in place, by their fields
	constraints []*object                 // that a type is being compared with, one inside the other
	typeDepth   int                       // generic types being evaluated, one inside the other
	methods     []*object                 // declared methods, in order
	declOf      map[*typed.Struct]*object // the declarations of struct types
	homeless    []*object                 // functions declared under a name that is taken, so that no call finds them

	ranks   ranks           // assumed ranks of fields whose rank the host decides
	open    []string        // the names of these fields
	leftOut map[string]bool // names that occur in parts of the source that do not parse

	used usage

	predeclared *scope
	packages    []*scope                            // the libraries, each behind those that it imports, and the source
	libraries   map[string]*library                 // by path
	imports     map[*syntax.File]map[string]*object // what the imports of a file name

	preludes     map[linalgKey]*scope // of what is written in the language itself
	preludeFiles []*syntax.File
	ownRules     []ownRule // that are collected and not resolved
	unroll       bool      // what `range unroll(…)` of the prelude means
}

// Check checks the package against a host, or without one if host is nil: then
// the values of host constants and the open ranks of fields are unknown, errors
// that depend on them are not found, and there is no program.
func (p *Package) Check(host *Host) (*Program, syntax.ErrorList) {
	w := p.widths
	if host != nil {
		w = host.Widths
	}
	c := newChecker(p, host, w)
	c.check()
	if len(c.errs) > 0 || host == nil {
		return nil, c.errs.Sort()
	}
	return c.prog, nil
}

// check checks all declarations.
func (c *checker) check() {
	c.collect()
	if c.host != nil {
		c.bind()
	}
	c.resolveAll(c.pkg)
	for _, o := range c.pkg.order {
		if o.kind == objFunc && ast.IsExported(o.name) && !c.isTemplate(o) {
			if in := c.instanceByItself(o, typed.Outermost, noBindings()); in != nil {
				c.prog.Kernels = append(c.prog.Kernels, in.f)
			}
		}
	}
	for _, p := range c.packages { // functions that no kernel calls
		for _, o := range p.order {
			if o.kind == objFunc && !o.used && (p.library != nil || !ast.IsExported(o.name)) && !c.isTemplate(o) {
				c.instanceByItself(o, typed.Inside, noBindings())
			}
		}
	}
	c.checkMethods()
	c.surveyMisdeclared()
	c.checkTemplates()
}

func newChecker(p *Package, host *Host, w typed.Widths) *checker {
	if w.Int == typed.Unknown {
		w.Int = typed.I32
	}
	if w.Float == typed.Unknown {
		w.Float = typed.F32
	}
	var given map[string]HostConst
	if host != nil {
		given = host.Consts
	}
	names := universe(w)
	return &checker{
		files: p.files, host: host, given: given, widths: w, predeclared: names,
		where:     where{pkg: newPackageScope(names)},
		libraries: map[string]*library{}, imports: map[*syntax.File]map[string]*object{},
		prog:   &Program{Program: typed.Program{Name: p.Name, Lib: w, Files: texts(p.files)}, source: p, host: host},
		funcs:  map[instanceKey]*instance{},
		declOf: map[*typed.Struct]*object{}, structs: map[string]*typed.Struct{},
		ids: map[any]int{}, types: map[string]*typeInstance{}, derived: map[string]*object{},
		deps: newDeps(), views: map[*typed.Var]*object{}, leftOut: namesLeftOut(p.files),
	}
}

func texts(files []*syntax.File) (all []typed.Text) {
	for _, f := range files {
		all = append(all, f)
	}
	return all
}

// errorf reports an error at p in the current file.
func (c *checker) errorf(code syntax.Code, p token.Pos, help, format string, args ...any) *syntax.Error {
	if len(c.errs) >= maxErrors {
		return &syntax.Error{} // more are of no use to anyone
	}
	e := c.file.Errorf(code, p, help, format, c.named(args)...)
	if c.fn != nil { // else a declaration that something here uses
		e.Via = c.chain()
	}
	c.errs = append(c.errs, e)
	return e
}

// noMember reports a member that does not exist, unless its name occurs in a part of the
// source that does not parse: that part may declare it.
func (c *checker) noMember(sel *ast.Ident, help, format string, args ...any) {
	if !c.leftOut[sel.Name] {
		c.errorf(syntax.NoMember, sel.Pos(), help, format, args...)
	}
}

func (c *checker) notGo(p token.Pos, what, help string) {
	c.errorf(syntax.NotInLanguage, p, help, "there is no %s in kernels", what)
}

// at returns where p is in the current file. What stands in the prelude has no
// position: its code gets that of the call.
func (c *checker) at(p token.Pos) token.Position {
	if c.inPrelude() {
		return token.Position{}
	}
	return c.file.Position(p)
}

func (c *checker) inPrelude() bool { return slices.Contains(c.preludeFiles, c.file) }

// resolveOne is resolve for an object whose dependencies are resolved already, except for
// those in a cycle with it.
func (c *checker) resolveOne(o *object, use token.Pos) {
	switch o.state {
	case done:
		return
	case busy:
		c.errorf(syntax.InitCycle, use, "break the cycle: write one of the values out", "%s is defined in terms of itself", o.name)
		o.kind, o.state = objBad, done
		return
	}
	if o.topLevel() && c.nested >= maxNested {
		c.tooNested(o, use)
		return
	}
	if typeParamsOf(o) != nil { // evaluated for each list of arguments
		o.typ, o.state = typed.Unknown, done
		return
	}
	o.state = busy
	outer, fn := c.deps, c.fn
	before := c.turnTo(o)
	c.deps = newDeps()
	if o.topLevel() {
		c.fn = nil
		c.nested++
		defer func() { c.nested-- }()
	}
	switch {
	case o.kind == objType:
		o.typ = c.declaredType(o)
	case o.kind == objConst && o.host:
		o.typ = c.valueType(o.texpr)
		o.cst = c.hostConst(o)
	case o.kind == objConst:
		o.cst = c.sourceConst(o)
		o.typ = o.cst.T
	}
	o.deps = c.deps.short()
	for f := range c.deps.fields { // a set into a set: order does not matter
		outer.fields[f] = true
	}
	c.where = before
	c.deps, c.fn = outer, fn
	if o.state == busy {
		o.state = done
	}
}

// resolveAll resolves the constants and types of a package.
func (c *checker) resolveAll(p *scope) {
	for _, o := range p.order {
		if o.kind == objConst || o.kind == objType {
			before := c.turnTo(o)
			c.resolve(o, o.pos)
			c.where = before
		}
	}
}

func sortedNames[V any](set map[string]V) []string { return slices.Sorted(maps.Keys(set)) }

// sourceConst evaluates a const declaration.
func (c *checker) sourceConst(o *object) *typed.Const {
	s := newScope(o.scope)
	s.insert(&object{kind: objConst, name: "iota", state: done, typ: typed.UntypedInt, cst: &typed.Const{ExprBase: typed.ExprBase{T: typed.UntypedInt}, Vals: []typed.Num{typed.IntNum(o.iota)}}})
	x := c.inScope(s, func() typed.Expr {
		c.fixed++
		defer func() { c.fixed-- }()
		x := c.value(o.value)
		if o.texpr != nil {
			t := c.valueType(o.texpr)
			x = c.assignable(x, t, o.value, "constant "+o.name)
		}
		return x
	})
	if k, ok := x.(*typed.Const); ok {
		if c.used.consts += len(k.Vals); c.used.consts <= maxConsts {
			return k
		}
		c.errorf(syntax.TooManyUnrolled, o.value.Pos(), "keep large tables in fields", "the constants of this source have more than %d components", maxConsts)
		return c.bad(o.value.Pos())
	}
	if !isUnknown(x.Type()) {
		c.errorf(syntax.NotConstant, o.value.Pos(), "declare a variable with :=, or compute it from constants", "the value of constant %s is known only at run time", o.name)
	}
	return c.bad(o.value.Pos())
}

// inScope evaluates f with names looked up in s.
func (c *checker) inScope(s *scope, f func() typed.Expr) typed.Expr {
	if c.fn == nil {
		c.fn = &fn{scope: s}
		defer func() { c.fn = nil }()
		return f()
	}
	old := c.fn.scope
	c.fn.scope = s
	defer func() { c.fn.scope = old }()
	return f()
}

// hostConst takes the value of a host constant, checked against its type.
func (c *checker) hostConst(o *object) *typed.Const {
	k := &typed.Const{ExprBase: ex(c.at(o.pos), o.typ), From: typed.FromHost}
	n := typed.Components(o.typ)
	k.Vals = make([]typed.Num, n)
	if isUnknown(o.typ) {
		return k
	}
	if h, ok := c.given[o.name]; ok { // else bind reports it
		c.setConst(k, o, h)
	}
	return k
}

// setConst gives k, the constant that o stands for, the host's value.
func (c *checker) setConst(k *typed.Const, o *object, h HostConst) {
	n := len(k.Vals)
	if !slices.Equal(h.Dims, typed.Dims(o.typ)) || len(h.Vals) != n {
		c.errorf(syntax.ConstMismatch, o.pos, fmt.Sprintf("give a value of type %s", o.typ), "%s is declared as %s, and the host gives a value of another shape", o.name, o.typ)
		return
	}
	s := typed.ScalarOf(o.typ)
	for i, v := range h.Vals {
		r, f := typed.Represent(v, s)
		if f != typed.Fits || v.IsBool() != (s == typed.Bool) {
			c.errorf(syntax.ConstMismatch, o.pos, fmt.Sprintf("give a value of type %s", o.typ), "%s is declared as %s, and the host's value %s does not fit", o.name, o.typ, v)
			return
		}
		k.Vals[i] = r
	}
}

// bind connects the declared vars with the host and reports what does not fit.
func (c *checker) bind() {
	for _, o := range c.pkg.order {
		c.file = o.file
		o.leaves(c.bindLeaf)
	}
}

func (c *checker) bindLeaf(o *object) {
	switch {
	case o.kind == objField || o.kind == objNode:
		what := "field"
		if o.kind == objNode {
			what = "node"
		} else {
			o.field.Index = len(c.prog.Fields)
			c.prog.Fields = append(c.prog.Fields, o.field)
		}
		if h, ok := c.host.Fields[o.name]; ok {
			c.bindField(o, h)
		} else {
			c.errorf(syntax.NotBound, o.pos, "let the host place and bind a "+what+" of this name", "%s %s is not bound", what, o.name)
		}
	case o.kind == objConst && o.host:
		if _, ok := c.host.Consts[o.name]; !ok {
			c.errorf(syntax.NotBound, o.pos, "let the host give a constant of this name", "constant %s is not bound", o.name)
		}
	}
}

// bindField gives a field or node the shape that the host describes.
func (c *checker) bindField(o *object, h HostField) {
	f := o.field
	if f.Rank >= 0 && len(h.Shape) != f.Rank {
		c.errorf(syntax.RankMismatch, o.pos, fmt.Sprintf("bind a field of %d axes, or declare field[%s]", f.Rank, f.Elem),
			"%s is declared with %d axes, and the host binds a field of %d", o.name, f.Rank, len(h.Shape))
		return
	}
	if o.kind == objField && h.Elem != nil && !isUnknown(f.Elem) {
		comps, problem := matchHost(f.Elem, h.Elem)
		if problem != "" {
			c.elemMismatch(o, f, h.Elem, problem)
			return
		}
		f.Comps = comps
	}
	f.Rank, f.Shape, f.Origin = len(h.Shape), slices.Clone(h.Shape), slices.Clone(h.Origin)
	if f.Origin == nil {
		f.Origin = make([]int, f.Rank)
	}
	c.hostCompanion(companion{o, "grad"}, h.Grad)
	c.hostCompanion(companion{o, "dual"}, h.Dual)
	f.Symbolic = h.Symbolic
	f.Node, f.Sparse, f.List, f.Unbounded = h.Node, h.Sparse, h.List, h.Unbounded
}
