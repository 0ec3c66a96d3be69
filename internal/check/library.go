package check

import (
	"cmp"
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gotaichi/ti/internal/syntax"
)

// This file enters the libraries that a source imports: packages of device functions, types and constants.

// A library is a package that sources import.
type library struct {
	path   string
	name   string // that of its package clause
	prefix string // of the names of its declarations in messages and in what is generated; no two have the same
	files  []*syntax.File
	scope  *scope
	state  uint8 // unresolved, busy while what it imports is collected, done
}

// standard are packages of Go whose names and contents people look for here.
const standard = " math math/bits math/rand math/rand/v2 math/cmplx fmt sync sync/atomic unsafe C "

// collect enters the declarations of the source, and of what it imports, into the scopes of their packages.
func (c *checker) collect() {
	var main []*syntax.File
	var paths []string
	for _, f := range c.files {
		if f.Library == "" {
			main = append(main, f)
			continue
		}
		l := c.libraries[f.Library]
		if l == nil {
			l = &library{path: f.Library, name: f.Tree.Name.Name, scope: newPackageScope(c.predeclared)}
			l.scope.library = l
			c.libraries[l.path] = l
			paths = append(paths, l.path)
		}
		l.files = append(l.files, f)
	}
	c.prefixes(paths)
	if len(main) == 0 { // libraries by themselves
		for _, p := range paths {
			c.collectLibrary(c.libraries[p], nil)
		}
		return
	}
	c.collectPackage(main, c.pkg, nil)
}

// prefixes chooses what the names of each library have before them: the name of its package, or its path where two
// packages have one name.
func (c *checker) prefixes(paths []string) {
	count := map[string]int{}
	for _, p := range paths {
		count[c.libraries[p].name]++
	}
	for _, p := range paths {
		l := c.libraries[p]
		if l.prefix = l.name + "."; count[l.name] > 1 {
			l.prefix = l.path + "."
		}
	}
}

// collectPackage collects the files of one package behind what they import. Trail has the paths of the libraries that
// are being collected.
func (c *checker) collectPackage(files []*syntax.File, s *scope, trail []string) {
	before := c.where
	for _, f := range files {
		c.where = where{f, s}
		c.collectImports(trail)
	}
	c.collectDeclarations(files, s)
	for _, f := range files {
		c.where = where{f, s}
		c.checkImports()
	}
	c.packages = append(c.packages, s)
	if s.library != nil { // so that no chain of declarations leads through many packages
		c.resolveAll(s)
	}
	c.where = before
}

func (c *checker) collectLibrary(l *library, trail []string) {
	if l.state != unresolved {
		return
	}
	l.state = busy
	c.collectPackage(l.files, l.scope, append(slices.Clone(trail), l.path))
	l.state = done
}

// collectImports enters what the current file imports.
func (c *checker) collectImports(trail []string) {
	names := map[string]*object{}
	c.imports[c.file] = names
	for _, spec := range c.file.Tree.Imports {
		o := c.imported(spec, trail)
		switch old := names[o.name]; {
		case o.name == "":
		case old != nil && o.library == nil: // which is reported
		case old != nil:
			c.errorf(syntax.Redeclared, o.pos, "give it another name: import "+o.name+"2 "+spec.Path.Value, "%s is the name of another import, in line %d", o.name, c.file.Position(old.pos).Line)
		default:
			names[o.name] = o
		}
	}
}

// imported makes the object of an import, one without a library after an error.
func (c *checker) imported(spec *ast.ImportSpec, trail []string) *object {
	o := &object{kind: objPackage, file: c.file, pos: spec.Pos(), state: done}
	p, err := strconv.Unquote(spec.Path.Value)
	if spec.Name != nil {
		o.name = spec.Name.Name
	} else if err == nil {
		o.name = identifier(path.Base(p))
	}
	bad := func(help, format string, args ...any) *object {
		c.errorf(syntax.BadImport, o.pos, help, format, args...)
		if o.name == "." || o.name == "_" {
			o.name = ""
		}
		return o
	}
	l := c.libraries[p]
	switch {
	case o.name == "." || o.name == "_":
		return bad("write import "+spec.Path.Value, "an import is known by a name, and this gives it %s", o.name)
	case err != nil || !validPath(p):
		return bad(`write a path such as "example.com/rng"`, "%s is no path of a library", spec.Path.Value)
	case l == nil && strings.Contains(standard, " "+p+" "):
		return bad("leave it out: the functions are predeclared: sin(x), random(), print(x)", "%s is a package of Go, and kernels have libraries of their own", p)
	case l == nil:
		c.errorf(syntax.NoLibrary, o.pos, cmp.Or(c.file.Missing[p], c.joinHelp()), "there is no library %s", p)
		return o
	case l.state == busy:
		cycle := slices.Concat(trail[slices.Index(trail, p):], []string{p})
		c.errorf(syntax.ImportCycle, o.pos, "move what both need into a library of its own", "import cycle: %s", strings.Join(cycle, " imports "))
		return o
	}
	if o.library = l; spec.Name == nil {
		o.name = l.name
	}
	before := c.where
	c.collectLibrary(l, trail)
	c.where = before
	return o
}

