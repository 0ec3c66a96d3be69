package check

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/gotaichi/ti/internal/outline"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

// A Package is the declarations of a source, not yet bound to a host.
type Package struct {
	outline.Package

	files  []*syntax.File
	widths typed.Widths         // with which it was declared
	consts map[string]HostConst // constants of the host that types depend on, as far as they are known
}

// Const returns the value that a host constant was declared with.
func (p *Package) Const(path string) (c HostConst, ok bool) {
	c, ok = p.consts[path]
	return c, ok
}

// What sources and hosts are to those who have no checker.
type (
	VarDecl     = outline.VarDecl
	KernelDecl  = outline.KernelDecl
	ParamDecl   = outline.ParamDecl
	Host        = outline.Host
	HostField   = outline.HostField
	HostConst   = outline.HostConst
	TemplateArg = outline.TemplateArg
	Print       = outline.Print
)

// Declare looks at the declarations of a source of one or several files: what it
// wants bound and what it offers. It reports errors of declarations only, and
// returns the package even if there are some, for a better message about them.
// Types without a width, such as int and vec2, have 32 bits.
func Declare(files []*syntax.File) (*Package, syntax.ErrorList) {
	return DeclareWith(files, typed.Widths{})
}

// DeclareWith is Declare for a host that chooses the widths.
func DeclareWith(files []*syntax.File, w typed.Widths) (*Package, syntax.ErrorList) {
	return declare(&Package{files: files, widths: w})
}

// With declares the source again for a host that gives these constants. Types that depend on them are known then.
func (p *Package) With(consts map[string]HostConst) (*Package, syntax.ErrorList) {
	return declare(&Package{files: p.files, widths: p.widths, consts: consts})
}

func declare(p *Package) (*Package, syntax.ErrorList) {
	files := p.files
	if len(files) > 0 {
		p.Name = files[0].Tree.Name.Name
	}
	c := newChecker(p, nil, p.widths)
	c.given = p.consts
	c.collect()
	for _, o := range c.pkg.order {
		c.file = o.file
		switch o.kind {
		case objField, objNode, objBundle:
			p.Vars = append(p.Vars, &VarDecl{Name: o.name, Pos: o.file.Position(o.pos), Type: o.typ})
		case objBad:
			if o.host { // an array of fields, maybe, whose length the host gives
				p.Vars = append(p.Vars, &VarDecl{Name: o.name, Pos: o.file.Position(o.pos), Type: typed.Unknown})
			}
		case objConst:
			if o.host {
				c.resolve(o, o.pos)
				p.Vars = append(p.Vars, &VarDecl{Name: o.name, Pos: o.file.Position(o.pos), Type: o.typ})
			}
		case objFunc:
			if ast.IsExported(o.name) {
				p.Kernels = append(p.Kernels, c.kernelDecl(o))
			}
		}
	}
	return p, c.errs.Sort()
}

func (c *checker) kernelDecl(o *object) *KernelDecl {
	k := &KernelDecl{
		Name: o.name, Pos: o.file.Position(o.pos),
		Text: strings.Join(strings.Fields(o.file.Text(o.decl.Pos(), o.decl.Type.End())), " "),
	}
	s := c.bindScope(o, c.abstract(o))
	params, results, _ := c.signature(o, s)
	for _, p := range c.params(o) {
		d := ParamDecl{Name: p.name}
		if p.kind == runTime {
			d.Type = params[0].Type
			params = params[1:]
		} else {
			d.Type = c.typeIn(s, o, func() typed.Type { return c.paramType(p) })
		}
		k.Params = append(k.Params, d)
	}
	for _, v := range results {
		k.Results = append(k.Results, ParamDecl{Name: v.Name, Type: v.Type})
	}
	return k
}

// collectDeclarations enters the declarations of the files of a package into its scope.
func (c *checker) collectDeclarations(files []*syntax.File, s *scope) {
	firstMethod := len(c.methods)
	for _, f := range files {
		c.where = where{f, s}
		if name := f.Tree.Name; name.Name != files[0].Tree.Name.Name && f.HasPackage() && files[0].HasPackage() {
			c.errorf(syntax.PackageName, name.Pos(), "give all files of a source the same package clause",
				"package %s, but the first file is of package %s", name.Name, files[0].Tree.Name.Name)
		}
		c.directives()
		for _, d := range f.Tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				c.collectFunc(d)
			case *ast.GenDecl:
				c.collectGen(d, s)
			}
		}
	}
	for _, o := range c.methods[firstMethod:] {
		c.file = o.file
		c.collectMethod(o)
	}
	c.resolveRules(s)
	for _, o := range s.order {
		if o.kind == objConst && o.host {
			c.file = o.file
			if c.holdsField(o.texpr) || c.isStruct(o.texpr) {
				c.declareVar(o)
			}
		}
	}
}

