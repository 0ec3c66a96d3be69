package threadblock

import (
	"fmt"
	"math"
)

// A Block is the shape of thread blocks that a program wants. Package ti documents it.
type Block struct {
	Size        [3]int
	Policy      Policy
	WarpAligned bool
}

// Policy says how a block is adapted to the extents of a loop.
type Policy uint8

// The policies.
const (
	Default Policy = iota // Size is ignored
	Exact
	Trim
	Fit
)

// Limits are those of a device. A limit of 0 is not known, and bounds nothing.
type Limits struct {
	Warp    int    // threads in a warp; 0 counts as 1
	Threads int    // in a block
	Block   [3]int // extents of a block
	Grid    [3]int // extents of a grid, in blocks
}

// An Invalid is the error of a block, or of extents, that no device can have.
type Invalid struct{ What string }

func (e *Invalid) Error() string { return e.What }

// A TooLarge is the error of a block that a device does not run.
type TooLarge struct {
	Size  [3]int
	Limit string // what is beyond which limit
}

func (e *TooLarge) Error() string {
	return fmt.Sprintf("a thread block of %s threads is too large for the device: %s", Text(e.Size), e.Limit)
}

// Text writes extents as 16×16×1.
func Text(size [3]int) string { return fmt.Sprintf("%d×%d×%d", size[0], size[1], size[2]) }

// defaults are the blocks of loops of one, two and three axes, of which nothing else is known: 256 threads, close to each other along all axes.
var defaults = [3][3]int{{256, 1, 1}, {16, 16, 1}, {8, 8, 4}}

// Check returns an [Invalid] for a block that no device can have.
func (b Block) Check() error {
	switch b.Policy {
	case Default, Exact, Trim, Fit:
	default:
		return &Invalid{fmt.Sprintf("a thread block has the policy %d, and the last one is %d", b.Policy, Fit)}
	}
	for _, n := range b.Size {
		if n < 0 {
			return &Invalid{fmt.Sprintf("a thread block has the size %v; sizes are numbers of threads, and not negative", b.Size)}
		}
	}
	return nil
}

// Resolve returns the block and the grid for a loop. The error is an [Invalid], or a [TooLarge], which the Default never gives.
func (b Block) Resolve(extent [3]int, l Limits) (block, grid [3]int, err error) {
	if err := b.Check(); err != nil {
		return block, grid, err
	}
	for _, n := range extent {
		if n < 0 {
			return block, grid, &Invalid{fmt.Sprintf("a loop has the extents %v; they are numbers of iterations, and not negative", extent)}
		}
	}
	l.Warp = max(1, l.Warp)
	whole, size := atLeastOne(extent), atLeastOne(b.Size)
	switch b.Policy {
	case Default:
		size = l.choose(extent)
	case Trim:
		size = least(size, whole)
	case Fit:
		size = l.fit(least(size, whole), whole)
	}
	if b.WarpAligned && (b.Policy == Exact || b.Policy == Trim) {
		size = l.align(size)
	}
	if err := l.check(size); err != nil {
		return block, grid, err
	}
	return size, l.grid(extent, size), nil
}

// grid returns how many blocks of a size cover a loop, at most as many as the device has at once.
func (l Limits) grid(extent, size [3]int) (grid [3]int) {
	for d, n := range extent {
		if n > 0 {
			grid[d] = bounded((n-1)/size[d]+1, l.Grid[d])
		}
	}
	return grid
}

// choose returns the default for a loop, cut to the device: at first along each dimension, then by halves from z on.
func (l Limits) choose(extent [3]int) [3]int {
	axes := 3
	for axes > 1 && extent[axes-1] == 1 {
		axes--
	}
	size := defaults[axes-1]
	for d := range size {
		size[d] = bounded(size[d], l.Block[d])
	}
	for d := 2; l.Threads > 0 && d >= 0; d-- {
		for size[d] > 1 && Threads(size) > l.Threads {
			size[d] /= 2
		}
	}
	return size
}

// fit enlarges a trimmed block until it holds a warp, and makes its threads a multiple of a warp.
func (l Limits) fit(size, extent [3]int) [3]int {
	if n := Threads(size); n >= l.Warp && n%l.Warp == 0 {
		return size
	}
	for {
		before := size
		for _, d := range [...]int{0, 2, 1} {
			if size == extent {
				break
			}
			size[d] = min(bounded(l.doubled(size[d], d), l.Block[d]), extent[d])
			if Threads(size) >= l.Warp {
				return l.align(size)
			}
		}
		if size == before { // it is the loop as a whole, or as large as the device allows
			return l.align(size)
		}
	}
}

// doubled returns twice n, along x a multiple of a warp if it is above one.
func (l Limits) doubled(n, d int) int {
	if n > math.MaxInt/2 {
		return n
	}
	n *= 2
	if d == 0 && n > l.Warp {
		n -= n % l.Warp
	}
	return n
}

// align makes the number of threads a multiple of a warp: the dimension with the largest remainder goes up to its next multiple.
func (l Limits) align(size [3]int) [3]int {
	if n := Threads(size); n%l.Warp == 0 || n > mostThreads {
		return size
	}
	most := 0
	for d := range size {
		if size[d]%l.Warp > size[most]%l.Warp {
			most = d
		}
	}
	size[most] += l.Warp - size[most]%l.Warp
	return size
}

// mostThreads is how many threads a block has at most where no limit is known. No device has so many.
const mostThreads = 1 << 24

// check returns a [TooLarge] for a block beyond a limit.
func (l Limits) check(size [3]int) error {
	for d, n := range size {
		if limit := l.Block[d]; limit > 0 && n > limit {
			return &TooLarge{size, fmt.Sprintf("it has at most %d along %c", limit, "xyz"[d])}
		}
	}
	limit := bounded(mostThreads, l.Threads)
	if Threads(size) > limit {
		return &TooLarge{size, fmt.Sprintf("it has at most %d in all", limit)}
	}
	return nil
}

// Threads is how many threads a block has; the largest int stands for more.
func Threads(size [3]int) int {
	n := 1
	for _, m := range size {
		if m > 0 && n > math.MaxInt/m {
			return math.MaxInt
		}
		n *= m
	}
	return n
}

// bounded is n, or a known limit below it.
func bounded(n, limit int) int {
	if limit > 0 {
		return min(n, limit)
	}
	return n
}

func least(a, b [3]int) [3]int {
	return [3]int{min(a[0], b[0]), min(a[1], b[1]), min(a[2], b[2])}
}

func atLeastOne(a [3]int) [3]int { return [3]int{max(1, a[0]), max(1, a[1]), max(1, a[2])} }
