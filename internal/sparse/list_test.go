package sparse

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/layout"
)

// entriesOf returns the entries of a list, in memory of their own.
func entriesOf(t *testing.T, x *built, n *layout.Node, outer int, masks bool) [][]uint64 {
	t.Helper()
	words, count, err := x.List(n, outer, masks)
	if err != nil {
		t.Fatal(err)
	}
	width := 1 + len(n.PathAxes()) + outer
	if n.Kind() == dynamic {
		width++
	}
	if v := n.Visit(); masks {
		width += v.MaskWords(outer)
	}
	var out [][]uint64
	for i := range count {
		out = append(out, slices.Clone(words[width*int(i):][:width]))
	}
	return out
}

// visited goes over the entries of a list as a loop does, by the masks or by the bits that
// the entries have.
func visited(t *testing.T, x *built, n *layout.Node, outer int, masks bool) [][]int {
	t.Helper()
	v := n.Visit()
	axes, origin, dims := n.PathAxes(), x.origin(n), v.Dims()
	_, to, _ := v.LastMask()
	var out [][]int
	for _, e := range entriesOf(t, x, n, outer, masks) {
		before := len(out)
		idx := make([]int, len(axes))
		for k, a := range axes {
			span := n.Extent(a) / v.Node.Extent(a)
			if n.Kind() == dynamic && a == n.Axes()[0] {
				span = 4 // the chunk of the trees of these tests
			}
			idx[k] = int(origin[k] + int64(e[1+k])*span)
		}
		inner := dims[outer:]
		if n.Kind() == dynamic {
			inner = []layout.NestDim{{Axis: len(axes) - 1, Extent: int64(e[len(e)-1]), Mul: 1}}
		}
		for k, d := range dims[:outer] {
			idx[d.Axis] += int(int64(e[1+len(axes)+k]) * d.Mul)
		}
		var descend func(dims []layout.NestDim, depth int, cell int64)
		descend = func(dims []layout.NestDim, depth int, cell int64) {
			if len(dims) == 0 {
				active := x.Active(n, idx)
				if masks {
					bits := e[len(e)-v.MaskWords(outer):]
					active = bits[cell/64]>>(cell%64)&1 != 0
				}
				if active {
					out = append(out, slices.Clone(idx))
				}
				return
			}
			for i := range dims[0].Extent {
				idx[dims[0].Axis] += int(i * dims[0].Mul)
				next := cell
				if depth < to {
					next = cell*dims[0].Extent + i
				}
				descend(dims[1:], depth+1, next)
				idx[dims[0].Axis] -= int(i * dims[0].Mul)
			}
		}
		if descend(inner, outer, 0); masks && len(out) == before {
			t.Errorf("an entry without an active cell: %v", e)
		}
	}
	return out
}

// TestList compares what loops over lists visit with the cells that are active, for each
// node and number of outer dimensions, before and after changes.
func TestList(t *testing.T) {
	for name, levels := range shapes {
		t.Run(name, func(t *testing.T) {
			x := build(t, levels, NewBudget(1<<28))
			for round := range uint64(4) {
				for _, n := range x.nodes {
					var err error
					var want [][]int
					for idx := range x.Cells(n, &err) {
						want = append(want, slices.Clone(idx))
					}
					v := n.Visit()
					from, to, masked := v.LastMask()
					for outer := range len(v.Dims()) + 1 {
						for _, masks := range []bool{false, true} {
							if masks && !(masked && from <= outer && outer < to) {
								continue
							}
							if got := visited(t, x, n, outer, masks); !slices.EqualFunc(got, want, slices.Equal) || err != nil {
								t.Fatalf("%s node, outer %d, masks %v: %d cells are visited, not %d: %v, not %v", n.Kind(), outer, masks, len(got), len(want), got, want)
							}
						}
					}
					if n.Kind() == bitmasked {
						if got := len(entriesOf(t, x, n, len(v.Dims()), false)); got != len(want) {
							t.Fatalf("%d entries for %d active cells", got, len(want))
						}
					}
				}
				fill(t, x, round)
				for i, n := range x.nodes {
					x.Deactivate(n, newModel(x).cell(i, newModel(x).random(rand.New(rand.NewPCG(round, 3)))))
				}
				x.Collect()
			}
		})
	}
}

// TestListIsKept makes a list again only if something has changed.
func TestListIsKept(t *testing.T) {
	x := build(t, shapes["pointer of pointer"], NewBudget(1<<28))
	n := x.field.Node()
	fill(t, x, 1)
	times := func() int {
		if _, _, err := x.List(n, 0, false); err != nil {
			t.Fatal(err)
		}
		return x.made[0].times
	}
	one := times()
	p, err := x.Enter(x.field.Access(0), newModel(x).random(rand.New(rand.NewPCG(1, 3)))) // there already
	if err != nil {
		t.Fatal(err)
	}
	*(*float32)(p) = 3
	if two := times(); one != two {
		t.Error("the list was made again without a change")
	}
	x.Deactivate(x.nodes[0], []int{1, 1})
	x.Collect()
	if two := times(); one == two {
		t.Error("the list was kept after a change")
	}
}

