package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestSparseMemoryRunsOut lets kernels activate cells of all kinds on three threads until
// the memory limit is reached in the middle of a loop: the launch says so, what was there
// before still is, all ways to ask what is active agree, and when cells were given back
// everything goes on.
func TestSparseMemoryRunsOut(t *testing.T) {
	const first = 50 // cells that are there before
	// rows places a field in rows of 1024 below the cells of a node.
	rows := func(above func(*ti.Tree) *ti.Node) func(*ti.Tree, ti.AnyField) *ti.Node {
		return func(t *ti.Tree, f ti.AnyField) *ti.Node {
			n := above(t)
			n.Dense(ti.J, 1024).Place(f)
			return n
		}
	}
	for _, k := range []struct {
		name  string
		place func(t *ti.Tree, f ti.AnyField) *ti.Node // the node whose cells are made
		at    string                                   // an element of cell c
	}{
		{"pointer", rows(func(t *ti.Tree) *ti.Node { return t.Pointer(ti.I, 1<<14) }), "X[c][c%1000]"},
		{"pointer of pointer", rows(func(t *ti.Tree) *ti.Node { return t.Pointer(ti.I, 1<<7).Pointer(ti.I, 1<<7) }), "X[c][c%1000]"},
		{"hash", rows(func(t *ti.Tree) *ti.Node { return t.Hash(ti.I) }), "X[c*77-100000][c%1000]"},
		{"pointers in hash", rows(func(t *ti.Tree) *ti.Node { return t.Hash(ti.I, 1<<10).Pointer(ti.I, 1<<4) }), "X[c][c%1000]"},
		{"bits in pointers", rows(func(t *ti.Tree) *ti.Node { return t.Pointer(ti.I, 1<<11).Bitmasked(ti.I, 1<<3) }), "X[c][c%1000]"},
		{"lists", func(t *ti.Tree, f ti.AnyField) *ti.Node {
			n := t.Pointer(ti.I, 1<<14)
			n.Dynamic(ti.J, 4096).Chunk(128).Place(f)
			return n
		}, "X[c][c%64]"},
	} {
		t.Run(k.name, func(t *testing.T) {
			rt := titest.New(t, ti.Config{MemoryLimit: 6 << 20, Threads: 3})
			var h struct {
				X     ti.Field[float32]
				Grow  func(from, to int32) error
				Check func(n int32) (cells int32, sum float32)
				Visit func() (elements int32, sum float32)
			}
			tree := rt.NewTree()
			node := k.place(tree, &h.X)
			src := fmt.Sprintf(`package p

var X field[f32, D2]

func Grow(from, to i32) {
	for c := range span(from, to) {
		%[1]s = f32(c%%7 + 1)
	}
}

func Check(n i32) (cells i32, sum f32) {
	for c := range n {
		if %[1]s != 0 {
			cells += 1
			sum += %[1]s
		}
	}
	return
}

func Visit() (elements i32, sum f32) {
	for p := range X {
		elements += 1
		sum += X[p]
	}
	return
}`, k.at)
			if err := rt.Load(src, &h); err != nil {
				t.Fatal(err)
			}
			want := float32(0)
			for c := range first {
				want += float32(c%7 + 1)
			}
			for round := range 2 {
				if err := h.Grow(0, first); err != nil {
					t.Fatal(err)
				}
				err := h.Grow(0, 1<<14)
				if !errors.Is(err, ti.ErrMemory) || !strings.Contains(err.Error(), "Grow") {
					t.Fatalf("round %d: beyond the limit: %v", round, err)
				}
				if cells, sum := h.Check(first); cells != first || sum != want {
					t.Errorf("round %d: of what was there %d cells are left with sum %v, not %d with %v", round, cells, sum, first, want)
				}
				all, sum := h.Check(1 << 14)
				elements, visited := h.Visit()
				if sum != visited || all <= first || all == 1<<14 {
					t.Errorf("round %d: %d cells with sum %v, and a loop over them finds %v", round, all, sum, visited)
				}
				n, total := int32(0), float32(0)
				for _, v := range h.X.All() {
					n++
					total += v
				}
				if n != elements || total != visited {
					t.Errorf("round %d: the host finds %d elements with sum %v, a kernel %d with %v", round, n, total, elements, visited)
				}
				cells := 0
				for idx := range node.Cells() {
					cells++
					if !node.Active(idx[:len(node.Shape())]...) {
						t.Fatalf("round %d: cell %v is visited and not active", round, idx)
					}
				}
				if cells != node.Count() || tree.Bytes() > 12<<20 {
					t.Errorf("round %d: %d cells are active, %d visited; %d bytes", round, node.Count(), cells, tree.Bytes())
				}
				if err := h.Grow(0, first); err != nil { // needs no memory
					t.Errorf("round %d: writing to what is there: %v", round, err)
				}
				tree.Clear()
				if n, _ := h.Visit(); n != 0 || node.Count() != 0 {
					t.Errorf("round %d: after clearing a loop visits %d elements of %d cells", round, n, node.Count())
				}
			}
		})
	}
}

