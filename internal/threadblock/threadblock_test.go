package threadblock_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/gotaichi/ti/internal/threadblock"
)

// gpu has the limits of common devices, and small ones those that Vulkan allows at least.
var (
	gpu   = Limits{Warp: 32, Threads: 1024, Block: [3]int{1024, 1024, 64}, Grid: [3]int{1<<31 - 1, 65535, 65535}}
	small = Limits{Warp: 32, Threads: 128, Block: [3]int{128, 128, 64}, Grid: [3]int{65535, 65535, 65535}}
)

// TestResolve has the policies, the limits and the edges one by one.
func TestResolve(t *testing.T) {
	type v = [3]int
	for _, c := range []struct {
		name        string
		block       Block
		extent      v
		on          Limits
		size, grid  v
		tooLarge    string // part of the error
		wantInvalid string
	}{
		{name: "one axis", extent: v{1000, 1, 1}, on: gpu, size: v{256, 1, 1}, grid: v{4, 1, 1}},
		{name: "two axes", extent: v{100, 33, 1}, on: gpu, size: v{16, 16, 1}, grid: v{7, 3, 1}},
		{name: "three axes", extent: v{9, 8, 5}, on: gpu, size: v{8, 8, 4}, grid: v{2, 1, 2}},
		{name: "extents of 1 in front count", extent: v{1, 1, 7}, on: gpu, size: v{8, 8, 4}, grid: v{1, 1, 2}},
		{name: "all of 1", extent: v{1, 1, 1}, on: gpu, size: v{256, 1, 1}, grid: v{1, 1, 1}},
		{name: "the default ignores a size and is not trimmed", block: Block{Size: v{7, 7, 7}}, extent: v{3, 3, 1}, on: gpu, size: v{16, 16, 1}, grid: v{1, 1, 1}},
		{name: "no iterations", extent: v{0, 1, 1}, on: gpu, size: v{256, 1, 1}, grid: v{0, 1, 1}},
		{name: "an axis without iterations", extent: v{5, 0, 1}, on: gpu, size: v{16, 16, 1}, grid: v{1, 0, 1}},
		{name: "the default is cut along x", extent: v{1000, 1, 1}, on: small, size: v{128, 1, 1}, grid: v{8, 1, 1}},
		{name: "the default is cut in all", extent: v{100, 33, 1}, on: small, size: v{16, 8, 1}, grid: v{7, 5, 1}},
		{name: "the default of three axes is cut", extent: v{100, 33, 9}, on: small, size: v{8, 8, 2}, grid: v{13, 5, 5}},
		{name: "the default is cut to one thread", extent: v{4, 4, 4}, on: Limits{Threads: 1}, size: v{1, 1, 1}, grid: v{4, 4, 4}},
		{name: "no limits", block: Block{Size: v{9, 9, 9}, Policy: Exact}, extent: v{10, 9, 8}, size: v{9, 9, 9}, grid: v{2, 1, 1}},

		{name: "exact", block: Block{Size: v{128, 2, 1}, Policy: Exact}, extent: v{100, 100, 100}, on: gpu, size: v{128, 2, 1}, grid: v{1, 50, 100}},
		{name: "a size of 0 counts as 1", block: Block{Size: v{64}, Policy: Exact}, extent: v{100, 3, 1}, on: gpu, size: v{64, 1, 1}, grid: v{2, 3, 1}},
		{name: "exact in whole warps", block: Block{Size: v{20, 3, 1}, Policy: Exact, WarpAligned: true}, extent: v{100, 3, 1}, on: gpu, size: v{32, 3, 1}, grid: v{4, 1, 1}},
		{name: "whole warps stay", block: Block{Size: v{16, 6, 1}, Policy: Exact, WarpAligned: true}, extent: v{100, 6, 1}, on: gpu, size: v{16, 6, 1}, grid: v{7, 1, 1}},
		{name: "the first of equal remainders", block: Block{Size: v{5, 5, 5}, Policy: Exact, WarpAligned: true}, extent: v{5, 5, 5}, on: gpu, size: v{32, 5, 5}, grid: v{1, 1, 1}},
		{name: "the largest remainder", block: Block{Size: v{33, 31, 1}, Policy: Exact, WarpAligned: true}, extent: v{33, 31, 1}, on: Limits{Warp: 32}, size: v{33, 32, 1}, grid: v{1, 1, 1}},
		{name: "whole warps are too many", block: Block{Size: v{33, 31, 1}, Policy: Exact, WarpAligned: true}, extent: v{33, 31, 1}, on: gpu, tooLarge: "33×32×1 threads is too large for the device: it has at most 1024 in all"},
		{name: "too many threads", block: Block{Size: v{64, 64, 1}, Policy: Exact}, extent: v{4, 4, 4}, on: gpu, tooLarge: "64×64×1 threads is too large for the device: it has at most 1024 in all"},
		{name: "too long along z", block: Block{Size: v{1, 1, 65}, Policy: Exact}, extent: v{4, 4, 4}, on: gpu, tooLarge: "1×1×65 threads is too large for the device: it has at most 64 along z"},
		{name: "a size beyond all numbers", block: Block{Size: v{math.MaxInt, math.MaxInt, 3}, Policy: Exact, WarpAligned: true}, extent: v{4, 4, 4}, tooLarge: "in all"},

		{name: "trim", block: Block{Size: v{64, 8, 4}, Policy: Trim}, extent: v{40, 20, 1}, on: gpu, size: v{40, 8, 1}, grid: v{1, 3, 1}},
		{name: "trim to whole warps", block: Block{Size: v{64, 8, 4}, Policy: Trim, WarpAligned: true}, extent: v{30, 3, 1}, on: gpu, size: v{32, 3, 1}, grid: v{1, 1, 1}},
		{name: "trim without iterations", block: Block{Size: v{64, 8, 4}, Policy: Trim}, extent: v{0, 20, 1}, on: gpu, size: v{1, 8, 1}, grid: v{0, 3, 1}},
		{name: "trim is not enough", block: Block{Size: v{64, 64, 1}, Policy: Trim}, extent: v{60, 60, 1}, on: gpu, tooLarge: "60×60×1"},
		{name: "trim is enough", block: Block{Size: v{64, 64, 1}, Policy: Trim}, extent: v{60, 6, 1}, on: gpu, size: v{60, 6, 1}, grid: v{1, 1, 1}},

		{name: "fit: whole warps at once", block: Block{Size: v{32, 2, 1}, Policy: Fit}, extent: v{100, 100, 100}, on: gpu, size: v{32, 2, 1}, grid: v{4, 50, 100}},
		{name: "fit: x is doubled", block: Block{Size: v{8, 1, 1}, Policy: Fit}, extent: v{100, 1, 1}, on: gpu, size: v{32, 1, 1}, grid: v{4, 1, 1}},
		{name: "fit: x above a warp is a multiple of it", block: Block{Size: v{20, 1, 1}, Policy: Fit}, extent: v{100, 1, 1}, on: gpu, size: v{32, 1, 1}, grid: v{4, 1, 1}},
		{name: "fit: x of more than a warp", block: Block{Size: v{33, 1, 1}, Policy: Fit}, extent: v{1000, 1, 1}, on: gpu, size: v{64, 1, 1}, grid: v{16, 1, 1}},
		{name: "fit: z before y", block: Block{Size: v{4, 1, 1}, Policy: Fit}, extent: v{5, 100, 100}, on: gpu, size: v{32, 2, 4}, grid: v{1, 50, 25}},
		{name: "fit: y where z is short", block: Block{Size: v{2, 2, 1}, Policy: Fit}, extent: v{3, 100, 1}, on: gpu, size: v{3, 32, 1}, grid: v{1, 4, 1}},
		{name: "fit: the loop as a whole", block: Block{Size: v{64, 1, 1}, Policy: Fit}, extent: v{10, 1, 1}, on: gpu, size: v{32, 1, 1}, grid: v{1, 1, 1}},
		{name: "fit: one iteration", block: Block{Policy: Fit}, extent: v{1, 1, 1}, on: gpu, size: v{32, 1, 1}, grid: v{1, 1, 1}},
		{name: "fit: no iterations", block: Block{Policy: Fit}, extent: v{0, 0, 0}, on: gpu, size: v{32, 1, 1}, grid: v{0, 0, 0}},
		{name: "fit: a whole of more than a warp", block: Block{Size: v{9, 9, 9}, Policy: Fit}, extent: v{7, 7, 1}, on: gpu, size: v{32, 7, 1}, grid: v{1, 1, 1}},
		{name: "fit: a warp of 64", block: Block{Size: v{16, 3, 1}, Policy: Fit}, extent: v{100, 100, 1}, on: Limits{Warp: 64}, size: v{64, 3, 1}, grid: v{2, 34, 1}},
		{name: "fit: no warp", block: Block{Size: v{3, 3, 1}, Policy: Fit}, extent: v{100, 100, 1}, size: v{3, 3, 1}, grid: v{34, 34, 1}},
		{name: "fit: the device is too small along all axes", block: Block{Size: v{1, 1, 1}, Policy: Fit}, extent: v{100, 100, 100}, on: Limits{Warp: 32, Block: v{2, 2, 2}}, tooLarge: "32×2×2 threads is too large for the device: it has at most 2 along x"},
		{name: "fit: too large from the beginning", block: Block{Size: v{1024, 2, 1}, Policy: Fit}, extent: v{5000, 5000, 1}, on: gpu, tooLarge: "1024×2×1"},
		{name: "fit: cut to the device", block: Block{Size: v{2000, 1, 1}, Policy: Fit}, extent: v{5000, 1, 1}, on: gpu, size: v{1024, 1, 1}, grid: v{5, 1, 1}},

		{name: "the grid is cut", block: Block{Size: v{1, 1, 1}, Policy: Exact}, extent: v{100, 1 << 20, 65536}, on: gpu, size: v{1, 1, 1}, grid: v{100, 65535, 65535}},
		{name: "the largest extents", extent: v{math.MaxInt, math.MaxInt, 1}, size: v{16, 16, 1}, grid: v{math.MaxInt/16 + 1, math.MaxInt/16 + 1, 1}},

		{name: "a negative size", block: Block{Size: v{16, -1, 1}, Policy: Trim}, extent: v{4, 4, 4}, on: gpu, wantInvalid: "[16 -1 1]"},
		{name: "a negative extent", extent: v{4, -4, 4}, on: gpu, wantInvalid: "[4 -4 4]"},
		{name: "no such policy", block: Block{Policy: 9}, extent: v{4, 4, 4}, on: gpu, wantInvalid: "the policy 9"},
	} {
		size, grid, err := c.block.Resolve(c.extent, c.on)
		_, large := errors.AsType[*TooLarge](err)
		_, invalid := errors.AsType[*Invalid](err)
		switch {
		case large != (c.tooLarge != "") || invalid != (c.wantInvalid != "") || err != nil && !large && !invalid:
			t.Errorf("%s: %v, %v, and the error %v", c.name, size, grid, err)
		case err != nil && !strings.Contains(err.Error(), c.tooLarge+c.wantInvalid):
			t.Errorf("%s: the error is %q, want %q in it", c.name, err, c.tooLarge+c.wantInvalid)
		case size != c.size || grid != c.grid:
			t.Errorf("%s: %v, %v, and %v, %v is expected", c.name, size, grid, c.size, c.grid)
		}
	}
}

