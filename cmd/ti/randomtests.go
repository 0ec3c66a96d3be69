package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A randomTest is what makes up its input from seeds: the tests of a package that ask the same flags.
type randomTest struct {
	dir          string
	count, first string // the flags that say how many seeds are tried, and from which on
	usual        uint64 // how many are in the usual run
	tests        []string
}

func (r randomTest) pattern() string { return "^(" + strings.Join(r.tests, "|") + ")$" }

// randomTests finds the random tests of a module: variables that randtest.New makes, and the tests that ask them,
// themselves or by functions of their package.
func randomTests(module fs.FS) (all []randomTest, err error) {
	files := map[string][]*ast.File{} // test files by folder
	err = testFiles(module, func(name string, text []byte) error {
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		files[path.Dir(name)] = append(files[path.Dir(name)], f)
		return err
	})
	for _, dir := range slices.Sorted(maps.Keys(files)) {
		if dir == "internal/randtest" { // whose own tests try no seeds
			continue
		}
		all = append(all, randomTestsOf(dir, files[dir])...)
	}
	return all, err
}

// randomTestsOf finds those of a package.
func randomTestsOf(dir string, files []*ast.File) (all []randomTest) {
	names := map[string]map[string]bool{} // names that a function mentions
	for _, f := range files {
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				names[f.Name.Name] = mentioned(f)
			}
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				if r, ok := seedsOf(s.(*ast.ValueSpec)); ok {
					r.dir, r.tests = dir, testsThat(names, s.(*ast.ValueSpec).Names[0].Name)
					all = append(all, r)
				}
			}
		}
	}
	return all
}

// mentioned lists the names in a function.
func mentioned(f *ast.FuncDecl) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			out[id.Name] = true
		}
		return true
	})
	return out
}

// testsThat lists the tests that lead to a name.
func testsThat(names map[string]map[string]bool, name string) (tests []string) {
	leads := map[string]bool{name: true}
	for grown := true; grown; {
		grown = false
		for f, in := range names {
			if leads[f] {
				continue
			}
			for n := range in {
				if leads[n] {
					leads[f], grown = true, true
					break
				}
			}
		}
	}
	for _, f := range slices.Sorted(maps.Keys(leads)) {
		if strings.HasPrefix(f, "Test") {
			tests = append(tests, f)
		}
	}
	return tests
}

// seedsOf reads a variable that is made by randtest.New(count, first, what, usual, short).
func seedsOf(s *ast.ValueSpec) (r randomTest, ok bool) {
	if len(s.Names) != 1 || len(s.Values) != 1 {
		return r, false
	}
	call, ok := s.Values[0].(*ast.CallExpr)
	if !ok || len(call.Args) != 5 {
		return r, false
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || f.Sel.Name != "New" {
		return r, false
	}
	if x, ok := f.X.(*ast.Ident); !ok || x.Name != "randtest" {
		return r, false
	}
	var text [5]string
	for i, a := range call.Args {
		l, ok := a.(*ast.BasicLit)
		if !ok {
			return r, false
		}
		text[i] = l.Value
	}
	var errs [3]error
	r.count, errs[0] = strconv.Unquote(text[0])
	r.first, errs[1] = strconv.Unquote(text[1])
	r.usual, errs[2] = strconv.ParseUint(text[3], 10, 32)
	return r, errs == [3]error{}
}

// testFiles yields the test files of a module.
func testFiles(module fs.FS, yield func(name string, text []byte) error) error {
	return fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return err
		}
		return yield(name, text)
	})
}