// TestRemakeLists makes lists anew for each task, and only then: those of one task stay.
func TestRemakeLists(t *testing.T) {
	x := build(t, shapes["pointer of pointer"], NewBudget(1<<28))
	x.RemakeLists()
	n := x.field.Node()
	fill(t, x, 1)
	list := func() (made int, entries [][]uint64) {
		entries = entriesOf(t, x, n, 0, false)
		return x.made[0].times, entries
	}
	x.Prepare()
	one, entries := list()
	if two, _ := list(); one != two {
		t.Error("a task has two lists of one node")
	}
	x.Prepare()
	two, again := list()
	if one == two || len(entries) == 0 {
		t.Errorf("%d entries, made %d times, then %d", len(entries), one, two)
	}
	if !slices.EqualFunc(entries, again, slices.Equal) {
		t.Error("the list has changed")
	}
}

// TestLentList makes a list anew while an iterator runs over the blocks of an earlier one,
// which visits what there was when it began.
func TestLentList(t *testing.T) {
	x := build(t, shapes["pointer"], NewBudget(1<<28))
	n := x.field.Node()
	for _, i := range []int{0, 4, 8} {
		if _, err := x.Enter(x.field.Access(0), []int{i, 0}); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	var want, got [][]int
	for idx := range x.Cells(n, &err) {
		want = append(want, slices.Clone(idx))
	}
	for idx := range x.Cells(n, &err) {
		if len(got) == 0 {
			x.Deactivate(x.nodes[0], []int{0, 0})
			x.Collect()
			if left := len(entriesOf(t, x, n, 0, false)); left != 2 {
				t.Fatalf("%d blocks are left of 3", left)
			}
		}
		got = append(got, slices.Clone(idx))
	}
	if len(want) != 60 || !slices.EqualFunc(got, want, slices.Equal) || err != nil {
		t.Errorf("visited %v, not %v (%v)", got, want, err)
	}
}

// TestManyThreads makes the lists of a large tree on one thread and on several.
func TestManyThreads(t *testing.T) {
	levels := []level{{pointer, "ij", []int{300, 200}}, {pointer, "ji", []int{4}}, {bitmasked, "ij", []int{8, 4}}}
	var all [][][]uint64
	for _, threads := range []int{1, 4} {
		x := build(t, levels, NewBudget(1<<30))
		x.threads = threads
		r := rand.New(rand.NewPCG(1, 1))
		for range 20000 {
			if _, err := x.Enter(x.field.Access(0), []int{r.IntN(9600), r.IntN(3200)}); err != nil {
				t.Fatal(err)
			}
		}
		for outer := range 3 {
			var entries [][]uint64
			for _, e := range entriesOf(t, x, x.field.Node(), outer, false) {
				entries = append(entries, e[1:]) // without the address
			}
			if len(entries) < 10000 {
				t.Errorf("%d entries", len(entries))
			}
			all = append(all, entries)
		}
	}
	for i := range 3 {
		if !slices.EqualFunc(all[i], all[i+3], slices.Equal) {
			t.Errorf("outer %d: the lists depend on the threads", i)
		}
	}
}

// TestShortList fills the first chunks of a list that may be long: they need no directory;
// the next one does.
func TestShortList(t *testing.T) {
	x := build(t, shapes["long list"], NewBudget(1<<28))
	c := x.lay.Containers()[0]
	directories := x.pools[c.Into[0].ID]
	a := x.field.Access(0)
	for i := range int(c.Near*c.Chunk) + 1 {
		if n := directories.top(); n != 0 {
			t.Fatalf("a list of %d elements in chunks of %d has %d directories", i, c.Chunk, n)
		}
		if _, err := x.Enter(a, []int{i}); err != nil {
			t.Fatal(err)
		}
	}
	if n := directories.top(); n != 1 {
		t.Errorf("a list of three chunks has %d directories", n)
	}
}

// TestListEnd checks that code may read a word behind a list.
func TestListEnd(t *testing.T) {
	for _, n := range []int{0, 1, 100, 512} {
		words := make([]uint64, n)
		for i := range words {
			words[i] = uint64(i + 1)
		}
		l := madeList{words: words}
		l.end()
		if got := unsafe.Slice(unsafe.SliceData(l.words), n+1); len(l.words) != n || got[n] != 0 || !slices.Equal(got[:n], words) {
			t.Errorf("a list of %d words is %d long, and ends with %d", n, len(l.words), got[n])
		}
	}
}
