package store_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// speck is an element with padding.
type speck struct {
	Kind int8
	Pos  ti.Vec2
}

// sparseTrees are places for a 16×12 field that holds all kinds of nodes.
var sparseTrees = []struct {
	name  string
	place func(t *ti.Tree, f ti.AnyField) *ti.Node
}{
	{"pointer", func(t *ti.Tree, f ti.AnyField) *ti.Node { return t.Pointer(ti.IJ, 16, 12).Place(f) }},
	{"pointer-dense", func(t *ti.Tree, f ti.AnyField) *ti.Node { return t.Pointer(ti.IJ, 4, 3).Dense(ti.JI, 4).Place(f) }},
	{"bitmasked", func(t *ti.Tree, f ti.AnyField) *ti.Node { return t.Bitmasked(ti.IJ, 16, 12).Place(f) }},
	{"dense-bitmasked", func(t *ti.Tree, f ti.AnyField) *ti.Node { return t.Dense(ti.J, 12).Bitmasked(ti.I, 16).Place(f) }},
	{"pointer-pointer-dense", func(t *ti.Tree, f ti.AnyField) *ti.Node {
		return t.Pointer(ti.IJ, 2, 3).Pointer(ti.IJ, 4, 2).Dense(ti.IJ, 2).Place(f)
	}},
	{"pointer-bitmasked", func(t *ti.Tree, f ti.AnyField) *ti.Node { return t.Pointer(ti.JI, 3, 4).Bitmasked(ti.IJ, 4).Place(f) }},
	{"hash-dense", func(t *ti.Tree, f ti.AnyField) *ti.Node { return t.Hash(ti.IJ, 8, 6).Dense(ti.IJ, 2).Place(f) }},
	{"morton", func(t *ti.Tree, f ti.AnyField) *ti.Node {
		return t.Dense(ti.J, 3).Pointer(ti.IJ, 8, 2).Morton().Dense(ti.IJ, 2).Place(f)
	}},
	{"dynamic", func(t *ti.Tree, f ti.AnyField) *ti.Node {
		return t.Pointer(ti.I, 16).Dynamic(ti.J, 12).Chunk(5).Place(f)
	}},
}

// TestSparseField writes and reads single elements in trees of all kinds and compares
// with a map.
func TestSparseField(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	for _, k := range sparseTrees {
		t.Run(k.name, func(t *testing.T) {
			var f ti.Field[speck]
			tree := rt.NewTree().Origin(ti.I, -8)
			node := k.place(tree, &f)
			want := map[ti.Index]speck{}
			for n := range 20 {
				i, j := n*7%16-8, n*5%12
				v := speck{Kind: int8(n), Pos: ti.Vec2{float32(n), 0.5}}
				f.Set(v, i, j)
				want[ti.Index{i, j}] = v
			}
			if k.name == "dynamic" { // a list is active up to its last element
				for p := range maps.Clone(want) {
					for j := range p[1] {
						if q := (ti.Index{p[0], j}); want[q] == (speck{}) {
							want[q] = speck{}
						}
					}
				}
			}
			for i := -8; i < 8; i++ {
				for j := range 12 {
					if got := f.At(i, j); got != want[ti.Index{i, j}] {
						t.Fatalf("[%d %d]: %v, want %v", i, j, got, want[ti.Index{i, j}])
					}
				}
			}
			visited, anyOf := map[ti.Index]bool{}, map[ti.Index]any{}
			for p, v := range f.All() {
				if v != want[p] || visited[p] {
					t.Errorf("%v: %v, want %v; visited before: %v", p, v, want[p], visited[p])
				}
				visited[p] = true
				anyOf[p] = nil
				if !node.Active(p[:2]...) {
					t.Errorf("%v is visited and not active", p)
				}
			}
			for p, v := range ti.AllOf(&f) {
				if before, ok := anyOf[p]; !ok || before != nil || v != any(want[p]) {
					t.Errorf("%v: AllOf gives %v, want %v", p, v, want[p])
				}
				anyOf[p] = v
			}
			for p := range want {
				if anyOf[p] == nil {
					t.Errorf("AllOf does not have %v", p)
				}
				if !visited[p] {
					t.Errorf("%v is not visited", p)
				}
			}
			if n := node.Count(); n != len(visited) {
				t.Errorf("%d cells are active, %d visited", n, len(visited))
			}
			if cells := slices.Collect(node.Cells()); len(cells) != len(visited) {
				t.Errorf("%d cells, %d elements", len(cells), len(visited))
			}
			testSparseStreams(t, &f, node)
			node.Clear()
			if n := node.Count(); n != 0 && k.name != "pointer-dense" && k.name != "pointer-pointer-dense" && k.name != "hash-dense" && k.name != "morton" {
				t.Errorf("%d cells after Clear", n)
			}
			for _, v := range f.All() {
				if v != (speck{}) {
					t.Errorf("%v after Clear", v)
				}
			}
			used := tree.Bytes()
			tree.Clear()
			if tree.Count() != 1 || node.Count() != 0 || tree.Bytes() > used {
				t.Errorf("after clearing the tree: %d cells, %d bytes, %d before", node.Count(), tree.Bytes(), used)
			}
		})
	}
}

