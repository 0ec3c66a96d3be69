package examples_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/gotaichi/ti/examples"
)

// TestComplete checks that every folder is listed and has a program, a kernel source that parses, and a README
// whose picture is there and small.
func TestComplete(t *testing.T) {
	var listed []string
	for _, e := range examples.List() {
		listed = append(listed, e.Name)
	}
	folders, err := filepath.Glob("*/main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		if name := filepath.Dir(f); !slices.Contains(listed, name) {
			t.Errorf("%s is not in the list", name)
		}
	}
	picture := regexp.MustCompile(`!\[[^\]]+\]\(([^)]+)\)`)
	for _, name := range listed {
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
