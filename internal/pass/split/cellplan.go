package split

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// This file decides how the task of a loop over the cells of a sparse tree is made: what
// an entry of its list stands for, and the loops over the cells of one. listtask.go makes it.

// A cellPlan is how such a task is made. Nothing changes once it is there.
type cellPlan struct {
	s      *splitter
	loop   *ir.Op
	cells  *unit.Cells
	first  []blockAxis      // the way to the first cell of a block, by axis
	dims   []layout.NestDim // of a block
	outer  int              // dims of a block that entries tell apart
	masked bool             // a bit tells of each cell of an entry whether it is active
	bits   entryBits

	scratch *scratchPlan // nil if neighbours are read where they lie
	why     note.Reason  // there is no scratch

	nest   []layout.NestDim // loops over the cells of an entry, outermost first
	pieces [][]span         // of each of them, of which each has a copy of the body
	rows   bool             // the innermost one goes by rows of a mask
	full   bool             // there is a copy for blocks of which all cells are active
	blend  bool             // a row of the mask is computed as a whole
}

// planCells decides how the task of a loop over the cells of a sparse field is made.
func (s *splitter) planCells(loop *ir.Op) *cellPlan {
	c := &cellPlan{s: s, loop: loop, cells: s.lay.Cells(loop.Field)}
	v := c.cells.Visit
	c.locate()
	c.dims = v.Dims()
	_, _, c.masked = v.LastMask()
	c.share()
	c.masked = c.masked && !coversMasks(v, c.outer)
	c.noteList()
	c.scratch, c.why = c.planScratch()
	s.noteHints(loop, c.scratch, c.why)
	c.planNest()
	return c
}

// planNest decides about the loops over the cells of an entry.
//
// Where the body reads neighbours, at the index plus constants, the cells at the
// border of a block are split off from its interior: whether a neighbour lies in this
// block or in which other is the same for all cells of a piece then, so that access
// lowering looks each block up once for a piece, and an interior needs none (bounds
// inference in Hu, Taichi, chapter 2, section 5.1).
func (c *cellPlan) planNest() {
	v := c.cells.Visit
	c.nest = slices.Clip(c.dims[c.outer:])
	if v.Node.Kind() == layout.Dynamic {
		c.nest = append(c.nest, layout.NestDim{Axis: len(c.first) - 1, Extent: v.Chunk, Mul: 1})
	}
	if c.masked {
		c.nest = c.cutRow(c.nest)
		c.rows = c.byRows(c.nest)
	}
	c.pieces = make([][]span, len(c.nest))
	for i, d := range c.nest {
		c.pieces[i] = []span{{0, d.Extent}}
	}
	if v.Node.Kind() != layout.Dynamic && c.scratch == nil && !c.s.whole {
		c.splitBorder()
	}
	c.full = c.hasFull()
	if c.blend = c.blends(); c.blend {
		n := c.nest[len(c.nest)-1].Extent
		c.s.notes.Say(c.loop.Pos, note.RowsBlended, n/blendedShare, n)
	}
}

// A blockAxis is where the block of an entry begins along an axis: at low + q*span, for a
// coordinate q below blocks.
type blockAxis struct {
	low, span int64
	blocks    int64
	unbounded bool
}

// MostInside is the number of cells that an entry stands for at most, as far as the
// dims of a block can be told apart: large blocks are shared by several threads.
const MostInside = 16 << 10

// locate finds where blocks lie.
func (c *cellPlan) locate() {
	v := c.cells.Visit
	c.first = make([]blockAxis, c.loop.Field.Rank())
	for k, axis := range c.cells.Node.PathAxes() {
		at := &c.first[k]
		at.blocks, at.unbounded = v.Node.Extent(axis), c.cells.Node.Unbounded(axis)
		if v.Node.Kind() == layout.Dynamic && axis == v.Node.Axes()[0] {
			at.span = v.Chunk
			at.blocks = (at.blocks + at.span - 1) / at.span
		} else {
			at.span = c.cells.Node.Extent(axis) / at.blocks
		}
		if !at.unbounded {
			at.low = c.loop.Field.Origin[k]
		}
	}
}

