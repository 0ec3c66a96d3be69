package driver

import (
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/llvm/llvmtest"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

const source = `package p

var X field[f32]

func Smooth(k f32) f32 {
	s := f32(0)
	for i := range span(1, len(X)-1) {
		X[i] += k * sin(X[i-1]+X[i+1])
		s += X[i]
	}
	return s
}

func Nothing() {}
`

// program checks source against a field of 64 elements in blocks.
func program(t *testing.T) (*check.Program, Layout) {
	t.Helper()
	elem, err := layout.ElemOf(reflect.TypeFor[float32]())
	if err != nil {
		t.Fatal(err)
	}
	f := layout.NewField(elem)
	tree := layout.NewTree(0)
	n, err := tree.Root().Dense("i", 64)
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Place(f, 0, 1); err != nil {
		t.Fatal(err)
	}
	if err := f.Ready(); err != nil {
		t.Fatal(err)
	}
	file, errs := syntax.Parse("p.ti", source, token.Position{})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	pkg, errs := check.Declare([]*syntax.File{file})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	p, errs := pkg.Check(&check.Host{Fields: map[string]check.HostField{"X": {Elem: typed.F32, Shape: []int{64}, Origin: []int{0}}}})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return p, Layout{"X": {Field: f}}
}

func options(t *testing.T, level int) Options {
	t.Helper()
	lib := llvmtest.Library(t)
	return Options{Options: option.Options{Level: level, Verify: true}, Compiler: codegen.New(lib)}
}

// TestSameBytes compiles twice and compares the objects.
// compile takes a kernel all the way.
func compile(p *check.Program, name string, lay Layout, o Options) (*Compiled, error) {
	u, err := Prepare(&p.Program, name, lay, o)
	if err != nil {
		return nil, err
	}
	return u.Compile()
}

func TestSameBytes(t *testing.T) {
	p, lay := program(t)
	for _, level := range []int{0, 3} {
		a, err := compile(p, "Smooth", lay, options(t, level))
		if err != nil {
			t.Fatal(err)
		}
		b, err := compile(p, "Smooth", lay, options(t, level))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a.Pieces, b.Pieces) || !slices.Equal(a.Keys, b.Keys) || len(a.Pieces) != len(a.Launch.Tasks) || len(a.Pieces) == 0 {
			t.Errorf("level %d: %d and %d pieces", level, len(a.Pieces), len(b.Pieces))
		}
	}
}

func TestKernelWithoutTasks(t *testing.T) {
	p, lay := program(t)
	c, err := compile(p, "Nothing", lay, options(t, 3))
	if err != nil || len(c.Launch.Tasks) != 0 || len(c.Pieces) != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := compile(p, "None", lay, options(t, 3)); err == nil || !strings.Contains(err.Error(), "no kernel None") {
		t.Error(err)
	}
}

func TestDumpEveryStage(t *testing.T) {
	p, lay := program(t)
	o := options(t, 3)
	visited := map[string]bool{}
	for _, s := range Stages(o.Compiler) {
		if visited[s] {
			t.Errorf("stage %s twice", s)
		}
		visited[s] = true
		text, err := Dump(&p.Program, "Smooth", lay, o, s)
		if err != nil || !strings.Contains(text, "Smooth") && s != "asm" && s != "llvm" && s != "opt" && s != "object" {
			t.Errorf("%s: %v, %d bytes", s, err, len(text))
		}
	}
	if _, err := Dump(&p.Program, "Smooth", lay, o, "nonsense"); err == nil || !strings.Contains(err.Error(), "the stages are lower,") {
		t.Error(err)
	}
	stages, err := Trace(&p.Program, "Smooth", lay, o)
	if err != nil || len(stages) < 6 || stages[0].Name != "lower" || stages[len(stages)-1].Name != "asm" {
		t.Errorf("%d stages, %v", len(stages), err)
	}
}

func TestLayout(t *testing.T) {
	_, lay := program(t)
	f := &ir.Field{Name: "X"}
	if k, n, ok := lay.Uniform(0); k != ir.F32 || n != 256 || !ok {
		t.Errorf("%v, %v, %v", k, n, ok)
	}
	if _, _, ok := lay.Uniform(7); ok {
		t.Error("a tree that is not there")
	}
	if a := lay.Access(f, 0); a.Offset([]int{3}) != 12 || len(lay.Nest(f)) != 1 {
		t.Errorf("%+v, %v", a, lay.Nest(f))
	}
}

// TestPanicBecomesError hands over a program that no checker would.
func TestPanicBecomesError(t *testing.T) {
	bad := &typed.Program{Kernels: []*typed.Func{{Name: "Bad", Body: nil}}}
	_, err := Lower(bad, "Bad", Options{})
	if err == nil || !strings.Contains(err.Error(), "internal error while compiling kernel Bad") {
		t.Error(err)
	}
}

// TestUnitStays compiles a unit twice, and gets its tasks before and after.
func TestUnitStays(t *testing.T) {
	p, lay := program(t)
	u, err := Prepare(&p.Program, "Smooth", lay, options(t, 3))
	if err != nil {
		t.Fatal(err)
	}
	var splits []string
	var pieces [][]launch.Piece
	for range 2 {
		k, err := u.Split()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(k.Tasks, func(t *ir.Task) bool { return len(t.States) > 0 }) {
			t.Errorf("the split has no tasks, or they do nothing:\n%s", k)
		}
		splits = append(splits, k.String())
		c, err := u.Compile()
		if err != nil {
			t.Fatal(err)
		}
		pieces = append(pieces, c.Pieces)
	}
	if splits[0] != splits[1] || !reflect.DeepEqual(pieces[0], pieces[1]) {
		t.Errorf("the second compilation differs; tasks:\n%s\n%s", splits[0], splits[1])
	}
}
