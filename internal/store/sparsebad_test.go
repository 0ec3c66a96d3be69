package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestSparseLayoutMistakes makes every mistake that a tree with sparse nodes can have.
func TestSparseLayoutMistakes(t *testing.T) {
	tests := []struct {
		name       string
		build      func(t *ti.Tree)
		code, want string
	}{
		{"no size", func(t *ti.Tree) { t.Pointer(ti.IJ).Place(new(ti.Field[float32])) }, "TI0801", "size values"},
		{"size 0", func(t *ti.Tree) { t.Bitmasked(ti.I, 0) }, "TI0801", "size 0 along axis i"},
		{"negative", func(t *ti.Tree) { t.Hash(ti.IJ, 4, -1) }, "TI0801", "size -1 along axis j"},
		{"no cells", func(t *ti.Tree) { t.Dynamic(ti.I, 0) }, "TI0801", "size 0"},
		{"overflow", func(t *ti.Tree) { t.Pointer(ti.I, 1<<20).Pointer(ti.I, 1<<20) }, "TI0803", "1099511627776"},
		{"overflow of int64", func(t *ti.Tree) { t.Pointer(ti.I, 1<<62) }, "TI0803", "axis i"},
		{"overflow below a hash", func(t *ti.Tree) { t.Hash(ti.I).Dense(ti.I, 1<<40) }, "TI0803", "axis i"},
		{"axis twice", func(t *ti.Tree) { t.Pointer("ii", 4) }, "TI0802", "twice"},
		{"unknown axis", func(t *ti.Tree) { t.Hash("x") }, "TI0802", "'x' is not an axis"},
		{"list axis twice", func(t *ti.Tree) { t.Dense(ti.I, 4).Dynamic(ti.I, 8) }, "TI0802", "axis i of a dynamic node is used"},
		{"list axis first", func(t *ti.Tree) { t.Dense(ti.J, 4).Dynamic(ti.I, 8) }, "TI0802", "comes before axis j"},
		{"two list axes", func(t *ti.Tree) { t.Dynamic(ti.IJ, 8) }, "TI0802", "one axis"},
		{"dense in a list", func(t *ti.Tree) { t.Dynamic(ti.I, 8).Dense(ti.J, 4).Place(new(ti.Field[float32])) }, "TI0801", "dynamic node has a dense node below"},
		{"list in a list", func(t *ti.Tree) { t.Dynamic(ti.I, 8).Dynamic(ti.J, 4) }, "TI0801", "dynamic node has a dynamic node"},
		{"hash below dense", func(t *ti.Tree) { t.Dense(ti.I, 8).Hash(ti.J, 4) }, "TI0801", "directly below the tree"},
		{"origin without bounds", func(t *ti.Tree) { t.Origin(ti.I, -4).Hash(ti.I) }, "TI0802", "no lowest index"},
		{"origin of a list", func(t *ti.Tree) { t.Origin(ti.J, -4).Dense(ti.I, 4).Dynamic(ti.J, 8) }, "TI0802", "a list begins with element 0"},
		{"origin of a list after it", func(t *ti.Tree) { t.Dense(ti.I, 4).Dynamic(ti.J, 8); t.Origin(ti.IJ, 4) }, "TI0802", "axis j of a dynamic node has an Origin"},
		{"chunk of a pointer", func(t *ti.Tree) { t.Pointer(ti.I, 8).Chunk(4) }, "TI0801", "no chunks"},
		{"chunk of 0", func(t *ti.Tree) { t.Dynamic(ti.I, 8).Chunk(0) }, "TI0801", "chunks of 0 cells"},
		{"order of a list", func(t *ti.Tree) { t.Dynamic(ti.I, 8).Morton() }, "TI0801", "no order"},
		{"order of a hash", func(t *ti.Tree) { t.Hash(ti.I, 8).Morton() }, "TI0801", "no order"},
		{"placed twice", func(t *ti.Tree) { y := new(ti.Field[float32]); t.Pointer(ti.I, 8).Place(y, y) }, "TI0804", "placed already"},
		{"after a mistake", func(t *ti.Tree) { t.Pointer(ti.I, 0).Dense(ti.I, 4).Bitmasked(ti.I, 3).Chunk(3).Morton() }, "TI0801", "size 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := titest.New(t, ti.Config{Arch: ti.Oracle}).NewTree()
			tt.build(tree)
			var list ti.SourceErrors
			if err := tree.Err(); !errors.As(err, &list) || len(list) != 1 || !errors.Is(err, ti.ErrLayout) {
				t.Fatalf("error %v", err)
			}
			if text := list.Error(); !strings.Contains(text, tt.code) || !strings.Contains(text, tt.want) || !strings.Contains(text, "sparsebad_test.go:") {
				t.Errorf("%s", text)
			}
		})
	}
}