func (c *checker) collectFunc(d *ast.FuncDecl) {
	o := &object{kind: objFunc, name: d.Name.Name, file: c.file, pos: d.Name.Pos(), decl: d, scope: c.pkg}
	switch {
	case d.Recv != nil:
		if d.Body != nil {
			c.methods = append(c.methods, o)
			return
		}
		fallthrough
	case d.Body == nil:
		c.errorf(syntax.BadDeclaration, d.Name.Pos(), "give it a body in braces", "function %s has no body", d.Name.Name)
		o.kind = objBad
	}
	c.declare(c.pkg, o)
	c.collectRule(d, o)
}

// collectGen enters a const, type or var declaration at package level, or a const
// or type declaration of a function body.
func (c *checker) collectGen(d *ast.GenDecl, s *scope) {
	if d.Tok == token.IMPORT {
		return // see collectImports
	}
	var last *ast.ValueSpec // the const spec that implicit ones repeat
	for i, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			c.collectType(spec, s)
		case *ast.ValueSpec:
			if d.Tok == token.VAR {
				c.collectVars(spec, s)
				continue
			}
			if len(spec.Values) > 0 || spec.Type != nil || last == nil {
				last = spec
			}
			c.collectConsts(spec, last, int64(i), s)
		}
	}
}

func (c *checker) collectType(spec *ast.TypeSpec, s *scope) {
	o := &object{kind: objType, name: spec.Name.Name, file: c.file, pos: spec.Name.Pos(), spec: spec, texpr: spec.Type, scope: s}
	c.declare(s, o)
}

func (c *checker) collectVars(spec *ast.ValueSpec, s *scope) {
	for i, name := range spec.Names {
		o := &object{kind: objConst, host: true, name: name.Name, file: c.file, pos: name.Pos(), spec: spec, index: i, texpr: spec.Type, scope: s}
		switch {
		case s.library != nil:
			c.varInLibrary(name)
			o.kind = objBad
		case name.Name == "_":
			c.errorf(syntax.BadDeclaration, name.Pos(), "give it the name that the host binds", "a var without a name cannot be bound")
			continue
		case len(spec.Values) > 0 || spec.Type == nil:
			c.errorf(syntax.BadDeclaration, name.Pos(), "declare a value of the source with const, or give only a type: var "+name.Name+" f32",
				"var %s has a value, but the host gives vars their values", name.Name)
			o.kind = objBad
		}
		c.declare(s, o)
	}
}

// typeHead returns the name that a type expression begins with: field of field[T].
func typeHead(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.IndexExpr:
		return typeHead(e.X)
	case *ast.IndexListExpr:
		return typeHead(e.X)
	case *ast.ParenExpr:
		return typeHead(e.X)
	}
	return ""
}

// isPredeclared reports whether name is want and not shadowed by the package or an import.
func (c *checker) isPredeclared(name, want string) bool {
	return name == want && c.pkg.names[want] == nil && c.imports[c.file][want] == nil
}

func (c *checker) collectConsts(spec, from *ast.ValueSpec, iota int64, s *scope) {
	for i, name := range spec.Names {
		o := &object{kind: objConst, name: name.Name, file: c.file, pos: name.Pos(), spec: spec, index: i, iota: iota, texpr: from.Type, scope: s}
		if i < len(from.Values) {
			o.value = from.Values[i]
		} else {
			c.errorf(syntax.BadDeclaration, name.Pos(), "write const "+name.Name+" = value", "constant %s has no value", name.Name)
			o.kind = objBad
		}
		c.declare(s, o)
	}
	if len(spec.Values) > len(spec.Names) {
		c.errorf(syntax.AssignCount, spec.Values[len(spec.Names)].Pos(), "", "%d values for %d constants", len(spec.Values), len(spec.Names))
	}
}

// declare enters o into s and reports a name that is taken.
func (c *checker) declare(s *scope, o *object) {
	old := s.insert(o)
	if old == nil {
		return
	}
	if o.kind == objFunc && o.decl != nil {
		c.homeless = append(c.homeless, o)
	}
	where := old.file.Position(old.pos)
	c.errorf(syntax.Redeclared, o.pos, "choose another name", "%s is declared already in line %d", o.name, where.Line)
}
