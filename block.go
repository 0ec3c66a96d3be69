package ti

import (
	"github.com/gotaichi/ti/internal/diag"
	"github.com/gotaichi/ti/internal/session"
	"github.com/gotaichi/ti/internal/threadblock"
)

// Block is the shape of GPU thread blocks for parallel loops of up to three axes.
// Index 0 is the x dimension, which runs along the innermost axis of the loop. Of a
// loop with more axes, all but the last two are one along z. The axes are those of
// the loop as it is compiled: one over a field that lies in blocks of 8×8 elements has
// four. The zero Block leaves the choice to the compiler, which goes by the number of
// axes: 256×1×1, 16×16×1 or 8×8×4 threads, or what the device allows of these.
//
// A block never changes what a kernel computes, only how long it takes, but for the
// rounding of sums of floats without [Config.Deterministic]. Loops that run in
// order on one thread have none.
type Block struct {
	// Size is the block that Policy starts from; 0 counts as 1.
	Size [3]int

	// Policy says how Size is adapted to the loop's extent.
	Policy BlockPolicy

	// WarpAligned promises, and makes sure, that the number of threads is a
	// multiple of the warp size: where Size does not give one, the dimension
	// with the largest remainder goes up to its next such multiple. BlockFit always
	// does this, and BlockDefault never.
	WarpAligned bool
}

// BlockPolicy says how a block is adapted to the extent of a loop.
type BlockPolicy uint8

const (
	// BlockDefault ignores Size and takes the compiler's choice.
	BlockDefault BlockPolicy = iota

	// BlockExact takes Size as it is. A launch fails with [ErrArgs] if the device
	// does not allow it.
	BlockExact

	// BlockTrim cuts each dimension of Size to the extent of the loop. If the device
	// does not allow the block even so, the loop takes the compiler's choice, and one
	// line on standard error says so.
	BlockTrim

	// BlockFit trims, and then enlarges dimensions step by step until the number
	// of threads is large enough and a multiple of the warp size: x, z and y in turn
	// are doubled, up to the loop's extent. The device's limits count as for
	// BlockTrim.
	BlockFit
)

// Resolve computes the block and the grid, the number of blocks along each
// dimension, for a loop of the given extents on a GPU. Launches use it; it is here
// for tuning and tests. It fails with [ErrArgs] if the block exceeds what dev allows;
// a limit of dev that is 0 allows everything. The grid is cut to dev.MaxGrid: blocks
// then take several parts of the loop in turn. Along an axis without iterations the
// grid is 0.
func (b Block) Resolve(extent [3]int, dev Device) (block, grid [3]int, err error) {
	block, grid, err = b.below().Resolve(extent, threadblock.Limits{Warp: dev.Warp, Threads: dev.MaxBlockThreads, Block: dev.MaxBlock, Grid: dev.MaxGrid})
	if err != nil {
		err = diag.Errorf(ErrArgs, "%w", err)
	}
	return block, grid, err
}

// below is b as the packages below have it.
func (b Block) below() threadblock.Block {
	return threadblock.Block{Size: b.Size, Policy: threadblock.Policy(b.Policy), WarpAligned: b.WarpAligned}
}

// SetBlock sets the shape of GPU thread blocks for the kernel's loops that ask for
// none in the source, from the next launch on, also if that is the zero Block. Without
// it loops have [Config.Block]. A loop that asks for blockDim(n) has a block of exactly
// n×1×1 threads. Other devices ignore blocks.
func (k *Kernel) SetBlock(b Block) { (*session.Kernel)(k).SetBlock(b.below()) }
