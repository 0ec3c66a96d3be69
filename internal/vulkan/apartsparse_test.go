package vulkan_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/titest"
	"github.com/gotaichi/ti/internal/vulkan"
)

// TestApartTrees repeats tests of sparse trees in memory that the host does not see. An access of the host that is not announced ends the process there.
func TestApartTrees(t *testing.T) {
	t.Setenv(vulkan.EnvMemory, "apart")
	for _, k := range []struct {
		name string
		test func(t *testing.T)
	}{
		{"all kinds of nodes", TestSparse}, {"sums beside growth", TestSumBesideGrowth}, {"cells", TestCells}, {"many comers", TestManyComers},
		{"lists", TestLists}, {"lists that grow", TestListGrows}, {"lists beside hash", TestListsBesideHash}, {"waits", TestListWaits}, {"waits for hash", TestHashWaits},
		{"no memory for blocks", TestListMemory}, {"no memory in a table", TestHashMemory}, {"no room for a list", TestListRoom},
	} {
		t.Run(k.name, k.test)
	}
}

// apartTrees place a field in trees of one kind each. They return its node, and the one whose cells are deactivated, if there is one.
var apartTrees = []struct {
	name  string
	place func(t *ti.Tree) (leaf, sparse *ti.Node)
}{
	{"pointer", func(t *ti.Tree) (_, _ *ti.Node) { n := t.Pointer(ti.I, 1<<7); return n.Dense(ti.I, 1<<5), n }},
	{"large blocks", func(t *ti.Tree) (_, _ *ti.Node) { n := t.Pointer(ti.I, 2); return n.Dense(ti.I, 1<<11), n }},
	{"pointers", func(t *ti.Tree) (_, _ *ti.Node) {
		n := t.Pointer(ti.I, 1<<4)
		return n.Pointer(ti.I, 1<<4).Bitmasked(ti.I, 1<<4), n
	}},
	{"bits in pointers", func(t *ti.Tree) (_, _ *ti.Node) { n := t.Pointer(ti.I, 1<<4).Bitmasked(ti.I, 1<<8); return n, n }},
	{"bits", func(t *ti.Tree) (_, _ *ti.Node) { n := t.Bitmasked(ti.I, 1<<12); return n, n }},
	{"hash", func(t *ti.Tree) (_, _ *ti.Node) { n := t.Hash(ti.I, 1<<10); return n.Bitmasked(ti.I, 1<<2), n }},
	{"list", func(t *ti.Tree) (_, _ *ti.Node) { return t.Dynamic(ti.I, 1<<12), nil }},
}

// TestApartSparseRandom mixes launches with all that the host does with sparse trees.
func TestApartSparseRandom(t *testing.T) {
	for i, k := range apartTrees {
		t.Run(k.name, func(t *testing.T) {
			got, want := eachArch(t, ti.Config{}, func(rt *ti.Runtime) []string { return useTree(t, rt, k.place, uint64(i)) })
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("step %d: %.500s\nand not\n%.500s", i, got[i], want[i])
				}
			}
		})
	}
}

