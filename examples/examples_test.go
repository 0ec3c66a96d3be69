// Package examples_test checks that the examples are complete; each has tests of its own.
package examples_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestComplete checks that every folder has a program, a kernel source that parses, and a README
// whose picture is there and small.
func TestComplete(t *testing.T) {
	mains, err := filepath.Glob("*/main.go")
	if err != nil || len(mains) == 0 {
		t.Fatalf("found the examples %v; want all, and no error but %v", mains, err)
	}
	picture := regexp.MustCompile(`!\[[^\]]+\]\(([^)]+)\)`)
	for _, f := range mains {
		name := filepath.Dir(f)
		for _, file := range []string{"main.go", name + ".ti"} {
			if _, err := parser.ParseFile(token.NewFileSet(), filepath.Join(name, file), nil, 0); err != nil {
				t.Error(err)
			}
		}
		readme, err := os.ReadFile(filepath.Join(name, "README.md"))
		if err != nil {
			t.Error(err)
			continue
		}
		m := picture.FindSubmatch(readme)
		if m == nil {
			t.Errorf("the README of %s has no picture", name)
			continue
		}
		info, err := os.Stat(filepath.Join(name, string(m[1])))
		if err != nil {
			t.Error(err)
		} else if info.Size() > 200_000 {
			t.Errorf("the picture of %s has %d bytes; want less than 200,000", name, info.Size())
		}
	}
}
