package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestCommands looks for a script that runs each command, a document that shows it, and a
// line of the package's comment.
func TestCommands(t *testing.T) {
	parser, err := kong.New(&grammar{})
	if err != nil {
		t.Fatal(err)
	}
	scripts, documents := textOf(t, "testdata/script/*.txtar"), textOf(t, "../../docs/*.md", "../../docs/tour/*.md", "../../README.md")
	main := textOf(t, "main.go")
	for _, c := range parser.Model.Children {
		if !regexp.MustCompile(`(?m)^(! )?ti ` + c.Name + `\b`).MatchString(scripts) {
			t.Errorf("no script of testdata/script runs ti %s", c.Name)
		}
		if !regexp.MustCompile(`\bti ` + c.Name + `\b`).MatchString(documents) {
			t.Errorf("no document shows ti %s", c.Name)
		}
		if !strings.Contains(main, "ti "+c.Name+" ") {
			t.Errorf("the comment of the package does not tell of ti %s", c.Name)
		}
		if c.Help == "" {
			t.Errorf("ti %s has no help", c.Name)
		}
	}
}

// textOf is the text of all files that patterns match.
func textOf(t *testing.T, patterns ...string) string {
	t.Helper()
	var b strings.Builder
	for _, p := range patterns {
		names, err := filepath.Glob(p)
		if err != nil || len(names) == 0 {
			t.Fatalf("no file is like %s (%v)", p, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(data)
		}
	}
	return b.String()
}