// joinHelp says to a host how to give a library.
func (c *checker) joinHelp() string {
	help := "the host joins it to the source: ti.Join(source, library)"
	if paths := sortedNames(c.libraries); len(paths) > 0 && len(paths) <= 5 {
		help += "; it has " + strings.Join(paths, ", ")
	}
	return help
}

// validPath reports whether a path can be that of a library.
func validPath(p string) bool {
	return p != "" && path.Clean(p) == p && p[0] != '/' && p[0] != '.' && !strings.ContainsFunc(p, func(r rune) bool {
		return !unicode.IsGraphic(r) || unicode.IsSpace(r) || strings.ContainsRune("!\"#$%&'()*,:;<=>?[\\]^`{|}", r)
	})
}

// identifier is the part of a name that can be one of the language.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)
}

// checkImports reports imports of the current file that are not used, or have the name of a declaration. An import
// counts as used where a selector begins with its name.
func (c *checker) checkImports() {
	names := c.imports[c.file]
	if len(names) == 0 {
		return
	}
	used := map[string]bool{}
	ast.Inspect(c.file.Tree, func(n ast.Node) bool {
		if e, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := e.X.(*ast.Ident); ok {
				used[id.Name] = true
			}
		}
		return true
	})
	for _, name := range sortedNames(names) {
		o := names[name]
		switch d := c.pkg.names[name]; {
		case d != nil:
			c.errorf(syntax.Redeclared, o.pos, "import it under another name", "%s is the name of an import, and is declared in line %d", name, d.file.Position(d.pos).Line)
		case !used[name] && o.library != nil && !c.leftOut[name]:
			c.errorf(syntax.Unused, o.pos, "remove the import", "%s is imported and not used", o.library.path)
		}
	}
}

// importNamed returns the import that e names, nil if it names something else.
func (c *checker) importNamed(e ast.Expr) *object {
	if id, ok := ast.Unparen(e).(*ast.Ident); ok {
		if o := c.lookup(id.Name); o != nil && o.kind == objPackage {
			return o
		}
	}
	return nil
}

// denoted returns what a name, or a name behind that of an import, stands for; nil where that is not known. It reports
// no errors.
func (c *checker) denoted(e ast.Expr) *object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return c.lookup(e.Name)
	case *ast.SelectorExpr:
		if p := c.importNamed(e.X); p != nil && p.library != nil && ast.IsExported(e.Sel.Name) {
			return p.library.scope.names[e.Sel.Name]
		}
	}
	return nil
}

// ofImport checks rng.Name, of an import p.
func (c *checker) ofImport(p *object, e *ast.SelectorExpr) operand {
	name := e.Sel.Name
	switch o := c.denoted(e); {
	case o != nil:
		return c.object(o, e)
	case p.library == nil: // the error of the import says enough
	case p.library.scope.names[name] != nil:
		c.errorf(syntax.NotExported, e.Sel.Pos(), "names that begin with a capital letter are exported", "%s of library %s is not exported", name, p.library.path)
	default:
		c.noneInLibrary(p.library, e.Sel)
	}
	return operand{}
}

// noneInLibrary reports a name that a library does not declare.
func (c *checker) noneInLibrary(l *library, name *ast.Ident) {
	if c.leftOut[name.Name] {
		return
	}
	exports := newScope(nil)
	for _, o := range l.scope.order {
		if ast.IsExported(o.name) {
			exports.insert(&object{name: o.name})
		}
	}
	help := ""
	if near := exports.nearest(name.Name); near != "" {
		help = "did you mean " + near + "?"
	}
	c.errorf(syntax.Undefined, name.Pos(), help, "library %s has no %s", l.path, name.Name)
}

// notImported returns the help for a name that is that of a library which the file does not import, "" for others.
func (c *checker) notImported(name string) string {
	for _, p := range sortedNames(c.libraries) {
		if c.libraries[p].name == name {
			return "import it: import " + strconv.Quote(p)
		}
	}
	return ""
}

// varInLibrary reports a var of a library.
func (c *checker) varInLibrary(name *ast.Ident) {
	c.errorf(syntax.LibraryVar, name.Pos(), "take it as a parameter of the functions that use it: func f("+name.Name+" field[f32])",
		"var %s is in a library, and the host binds the vars of a source alone", name.Name)
}

// hidden reports whether a member of a struct is not visible here: that of another package, not exported.
func (c *checker) hidden(o *object, member string) bool {
	return o != nil && !ast.IsExported(member) && o.scope != nil && o.scope.home != c.pkg
}

// hiddenMember reports the use of a member that is not visible here, if it is one.
func (c *checker) hiddenMember(o *object, member *ast.Ident) bool {
	if !c.hidden(o, member.Name) {
		return false
	}
	c.errorf(syntax.NotExported, member.Pos(), "names that begin with a capital letter are exported", "%s of %s is not exported by its package", member.Name, o.fullName())
	return true
}

// loopsParallel reports whether the loops of o are parallel where a kernel calls it outside of its loops: those of an
// exported function of the source, of an exported method of a bundle, and of an exported function of a library that
// takes a field, node or bundle. Other functions of libraries are device functions.
func (c *checker) loopsParallel(o *object) bool {
	if o.exported() && o.ofLibrary() {
		return slices.ContainsFunc(c.params(o), func(p param) bool {
			return p.kind == fieldKind || p.kind == nodeKind || p.kind == bundleKind
		})
	}
	return o.exported() || c.isBundleMethod(o)
}
