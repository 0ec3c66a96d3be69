package program

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
	"github.com/gotaichi/ti/internal/titest"
)

// ownersSource appends much to lists that are found with little work; each loop has
// another form.
const partitionSource = `package p

var (
	L, M field[i32, D3]
	B    field[i16, D1]
	X    field[f32, D1]
	N    int
)

// Scatter goes to lists by a hash.
func Scatter() {
	for p := range N {
		h := (p*1103515245 + 12345) >> 4
		append(L[h&31][h>>5&31], p)
	}
}

// Bins are found by what a field has; a part of the loop appends to two.
func Bins() {
	for p := range X {
		c := ivec2(i32(X[p]*32), p%16)
		if c.x%3 == 1 {
			continue
		}
		k := append(L[c], p)
		if c.y > 3 {
			append(L[c.y][c.x], -p)
		}
		if k >= 0 {
			L[c][k] += 1
		}
	}
}

// Shared lists have two fields.
func Shared() {
	for i, j := range ndrange(span(-20, 70), 100) {
		k := append(M[i&31][j&31], i)
		M[i&31][j&31][k] += j
	}
}

// Picked appends under two conditions, to lists whose indices are in a field.
func Picked() {
	for p := range X {
		c := i32(X[p] * 32)
		if c%3 != 1 {
			d := ifelse(p%5 == 0, c, p&31)
			if p&1 == 1 {
				k := append(L[d][c], p)
				L[d][c][k] -= 1
			}
		}
	}
}

// Between goes from lo to hi.
func Between(lo, hi int) {
	for p := range span(lo, hi) {
		h := (p*1103515245 + 12345) >> 4
		append(M[h&31][h>>5&31], p)
	}
}

// One list.
func One(n int) {
	for p := range n {
		append(B, i16(p%30000))
	}
}

// Own fills a list for each iteration.
func Own() {
	for i, j := range ndrange(32, 32) {
		clear(L[i][j])
		for q := range i {
			append(L[i][j], q*j)
		}
	}
}

// Full lists, and an index that is out of range.
func Full(at int) {
	for p := range 20000 {
		append(L[p%4+at][0], p)
	}
}
`

// partitionTrees are ways to lists in 32 by 32 cells.
var partitionTrees = []func(rt *ti.Runtime) *ti.Node{
	func(rt *ti.Runtime) *ti.Node { return rt.NewTree().Dense(ti.IJ, 32) },
	func(rt *ti.Runtime) *ti.Node { return rt.NewTree().Pointer(ti.IJ, 8).Dense(ti.IJ, 4) },
	func(rt *ti.Runtime) *ti.Node { return rt.NewTree().Hash(ti.IJ) },
	func(rt *ti.Runtime) *ti.Node { return rt.NewTree().Pointer(ti.I, 32).Bitmasked(ti.J, 32) },
}

const hashed = 2 // of partitionTrees

// TestPartition compares lists with those of the reference interpreter, element by element:
// loops in which each list has a thread of its own keep the order of the iterations.
func TestPartition(t *testing.T) {
	var bounded [][][5]int32 // what the interpreter gives for all trees but the hash node, whose indices have no bounds
	for n, tree := range partitionTrees {
		want := bounded
		if want == nil || n == hashed {
			want = fillLists(t, ti.Config{Arch: ti.Oracle}, tree, nil)
		}
		if n != hashed {
			bounded = want
		}
		configs := []ti.Config{{Threads: 3}, {Threads: 1}, {Threads: 2, Unchecked: true}, {Threads: 3, Deterministic: true}, {Threads: 20, Deterministic: true}}
		if !runtest.AllVariants() {
			configs = []ti.Config{configs[0], configs[1+n]}
		}
		for _, cfg := range configs {
			t.Run(fmt.Sprintf("%d/%d threads", n, cfg.Threads), func(t *testing.T) { fillLists(t, titest.OnProcessors(t, cfg), tree, want) })
		}
	}
}

type partitionHost struct {
	L, M                               ti.Field[int32]
	B                                  ti.Field[int16]
	X                                  ti.Field[float32]
	N                                  int
	Scatter, Bins, Shared, Own, Picked func() error
	One, Full                          func(n int) error
	Between                            func(lo, hi int) error
}

// fillLists runs all loops, and returns what is in the lists after each of them, or
// compares that with want. The first loop keeps the order of its iterations always, the
// others on one thread and in deterministic mode.
func fillLists(t *testing.T, cfg ti.Config, tree func(*ti.Runtime) *ti.Node, want [][][5]int32) (got [][][5]int32) {
	rt, err := ti.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	var h partitionHost
	h.N = 9000
	bounded := true
	ordered := cfg.Deterministic || cfg.Threads <= 1
	cell := tree(rt)
	for _, extent := range cell.Shape() {
		bounded = bounded && extent == 32
	}
	cell.Dynamic(ti.K, 200).Chunk(16).Place(&h.L, &h.M)
	rt.NewTree().Dynamic(ti.I, 50000).Place(&h.B)
	rt.Place(ti.Shape{9000}, &h.X)
	if _, err := rt.Compile(ti.Text("owners.ti", partitionSource), &h); err != nil {
		t.Fatal(err)
	}
	for i := range 9000 {
		h.X.Set(float32(i*7919%9000)/9000, i)
	}
	between := func(lo, hi int) func() error { return func() error { return h.Between(lo, hi) } }
	for step, launch := range []func() error{
		h.Scatter, h.Bins, h.Shared, h.Scatter, h.Own, h.Bins, func() error { return h.One(9000) }, func() error { return h.One(500) },
		h.Picked, between(-3, 9000), between(7, 7), between(9, 3), between(-600, -88), between(1<<31-1000, 1<<31-1),
		func() error { return h.Full(0) }, func() error { return h.Full(30) },
	} {
		if step == 15 && cfg.Unchecked {
			continue
		}
		err := launch()
		if fails := step == 15 && bounded; (err != nil) != fails {
			t.Fatalf("step %d: %v", step, err)
		}
		if err != nil {
			continue // it is not said what the rest of the loop did
		}
		elements := h.elements()
		got = append(got, elements)
		if want == nil {
			continue
		}
		expected := want[step]
		if !ordered && step > 0 {
			elements, expected = sets(elements), sets(expected)
		}
		if !slices.Equal(elements, expected) {
			t.Fatalf("step %d: the lists, of %d elements, are not those of the interpreter, of %d", step, len(elements), len(expected))
		}
	}
	return got
}

// elements returns all elements of all lists, in order: a number for the field, the index, the value.
func (h *partitionHost) elements() (all [][5]int32) {
	for n, f := range []*ti.Field[int32]{&h.L, &h.M} {
		for i, v := range f.All() {
			all = append(all, [5]int32{int32(n), int32(i[0]), int32(i[1]), int32(i[2]), v})
		}
	}
	for i, v := range h.B.All() {
		all = append(all, [5]int32{2, 0, 0, int32(i[0]), int32(v)})
	}
	slices.SortFunc(all, compareElements)
	return all
}

// sets takes the order of the elements within each list out.
func sets(all [][5]int32) [][5]int32 {
	all = slices.Clone(all)
	for i := range all {
		all[i][3] = 0
	}
	slices.SortFunc(all, compareElements)
	return all
}

func compareElements(a, b [5]int32) int {
	for i := range a {
		if a[i] != b[i] {
			return cmp.Compare(a[i], b[i])
		}
	}
	return 0
}
