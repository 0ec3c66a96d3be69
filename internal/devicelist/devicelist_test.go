package devicelist

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/device"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/sparse"
)

// A node of the path to a field: its kind, its axes, and its size along each.
type node struct {
	kind  layout.NodeKind
	axes  string
	sizes []int
}

var shapes = map[string][]node{
	"pointer":             {{layout.Pointer, "ij", []int{3, 2}}, {layout.Dense, "ij", []int{4, 5}}},
	"pointers":            {{layout.Pointer, "ij", []int{3, 2}}, {layout.Pointer, "ji", []int{2, 3}}, {layout.Bitmasked, "ij", []int{3, 5}}, {layout.Dense, "i", []int{2}}},
	"more axes below":     {{layout.Dense, "j", []int{3}}, {layout.Pointer, "k", []int{3}}, {layout.Dense, "ij", []int{4, 2}}},
	"in bits, three deep": {{layout.Bitmasked, "ij", []int{3, 4}}, {layout.Pointer, "j", []int{3}}, {layout.Dense, "i", []int{2}}, {layout.Pointer, "i", []int{5}}, {layout.Pointer, "ij", []int{2, 3}}},
	"root":                {{layout.Bitmasked, "ij", []int{3, 4}}},
}

// TestLevels makes lists as the tasks do, word by word, and compares them with those of package sparse.
func TestLevels(t *testing.T) {
	for name, path := range shapes {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			x, nodes := build(t, path)
			n := activated(nodes)
			for range 30 {
				idx := make([]int, len(n.PathAxes()))
				for k, a := range n.PathAxes() {
					idx[k] = r.IntN(int(n.Extent(a)))
				}
				if err := x.Activate(n, idx); err != nil {
					t.Fatal(err)
				}
			}
			for _, n := range nodes {
				levels, ok := Levels(n)
				if !ok {
					t.Fatalf("node %v has no levels", n.Kind())
				}
				list, width := []uint64{uint64(uintptr(x.Base()))}, int64(1)
				if len(levels) == 0 {
					list = append(list, make([]uint64, Width(n)-1)...)
				}
				for _, l := range levels {
					list, width = made(l, list, width), l.Width()
				}
				want, count, err := x.List(n, 0, false)
				if err != nil {
					t.Fatal(err)
				}
				if want = want[:count*Width(n)]; !slices.Equal(list, want) {
					t.Errorf("the list for %v is\n%v\nand not\n%v", n.PathAxes(), list, want)
				}
			}
		})
	}
}

// activated is the last node of a path that is not dense.
func activated(nodes []*layout.Node) *layout.Node {
	for i := len(nodes) - 1; ; i-- {
		if nodes[i].Kind() != layout.Dense {
			return nodes[i]
		}
	}
}

func build(t *testing.T, path []node) (*sparse.Tree, []*layout.Node) {
	t.Helper()
	lay := layout.NewTree(0)
	var nodes []*layout.Node
	n := lay.Root()
	for _, l := range path {
		var err error
		switch l.kind {
		case layout.Dense:
			n, err = n.Dense(l.axes, l.sizes...)
		case layout.Pointer:
			n, err = n.Pointer(l.axes, l.sizes...)
		case layout.Bitmasked:
			n, err = n.Bitmasked(l.axes, l.sizes...)
		}
		if err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, n)
	}
	place(t, n)
	x, err := sparse.New(lay, 1, sparse.NewBudget(1<<30), device.Process{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x, nodes
}

// made makes the list of a level from that of the one above, by its description.
func made(l *Level, from []uint64, fromWidth int64) (list []uint64) {
	words := make([]uint64, l.DescriptionWords())
	l.Describe(words, uint64(uintptr(unsafe.Pointer(&words[0]))), Places{FromWidth: fromWidth, Threads: 1})
	part := func(at, n, each uint64) []uint64 {
		first := (at - uint64(uintptr(unsafe.Pointer(&words[0])))) / 8
		return words[first : first+n*each]
	}
	dims, coordinates := part(words[wordDimsAt], words[wordDims], dimWords), part(words[wordCoordinatesAt], words[wordCoordinates], coordinateWords)
	for above := range slices.Chunk(from, int(words[wordFromWidth])) {
		for i := range words[wordTotal] {
			entry, at, rest := make([]uint64, words[wordWidth]), words[wordFirst], i
			for c := range slices.Chunk(coordinates, coordinateWords) {
				entry[c[2]] += above[c[0]] * c[1]
			}
			for k := len(dims) - dimWords; k >= 0; k -= dimWords {
				size, stride, mul, place := dims[k], dims[k+1], dims[k+2], dims[k+3]
				at += rest % size * stride
				entry[place] += rest % size * mul
				rest /= size
			}
			if block := *(*uint64)(memory.Pointer(uintptr(above[0] + at))); block != 0 {
				entry[0] = block
				list = append(list, entry...)
			}
		}
	}
	return list
}

// TestHostsLists: nodes below others than pointer nodes have lists that the host makes.
func TestHostsLists(t *testing.T) {
	lay := layout.NewTree(0)
	h, err := lay.Root().Hash("i", 8)
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.Pointer("i", 4)
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Dense("i", 2)
	if err != nil {
		t.Fatal(err)
	}
	place(t, d)
	for _, n := range []*layout.Node{h, p, d} {
		if _, ok := Levels(n); ok {
			t.Errorf("node %v has levels", n.Kind())
		}
	}
}

// TestTasks checks that the tasks are sound.
func TestTasks(t *testing.T) {
	k := &ir.Kernel{Name: "K", Int: ir.I32, Bases: []int{-1, -1, -1}, DoneSlot: -1}
	for _, task := range Tasks() {
		k.Tasks = append(k.Tasks, task)
	}
	if err := ir.Verify(k); err != nil {
		t.Error(err)
	}
}

// TestThreads: as many threads make a list as have something to do, and no more than the sums have room for.
func TestThreads(t *testing.T) {
	for _, c := range []struct{ total, above, want int64 }{{1, 1, 1}, {32, 1, 1}, {33, 1, 2}, {64, 100, 200}, {1 << 40, 1, Threads}, {1 << 40, 1 << 40, Threads}, {1, Threads * threadLeast, Threads}, {3, 1 << 30, Threads}} {
		if got := (&Level{Total: c.total}).ThreadsFor(c.above); got != c.want {
			t.Errorf("%d candidates for each of %d entries have %d threads, want %d", c.total, c.above, got, c.want)
		}
	}
}

// place places a field in a node.
func place(t *testing.T, n *layout.Node) {
	t.Helper()
	elem, err := layout.ElemOf(reflect.TypeFor[float32]())
	if err != nil {
		t.Fatal(err)
	}
	field := layout.NewField(elem)
	if err := errors.Join(n.Place(field, 0, 1), field.Ready()); err != nil {
		t.Fatal(err)
	}
}
