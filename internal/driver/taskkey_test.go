package driver

import (
	"reflect"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/llvm"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/target"
	"github.com/gotaichi/ti/internal/typed"

	"go/token"
)

// sourceOf checks a source whose fields of f32 are X, of 64 elements, and Y, of 128, each in a
// tree of its own.
func sourceOf(t *testing.T, text string) (*check.Program, Layout) {
	t.Helper()
	elem, err := layout.ElemOf(reflect.TypeFor[float32]())
	if err != nil {
		t.Fatal(err)
	}
	lay, host := Layout{}, &check.Host{Fields: map[string]check.HostField{}}
	for id, name := range []string{"X", "Y"} {
		size := 64 << id
		f := layout.NewField(elem)
		n, err := layout.NewTree(id).Root().Dense("i", size)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Place(f, 0, 1); err != nil {
			t.Fatal(err)
		}
		if err := f.Ready(); err != nil {
			t.Fatal(err)
		}
		lay[name] = Place{Field: f}
		host.Fields[name] = check.HostField{Elem: typed.F32, Shape: []int{size}, Origin: []int{0}}
	}
	file, errs := syntax.Parse("p.ti", "package p\nvar X, Y field[f32]\n"+text, token.Position{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	pkg, errs := check.Declare([]*syntax.File{file})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	p, errs := pkg.Check(host)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return p, lay
}

// taskKeys compiles kernel F and returns the keys of its tasks.
func taskKeys(t *testing.T, text string, o Options) []target.Key {
	t.Helper()
	p, lay := sourceOf(t, text)
	c, err := compile(p, "F", lay, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Keys) != len(c.Pieces) {
		t.Fatalf("%d keys for %d tasks", len(c.Keys), len(c.Pieces))
	}
	return c.Keys
}

// TestTaskKeys: the key of a task covers what changes its code and nothing else.
func TestTaskKeys(t *testing.T) {
	o := options(t, 3)
	const first = "func F(a f32, b f32) {\n\tfor i := range X {\n\t\tX[i] = a * sin(X[i]) + X[i+1]\n\t}\n}"
	want := taskKeys(t, first, o)[0]
	for name, text := range map[string]string{
		"other names":          "func F(speed f32, b f32) {\n\tfor point := range X {\n\t\tX[point] = speed * sin(X[point]) + X[point+1]\n\t}\n}",
		"other positions":      "\n// A comment.\n\nfunc F(a f32, b f32) {\n\n\tfor i := range X { X[i] = a * sin(X[i]) + X[i+1] }\n}",
		"another argument":     "func F(b f32, a f32) {\n\tfor i := range X {\n\t\tX[i] = a * sin(X[i]) + X[i+1]\n\t}\n}",
		"a result":             "func F(a f32) i32 {\n\tfor i := range X {\n\t\tX[i] = a * sin(X[i]) + X[i+1]\n\t}\n\treturn 3\n}",
		"a task before it":     "func F(a f32) {\n\tfor j := range Y {\n\t\tY[j] = cos(Y[j+2])\n\t}\n\tfor i := range X {\n\t\tX[i] = a * sin(X[i]) + X[i+1]\n\t}\n}",
		"a function, noinline": "//ti:noinline\nfunc G(x f32) f32 { return x * x }\nfunc F(a f32) {\n\tfor j := range Y {\n\t\tY[j] = G(Y[j+2])\n\t}\n\tfor i := range X {\n\t\tX[i] = a * sin(X[i]) + X[i+1]\n\t}\n}",
	} {
		if keys := taskKeys(t, text, o); !slices.Contains(keys, want) {
			t.Errorf("%s: another key", name)
		}
	}
	for name, text := range map[string]string{
		"another constant": "func F(a f32) {\n\tfor i := range X {\n\t\tX[i] = a * sin(X[i]) + X[i+2]\n\t}\n}",
		"another layout":   "func F(a f32) {\n\tfor i := range Y {\n\t\tY[i] = a * sin(Y[i]) + Y[i+1]\n\t}\n}",
		"another type":     "func F(a f64) {\n\tfor i := range X {\n\t\tX[i] = f32(a * sin(f64(X[i])) + f64(X[i+1]))\n\t}\n}",
		"another function": "func F(a f32) {\n\tfor i := range X {\n\t\tX[i] = a * cos(X[i]) + X[i+1]\n\t}\n}",
	} {
		if keys := taskKeys(t, text, o); slices.Contains(keys, want) {
			t.Errorf("%s: the same key", name)
		}
	}
	for name, change := range map[string]func(*Options){
		"no checks":   func(o *Options) { o.Unchecked = true },
		"IEEE order":  func(o *Options) { o.Strict = true },
		"level 1":     func(o *Options) { o.Level = 1 },
		"NaN checks":  func(o *Options) { o.CheckNaN = true },
		"another lib": func(o *Options) { o.Compiler = codegen.New(otherLib(t)) },
	} {
		other := o
		change(&other)
		if keys := taskKeys(t, first, other); keys[0] == want {
			t.Errorf("%s: the same key", name)
		}
	}
}

// otherLib returns a libLLVM of this machine that is not the usual one.
func otherLib(t *testing.T) *llvm.Lib {
	l := llvmtest.Library(t)
	for _, c := range llvm.Find() {
		if other, err := llvm.Open(c.Path); err == nil && other.Version() != l.Version() {
			return other
		}
	}
	t.Skip("there is only one libLLVM on this machine")
	return nil
}