// TestListMemoryRunsOut appends to lists until there is no memory: they end where there
// was none. Chunks that are missing in between are made as soon as there is memory.
func TestListMemoryRunsOut(t *testing.T) {
	rt := titest.New(t, ti.Config{MemoryLimit: 6 << 20, Threads: 3})
	var h struct {
		X, Y ti.Field[float32]
		Long func(n int32) error
		Many func(n int32) error
		Sum  func() (n int32, x, y float32)
	}
	lists := rt.NewTree()
	long := lists.Dynamic(ti.I, 1<<24).Chunk(512)
	long.Place(&h.X)
	many := lists.Dense(ti.I, 50).Dynamic(ti.J, 1<<20).Chunk(64)
	many.Place(&h.Y)
	if err := rt.Load(`package p

var (
	X field[f32]
	Y field[f32, D2]
)

func Long(n i32) {
	for range n {
		append(X, 1)
	}
}

func Many(n i32) {
	for i := range n {
		append(Y[i%50], 1)
	}
}

func Sum() (n i32, x, y f32) {
	for i := range X {
		n += 1
		x += X[i]
	}
	for i, j := range Y {
		n += 1
		y += Y[i][j]
	}
	return
}`, &h); err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		if err := errors.Join(h.Long(100_000), h.Many(5000)); err != nil {
			t.Fatal(err)
		}
		if err := h.Many(1 << 22); !errors.Is(err, ti.ErrMemory) {
			t.Fatalf("round %d: many lists beyond the limit: %v", round, err)
		}
		if x := h.X.At(999); x != 1 || long.Len() != 100_000 {
			t.Errorf("round %d: of a list of 100000 elements there are %d, the 999th is %v", round, long.Len(), x)
		}
		long.Clear()
		n, x, y := h.Sum()
		if x != 0 || y <= 5000 || int(n) != long.Count()+many.Count() || float32(n) > (x+y)*1.1 {
			t.Errorf("round %d: lists with %d elements have the sums %v and %v", round, n, x, y)
		}
		many.Clear()
		if err := h.Long(1 << 22); !errors.Is(err, ti.ErrMemory) {
			t.Fatalf("round %d: a long list beyond the limit: %v", round, err)
		}
		n, x, y = h.Sum()
		if x <= 100_000 || y != 0 || int(n) != long.Len() || float32(n) > x*1.1 {
			t.Errorf("round %d: lists with %d elements have the sums %v and %v", round, n, x, y)
		}
		long.Clear()
	}
}

