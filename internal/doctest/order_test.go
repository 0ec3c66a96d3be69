package doctest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// An orderCheck looks for comparisons by the order in which constants are declared. Such
// a comparison says less than the row of a table or a switch, and a constant that is
// inserted in the wrong place changes its meaning.
type orderCheck struct {
	files map[string][]*ast.File     // by folder
	enums map[string]map[string]bool // constants that iota numbers, by folder
	named map[string]map[string]bool // the same, by the package's name
	set   *token.FileSet
}

// TestNoOrderOfConstants refuses < and its like on the constants of an enumeration.
// Counts, whose names begin with num, are no members of one.
func TestNoOrderOfConstants(t *testing.T) {
	c := &orderCheck{map[string][]*ast.File{}, map[string]map[string]bool{}, map[string]map[string]bool{}, token.NewFileSet()}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(c.set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		c.add(filepath.Dir(path), file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.enums["../ir"]) < 100 {
		t.Fatalf("package ir has %d constants in enumerations", len(c.enums["../ir"]))
	}
	for dir, files := range c.files { // members under the name of another package, too
		for _, file := range files {
			c.collect(dir, file, func(e ast.Expr) bool { return c.isMember(dir, e) })
		}
	}
	for dir, files := range c.files {
		for _, file := range files {
			for _, pos := range c.comparisons(dir, file) {
				t.Errorf("%s: compares by the order of constants; ask a table, a method or a switch", c.set.Position(pos))
			}
		}
	}
}

// add collects the enumerations of a file.
func (c *orderCheck) add(dir string, file *ast.File) {
	c.files[dir] = append(c.files[dir], file)
	if c.enums[dir] == nil {
		c.enums[dir] = map[string]bool{}
	}
	if c.named[file.Name.Name] == nil {
		c.named[file.Name.Name] = map[string]bool{}
	}
	c.collect(dir, file, func(e ast.Expr) bool { return mentions(e, "iota") })
}

// collect adds the constants of a file whose value is what member accepts.
func (c *orderCheck) collect(dir string, file *ast.File, member func(ast.Expr) bool) {
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		counted := false // stays so where the value is repeated
		for _, s := range g.Specs {
			spec := s.(*ast.ValueSpec)
			if len(spec.Values) > 0 {
				counted = member(spec.Values[0])
			}
			for _, name := range spec.Names {
				if counted && !strings.HasPrefix(name.Name, "num") {
					c.enums[dir][name.Name], c.named[file.Name.Name][name.Name] = true, true
				}
			}
		}
	}
}

// mentions reports whether an expression has a name in it.
func mentions(e ast.Expr, name string) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == name
		return !found
	})
	return found
}

// comparisons returns where a file compares a constant of an enumeration.
func (c *orderCheck) comparisons(dir string, file *ast.File) (list []token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok {
			return true
		}
		switch b.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			if c.isMember(dir, b.X) || c.isMember(dir, b.Y) {
				list = append(list, b.OpPos)
			}
		}
		return true
	})
	return list
}

// isMember reports whether an expression is a constant of an enumeration, of the package
// in dir or of another one.
func (c *orderCheck) isMember(dir string, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return c.enums[dir][e.Name]
	case *ast.SelectorExpr:
		pkg, ok := e.X.(*ast.Ident)
		return ok && c.named[pkg.Name][e.Sel.Name]
	}
	return false
}
