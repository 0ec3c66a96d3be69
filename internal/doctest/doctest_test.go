package doctest

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/document"
	_ "github.com/gotaichi/ti/internal/randtest" // each error of the compiler ends a launch
)

// documents returns all Markdown files of the module.
func documents(t *testing.T) []string {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "out"):
			return filepath.SkipDir
		case filepath.Ext(path) == ".md":
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 20 {
		t.Fatalf("only %d documents: %v", len(files), files)
	}
	return files
}

// TestDocuments tests every block of every document of the module, but for the
// lessons of the tour: the code there is that of programs, which docs/tour tests.
func TestDocuments(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	lessons := filepath.Join(root, "docs", "tour") + string(filepath.Separator)
	files := slices.DeleteFunc(documents(t), func(file string) bool { return strings.HasPrefix(file, lessons) })
	var host []*document.Block
	for _, file := range files {
		blocks, err := document.Read(file)
		if err != nil {
			t.Error(err)
			continue
		}
		name, _ := filepath.Rel(root, file)
		t.Run(strings.ReplaceAll(name, "/", "."), func(t *testing.T) {
			for _, b := range blocks {
				k, err := b.Kind()
				switch {
				case err != nil:
				case k == document.Host:
					host = append(host, b)
				case k == document.Excerpt:
					err = testExcerpt(b)
				case k == document.Kernel:
					err = testKernel(b)
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	t.Run("host", func(t *testing.T) {
		if err := testHost(t.TempDir(), root, host); err != nil {
			t.Error(err)
		}
	})
}

// What a document may say of a block, and what must be noticed.
func TestKernelBlocks(t *testing.T) {
	for _, c := range []struct{ name, doc, wrong string }{
		{"statements", "```go\nx := 1\n\nprint(x + 1)\n```\n\n```text\n2\n```", ""},
		{"declarations below", "```go\nprint(twice(2))\n\nfunc twice(x i32) i32 { return 2 * x }\n```\n```text\n4\n```", ""},
		{"other output", "```go\nprint(1)\n```\n```text\n2\n```", "it gives\n1"},
		{"no output shown", "```go\nprint(1)\n```\n\nWords.\n", "it gives\n1"},
		{"bound", "<!-- bind N=3 X=4 S.A=2 S.K=[1,2] -->\n```go\nvar X field[f32]\nvar N i32\nvar S struct { A field[f32]; K ivec2 }\n\nprint(len(X), N, len(S.A), S.K)\n```\n```text\n4 3 2 [1 2]\n```", ""},
		{"node", "<!-- bind X=4x6 B=X: -->\n```go\nvar X field[f32]\nvar B node\n\nprint(B.shape)\n```\n```text\n[4 6]\n```", ""},
		{"not bound", "```go\nvar N i32\n\nprint(N)\n```\n```text\n1\n```", "nothing is bound"},
		{"bound to nothing", "<!-- bind Y=3 -->\n```go\nprint(1)\n```\n```text\n1\n```", "binds Y"},
		{"results", "```go\nfunc F() (f32, ivec2) { return 1.5, ivec2(1, 2) }\n```\n```text\n1.5\n[1 2]\n```", ""},
		{"error", "```go\nx := i32(1)\nprint(x ** x)\n```\n```text\nerror TI0105: Go has no operator **\n```", "TI0105"},
		{"no error", "```go\nprint(1)\n```\n```text\nerror TI0105: Go has no operator **\n```", "it gives\n1"},
		{"run-time error", "<!-- bind X=2 -->\n```go\nvar X field[f32]\n\ni := len(X)\nX[i] = 1\n```\n```text\n```", "error: index"},
		{"debug", "<!-- bind debug -->\n```go\nfunc F() i32 { a := 0; return 7 / a }\n```\n```text\n0\n```", "error: "},
		{"other language", "```rust\n```", "rust"},
		{"stray output", "```text\n1\n```", "below no code"},
	} {
		t.Run(c.name, func(t *testing.T) {
			blocks, err := document.Parse("doc.md", c.doc)
			if err != nil || len(blocks) != 1 {
				t.Fatalf("%d blocks, %v", len(blocks), err)
			}
			if _, err = blocks[0].Kind(); err == nil {
				err = testKernel(blocks[0])
			}
			switch {
			case err == nil && c.wrong != "":
				t.Error("nothing is noticed")
			case err != nil && (c.wrong == "" || !strings.Contains(err.Error(), c.wrong)):
				t.Error(err)
			}
		})
	}
}

func TestIsHost(t *testing.T) {
	for text, want := range map[string]bool{
		"package main\n":                          true,
		"package x\n\nimport \"fmt\"\n":           true,
		"rt, err := ti.New(ti.Config{})\n":        true,
		"type Sim struct {\n\tX ti.Field[int]\n}": true,
		"package x\n\nvar X field[f32]\n":         false,
		"x := v.xy\n":                             false,
		"a ** b\n":                                false,
	} {
		if got := document.IsHost(text); got != want {
			t.Errorf("document.IsHost(%q) is %v", text, got)
		}
	}
}

// Mistakes in host code are noticed, at their lines in the document.
func TestHostBlocks(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ doc, wrong string }{
		{"<!-- host x ti.Field[float32] -->\n```go\nrt.Place(ti.Shape{4}, &x)\nif err != nil {\n\treturn err\n}\n```", ""},
		{"```go\nrt, err := ti.New(ti.Config{})\nrt.Nothing()\n```", "doc.md:3: rt.Nothing undefined"},
		{"```go\npackage main\n\nimport \"github.com/gotaichi/ti\"\n\nconst source = `package p\nfunc F() { x }`\n\nfunc main() { ti.New(0) }\n```", "doc.md:9: cannot use 0"},
		{"```go\npackage main\n\nconst source = `package p\nvar X fiel[f32]`\n\nfunc main() {}\n```", "fiel"},
		{"```go\npackage main\n\nfunc main() { println(1) }\n```\n```text\n2\n```", "it prints\n1"},
	} {
		blocks, err := document.Parse("doc.md", c.doc)
		if err != nil || len(blocks) != 1 {
			t.Fatalf("%d blocks, %v", len(blocks), err)
		}
		err = testHost(t.TempDir(), root, blocks)
		switch {
		case err == nil && c.wrong != "":
			t.Errorf("nothing is noticed in\n%s", c.doc)
		case err != nil && (c.wrong == "" || !strings.Contains(err.Error(), c.wrong)):
			t.Error(err)
		}
	}
}

func TestExcerpts(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.ti"), []byte("func a() {\n\tx := 1\n\n\ty := 2\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for text, good := range map[string]bool{"x := 1\n": true, "func a() {\n\tx := 1\n\n\ty := 2\n": true, "x := 2\n": false, "x :=\n": false} {
		b := &document.Block{File: filepath.Join(dir, "a.md"), Lang: "go", Text: text, Note: "from a.ti"}
		if k, err := b.Kind(); k != document.Excerpt || err != nil {
			t.Fatal(k, err)
		}
		if err := testExcerpt(b); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}
