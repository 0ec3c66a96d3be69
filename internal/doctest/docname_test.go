package doctest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// TestDocNames: where the comment of a function begins with a name, that is its own, and not one that it had before it was renamed. A
// sentence that begins with another word has a capital letter, and is not about an exported function.
func TestDocNames(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && (name == "testdata" || name == "shared" || strings.HasPrefix(name, ".git")) {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			checkDocNames(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkDocNames(t *testing.T, path string) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return
	}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Doc == nil {
			continue
		}
		first := strings.Fields(fn.Doc.Text())
		if len(first) == 0 || namesIt(first[0], fn.Name.Name) {
			continue
		}
		if unicode.IsLower(rune(first[0][0])) || fn.Name.IsExported() && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s: the comment of %s begins with %q", files.Position(fn.Pos()), fn.Name.Name, first[0])
		}
	}
}

// namesIt reports whether the first word of a comment is the name of what it is about.
func namesIt(word, name string) bool {
	return strings.TrimSuffix(strings.TrimSuffix(word, ":"), ",") == name
}
