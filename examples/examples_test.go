// Package examples_test checks that the examples are complete; each has tests of its own.
package examples_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
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

// TestPorts checks the lines that docs/porting.md says ports of Taichi's examples have, and that
// these are not more than the originals'.
func TestPorts(t *testing.T) {
	doc, err := os.ReadFile("../docs/porting.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| \[(\w+)\]\([^)]+\) \| (\d+) \| [^|]+ \| (\d+) \| (\d+) \| (\d+) \|$`)
	rows := row.FindAllStringSubmatch(string(doc), -1)
	if len(rows) < 5 {
		t.Fatalf("the table of ports has %d rows; want at least five", len(rows))
	}
	for _, m := range rows {
		var n [4]int // theirs, ours, .ti, .go
		for i := range n {
			n[i], _ = strconv.Atoi(m[2+i])
		}
		kernel, host := codeLines(t, m[1]+"/"+m[1]+".ti"), codeLines(t, m[1]+"/main.go")
		if n[1] != kernel+host || n[2] != kernel || n[3] != host {
			t.Errorf("%s has %d lines of kernels and %d of the host; docs/porting.md says %d = %d + %d", m[1], kernel, host, n[1], n[2], n[3])
		}
		if kernel+host > n[0] {
			t.Errorf("%s has %d lines, its original %d", m[1], kernel+host, n[0])
		}
	}
}

// codeLines counts the lines of a file that are neither blank nor comments; directives count.
func codeLines(t *testing.T, file string) (n int) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line != "" && (!strings.HasPrefix(line, "//") || strings.HasPrefix(line, "//go:")) {
			n++
		}
	}
	return n
}