// testSparseStreams copies a field out and in again: what is inactive stays so.
func testSparseStreams(t *testing.T, f *ti.Field[speck], node *ti.Node) {
	t.Helper()
	before := node.Count()
	all := make([]speck, 16*12)
	all[5] = speck{Kind: 9} // must be overwritten
	if err := f.CopyTo(all); err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := -8; i < 8; i++ {
		for j := range 12 {
			if all[n] != f.At(i, j) {
				t.Errorf("[%d %d]: %v in the copy, %v in the field", i, j, all[n], f.At(i, j))
			}
			n++
		}
	}
	var stream bytes.Buffer
	if n, err := f.WriteTo(&stream); err != nil || n != 16*12*9 {
		t.Errorf("%d bytes, %v", n, err)
	}
	f.Fill(speck{Kind: 3, Pos: ti.Vec2{1, 2}})
	if f.At(all2(f)...) != (speck{Kind: 3, Pos: ti.Vec2{1, 2}}) || node.Count() != before {
		t.Errorf("after Fill: %d cells, %d before", node.Count(), before)
	}
	if _, err := f.ReadFrom(&stream); err != nil {
		t.Error(err)
	}
	again := make([]speck, len(all))
	if err := errors.Join(f.CopyTo(again), f.CopyFrom(all)); err != nil {
		t.Error(err)
	}
	if !slices.Equal(all, again) || node.Count() != before {
		t.Errorf("after ReadFrom and CopyFrom: %d cells, %d before", node.Count(), before)
	}
	if _, err := f.Slice(); !errors.Is(err, ti.ErrLayout) {
		t.Errorf("Slice: %v", err)
	}
}

// TestLongStream writes a sparse field that is gathered in several pieces, the last of
// them shorter, and reads it again.
func TestLongStream(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var x, y ti.Field[int64]
	const rows, columns = 3001, 4096 // of 32 KiB
	tree := rt.NewTree().Origin(ti.IJ, -3001, 64)
	tree.Pointer(ti.IJ, 1, 64).Bitmasked(ti.IJ, rows, 64).Place(&x)
	rt.Place(ti.Shape{rows, columns}, &y)
	for k := range 5000 {
		x.Set(int64(k+1), k*7%rows-3001, k*k%columns+64)
	}
	var stream bytes.Buffer
	if n, err := x.WriteTo(&stream); err != nil || n != rows*columns*8 {
		t.Fatalf("%d bytes, %v", n, err)
	}
	if _, err := y.ReadFrom(&stream); err != nil {
		t.Fatal(err)
	}
	sum := 0
	for p, v := range x.All() {
		if got := y.At(p[0]+3001, p[1]-64); got != v {
			t.Fatalf("%d at %v, want %d", got, p, v)
		}
		sum += int(v)
	}
	all := make([]int64, rows*columns)
	if err := y.CopyTo(all); err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		sum -= int(v)
	}
	if sum != 0 {
		t.Errorf("the sums differ by %d", sum)
	}

	// An active element is set to zero by a slice that has it so; one that is not stays so.
	clear(all[:rows*columns/2])
	before := x.Node().Count()
	if err := x.CopyFrom(all); err != nil || x.Node().Count() != before {
		t.Fatalf("%d active elements, %d before: %v", x.Node().Count(), before, err)
	}
	n := 0
	for _, v := range all {
		if v != 0 {
			n++
		}
	}
	for p, v := range x.All() {
		if v != all[(p[0]+3001)*columns+p[1]-64] {
			t.Fatalf("%d at %v", v, p)
		}
		if v != 0 {
			n--
		}
	}
	if n != 0 {
		t.Errorf("%d elements are missing", n)
	}
}

