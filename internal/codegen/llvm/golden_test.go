package llvm

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/sparsert"
	"github.com/gotaichi/ti/internal/target"
)

var update = flag.Bool("update", false, "rewrite the expected text in testdata")

const divider = "\n---\n"

// TestGolden translates the kernels in testdata: a file is IR, a line of three dashes,
// the text of LLVM. A first line "// strict" asks for IEEE order, "// old" for text that
// LLVM 15 reads. What the text computes is for the other tests; here nothing may change
// unseen.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".ir"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			before, after, _ := strings.Cut(string(data), divider)
			first, _, _ := strings.Cut(before, "\n")
			o := Options{Options: option.Options{Strict: first == "// strict"}, Traits: target.Traits{Version: 19, VectorBits: 512}}
			if first == "// old" {
				o = Options{Traits: target.Traits{Version: 15}}
			}
			got := generate(t, parse(t, before), o)
			if *update {
				if err := os.WriteFile(file, []byte(strings.TrimRight(before, "\n")+"\n"+divider[1:]+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got == after {
				return
			}
			have, want := strings.Split(got, "\n"), strings.Split(after, "\n")
			for i, line := range have {
				if i >= len(want) || line != want[i] {
					t.Fatalf("line %d of the text is\n%s\nwant\n%s\n(go test -update rewrites the file)", i+1, line, strings.Join(want[i:min(i+1, len(want))], ""))
				}
			}
			t.Fatal("the text is shorter")
		})
	}
}

// TestRuntimeText fixes the text of the functions of the sparse runtime, of tables that of
// those for two coordinates, and checks that it has the name of a task nowhere else.
func TestRuntimeText(t *testing.T) {
	const file = "testdata/runtime.ll"
	got := ""
	for _, f := range []sparsert.Function{{Does: sparsert.Grow}, {Does: sparsert.Find, Rank: 2}, {Does: sparsert.Enter, Rank: 2}} {
		text, err := RuntimeText(f, Options{Traits: target.Traits{Version: 19, VectorBits: 512}})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(text, llvm.EntryName) != 1 {
			t.Errorf("%s: the text has the name of a task %d times", f.Name(), strings.Count(text, llvm.EntryName))
		}
		s := llvm.Source{Text: text, Name: f.Name()}
		got += s.Named() + "\n"
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the text is\n%s\n(go test -update rewrites the file)", got)
	}
}
