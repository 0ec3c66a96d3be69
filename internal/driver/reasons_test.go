package driver_test

import (
	"reflect"
	"testing"

	"github.com/gotaichi/ti/internal/check"
	codegen "github.com/gotaichi/ti/internal/codegen/llvm"
	"github.com/gotaichi/ti/internal/codegen/spirv"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/target"
)

// TestEveryReason closes the table of what is said to people: each reason is said of some
// kernel of testdata.
func TestEveryReason(t *testing.T) {
	said := map[note.Reason]bool{}
	explain := func(p *check.Program, lay driver.Layout, o driver.Options) {
		for _, k := range p.Kernels {
			r, err := driver.Explain(&p.Program, k.Name, lay, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range r.Notes {
				for _, of := range n.Of {
					said[of] = true
				}
			}
			for _, task := range r.Tasks {
				for _, c := range task.Obstacle {
					said[c.Reason] = true
				}
			}
		}
	}
	ask := func(p *check.Program, lay driver.Layout, o option.Options) {
		explain(p, lay, driver.Options{Options: o, Compiler: codegen.New(nil)})
	}
	usual := option.Options{Level: 3}
	inOrder := option.Options{Level: 3, Deterministic: true, Threads: 4, Strict: true}
	for _, name := range []string{"testdata/explain.ti", "testdata/reasons.ti"} {
		_, p, lay := explained(t, name)
		ask(p, lay, usual)
		ask(p, lay, inOrder)
		ask(p, lay, option.Options{Level: 3, Without: option.Predication})
		streams := driver.TestOptions(t, 3)
		streams.StreamFrom = 1
		explain(p, lay, streams)
		compiled := driver.TestOptions(t, 1)
		explain(p, lay, compiled)
		compiled.Debug = true
		explain(p, lay, compiled)
	}
	_, scalar, scalarLay := explained(t, "testdata/alone.ti")
	for _, strict := range []bool{false, true} {
		explain(scalar, scalarLay, driver.Options{Options: option.Options{Level: 3, Strict: strict}, Compiler: lone{codegen.New(nil)}})
	}
	_, long, longLay := explained(t, "testdata/longbody.ti")
	ask(long, longLay, usual)
	planes, planesLay := planeProgram(t)
	ask(planes, planesLay, usual)
	packed, packedLay := packedProgram(t)
	ask(packed, packedLay, usual)
	for _, c := range bitKernels {
		p, lay := bitsProgram(t, bitKernel("F", c.loop, false))
		ask(p, lay, usual)
	}
	source, _ := parsed(t, "testdata/explainsparse.ti")
	for _, kind := range []string{"pointer", "bitmasked", "deep", "hash"} {
		h := sparseHarnessOf(t, source, kind, 1)
		ask(h.p, h.lay, usual)
		explain(h.p, h.lay, driver.Options{Options: usual, Compiler: spirv.Compiler{}})
	}
	for _, w := range reasonWorlds {
		p := plantLevels(w.levels)
		p.build(t)
		host, lay := p.bound()
		for _, o := range []option.Options{usual, inOrder, {Level: 3, Threads: 4}, {Level: 3, Threads: 1}, {Level: 3, Without: w.without}} {
			ask(plotProgram(t, w.source, &host), lay, o)
		}
	}
	for _, launches := range []string{"Copy:1 Increment:2 Smooth Copy:3 Next:1", "Increment:1 Smooth"} {
		r, err := linkedUnit(t, launches, driver.Options{Options: usual, Compiler: codegen.New(nil)}).Explain()
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range r.Notes {
			for _, of := range n.Of {
				said[of] = true
			}
		}
	}
	_, p, lay := explained(t, "testdata/explaingrad.ti")
	explain(p, lay, driver.Options{Options: usual, Compiler: codegen.New(nil), Derivative: derivativeIn(t, lay)})
	for _, r := range note.Reasons() {
		if !said[r] {
			t.Errorf("no kernel of testdata is told %q", r)
		}
	}
}

// lone is a compiler of which nothing but the passes makes vectors.
type lone struct{ target.Compiler }

func (c lone) Traits() target.Traits {
	t := c.Compiler.Traits()
	t.Has |= target.Alone
	t.GatherCost = 2
	return t
}

// derivativeIn compiles adjoints of X, Y and Z, whose fields it places.
func derivativeIn(t *testing.T, lay driver.Layout) *driver.Derivative {
	t.Helper()
	for i, f := range []struct {
		name string
		typ  reflect.Type
		n    int
	}{
		{"X.grad", reflect.TypeFor[float32](), 4096}, {"Y.grad", reflect.TypeFor[float32](), 4096},
		{"Z.grad", reflect.TypeFor[float32](), 4096},
		{"Y.key", reflect.TypeFor[int64](), 4096}, {"old values", reflect.TypeFor[int64](), 1 << 16},
	} {
		elem, err := layout.ElemOf(f.typ)
		if err != nil {
			t.Fatal(err)
		}
		field := layout.NewField(elem)
		n, err := layout.NewTree(100+i).Root().Dense("i", f.n)
		if err == nil {
			err = n.Place(field, 0, len(elem.Comps))
		}
		if err == nil {
			err = field.Ready()
		}
		if err != nil {
			t.Fatal(err)
		}
		lay[f.name] = driver.Place{Field: field}
	}
	return &driver.Derivative{
		Of: map[string]string{"X": "X.grad", "Y": "Y.grad", "Z": "Z.grad"}, Keys: map[string]string{"Y": "Y.key"}, Record: "old values", RecordSize: 1 << 16,
	}
}

// A level is a node of a sparse tree.
type level struct {
	kind  layout.NodeKind
	axes  string
	sizes []int64
}

// plantLevels is a tree of nodes in one another.
func plantLevels(levels []level) *plot {
	var nodes []*plotNode
	for _, l := range levels {
		nodes = append(nodes, seed(l.kind, l.axes, l.sizes...))
	}
	return plant(nodes...)
}

// reasonWorlds are sparse trees with the fields X0 and X1, and kernels on them.
var reasonWorlds = []struct {
	levels  []level
	without option.Switches
	source  string
}{
	{[]level{{layout.Pointer, "i", []int64{4}}, {layout.Dynamic, "j", []int64{100}}}, 0, `package p

var (
	X0, X1 field[i32, D2]
	N0     node
)

func Sort(n int) {
	for p := range n {
		append(X0[p%4], p)
	}
}

func Own() {
	for c := range 4 {
		append(X0[c], c)
	}
}

func Measure() (s int) {
	for c := range N0 {
		s += len(X0[c])
		clear(X0[c])
	}
	return s
}

func Add() {
	for i, k := range config(X0, blockLocal(X1)) {
		X0[i][k] += X1[i][k]
	}
}

func Divergent() {
	for i, k := range ndrange(4, 64) {
		z := k
		for z < 1000 {
			z = z*2 + len(X0[i])
			append(X1[i], z)
			clear(X1[i])
		}
	}
}
`},
	{[]level{{layout.Pointer, "ijk", []int64{4, 4, 4}}, {layout.Dense, "ijk", []int64{16, 32, 32}}}, option.Scratch, `package p

var (
	X0, X1 field[i32, D3]
	N0, N1 node
)

func Large(a, b ivec3) (s int) {
	for p := range config(X0, blockLocal(X0)) {
		s += X0[p+clamp(a, -4, 4)] + X1[p+clamp(b, -4, 4)]
	}
	return
}
`},
	{[]level{{layout.Pointer, "ij", []int64{8, 8}}, {layout.Bitmasked, "ij", []int64{16, 16}}}, option.Scratch, `package p

var (
	X0, X1 field[i32, D2]
	N0, N1 node
)

func Local() {
	for i, j := range config(X0, blockLocal(X0)) {
		X1[i][j] = X0[i-1][j] + X0[i+1][j]
	}
}

func InOrder() {
	for i, j := range serial(config(X0, blockLocal(X0))) {
		X1[i][j] = X0[i-1][j] + X0[i+1][j]
	}
}

func Moving() {
	for i, j := range config(X0, blockLocal(X0)) {
		X1[i+1][j] = X0[i-1][j] + X0[i+1][j]
	}
}

func Blocks() {
	for i, j := range config(N0, blockLocal(X0)) {
		X1[16*i][16*j] = X0[16*i-1][16*j]
	}
}

func Far() {
	for i, j := range config(X0, blockLocal(X0)) {
		X1[i][j] = X0[i-4][j-4] + X0[i+4][j+4]
	}
}

func Rows() (s int) {
	for k := range 100 {
		for i, j := range X0 {
			s += k * X0[i][j]
		}
	}
	return s
}

func Ask() {
	for i, j := range ndrange(64, 64) {
		z := j
		for z < 1000 {
			z = 2*z + 1
			if isActive(X0, i, z&63) {
				activate(N1, i, j)
			} else {
				deactivate(N1, i, j)
			}
		}
	}
}

func Scatter() (s i32) {
	for i := range 64 {
		for k := range 64 {
			h := (k + i) * 0x1e3779b1
			s += X0[(h>>5)&127][(h>>14)&127]
		}
	}
	return s
}

func Spread() {
	for i := range 64 {
		X0[(i*i)&63][(i*7)&63] += 1
	}
}
`},
	{[]level{{layout.Pointer, "ij", []int64{2, 2}}, {layout.Dense, "ij", []int64{8, 8}}}, 0, `package p

var X0, X1 field[i32, D2]

func Edge() {
	for i, j := range config(X0, blockLocal(X0)) {
		X1[i][j] = X0[i-1][j] + X0[i+1][j]
	}
}
`},
	{[]level{{layout.Pointer, "ij", []int64{8, 8}}, {layout.Dense, "ij", []int64{128, 128}}}, 0, `package p

var X0, X1 field[i32, D2]

func Wide() {
	for i, j := range config(X0, blockLocal(X0)) {
		X1[i][j] = X0[i-1][j] + X0[i+1][j]
	}
}
`},
	{[]level{{layout.Pointer, "ij", []int64{8, 8}}, {layout.Dense, "ij", []int64{8, 8}}}, 0, `package p

var X0, X1 field[i32, D2]

func Apart() {
	for i, j := range config(X0, blockLocal(X1)) {
		X1[i][j] = X0[i-1][j] + X0[i+1][j]
	}
}

func Scatter() (sum int) {
	for i := range 64 {
		s := 0
		for k := range 64 {
			h := u32(64*i+k) * 2654435761
			s += X0[i32(h&63)][i32(h>>6&63)]
		}
		sum += s * s
	}
	return sum
}
`},
	{[]level{{layout.Pointer, "ij", []int64{4, 4}}, {layout.Dense, "ij", []int64{1024, 1024}}}, 0, `package p

var X0, X1 field[i32, D2]

func Large() {
	for i, j := range config(X0, blockLocal(X0)) {
		X1[i][j] = X0[i-1][j] + X0[i+1][j]
	}
}
`},
}
