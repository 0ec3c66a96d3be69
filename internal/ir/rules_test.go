package ir_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// TestEveryOpHasRules: each op is in the table, the oracle has a rule for each that lowering
// may make, and the code generator for each that access lowering may leave. A rule is
// found by the op's name in the package.
func TestEveryOpHasRules(t *testing.T) {
	oracle, codegen := sourceOf(t, "../oracle"), sourceOf(t, "../codegen/llvm")
	names := opNames(t)
	if len(names) != len(ir.Codes()) {
		t.Fatalf("there are %d names of %d ops", len(names), len(ir.Codes()))
	}
	for i, name := range names {
		c := ir.Codes()[i]
		if c.String() == "" {
			t.Errorf("%s is not in the op table", name)
		}
		word := regexp.MustCompile(`\bir\.` + name + `\b`)
		if has := word.MatchString(oracle); !has && !c.Is(ir.Internal) {
			t.Errorf("the oracle has no rule for %s", name)
		}
		if has := word.MatchString(codegen); has == (c.Is(ir.Abstract) || c.Is(ir.Math)) {
			t.Errorf("the code generator has a rule for %s: %v; none is left after access lowering and maths: %v", name, has, !has)
		}
	}
}

// opNames are the names of the constants, in their order, from the source.
func opNames(t *testing.T) (names []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "op.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		d, ok := n.(*ast.GenDecl)
		if !ok || d.Tok != token.CONST {
			return true
		}
		for _, s := range d.Specs {
			for _, id := range s.(*ast.ValueSpec).Names {
				if strings.HasPrefix(id.Name, "Op") && id.Name != "Op" {
					names = append(names, id.Name)
				}
			}
		}
		return false
	})
	return names
}

// sourceOf is the text of a package, without its tests.
func sourceOf(t *testing.T, dir string) string {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", dir, err)
	}
	var b strings.Builder
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	return b.String()
}