// TestProperties checks what all policies promise, for random blocks, loops and devices.
func TestProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	one := func(most int) int {
		if r.IntN(4) == 0 {
			return 1
		}
		return 1 + r.IntN(most)
	}
	for range 200_000 {
		l := Limits{Warp: []int{1, 4, 8, 16, 32, 64, 48}[r.IntN(7)], Threads: one(1200), Block: [3]int{one(1024), one(1024), one(64)}, Grid: [3]int{one(70), one(70), one(70)}}
		b := Block{Size: [3]int{r.IntN(80), r.IntN(20), r.IntN(10)}, Policy: Policy(r.IntN(4)), WarpAligned: r.IntN(2) == 0}
		extent := [3]int{r.IntN(300), r.IntN(40), r.IntN(20)}
		size, grid, err := b.Resolve(extent, l)
		if wrong := promise(b, extent, l, size, grid, err); wrong != "" {
			t.Fatalf("%+v of %v on %+v gives %v, %v, %v: %s", b, extent, l, size, grid, err, wrong)
		}
	}
}

// promise says what is wrong with an answer.
func promise(b Block, extent [3]int, l Limits, size, grid [3]int, err error) string {
	if err != nil {
		if b.Policy == Default {
			return "the default fails"
		}
		if size != [3]int{} || grid != [3]int{} {
			return "there is an error, and an answer"
		}
		return ""
	}
	n, trimmed := 1, 1
	for d := range size {
		n *= size[d]
		wanted := max(1, b.Size[d])
		trimmed *= min(wanted, max(1, extent[d]))
		switch {
		case size[d] < 1 || size[d] > l.Block[d]:
			return "the block is beyond a limit"
		case extent[d] == 0 && grid[d] != 0:
			return "there are blocks without iterations"
		case grid[d] > l.Grid[d]:
			return "the grid is beyond a limit"
		case grid[d] < l.Grid[d] && grid[d]*size[d] < extent[d]:
			return "the grid does not cover the loop"
		case grid[d] > 0 && (grid[d]-1)*size[d] >= extent[d]:
			return "the grid has a block too many"
		case b.Policy == Exact && !b.WarpAligned && size[d] != wanted:
			return "the block is not the exact one"
		case b.Policy == Trim && !b.WarpAligned && size[d] != min(wanted, max(1, extent[d])):
			return "the block is not trimmed"
		}
	}
	aligned := b.Policy == Fit || b.WarpAligned && b.Policy != Default
	switch {
	case n > l.Threads:
		return "there are too many threads"
	case aligned && n%l.Warp != 0:
		return "the last warp is not full"
	case b.Policy == Fit && trimmed >= l.Warp && trimmed%l.Warp == 0 && n != trimmed:
		return "a block of whole warps was changed"
	}
	return ""
}
