// Package examples_test checks that the examples are complete; each has tests of its own.
package examples_test

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
)

// TestComplete checks that every folder has a program, a kernel source that parses, its own or one that the README
// shows, and a README whose picture is there and small.
func TestComplete(t *testing.T) {
	mains, err := filepath.Glob("*/main.go")
	if err != nil || len(mains) == 0 {
		t.Fatalf("found the examples %v; want all, and no error but %v", mains, err)
	}
	picture := regexp.MustCompile(`!\[[^\]]+\]\(([^)]+)\)`)
	shared := regexp.MustCompile(`\]\((\.\./internal/[^)]+\.ti)\)`)
	for _, f := range mains {
		name := filepath.Dir(f)
		readme, err := os.ReadFile(filepath.Join(name, "README.md"))
		if err != nil {
			t.Error(err)
			continue
		}
		kernels := name + ".ti"
		if m := shared.FindSubmatch(readme); m != nil {
			kernels = string(m[1])
		}
		for _, file := range []string{"main.go", kernels} {
			if _, err := parser.ParseFile(token.NewFileSet(), filepath.Join(name, file), nil, 0); err != nil {
				t.Error(err)
			}
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

// TestThesis checks the lines that docs/porting.md says the applications of the thesis have here.
func TestThesis(t *testing.T) {
	doc, err := os.ReadFile("../docs/porting.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile(`(?m)^\| \[(\w+)\]\([^)]+\) \| [^|]+ \| [^|]+ \| (\d+) \| ([^|]*) \|$`)
	rows := row.FindAllStringSubmatch(string(doc), -1)
	if len(rows) != 5 {
		t.Fatalf("the table of applications has %d rows; want five", len(rows))
	}
	quoted := regexp.MustCompile("`([^`]+)`")
	for _, m := range rows {
		files, functions, some := strings.Cut(m[3], ":")
		var names []string
		for _, q := range quoted.FindAllStringSubmatch(functions, -1) {
			names = append(names, q[1])
		}
		n := 0
		for _, q := range quoted.FindAllStringSubmatch(files, -1) {
			if path := filepath.Join(m[1], q[1]); some {
				n += functionLines(t, path, names)
			} else {
				n += codeLines(t, path)
			}
		}
		if m[2] != strconv.Itoa(n) {
			t.Errorf("%s: %s has %d lines; docs/porting.md says %s", m[1], m[3], n, m[2])
		}
	}
}

// functionLines counts the lines of functions of a file that are neither blank nor comments.
func functionLines(t *testing.T, file string, names []string) (n int) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, file, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for _, name := range names {
		i := slices.IndexFunc(tree.Decls, func(d ast.Decl) bool {
			f, ok := d.(*ast.FuncDecl)
			return ok && f.Name.Name == name
		})
		if i < 0 {
			t.Fatalf("%s has no function %s", file, name)
		}
		d := tree.Decls[i]
		n += countCode(lines[files.Position(d.Pos()).Line-1 : files.Position(d.End()).Line])
	}
	return n
}

// codeLines counts the lines of a file that are neither blank nor comments; directives count.
func codeLines(t *testing.T, file string) (n int) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return countCode(strings.Split(string(text), "\n"))
}

func countCode(lines []string) (n int) {
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line != "" && (!strings.HasPrefix(line, "//") || strings.HasPrefix(line, "//go:")) {
			n++
		}
	}
	return n
}
