package vulkan_test

import (
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
