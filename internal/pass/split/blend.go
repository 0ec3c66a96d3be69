package split

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// This file computes whole rows of bitmasked cells, and stores only to the active ones, if the body only loads and stores elements of
// its own cell. In an inactive cell, whose elements are zero, the result is dropped and zero is stored again. That is safe, since all
// iterations store to their own cells, and since the loop's own cells are proved to be active, so that the store activates nothing.
// So a row can be vectorised, with its bits as masks, if enough of them are ones:
//
//	if popcount %m * 4 < 16 {
//		the ones of %m, one by one
//	} else {
//		for.independent 0, 16 { (%l: i32) %bit = %m >> l & 1; …; store %p, select %bit, %v, (load %p) }
//	}

// Limits of a blended row: ops of the body, and the fewest active cells of a row.
const (
	mostBlended  = 24
	leastBlended = 8 // cells of a row
	blendedShare = 4
)

// blends reports whether rows are to be blended.
func (c *cellPlan) blends() bool {
	body := c.loop.Regions[0]
	last := len(c.nest) - 1
	if !c.rows || c.s.unproven || c.bits.words > 0 || c.nest[last].Extent < leastBlended || len(c.pieces[last]) > 1 || body.Size() > mostBlended {
		return false
	}
	stores := false
	for _, o := range body.Ops {
		switch {
		case o.Code == ir.OpPtr:
			if o.Flags.Has(ir.Dynamic) || o.Field.Stored != nil || !o.Field.Sparse || c.s.lay.Cells(o.Field).Node != c.cells.Node || !c.inCell(o) || !slices.Equal(o.Args, body.Params) {
				return false
			}
		case o.Code == ir.OpLoad || o.Code == ir.OpStore:
			if o.Args[0].Def == nil || o.Args[0].Def.Code != ir.OpPtr || o.Flags != 0 {
				return false
			}
			stores = stores || o.Code == ir.OpStore
		case o.Code == ir.OpContinue:
		case !o.Code.Is(ir.Pure) || o.Field != nil || len(o.Regions) > 0 || !inLanes(o):
			return false
		}
	}
	return stores
}

// inCell reports whether the component of a place lies in the cell of the loop, and not in a node of its own, in which a store would
// activate.
func (c *cellPlan) inCell(o *ir.Op) bool {
	steps, own := c.s.lay.Access(o.Field, int(o.Aux)).Steps, c.cells.Steps
	return len(steps) == len(own) && slices.EqualFunc(steps, own, func(a, b layout.Step) bool { return a.Node == b.Node })
}

// inLanes reports whether o costs little for inactive cells, because vectors compute it.
func inLanes(o *ir.Op) bool {
	switch o.Code {
	case ir.OpCall, ir.OpLookup, ir.OpCbrt:
		return false
	case ir.OpDiv, ir.OpRem, ir.OpFloorDiv, ir.OpMod:
		return o.Results[0].Type.Kind.IsFloat() && o.Code == ir.OpDiv
	}
	return !o.Code.Is(ir.Math)
}

// blendedRow appends the loop over a piece of a row whose bits are m; it visits only the ones if they are few.
func (c *cellLoop) blendedRow(d layout.NestDim, p span, m *ir.Value) {
	u64 := ir.Scalar(ir.U64)
	share := c.b.Op(ir.OpMul, c.b.Op(ir.OpPopcount, m), c.b.Int(u64, blendedShare))
	c.b.If(c.b.Op(ir.OpLt, share, c.b.Int(u64, d.Extent)), nil, func() {
		c.keeping(func() { c.ones(d, p, m) })
		c.b.Yield()
	}, func() {
		c.keeping(func() { c.blended(d, p, m) })
		c.b.Yield()
	})
}

// blended appends the loop over all cells of a piece of a row that stores only to those with a bit in m.
func (c *cellLoop) blended(d layout.NestDim, p span, m *ir.Value) {
	kind := ir.U32 // as many bits as most numbers have, so that lanes match
	if d.Extent > 32 {
		kind = ir.U64
	}
	m = c.b.Convert(m, kind)
	it := ir.Scalar(c.kind)
	loop := ir.NewOp(ir.OpFor, c.b.Pos, nil, c.b.Int(it, p.lo), c.b.Int(it, p.hi))
	loop.Flags = ir.Independent
	l := loop.Regions[0].AddParam(it, "")
	c.b.Emit(loop)
	c.into(loop.Regions[0])
	bit := c.b.Op(ir.OpShl, c.b.Int(m.Type, 1), c.b.Convert(l, kind))
	active := c.b.Op(ir.OpNe, c.b.Op(ir.OpAnd, m, bit), c.b.Int(m.Type, 0))
	c.add(d.Axis, l, d.Mul)
	c.body(loop, false)
	ops := c.b.Block.Ops
	c.b.Block.Ops = nil
	for _, o := range ops {
		if o.Code == ir.OpStore {
			old := c.b.Load(o.Args[1].Type, o.Args[0])
			o.Args[1] = c.b.Op(ir.OpSelect, active, o.Args[1], old)
		}
		c.b.Block.Ops = append(c.b.Block.Ops, o)
	}
}
