package runtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/check"
)

// notRandom says of builtins why no random kernel calls them.
var notRandom = func() map[string]string {
	m := map[string]string{}
	for why, names := range map[string]string{
		"last digits may differ between back ends; package prelude compares it with exact values":                "eig",
		"random kernels on sparse trees are in package driver":                                                   "activate clear deactivate isActive rescaleIndex resize",
		"its result depends on the order of iterations, or on nothing but itself":                                "atomicCAS randn",
		"the others of its kind, which differ in an operator, are called":                                        "atomicAnd atomicMin atomicOr",
		"a promise, a message or a question to the compiler; TestPrograms or package check see what comes of it": "assumeInRange loopUnique staticAssert staticPrint stopGrad vec",
	} {
		for _, name := range strings.Fields(names) {
			m[name] = why
		}
	}
	return m
}()

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
	var cases, random strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasPrefix(file, filepath.Join("random", "generate")):
			random.Write(text)
		default:
			cases.Write(text)
		}
	}
	names := check.BuiltinNames()
	for _, name := range names {
		word := regexp.MustCompile(`\b` + name + `\b`)
		if !word.Match(document) {
			t.Errorf("docs/language.md does not say what %s does", name)
		}
		if !word.MatchString(cases.String()) {
			t.Errorf("no run test calls %s", name)
		}
		if called, why := word.MatchString(random.String()), notRandom[name]; called == (why != "") {
			t.Errorf("random kernels call %s: %v; the reason not to: %q", name, called, why)
		}
		delete(notRandom, name)
	}
	for name := range notRandom {
		t.Errorf("%s is no builtin", name)
	}
}