// TestCardTrees has a card of which the host sees all memory, and that imports none: dense trees are shared, sparse ones lie in its own memory all the same.
func TestCardTrees(t *testing.T) {
	cfg := titest.Vulkan(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})
	k := apartTrees[2]
	y := &vulkan.Faulty{}
	y.Properties(3, card)
	y.WithoutImport()
	var m launch.Machine
	rt, err := titest.NewOn(cfg, func(processors launch.Machine, _ int) (_ launch.Machine, err error) {
		m, err = y.Machine(processors, 0)
		return m, err
	})
	must(t, err)
	got := useTree(t, rt, k.place, 9)
	if to, from := vulkan.Moved(m); to == 0 || from == 0 {
		t.Errorf("%d bytes are moved to the device and %d to the host", to, from)
	}
	must(t, rt.Close())
	noObjects(t, y)
	if want := useTree(t, runtime(t, ti.Config{Arch: ti.Oracle}), k.place, 9); !slices.Equal(got, want) {
		t.Errorf("%s: the host sees\n%.1000s\nand not\n%.1000s", k.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const treeSource = `package p

var X, Z field[i32]
var A node

func Fill(from, step, n i32) {
	for i := range n {
		X[(from+i*step)%4096] += i
	}
}

func Double() {
	for i := range X {
		X[i] = X[i]*2 + 1
	}
	for i := range Z {
		Z[i] += 1
	}
}

func Drop(m i32) (n i32) {
	for i := range X {
		if X[i]%m == 0 {
			deactivate(A, i*A.shape[0]/4096)
		}
	}
	for i := range X {
		n += 1 + i%2
	}
	return
}

func Sum() (sum i32) {
	for i := range X {
		sum += X[i]
	}
	return
}
`

// useTree does a few hundred things with a tree, and says what it sees.
func useTree(t *testing.T, rt *ti.Runtime, place func(*ti.Tree) (leaf, sparse *ti.Node), seed uint64) (all []string) {
	t.Helper()
	var h struct {
		X, Z   ti.Field[int32]
		A      *ti.Node
		Fill   func(from, step, n int32) error
		Double func() error
		Drop   func(m int32) (int32, error)
		Sum    func() (int32, error)
	}
	tree := rt.NewTree()
	leaf, sparse := place(tree)
	leaf.Place(&h.X)
	source := treeSource
	if h.A = sparse; sparse == nil {
		h.A = leaf
		source = strings.Replace(source, "deactivate(A, i*A.shape[0]/4096)", "X[i] = 1", 1) // an element of a list cannot be deactivated by itself
	}
	rt.NewTree().Pointer(ti.I, 4).Dense(ti.I, 4).Place(&h.Z) // only Double works on it
	h.Z.Set(5, 9)
	must(t, rt.Load(source, &h))
	r := rand.New(rand.NewPCG(seed, 3))
	values := make([]int32, 1<<12)
	var saved bytes.Buffer
	for range 250 {
		i, say := r.IntN(1<<12), ""
		switch r.IntN(15) {
		case 0, 1:
			must(t, h.Fill(int32(i), int32(r.IntN(200)), int32(r.IntN(60))))
		case 2:
			must(t, h.Double())
		case 3:
			n, err := h.Drop(int32(2 + r.IntN(9)))
			must(t, err)
			say = fmt.Sprint("dropped, left ", n)
		case 4:
			sum, err := h.Sum()
			must(t, err)
			say = fmt.Sprint("sum ", sum)
		case 5, 6:
			h.X.Set(int32(r.IntN(100)), i)
		case 7, 8:
			say = fmt.Sprint(h.X.At(i), h.Z.At(9), h.Z.At(i%16))
		case 9:
			n := 0
			for j, v := range h.X.All() {
				if n += int(v) + j[0]; v%7 == 0 && n%3 == 0 {
					h.X.Set(v+1, j[0])
				}
			}
			say = fmt.Sprint("all ", n)
		case 10:
			must(t, h.X.CopyTo(values))
			say = fmt.Sprint(values[:64], values[i])
		case 11:
			values[i], values[(i*7)%4096] = 3, 0
			must(t, h.X.CopyFrom(values))
		case 12:
			if r.IntN(3) == 0 {
				h.A.Clear()
			}
			say = fmt.Sprint(h.A.Count(), h.X.Node().Active(i))
		case 13:
			saved.Reset()
			_, err := tree.WriteTo(&saved)
			must(t, err)
		case 14:
			if saved.Len() > 0 {
				_, err := tree.ReadFrom(bytes.NewReader(saved.Bytes()))
				must(t, err)
			}
			h.X.Fill(int32(r.IntN(5)))
		}
		all = append(all, say)
	}
	if lost := h.X.Node().Count(); lost < 0 {
		t.Errorf("%d cells", lost)
	}
	return all
}

// TestApartMoves counts what is moved between device and host. A program that launches and does not look at its trees moves the pages with their counters. Of a tree on which
// nothing is launched the host has what it had.
func TestApartMoves(t *testing.T) {
	t.Setenv(vulkan.EnvMemory, "apart")
	cfg := titest.Vulkan(t, ti.Config{Cache: ti.Cache{Policy: ti.CacheOff}})
	var m launch.Machine
	rt, err := titest.NewOn(cfg, func(processors launch.Machine, device int) (_ launch.Machine, err error) {
		m, err = vulkan.New(processors, device, nil)
		return m, err
	})
	must(t, err)
	defer func() { must(t, rt.Close()) }()
	var h struct {
		X, Z    ti.Field[int32]
		Fill    func(n int32) error
		Step    func() error
		Another func() error
	}
	const blocks, cells = 1 << 10, 1 << 12
	rt.NewTree().Pointer(ti.I, blocks).Dense(ti.I, cells).Place(&h.X)
	rt.NewTree().Pointer(ti.I, 4).Dense(ti.I, 4).Place(&h.Z)
	must(t, rt.Load(`package p

var X, Z field[i32]

func Fill(n i32) {
	for i := range n {
		X[i*4096] = 1
	}
}

func Step() {
	for i := range X {
		X[i] += 1
	}
	for i := range 100 {
		X[i] += 1
	}
}

func Another() {
	for i := range Z {
		Z[i] += 1
	}
}
`, &h))
	h.Z.Set(1, 1)
	must(t, h.Fill(256)) // 4 MiB
	must(t, h.Step())
	moved := func(what string, most int64, step func()) {
		t.Helper()
		to, from := vulkan.Moved(m)
		step()
		nextTo, nextFrom := vulkan.Moved(m)
		to, from = nextTo-to, nextFrom-from
		t.Logf("%s: %d bytes to the device, %d to the host", what, to, from)
		if to+from > most {
			t.Errorf("%s: %d bytes are moved to the device and %d to the host, want %d at most", what, to, from, most)
		}
	}
	moved("the first launches", 1<<20, func() { must(t, h.Step()) })
	moved("100 launches", 100*4*vulkan.PageBytes, func() {
		for range 100 {
			must(t, h.Step())
		}
	})
	moved("an element", 16*vulkan.PageBytes, func() {
		if got := h.X.At(4096 * 7); got != 103 {
			t.Errorf("an element is %d", got)
		}
	})
	moved("what is there already", 0, func() {
		for i := range 100 {
			if got := h.X.At(4096*7 + i); got != 102+int32(max(0, 1-i)) {
				t.Errorf("element %d of a block is %d", i, got)
			}
		}
	})
	must(t, h.Another())
	moved("launches on another tree", 0, func() { _ = h.X.At(4096*7 + 5) })
	moved("an element that is set, and a launch", 16*vulkan.PageBytes, func() {
		h.X.Set(5, 4096*9+1)
		must(t, h.Step())
	})
	moved("all elements", 2*4*256*cells, func() {
		sum := 0
		for range h.X.All() {
			sum++
		}
		if sum != 256*cells || h.X.At(4096*9+1) != 6 {
			t.Errorf("%d elements, one of them %d", sum, h.X.At(4096*9+1))
		}
	})
}

// TestApartCopies: the host makes the list of a hash node, whose blocks it finds here and there in memory, by few copies.
func TestApartCopies(t *testing.T) {
	t.Setenv(vulkan.EnvMemory, "apart")
	y := &vulkan.Faulty{}
	rt, err := openWhole(t, y)
	must(t, err)
	defer func() { must(t, rt.Close()) }()
	var h struct {
		H     ti.Field[int32]
		Grow  func() error
		Visit func() (int32, error)
	}
	rt.NewTree().Hash(ti.I, 1<<20).Dense(ti.I, 512).Place(&h.H)
	must(t, rt.Load(`package p

var H field[i32]

func Grow() {
	for i := range 8000 {
		H[i*7777%8000*512] += 1
	}
}

func Visit() (sum i32) {
	for i := range H {
		sum += H[i]
	}
	return
}
`, &h))
	must(t, h.Grow())
	waits, _ := counted(t, y, func() error {
		sum, err := h.Visit()
		if sum != 8000 {
			t.Errorf("the sum is %d", sum)
		}
		return err
	})
	t.Logf("%d waits", waits)
	if waits > 200 {
		t.Errorf("a loop over 8000 blocks in 4000 pages waits %d times", waits)
	}
}

// TestApartTreeClosed closes a tree while another one, on which the same kernel works, is used on.
func TestApartTreeClosed(t *testing.T) {
	rt := openApart(t, ti.Config{})
	var h struct {
		X, Y ti.Field[int32]
		Run  func() error
	}
	rt.NewTree().Pointer(ti.I, 8).Dense(ti.I, 8).Place(&h.X)
	rt.NewTree().Pointer(ti.I, 8).Dense(ti.I, 8).Place(&h.Y)
	must(t, rt.Load("package p\n\nvar X, Y field[i32]\n\nfunc Run() {\n\tfor i := range 64 {\n\t\tX[i] += Y[i] + 1\n\t}\n}\n", &h))
	h.Y.Set(7, 3)
	must(t, h.Run())
	must(t, h.Y.Tree().Close())
	if got := h.X.At(3); got != 8 {
		t.Errorf("an element is %d, want 8", got)
	}
	if err := titest.Safely(h.Run); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("a launch on a closed tree: %v", err)
	}
	if err := titest.Safely(func() error { h.Y.Set(1, 1); return nil }); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("an element of a closed tree: %v", err)
	}
	all := make([]int32, 64)
	must(t, h.X.CopyTo(all))
	if want := append(slices.Repeat([]int32{1}, 3), 8); !slices.Equal(all[:4], want) {
		t.Errorf("the elements begin with %v, want %v", all[:4], want)
	}
}