// TestSparseHostMistakes uses fields and nodes wrongly.
func TestSparseHostMistakes(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var x, list, far ti.Field[float32]
	tree := rt.NewTree().Origin(ti.IJ, -8)
	block := tree.Pointer(ti.IJ, 4)
	block.Dense(ti.IJ, 4).Place(&x)
	lists := rt.NewTree().Dense(ti.I, 4).Dynamic(ti.J, 10).Place(&list)
	rt.NewTree().Hash(ti.I).Place(&far)
	panics := func(name, want string, f func()) {
		t.Helper()
		defer func() {
			p := recover()
			text, _ := p.(string)
			if err, ok := p.(error); ok {
				text = err.Error()
			}
			if !strings.Contains(text, want) {
				t.Errorf("%s: panic %v, want %q", name, p, want)
			}
		}()
		f()
	}
	panics("a node of no tree", "a Node of no tree", func() { new(ti.Node).Count() })
	panics("a field in a node of no tree", "a Node of no tree", func() { new(ti.Node).Dense(ti.I, 3).Place(&x) })
	panics("read outside", "index [8 0] out of range", func() { x.At(8, 0) })
	panics("write outside", "axis 1 runs from -8 to 7", func() { x.Set(1, 0, -9) })
	panics("one index", "1 indices [3]", func() { x.At(3) })
	panics("nine indices", "9 indices", func() { x.Set(1, 1, 1, 1, 1, 1, 1, 1, 1, 1) })
	panics("cell outside", "index [2 0] out of range", func() { block.Active(2, 0) })
	panics("length of no list", "pointer node, which has no lists", func() { block.Len(0, 0) })
	panics("length with too many indices", "2 indices [0 0] for a list of the dynamic node, which takes 1", func() { lists.Len(0, 0) })
	panics("length outside", "out of range", func() { lists.Len(4) })
	panics("list overflow", "index [0 10] out of range", func() { list.Set(1, 0, 10) })
	if err := far.CopyTo(make([]float32, 9)); !errors.Is(err, ti.ErrLayout) || !strings.Contains(err.Error(), "no bounds") {
		t.Errorf("copying a field without bounds: %v", err)
	}
	if err := x.CopyFrom(make([]float32, 9)); !errors.Is(err, ti.ErrArgs) {
		t.Errorf("too few elements: %v", err)
	}
	x.Set(1, 0, 0)
	for range block.Cells() { // closing the tree ends the iteration
		if err := tree.Close(); err != nil {
			t.Fatal(err)
		}
	}
	panics("read after close", "closed", func() { x.At(0, 0) })
	panics("write after close", "closed", func() { x.Set(1, 0, 0) })
	panics("count after close", "closed", func() { block.Count() })
	panics("clear after close", "closed", func() { block.Clear() })
	if err := x.CopyTo(make([]float32, 256)); !errors.Is(err, ti.ErrClosed) || tree.Bytes() != 0 {
		t.Errorf("copy after close: %v; %d bytes", err, tree.Bytes())
	}
}

// TestLargeRoot has a tree whose pointers alone are more than there is memory for.
func TestLargeRoot(t *testing.T) {
	rt := titest.New(t, ti.Config{MemoryLimit: 1 << 20})
	var x, y ti.Field[int8]
	rt.NewTree().Pointer(ti.IJ, 512).Dense(ti.IJ, 8).Place(&x)
	if err := x.CopyTo(nil); !errors.Is(err, ti.ErrMemory) || !strings.Contains(err.Error(), "a tree needs 2097") || !strings.Contains(err.Error(), "before anything in it is active, other trees have 0, and Config.MemoryLimit is 1048576; put larger pointer cells above its outermost nodes, or use a hash node") {
		t.Errorf("the error is %v", err)
	}
	rt.NewTree().Pointer(ti.IJ, 32).Pointer(ti.IJ, 16).Dense(ti.IJ, 8).Place(&y)
	y.Set(1, 4095, 4095)
}

// TestSparseMemoryLimit activates more than there is memory for, from the host and in a
// kernel, and goes on with what there is.
func TestSparseMemoryLimit(t *testing.T) {
	rt := titest.New(t, ti.Config{MemoryLimit: 8 << 20})
	var h struct {
		X    ti.Field[float32]
		Grow func(n int) error
		Sum  func() float32
	}
	block := rt.NewTree().Pointer(ti.I, 1<<14)
	block.Dense(ti.I, 1024).Place(&h.X)
	if err := rt.Load("package p\nvar X field[f32]\nfunc Grow(n int) {\n\tfor i := range n {\n\t\tX[i*1024] = 1\n\t}\n}\nfunc Sum() (s f32) {\n\tfor i := range X {\n\t\ts += X[i]\n\t}\n\treturn\n}", &h); err != nil {
		t.Fatal(err)
	}
	if err := h.Grow(100); err != nil || h.Sum() != 100 || block.Count() != 100 {
		t.Fatalf("%v, sum %v of %d", err, h.Sum(), block.Count())
	}
	err := h.Grow(1 << 14)
	if !errors.Is(err, ti.ErrMemory) || !strings.Contains(err.Error(), "Grow ended early") || !strings.Contains(err.Error(), "and Config.MemoryLimit is 8388608") {
		t.Errorf("beyond the limit: %v", err)
	}
	if s := h.Sum(); s < 100 || s != float32(block.Count()) || h.X.Tree().Bytes() > 10<<20 {
		t.Errorf("sum %v of %d blocks, %d bytes", s, block.Count(), h.X.Tree().Bytes())
	}
	func() {
		defer func() {
			if err, _ := recover().(error); !errors.Is(err, ti.ErrMemory) {
				t.Errorf("Set beyond the limit: %v", err)
			}
		}()
		for i := range 1 << 14 {
			h.X.Set(1, i*1024)
		}
	}()
	block.Clear()
	if err := h.Grow(100); err != nil || h.Sum() != 100 {
		t.Errorf("after Clear: %v, sum %v", err, h.Sum())
	}
}
