package vulkan_test

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti"
)

// TestManyComers has far more threads come to cells that are not active than the tree has room for blocks: all but one of a cell give back the block that they
// took, and others take it in the same launch.
func TestManyComers(t *testing.T) {
	const source = `package p

var X, Y field[i32]
var Block, Entry node

func Fill() {
	for i := range X.shape[0] {
		X[i] += 1
		Y[i] += 2
	}
}

func Drop() {
	for b := range Block {
		deactivate(Block, b)
	}
	for b := range Entry {
		deactivate(Entry, b)
	}
}

func Sum() (x, y i32) {
	for i := range X {
		x += X[i]
	}
	for i := range Y {
		y += Y[i]
	}
	return
}
`
	// A tree has room for twice its blocks, 256 more for each thread, and those of 128 KiB.
	const blocks, cells = 2, 1 << 12
	rt := open(t, ti.Config{Threads: 1, Cache: ti.Cache{Policy: ti.CacheOff}})
	var h struct {
		X, Y         ti.Field[int32]
		Block, Entry *ti.Node
		Fill, Drop   func() error
		Sum          func() (x, y int32, err error)
	}
	h.Block = rt.NewTree().Pointer(ti.I, blocks)
	h.Block.Dense(ti.I, cells).Place(&h.X)
	h.Entry = rt.NewTree().Hash(ti.I, blocks)
	h.Entry.Dense(ti.I, cells).Place(&h.Y)
	must(t, rt.Load(source, &h))
	for round := range 3 {
		must(t, h.Fill())
		must(t, h.Fill())
		x, y, err := h.Sum()
		must(t, err)
		if want := int32(2 * blocks * cells); x != want || y != 2*want {
			t.Fatalf("round %d: the sums are %d and %d, want %d and %d", round, x, y, want, 2*want)
		}
		must(t, h.Drop())
	}
}

// TestHashMemory has many threads find no memory for cells of a hash node, each of which searches its table many times: the launch fails, and what was there stays.
func TestHashMemory(t *testing.T) {
	rt := open(t, ti.Config{MemoryLimit: 6 << 20, Cache: ti.Cache{Policy: ti.CacheOff}})
	var h struct {
		H    ti.Field[int32]
		Grow func(n int32) error
		Sum  func() (n, sum int32, err error)
	}
	rt.NewTree().Hash(ti.I).Dense(ti.I, 1<<10).Place(&h.H)
	must(t, rt.Load(`package p

var H field[i32]

func Grow(n i32) {
	for i := range n {
		H[i*77*1024-9999] = i + 1
	}
}

func Sum() (n, sum i32) {
	for i := range H {
		if H[i] != 0 {
			n += 1
			if H[i] <= 50 {
				sum += H[i]
			}
		}
	}
	return
}
`, &h))
	must(t, h.Grow(50))
	for range 2 {
		if err := h.Grow(3000); !errors.Is(err, ti.ErrMemory) {
			t.Errorf("the error is %v", err)
		}
		n, sum, err := h.Sum()
		if err != nil || n <= 50 || n >= 3000 || sum != 50*51/2 {
			t.Errorf("%d elements, those from before with the sum %d, %v", n, sum, err)
		}
		if cells := h.H.Node().Count(); cells != int(n)<<10 {
			t.Errorf("%d cells are active, with %d elements", cells, n)
		}
		must(t, h.Grow(50))
	}
}
