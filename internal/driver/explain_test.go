package driver_test

import (
	"flag"
	"fmt"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

var update = flag.Bool("update", false, "rewrite testdata")

// explainedPair is the elements of P.
type explainedPair struct {
	A float32
	B int32
}

// explained is a source with its fields: X, Y and Z of 4096 numbers, H of 16, Big of
// 4 million, V of 4096 contiguous triples, P of 64 pairs.
func explained(t *testing.T, name string) ([]*syntax.File, *check.Program, driver.Layout) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, errs := syntax.Parse("p.ti", string(text), token.Position{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	host, lay := &check.Host{Fields: map[string]check.HostField{}}, driver.Layout{}
	vec3 := typed.Array{Elem: typed.F32, Len: 3}
	for i, f := range []struct {
		name string
		typ  reflect.Type
		elem typed.Type
		n    int
	}{
		{"X", reflect.TypeFor[float32](), typed.F32, 4096}, {"Y", reflect.TypeFor[float32](), typed.F32, 4096},
		{"H", reflect.TypeFor[int32](), typed.I32, 16}, {"Big", reflect.TypeFor[float32](), typed.F32, 4 << 20},
		{"V", reflect.TypeFor[[3]float32](), vec3, 4096}, {"Z", reflect.TypeFor[float32](), typed.F32, 4096},
		{"P", reflect.TypeFor[explainedPair](), typed.NewStruct("pair", typed.StructField{Name: "A", Type: typed.F32}, typed.StructField{Name: "B", Type: typed.I32}), 64},
	} {
		elem, err := layout.ElemOf(f.typ)
		if err != nil {
			t.Fatal(err)
		}
		field, tree := layout.NewField(elem), layout.NewTree(i)
		n, err := tree.Root().Dense("i", f.n)
		if err == nil {
			err = n.Place(field, 0, len(elem.Comps))
		}
		if err == nil {
			err = field.Ready()
		}
		if err != nil {
			t.Fatal(err)
		}
		host.Fields[f.name] = check.HostField{Elem: f.elem, Shape: []int{f.n}, Origin: []int{0}}
		lay[f.name] = driver.Place{Field: field}
	}
	pkg, errs := check.Declare([]*syntax.File{file})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	p, errs := pkg.Check(host)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return []*syntax.File{file}, p, lay
}

// TestExplain compares what is said about a kernel without regard to LLVM, which
// differs from version to version.
func TestExplain(t *testing.T) {
	var got strings.Builder
	files, p, lay := explained(t, "testdata/explain.ti")
	explainAll(t, &got, files, p, lay)
	compareGolden(t, "testdata/explain.txt", got.String())
}

// TestExplainSparse compares what is said about accesses to sparse trees.
func TestExplainSparse(t *testing.T) {
	source, file := parsed(t, "testdata/explainsparse.ti")
	var got strings.Builder
	for _, kind := range []string{"pointer", "bitmasked", "deep", "hash"} {
		fmt.Fprintf(&got, "==== %s\n\n", kind)
		h := sparseHarnessOf(t, source, kind, 1)
		explainAll(t, &got, []*syntax.File{file}, h.p, h.lay)
	}
	fmt.Fprint(&got, "==== lists\n\n")
	p := plant(seed(layout.Pointer, "i", 4), seed(layout.Dynamic, "j", 100))
	p.build(t)
	host, lay := p.bound()
	source, file = parsed(t, "testdata/explainlists.ti")
	explainAll(t, &got, []*syntax.File{file}, plotProgram(t, source, &host), lay)
	compareGolden(t, "testdata/explainsparse.txt", got.String())
}

func parsed(t *testing.T, name string) (source string, file *syntax.File) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, errs := syntax.Parse("p.ti", string(text), token.Position{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return string(text), file
}

// explainAll writes what is said about each kernel.
func explainAll(t *testing.T, got *strings.Builder, files []*syntax.File, p *check.Program, lay driver.Layout) {
	t.Helper()
	for _, k := range p.Kernels {
		r, err := driver.Explain(&p.Program, k.Name, lay, driver.Options{Options: option.Options{Level: 3, Verify: true}, Compiler: codegen.New(nil)})
		if err != nil {
			t.Fatal(err)
		}
		r.Took = ""
		if err := r.Write(got, files); err != nil {
			t.Fatal(err)
		}
		got.WriteString("\n")
	}
}

func compareGolden(t *testing.T, golden, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("%v; go test -update writes what is said now:\n%s", err, got)
	}
}

// TestExplainCode looks at what is said about machine code.
func TestExplainCode(t *testing.T) {
	files, p, lay := explained(t, "testdata/explain.ti")
	for kernel, wants := range map[string][]string{
		"Scale": {`kernel Scale: 1 task, \d+ bytes of machine code and tables, compiled in [\d.]+m?s; no index needs a check`,
			`task 0: parallel over 4096 iterations, \d+ bytes; vectorised by LLVM, (4|8|16|32) iterations at once`},
		"Ticket":  {`one iteration at a time, because of an atomic \(line \d+\)`},
		"Escape":  {`runs in packets: (\d+) iterations at once`, `vectors of \d+ iterations`},
		"Scatter": {`an index check \(line \d+\)`},
		"Speak":   {`because of an assertion \(line \d+\) and text that is printed \(line \d+\)`},
	} {
		r, err := driver.Explain(&p.Program, kernel, lay, driver.TestOptions(t, 3))
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := r.Write(&text, files); err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !regexp.MustCompile(want).MatchString(text.String()) {
				t.Errorf("%s: nothing like %q in\n%s", kernel, want, text.String())
			}
		}
	}
}