// all2 is the index of an active element.
func all2(f *ti.Field[speck]) []int {
	for p := range f.All() {
		return p[:2]
	}
	return nil
}

// TestSavedTrees writes trees, changes them, and reads them again; what is damaged or of
// another tree changes nothing.
func TestSavedTrees(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	for _, k := range append(sparseTrees[:len(sparseTrees):len(sparseTrees)], struct {
		name  string
		place func(t *ti.Tree, f ti.AnyField) *ti.Node
	}{"dense", func(t *ti.Tree, f ti.AnyField) *ti.Node { return t.Dense(ti.IJ, 4, 3).Dense(ti.IJ, 4).Place(f) }}) {
		t.Run(k.name, func(t *testing.T) {
			make := func() (*ti.Tree, *ti.Field[speck]) {
				f := new(ti.Field[speck])
				tree := rt.NewTree()
				k.place(tree, f)
				return tree, f
			}
			from, x := make()
			to, y := make()
			for n := range 9 {
				x.Set(speck{Kind: int8(n), Pos: ti.Vec2{1, float32(n)}}, n*5%16, n)
				y.Set(speck{Kind: 77}, n, n)
			}
			var saved bytes.Buffer
			n, err := from.WriteTo(&saved)
			if err != nil || n != int64(saved.Len()) {
				t.Fatalf("%d of %d bytes: %v", n, saved.Len(), err)
			}
			data := saved.Bytes()
			before := maps.Collect(y.All())
			for what, bad := range map[string][]byte{
				"cut off": data[:len(data)-5], "empty": nil, "not a tree": []byte("something else entirely, long enough"),
				"damaged": slices.Concat(data[:len(data)/2], []byte{data[len(data)/2] ^ 1}, data[len(data)/2+1:]),
			} {
				if _, err := to.ReadFrom(bytes.NewReader(bad)); !errors.Is(err, ti.ErrLayout) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if !maps.Equal(before, maps.Collect(y.All())) {
				t.Error("what cannot be read has changed the tree")
			}
			if n, err := to.ReadFrom(bytes.NewReader(append(data, 1))); err != nil || n != int64(len(data)) {
				t.Errorf("%d of %d bytes: %v", n, len(data), err)
			}
			if !maps.Equal(maps.Collect(x.All()), maps.Collect(y.All())) {
				t.Errorf("%v was saved, %v read", maps.Collect(x.All()), maps.Collect(y.All()))
			}
			var other ti.Field[speck]
			tree := rt.NewTree()
			tree.Pointer(ti.I, 3).Place(&other)
			if _, err := tree.ReadFrom(bytes.NewReader(data)); !errors.Is(err, ti.ErrLayout) {
				t.Errorf("another tree: %v", err)
			}
			if err := from.Close(); err != nil {
				t.Error(err)
			}
			if _, err := from.WriteTo(io.Discard); !errors.Is(err, ti.ErrClosed) {
				t.Errorf("of a closed tree: %v", err)
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var s struct {
		X, Y ti.Field[float32]
		L    ti.Field[ti.Vec2]
	}
	tree := rt.NewTree()
	b := tree.Pointer(ti.IJ, 4)
	b.Dense(ti.IJ, 8).Morton().Place(&s.X, &s.Y)
	b.Dynamic(ti.K, 100).Chunk(10).Place(&s.L)
	s.X.Set(1, 0, 0)
	s.L.Set(ti.Vec2{}, 3, 3, 11)
	var out strings.Builder
	if err := tree.Describe(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"pointer i:4 j:4", ", 2 active", "dense i:8 j:8, Morton order, 8 bytes a cell, 128 active", "dynamic k:100, 8 bytes a cell, 12 active", "[2]float32"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// TestSparseAllocations bounds the allocations of single accesses: none.
func TestSparseAllocations(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	for _, k := range sparseTrees {
		var f ti.Field[float32]
		k.place(rt.NewTree(), &f)
		f.Set(1, 3, 3)
		sum := float32(0)
		if n := titest.Allocations(100, func() { f.Set(2, 3, 3); sum += f.At(3, 3) + f.At(2, 1) }); n != 0 {
			t.Errorf("%s: %v allocations", k.name, n)
		}
	}
}