// TestFailedLaunchIsOver runs out of memory in a launch that prints and deactivates cells:
// both is done when it has failed, and the next launch has nothing to do with it.
func TestFailedLaunchIsOver(t *testing.T) {
	var out bytes.Buffer
	rt := titest.New(t, ti.Config{MemoryLimit: 6 << 20, Threads: 3, Stdout: &out})
	var h struct {
		X    ti.Field[float32]
		Rows *ti.Node
		Grow func(n int32) error
		Say  func(n int32)
	}
	h.Rows = rt.NewTree().Pointer(ti.I, 1<<14)
	h.Rows.Dense(ti.J, 1024).Place(&h.X)
	if err := rt.Load(`package p

var (
	X    field[f32, D2]
	Rows node
)

func Grow(n int) {
	for i := range n {
		X[i][0] = 1
		if i == 5 {
			print("row 5")
			deactivate(Rows, 7)
		}
	}
}

func Say(n int) {
	print("nothing but", n)
}`, &h); err != nil {
		t.Fatal(err)
	}
	if err := h.Grow(10); err != nil || h.Rows.Active(7) || !h.Rows.Active(8) {
		t.Fatalf("%v; row 7 is active: %t, row 8: %t", err, h.Rows.Active(7), h.Rows.Active(8))
	}
	h.X.Set(2, 7, 3)
	if err := h.Grow(1 << 14); !errors.Is(err, ti.ErrMemory) || h.Rows.Active(7) {
		t.Errorf("beyond the limit: %v; row 7 is active: %t", err, h.Rows.Active(7))
	}
	h.Rows.Clear()
	h.X.Set(2, 7, 3)
	h.Say(12)
	if want := "row 5\nrow 5\nnothing but 12\n"; out.String() != want || !h.Rows.Active(7) {
		t.Errorf("printed\n%swant\n%srow 7 is active: %t", out.String(), want, h.Rows.Active(7))
	}
}

// TestNoMemoryForTwoKinds finds no memory for blocks of numbers, and goes on to write to
// others of the tree, whose blocks are full of pointers: what had no room is not taken for
// these.
func TestNoMemoryForTwoKinds(t *testing.T) {
	for _, level := range []string{"0", "3"} {
		t.Setenv("TI_OPT", level)
		rt := titest.New(t, ti.Config{MemoryLimit: 2 << 20, Threads: 3})
		var h struct {
			X, Y, L ti.Field[int64]
			Z       ti.Field[int64]
			Fill    func(n int32) error
			Sum     func() (n int32, sum int64)
		}
		tree := rt.NewTree()
		tree.Pointer(ti.I, 1<<14).Dense(ti.J, 64).Place(&h.X)
		tree.Pointer(ti.I, 64).Pointer(ti.I, 64).Dense(ti.J, 64).Place(&h.Y)
		tree.Hash(ti.I).Pointer(ti.J, 64).Place(&h.Z)
		tree.Pointer(ti.I, 1<<12).Dynamic(ti.J, 600).Chunk(4).Place(&h.L)
		if err := rt.Load(`package p

var X, Y, Z, L field[i64, D2]

func Fill(n int) {
	for i := range n {
		for j := range 64 {
			X[i][j] = i64(i+1) << 36 + i64(j) + 1
		}
		Z[i-99][i%64] = 5
		Y[i%4096][i%64] = i64(i) << 36 + 7
		append(L[i%4096], i64(i) << 33 + 9)
		L[i*7%4096][i%600] = i64(i) << 34
	}
}

func Sum() (n int, sum i64) {
	for p := range X {
		n += 1
		sum += X[p]
	}
	for p := range Y {
		n += 1
		sum += Y[p]
	}
	for p := range Z {
		n += 1
		sum += Z[p]
	}
	return
}`, &h); err != nil {
			t.Fatal(err)
		}
		for round := range 3 {
			if err := h.Fill(1 << 14); !errors.Is(err, ti.ErrMemory) {
				t.Fatalf("level %s, round %d: beyond the limit: %v", level, round, err)
			}
			n, sum := h.Sum()
			all := int64(0)
			for _, f := range []*ti.Field[int64]{&h.X, &h.Y, &h.Z} {
				for _, v := range f.All() {
					n--
					all += v
				}
			}
			if n != 0 || all != sum {
				t.Errorf("level %s, round %d: the host finds %d elements less, with the sum %d, not %d", level, round, n, all, sum)
			}
			tree.Clear()
			if err := h.Fill(20); err != nil {
				t.Errorf("level %s, round %d: a little: %v", level, round, err)
			}
		}
	}
}