// coversMasks reports whether the first outer dims are all that a mask is about.
func coversMasks(v layout.Visit, outer int) bool {
	at := 0
	for _, in := range v.Inside {
		at += len(in.Dims)
		if in.Mask != nil && at > outer {
			return false
		}
	}
	return true
}

// share sets how many dims of a block the entries of the list tell apart: as many as leave
// a moderate amount of work to each. If the loop changes masks while it runs, its entries
// have bits of their own, since it visits what was active before: those of the innermost
// mask, so that what is above that is told apart.
func (c *cellPlan) share() {
	total := int64(1)
	for _, d := range c.dims {
		total *= d.Extent
	}
	for ; c.outer < len(c.dims) && total > MostInside; c.outer++ {
		total /= c.dims[c.outer].Extent
	}
	if c.masked && c.changesMasks() {
		from, to, _ := c.cells.Visit.LastMask()
		c.outer = max(c.outer, from)
		if c.outer < to {
			c.bits = entryBits{words: c.cells.Visit.MaskWords(c.outer), below: len(c.dims) - to}
		}
	}
}

// changesMasks reports whether an iteration may activate a bitmasked cell on the way
// to the cells of the loop, other than its own, which it may reach by any field of its
// node.
func (c *cellPlan) changesMasks() bool {
	masks := map[*layout.Node]bool{}
	for _, in := range c.cells.Visit.Inside {
		masks[in.Node] = in.Mask != nil
	}
	own := c.loop.Regions[0].Params
	found := false
	ir.Visit(c.loop.Regions[0], func(o *ir.Op) bool {
		if f, args := analysis.Activated(o); f != nil && f.Sparse {
			known := analysis.NodesAround(c.s.lay, c.loop.Field, own, f, args)
			for _, s := range c.s.lay.Cells(f).Steps {
				found = found || masks[s.Node] && !known[s.Node]
			}
		}
		return !found
	})
	return found
}

// A span is the part lo ≤ l < hi of a dim.
type span struct{ lo, hi int64 }

// Limits of splitting a block: cells at each border, and ops of all copies of the body.
const (
	maxBorder     = 2
	maxPieceOps   = 3000
	leastInterior = 2
)

// splitBorder cuts loops at the borders of blocks if the body reads neighbours along them.
func (c *cellPlan) splitBorder() {
	body := c.loop.Regions[0]
	ops := body.Size()
	copies := 1
	for i := len(c.nest) - 1; i >= 0; i-- {
		d := c.nest[i]
		lo, hi := c.reach(body, d)
		if d.Mul != 1 || lo == 0 && hi == 0 || lo > maxBorder || hi > maxBorder || d.Extent-lo-hi < leastInterior {
			continue
		}
		n := int(lo + hi + 1)
		if copies*n*ops > maxPieceOps {
			continue
		}
		copies *= n
		c.pieces[i] = nil
		for l := int64(0); l < lo; l++ {
			c.pieces[i] = append(c.pieces[i], span{l, l + 1})
		}
		c.pieces[i] = append(c.pieces[i], span{lo, d.Extent - hi})
		for l := d.Extent - hi; l < d.Extent; l++ {
			c.pieces[i] = append(c.pieces[i], span{l, l + 1})
		}
	}
	c.noteBorder(copies)
}

// reach returns how far before and behind its own cell the body accesses elements of
// sparse fields along the axis of a dim.
func (c *cellPlan) reach(body *ir.Block, d layout.NestDim) (lo, hi int64) {
	own := body.Params[d.Axis]
	ir.Visit(body, func(o *ir.Op) bool {
		if o.Code == ir.OpPtr && o.Field.Sparse {
			for _, v := range analysis.Indices(o) {
				if at := analysis.LoopIndex(body, v); at.Param == own {
					lo, hi = max(lo, -at.Add), max(hi, at.Add)
				}
			}
		}
		return true
	})
	return lo, hi
}
