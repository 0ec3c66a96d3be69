package syntax

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"testing"
)

// Every code that is declared has an explanation, with a wrong and a right example.
// (That the wrong one gives the code is tested where the error comes from.)
func TestRegistry(t *testing.T) {
	explained := map[Code]Explanation{}
	for _, e := range Explanations() {
		explained[e.Code] = e
	}
	// What gives one of these is no text to be shown, or several files, or a source beside
	// a host that does not fit it.
	noWrong := map[Code]bool{
		Empty: true, TooDeep: true, NotText: true, PackageName: true,
		ImportCycle: true, NotExported: true, LibraryVar: true,
		NotBound: true, RankMismatch: true, ElemMismatch: true, ConstMismatch: true,
		KernelTooLarge: true, LocalsTooLarge: true, // found by the compiler, not by the checker
	}
	files, err := filepath.Glob("../*/codes*.go") // those of package diag too
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(node ast.Node) bool {
			v, ok := node.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 {
				return true
			}
			id, ok := v.Type.(*ast.Ident)
			lit, number := v.Values[0].(*ast.BasicLit)
			if !ok || id.Name != "Code" || !number {
				return true
			}
			value, err := strconv.Atoi(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			n++
			e, ok := explained[Code(value)]
			if !ok || e.Right == "" || (e.Wrong == "") != noWrong[e.Code] {
				t.Errorf("%s, %v: no explanation, or one without examples", v.Names[0].Name, Code(value))
			}
			return true
		})
	}
	if n != len(explained) {
		t.Errorf("%d codes are declared, %d explained", n, len(explained))
	}
}
