package doctest

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// apart lists packages that must not reach another one, not even through third ones,
// with the reason.
var apart = []struct{ pkg, from, reason string }{
	{"internal/typed", "internal/check", "the tree does not depend on who makes it"},
	{"internal/lower", "internal/check", "lowering reads the typed tree alone"},
	{"internal/oracle", "internal/check", "the oracle runs the IR alone"},
	{"internal/pass", "internal/check", "passes read the IR alone"},
	{"internal/outline", "internal/check", "an outline is known without its source"},
	{"internal/outline", "internal/syntax", "an outline is known without its source"},
	{"internal/job", "internal/check", "code is found without its source"},
	{"internal/job", "internal/pass", "code is found without the compiler"},
	{"internal/cover", "internal/check", "counters are put into the typed tree"},
	{"internal/oracle", "internal/pass", "the oracle shares nothing with the passes that it checks"},
	{"internal/pass", "internal/llvm", "passes know a target by its traits alone"},
	{"internal/store", "internal/typed", "what a program keeps knows no kernel"},
	{"internal/store", "internal/launch", "what a program keeps knows no kernel"},
	{"internal/device", "internal/layout", "memory knows no trees"},
	{"internal/bind", "internal/syntax", "a source that was compiled ahead of time is bound without its text"},
	{"internal/bind", "internal/engine", "a host is bound whatever runs its kernels"},
	{"internal/config", "internal/store", "settings come before what is set"},
	{"internal/front", "internal/engine", "a source is read whatever runs its kernels"},
	{"internal/front", "internal/llvm", "a source is read whatever compiles its kernels"},
	{"internal/observe", "internal/gradient", "who counts knows no derivatives"},
	{"internal/gradient", "internal/observe", "derivatives know nobody else who looks on"},
	{"internal/aside", "internal/flow", "what the product launches is no call of the program"},
	{"internal/engine", "internal/native", "compiled code runs without purego"},
	{"internal/engine", "internal/ir", "compiled code runs without its IR"},
	{"internal/loader", "internal/native", "compiled code is loaded without purego"},
	{"internal/loader", "internal/ir", "compiled code is loaded without its IR"},
	{"internal/sparse", "internal/native", "compiled code runs on sparse trees without purego"},
	{"internal/sparse", "internal/ir", "compiled code runs on sparse trees without its IR"},
}

// TestImports checks which packages must not import others.
func TestImports(t *testing.T) {
	for _, a := range apart {
		if path := importPath(t, a.pkg, a.from, map[string]bool{}); path != nil {
			t.Errorf("%s must not import %s (%s), and does: %s", a.pkg, a.from, a.reason, strings.Join(path, " imports "))
		}
	}
}

// importPath returns the packages that lead from pkg to the target, or nil. Packages in
// visited lead nowhere.
func importPath(t *testing.T, pkg, target string, visited map[string]bool) []string {
	if pkg == target {
		return []string{pkg}
	}
	if visited[pkg] {
		return nil
	}
	visited[pkg] = true
	for _, next := range importsOf(t, pkg) {
		if path := importPath(t, next, target, visited); path != nil {
			return append([]string{pkg}, path...)
		}
	}
	return nil
}

// importsOf lists the packages of this module that the non-test files of pkg import.
func importsOf(t *testing.T, pkg string) (list []string) {
	const module = "github.com/gotaichi/ti/"
	files, err := filepath.Glob(filepath.Join("../..", pkg, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files in %s: %v", pkg, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			path, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if rest, ok := strings.CutPrefix(path, module); ok {
				list = append(list, rest)
			}
		}
	}
	return list
}
