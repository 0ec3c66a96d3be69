package lower

import (
	"flag"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

var update = flag.Bool("update", false, "rewrite the expected IR in testdata")

// TestText lowers all kernels of the sources in testdata and compares the IR's
// text. A file is a txtar archive: what stands before the first file binds fields
// and constants, "X f32 [8 8] [-1 -1]" and "N 5"; then come source.ti, an .ir for
// each kernel, and possibly want, see run_test.go.
func TestText(t *testing.T) {
	for _, path := range testFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			ar, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			prog := compile(t, ar)
			got := &txtar.Archive{Comment: ar.Comment, Files: ar.Files[:1:1]}
			for _, k := range prog.Kernels {
				kernel := Kernel(&prog.Program, k, Options{})
				if err := ir.Verify(kernel); err != nil {
					t.Errorf("%s: %v\n%s", k.Name, err, kernel)
				}
				if again := Kernel(&prog.Program, k, Options{}); again.String() != kernel.String() {
					t.Errorf("%s: lowering twice gives two texts", k.Name)
				}
				got.Files = append(got.Files, txtar.File{Name: k.Name + ".ir", Data: []byte(kernel.String())})
			}
			for _, f := range ar.Files {
				if f.Name == "want" {
					got.Files = append(got.Files, f)
				}
			}
			compare(t, path, ar, got)
		})
	}
}

func testFiles(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no test files: %v", err)
	}
	return paths
}

func compare(t *testing.T, path string, want, got *txtar.Archive) {
	t.Helper()
	text := txtar.Format(got)
	if string(txtar.Format(want)) == string(text) {
		return
	}
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s differs; run go test -update and look at the difference. Now:\n%s", path, text)
}

// compile checks the source of a test file against its bindings.
func compile(t *testing.T, ar *txtar.Archive) *check.Program {
	t.Helper()
	prog, err := source(string(ar.Files[0].Data), string(ar.Comment))
	if err != nil {
		t.Fatal(err)
	}
	return prog
}

// source checks a source against bindings, one a line.
func source(text, bindings string) (*check.Program, error) {
	file, errs := syntax.Parse("test.ti", text, token.Position{})
	if len(errs) > 0 {
		return nil, errs
	}
	pkg, errs := check.Declare([]*syntax.File{file})
	if len(errs) > 0 {
		return nil, errs
	}
	host := &check.Host{Fields: map[string]check.HostField{}, Consts: map[string]check.HostConst{}}
	for line := range strings.Lines(bindings) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "" || name == "#" {
			continue
		}
		if err := bindTo(host, pkg, name, rest); err != nil {
			return nil, err
		}
	}
	prog, errs := pkg.Check(host)
	if len(errs) > 0 {
		return nil, errs
	}
	return prog, nil
}

// bindTo binds a name as a line of a test file says.
func bindTo(host *check.Host, pkg *check.Package, name, text string) error {
	for _, v := range pkg.Vars {
		if v.Name != name {
			continue
		}
		if f, ok := v.Type.(typed.FieldType); ok {
			lists := strings.Split(text, "]")
			h := check.HostField{Elem: f.Elem, Shape: ints(lists[0])}
			if len(lists) > 1 {
				h.Origin = ints(lists[1])
			}
			host.Fields[name] = h
			return nil
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return err
		}
		num := typed.FloatNum(n)
		if typed.ScalarOf(v.Type).IsInt() {
			num = typed.IntNum(int64(n))
		}
		host.Consts[name] = check.HostConst{Vals: []typed.Num{num}}
		return nil
	}
	return fmt.Errorf("the source declares no %s", name)
}

// ints reads "[8 8".
func ints(text string) []int {
	var ns []int
	for _, f := range strings.Fields(strings.Trim(text, " []")) {
		if n, err := strconv.Atoi(f); err == nil {
			ns = append(ns, n)
		}
	}
	return ns
}
