package driver_test

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"reflect"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/check"
	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/driver"
	"github.com/gotaichi/ti/internal/engine"
	"github.com/gotaichi/ti/internal/job"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/sparse"
	"github.com/gotaichi/ti/internal/syntax"
	"github.com/gotaichi/ti/internal/typed"
)

const sparseSource = `package p

var (
	X, Y field[f32, D2]
	B node
)

func Ring(lo, hi int) {
	for i, j := range ndrange(200, 150) {
		d := sqr(i-100) + sqr(j-75)
		if d >= lo && d < hi {
			X[i][j] = f32(i*1000 + j)
		}
	}
}

func Sum() (s f32, n, m int) {
	for p := range X {
		s += X[p]
		n += 1
	}
	for range B {
		m += 1
	}
	return
}

func Blur() {
	for i, j := range X {
		Y[i][j] = X[i-1][j] + X[i+1][j] + X[i][j-1] + X[i][j+1]
	}
}

func SumY() (s f32) {
	for p := range Y {
		s += Y[p]
	}
	return
}

func Spread() {
	for i, j := range X {
		if i < 190 && X[i][j] > 0 {
			X[i+9][j] += 1
		}
	}
}

func Drop() {
	for i, j := range B {
		if (i+j) % 2 == 0 {
			deactivate(B, i, j)
		}
	}
}

func Ask(i, j int) bool {
	return isActive(X, i, j)
}
`

// sparseHarness runs kernels on sparse trees without the root package.
type sparseHarness struct {
	t    *testing.T
	p    *check.Program
	lay  driver.Layout
	tree *sparse.Tree
	lt   *layout.Tree
	eng  *engine.Engine
	node *layout.Node
	kind string
	now  *launch.Kernel // that runs
}

func (h *sparseHarness) Prepare() { h.tree.Prepare() }
func (h *sparseHarness) List(node, outer int, masks bool) ([]uint64, int64, error) {
	f := &h.now.Fields[node]
	n := job.Layout(h.lay).Node(f.Name)
	return h.tree.List(n, outer, masks)
}
func (h *sparseHarness) Settle() error           { return h.tree.Settle() }
func (h *sparseHarness) Flush() error            { h.tree.Collect(); return nil }
func (h *sparseHarness) Room() int64             { return 1 << 30 }
func (h *sparseHarness) Dropped(n, first uint64) {}
func (h *sparseHarness) Record(site int, slots []uint64) {
	var idx []int
	for _, s := range slots[1:] {
		idx = append(idx, int(s))
	}
	h.tree.Deactivate(h.node, idx)
}

func newSparseHarness(t *testing.T, kind string, threads int) *sparseHarness {
	t.Helper()
	return sparseHarnessOf(t, sparseSource, kind, threads)
}

