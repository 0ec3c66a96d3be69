package runtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/check"
)

// notRandom says of builtins why no random kernel calls them.
var notRandom = func() map[string]string {
	m := map[string]string{}
	for why, names := range map[string]string{
		"last digits may differ between back ends; package prelude compares it with exact values":                "eig",
		"random kernels on sparse trees are in package driver":                                                   "activate append clear deactivate isActive rescaleIndex resize",
		"its result depends on nothing but itself":                                                               "randn",
		"the others of its kind, which differ in an operator, are called":                                        "atomicAnd atomicOr",
		"a promise, a message or a question to the compiler; TestPrograms or package check see what comes of it": "assumeInRange loopUnique staticAssert staticPrint stopGrad vec",
	} {
		for _, name := range strings.Fields(names) {
			m[name] = why
		}
	}
	return m
}()

// literals are the strings in a Go file: the sources of kernels, and the parts that they are made of. Comments are none, neither those
// of Go nor those within a source.
func literals(t *testing.T, file string) (all []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	comment := regexp.MustCompile(`//[^\n]*`)
	ast.Inspect(f, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			text, err := strconv.Unquote(l.Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, comment.ReplaceAllString(text, ""))
		}
		return true
	})
	return all
}

// anyCalls reports whether a source calls a builtin, or one that is put together may: a string is its name.
func anyCalls(sources []string, name string) bool {
	call := regexp.MustCompile(`\b` + name + `\s*(\[[^\]]*\])?\(`)
	names := regexp.MustCompile(`^[\w ]*\b` + name + `\b[\w ]*$`) // or one of several, with spaces
	return slices.ContainsFunc(sources, func(s string) bool { return call.MatchString(s) || names.MatchString(s) })
}

// TestEveryBuiltin: each builtin is described, is run, and is called in random kernels.
func TestEveryBuiltin(t *testing.T) {
	document, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	var cases, random []string
	for _, file := range files {
		if strings.HasPrefix(file, filepath.Join("random", "generate")) {
			random = append(random, literals(t, file)...)
		} else {
			cases = append(cases, literals(t, file)...)
		}
	}
	names := check.BuiltinNames()
	for _, name := range names {
		if !regexp.MustCompile(`\b` + name + `\b`).Match(document) {
			t.Errorf("docs/language.md does not say what %s does", name)
		}
		if !anyCalls(cases, name) {
			t.Errorf("no run test calls %s", name)
		}
		if called, why := anyCalls(random, name), notRandom[name]; called == (why != "") {
			t.Errorf("random kernels call %s: %v; the reason not to: %q", name, called, why)
		}
		delete(notRandom, name)
	}
	for name := range notRandom {
		t.Errorf("%s is no builtin", name)
	}
}
