package split

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// This file decides how a loop over the cells of a sparse tree becomes a task: what an entry of its list represents, and the loops over
// the cells of an entry. listtask.go makes the task.

// A cellPlan is such a decision. It does not change after it is made.
type cellPlan struct {
	s      *splitter
	loop   *ir.Op
	cells  *unit.Cells
	first  []blockAxis      // the position of the first cell of a block, by axis
	dims   []layout.NestDim // of a block
	outer  int              // the number of outer dims of a block that entries distinguish
	masked bool             // each cell of an entry has a bit that says whether it is active
	bits   entryBits

	scratch *scratchPlan // nil if neighbours are read from their blocks
	why     note.Reason  // why there is no scratch

	nest   []layout.NestDim // loops over the cells of an entry, outermost first
	pieces [][]span         // of each loop; each piece has a copy of the body
	rows   bool             // the innermost loop visits rows of a mask
	full   bool             // there is a version for blocks with all cells active
	flat   bool             // the task has an iteration for each cell of an entry, and no loops
	blend  bool             // whole rows of the mask are computed, see blend.go
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

// planNest plans the loops over the cells of an entry.
//
// If the body reads neighbours, at the index plus constants, separate loops handle the cells at the border of a block. Then all cells of
// a piece read neighbours in the same block, so that access lowering looks each block up once for a piece, and never for the interior
// (bounds inference in Hu, Taichi, chapter 2, section 5.1).
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
	c.flat = c.s.blocks && !c.loop.Flags.Has(ir.Serial) && c.inside() > 1 && c.inside() <= mostFlat
	c.full = c.hasFull()
	if c.blend = c.blends(); c.blend {
		n := c.nest[len(c.nest)-1].Extent
		c.s.notes.Say(c.loop.Pos, note.RowsBlended, n/blendedShare, n)
	}
}

// mostFlat is the largest number of cells of an entry for which a task has an iteration each. Chunks of lists may have more, of which few may be there.
const mostFlat = 1 << 20

// inside is the number of cells of an entry.
func (c *cellPlan) inside() int64 {
	cells := int64(1)
	for _, d := range c.nest {
		if cells *= d.Extent; cells > mostFlat {
			break
		}
	}
	return cells
}

// A blockAxis is the start of an entry's block along an axis: low + q*span, for a coordinate q below blocks.
type blockAxis struct {
	low, span int64
	blocks    int64
	unbounded bool
}

// MostInside is the largest number of cells of an entry, as far as entries can distinguish the dims of a block. So several threads share
// large blocks.
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

// coversMasks reports whether the first outer dims are all dims of the mask.
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

// share sets the number of dims of a block that the entries of the list distinguish, so that each entry has a moderate amount of work.
// If the loop changes masks while it runs, its entries have copies of the bits of the innermost mask, since the loop visits the cells
// that were active before. Then the entries distinguish all dims above that mask.
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

// changesMasks reports whether an iteration may activate a bitmasked cell on the path to the cells of the loop, other than its own
// cell, which it may access by any field of its node.
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

// reach returns the distances before and after its own cell at which the body accesses elements of sparse fields, along the axis of a
// dim.
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