func sparseHarnessOf(t *testing.T, source, kind string, threads int) *sparseHarness {
	t.Helper()
	elem, err := layout.ElemOf(reflect.TypeFor[float32]())
	if err != nil {
		t.Fatal(err)
	}
	x, y := layout.NewField(elem), layout.NewField(elem)
	lt := layout.NewTree(0)
	var block, n, other *layout.Node // other is the node of y, n if nil
	must := func(m *layout.Node, err error) *layout.Node {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	hostKind := typed.NodeKind(0)
	switch kind {
	case "pointer":
		block = must(lt.Root().Pointer("ij", 25, 19))
		n = must(block.Dense("ij", 8))
	case "apart":
		block = must(lt.Root().Pointer("ij", 25, 19))
		n, other = must(block.Dense("ij", 8)), must(block.Dense("ij", 8))
	case "wide":
		block = must(lt.Root().Pointer("ij", 13, 10))
		n = must(block.Dense("ij", 16))
	case "bitmasked":
		block = must(lt.Root().Pointer("ij", 25, 19))
		n = must(block.Bitmasked("ij", 8))
		hostKind = typed.NodeKind(layout.Bitmasked)
	case "deep":
		block = must(must(lt.Root().Pointer("ij", 5, 4)).Pointer("ij", 5, 5))
		n = must(must(block.Bitmasked("ij", 4)).Dense("ij", 2))
	case "hash":
		block = must(lt.Root().Hash("ij"))
		n = must(block.Dense("ij", 8))
	case "list":
		block = must(lt.Root().Pointer("i", 200))
		n = must(block.Dynamic("j", 152))
		hostKind = typed.NodeKind(layout.Dynamic)
	case "mask":
		block = must(lt.Root().Bitmasked("ij", 25, 19))
		n = must(block.Dense("ij", 8))
	}
	if other == nil {
		other = n
	}
	if err := errors.Join(n.Place(x, 0, 1), other.Place(y, 0, 1), x.Ready(), y.Ready()); err != nil {
		t.Fatal(err)
	}
	cells, err := block.Cells()
	if err != nil {
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
	ints := func(v []int64) (out []int) {
		for _, n := range v {
			out = append(out, int(n))
		}
		return out
	}
	field := func(f *layout.Field, k typed.NodeKind) check.HostField {
		return check.HostField{Elem: typed.F32, Shape: ints(f.Shape()), Origin: ints(f.Origin()), Node: k, Sparse: true, Unbounded: kind == "hash", List: kind == "list" && f != cells}
	}
	node := field(cells, typed.NodeKind(block.Kind()))
	node.Elem = nil
	p, errs := pkg.Check(&check.Host{Fields: map[string]check.HostField{"X": field(x, hostKind), "Y": field(y, hostKind), "B": node}})
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	tree, err := sparse.New(lt, threads, sparse.NewBudget(1<<30), device.Process{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	h := &sparseHarness{t: t, p: p, lay: driver.Layout{"X": {Field: x}, "Y": {Field: y}, "B": {Field: cells}}, tree: tree, lt: lt, eng: engine.New(threads, &launch.Lock{}), node: block, kind: kind}
	t.Cleanup(h.eng.Close)
	return h
}

// run compiles and launches a kernel.
func (h *sparseHarness) run(o driver.Options, name string, args ...uint64) []uint64 {
	h.t.Helper()
	u, err := driver.Prepare(&h.p.Program, name, h.lay, o)
	if err != nil {
		h.t.Fatal(err)
	}
	c, err := u.Compile()
	if err != nil {
		h.t.Fatal(err)
	}
	bases := make([]launch.Base, len(c.Launch.Bases))
	for i := range bases {
		bases[i] = baseOf(h.tree, 0, h.lt.Bytes())
	}
	loaded, err := h.eng.Load(c.Launch, c.Pieces)
	if err != nil {
		h.t.Fatal(err)
	}
	code := loaded.Bind(launch.Data{Bases: bases, Trees: h, Sink: h, Seed: 1})
	h.now = c.Launch
	copy(code.Args(), args)
	fault, err := launch.Run(context.Background(), code, 1)
	if err != nil || fault != nil {
		h.t.Fatalf("%s: %v, %+v", name, err, fault)
	}
	return append([]uint64{}, code.Results()[:c.Launch.Results]...)
}

func TestSparseKernels(t *testing.T) {
	for i, kind := range []string{"pointer", "bitmasked", "deep", "hash", "mask"} {
		for _, level := range []int{0, 3} {
			for n, threads := range []int{1, 3} {
				if level == 0 && n != i%2 && !randtest.All() {
					continue
				}
				t.Run(fmt.Sprint(kind, level, threads), func(t *testing.T) {
					h := newSparseHarness(t, kind, threads)
					h.check(driver.TestOptions(t, level))
				})
			}
		}
	}
}

// check compares with sets and maps.
func (h *sparseHarness) check(o driver.Options) {
	t := h.t
	spanI, spanJ := 8, 8
	want, active := map[[2]int]float32{}, map[[2]int]bool{}
	cell := func(i, j int) [2]int { return [2]int{i / spanI, j / spanJ} }
	h.run(o, "Ring", 30*30, 50*50)
	for i := range 200 {
		for j := range 150 {
			if d := (i-100)*(i-100) + (j-75)*(j-75); d >= 900 && d < 2500 {
				want[[2]int{i, j}] = float32(i*1000 + j)
				active[cell(i, j)] = true
			}
		}
	}
	sum := func() (s float64) {
		for _, v := range want {
			s += float64(v)
		}
		return s
	}
	f := func(bits uint64) float64 { return float64(*(*float32)(unsafe.Pointer(&bits))) }
	near := func(what string, got, want float64) {
		t.Helper()
		if d := got - want; d > 1e-4*want || d < -1e-4*want {
			t.Errorf("%s is %v, not %v", what, got, want)
		}
	}
	r := h.run(o, "Sum")
	near("the sum", f(r[0]), sum())
	if int(r[2]) != len(active) {
		t.Errorf("%d cells of the node are active, not %d", r[2], len(active))
	}
	if h.kind != "bitmasked" && h.kind != "deep" && int(r[1]) != 64*len(active) {
		t.Errorf("%d elements are active, not %d", r[1], 64*len(active))
	}
	h.run(o, "Blur")
	blur := 0.0
	for i := range 200 {
		for j := range 150 {
			a := h.tree.ActiveAt(h.lay["X"].Field.Access(0), []int{i, j})
			if a {
				blur += float64(want[[2]int{i - 1, j}]) + float64(want[[2]int{i + 1, j}]) + float64(want[[2]int{i, j - 1}]) + float64(want[[2]int{i, j + 1}])
			}
			got := h.run1(o, i, j)
			if got != a {
				t.Fatalf("isActive(%d, %d) is %v", i, j, got)
			}
		}
	}
	near("the sum of neighbours", f(h.run(o, "SumY")[0]), blur)
	h.run(o, "Spread")
	n := 0
	for k, v := range want {
		if v > 0 && k[0] < 190 {
			n++
		}
	}
	near("the sum after more", f(h.run(o, "Sum")[0]), sum()+float64(n))
	before := h.tree.BytesInUse()
	h.run(o, "Drop")
	r = h.run(o, "Sum")
	count, err := h.tree.Count(h.node)
	if err != nil || int(r[2]) != count {
		t.Errorf("%d cells are left, not %d, %v", r[2], count, err)
	}
	_ = before
}

// run1 tests only a few cells, since compiling takes long.
func (h *sparseHarness) run1(o driver.Options, i, j int) bool {
	a := h.tree.ActiveAt(h.lay["X"].Field.Access(0), []int{i, j})
	if (i*150+j)%7919 != 0 {
		return a
	}
	return h.run(o, "Ask", uint64(i), uint64(j))[0] != 0
}

// baseOf is memory of a tree, from an offset behind its root on.
func baseOf(t *sparse.Tree, offset, bytes int64) launch.Base {
	area, root := t.Root()
	return launch.Base{Area: area, Offset: root + offset, Bytes: bytes}
}
