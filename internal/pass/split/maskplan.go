package split

import (
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// This file plans how the loops over the cells of a block read masks; listmask.go makes the loops.

// entryBits are the bits of the innermost mask in the entries of a list.
type entryBits struct {
	words int // 0: entries have no bits, and the mask itself is read
	below int // number of dims below those of the mask
}

// hasRow reports whether d, the innermost dim, is a row of cells whose bits lie in one word. Large bodies are not worth a second copy.
func (c *cellPlan) hasRow(d layout.NestDim) bool {
	inside := c.cells.Visit.Inside
	last := inside[len(inside)-1]
	if c.s.cellwise || 2*c.loop.Regions[0].Size() > maxPieceOps {
		return false
	}
	return last.Mask != nil && len(last.Dims) > 0 && d.Extent > 1 && unit.WordCells%d.Extent == 0
}

// cutRow splits the innermost dim if a row of it has several words, unless the body reads neighbours along it: then its border is
// split off.
func (c *cellPlan) cutRow(dims []layout.NestDim) []layout.NestDim {
	if len(dims) == 0 {
		return dims
	}
	d := dims[len(dims)-1]
	if d.Extent <= unit.WordCells || d.Extent%unit.WordCells != 0 {
		return dims
	}
	if lo, hi := c.reach(c.loop.Regions[0], d); lo != 0 || hi != 0 || !c.hasRow(layout.NestDim{Extent: unit.WordCells}) {
		return dims
	}
	return append(append([]layout.NestDim{}, dims[:len(dims)-1]...),
		layout.NestDim{Axis: d.Axis, Extent: d.Extent / unit.WordCells, Mul: d.Mul * unit.WordCells},
		layout.NestDim{Axis: d.Axis, Extent: unit.WordCells, Mul: d.Mul})
}

// byRows reports whether the innermost of dims is visited by rows of a mask.
func (c *cellPlan) byRows(dims []layout.NestDim) bool {
	return len(dims) > 0 && c.hasRow(dims[len(dims)-1])
}

// Limits of the version for blocks with all cells active: words of the mask, and ops. Longer code gains little compared with full rows.
const (
	mostFullWords = 64
	mostFullOps   = 200
)

// hasFull reports whether there is a version of the loops for blocks whose cells are all active. Such a block is like one of a dense
// node, whose loops can be collapsed. There is no such version if several entries share a block, or if the loops run for few blocks.
func (c *cellPlan) hasFull() bool {
	inside := c.cells.Visit.Inside
	if !c.rows || c.scratch != nil || c.outer > 0 || len(inside) != 1 || len(inside[0].Mask.Terms) > 0 || len(c.nest) == 1 {
		return false
	}
	ops, cells := int64(c.loop.Regions[0].Size()), int64(1)
	for i, d := range c.nest {
		ops *= int64(len(c.pieces[i]))
		cells *= d.Extent
	}
	words := cells / unit.WordCells
	return ops <= mostFullOps && cells%unit.WordCells == 0 && words >= 1 && words <= mostFullWords
}
