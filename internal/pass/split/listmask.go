package split

import (
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// This file is the part of the loop over the cells of a block that reads masks. The innermost dim of a bitmasked node is visited by
// rows: the bits of a row are read once. If all are ones, the row is like that of a dense node, which LLVM vectorises. Otherwise only
// its ones are visited, each found by counting zeros:
//
//	%m = mask 16 @X %i, %j
//	if %m == 0xffff {
//		for 0, 16 { (%l: i32) visit.proven @X %b, %i, %j+%l; … the loop's body … }
//	} else {
//		for 0, popcount %m, %m { (%k: i32, %rest: u64)
//			%l = trailing zeros of %rest
//			block { visit.proven @X %b, %i, %j+%l; … the loop's body … }
//			continue %rest & (%rest - 1)
//		}
//	}
//
// The mask does not change meanwhile: if the loop may activate other cells of the node, the entries of the list have the bits from
// before the loop:
//
//	%w = listmask 0.4 %e, %word : u64
//	%m = %w >> %cell % 64 & 0xffff

// row appends the loops over a row along d, in pieces; the current index is that of its first cell.
func (c *cellLoop) row(d layout.NestDim, pieces []span) {
	u64 := ir.Scalar(ir.U64)
	mask := c.rowBits(d)
	for _, p := range pieces {
		ones := ^uint64(0) >> (unit.WordCells - (p.hi - p.lo))
		m := mask
		if p.hi-p.lo < d.Extent {
			m = c.b.Op(ir.OpAnd, c.b.Op(ir.OpShr, m, c.b.Int(ir.Scalar(ir.I64), p.lo)), c.b.Const(u64, ones))
		}
		switch {
		case c.rolled: // not worth a second copy of the body
			c.keeping(func() { c.ones(d, p, m) })
			continue
		case c.blend:
			c.blendedRow(d, p, m)
			continue
		}
		full := c.b.Op(ir.OpEq, m, c.b.Const(u64, ones))
		c.b.If(full, nil, func() {
			c.keeping(func() { c.fullRow(d, p) })
			c.b.Yield()
		}, func() {
			if p.hi-p.lo > 1 {
				c.keeping(func() { c.ones(d, p, m) })
			}
			c.b.Yield()
		})
	}
}

// allActive appends a test whether all cells of the block are active.
func (c *cellLoop) allActive() *ir.Value {
	cells := int64(1)
	for _, d := range c.nest {
		cells *= d.Extent
	}
	i64, u64 := ir.Scalar(ir.I64), ir.Scalar(ir.U64)
	var all *ir.Value
	for w := range cells / unit.WordCells {
		var word *ir.Value
		if c.bits.words > 0 {
			word = c.entryMask(c.b.Int(i64, w*unit.WordCells), unit.WordCells)
		} else {
			word = c.b.Load(u64, c.b.Op(ir.OpOffset, c.b.Op(ir.OpBlockPtr, c.block), c.b.Int(i64, c.cells.Visit.Inside[0].Mask.Const+8*w)))
			word.Def.Alias = analysis.TopologyClass(c.s.k)
		}
		if all != nil {
			word = c.b.Op(ir.OpAnd, all, word)
		}
		all = word
	}
	return c.b.Op(ir.OpEq, all, c.b.Const(u64, ^uint64(0)))
}

// rowBits appends the load of the bits of a row along d; the current index is that of its first cell.
func (c *cellLoop) rowBits(d layout.NestDim) *ir.Value {
	if c.bits.words > 0 {
		return c.entryMask(c.nextCell(d, nil), d.Extent)
	}
	c.visit(0)
	o := ir.NewOp(ir.OpMask, c.b.Pos, []ir.Type{ir.Scalar(ir.U64)}, c.index...)
	o.Field, o.Aux = c.loop.Field, d.Extent
	return c.b.Emit(o)
}

// nextCell returns the number of cell l along d, the next dim of the mask; nil is cell 0.
func (c *cellLoop) nextCell(d layout.NestDim, l *ir.Value) *ir.Value {
	cell := c.cell
	if cell == nil {
		return l
	}
	cell = c.b.NoWrap(ir.OpMul, cell, c.b.Int(cell.Type, d.Extent))
	if l != nil {
		cell = c.b.NoWrap(ir.OpAdd, cell, l)
	}
	return cell
}

// entryMask appends the load of n bits of an entry, which lie in one word, from a cell on; nil is cell 0.
func (c *cellLoop) entryMask(cell *ir.Value, n int64) *ir.Value {
	i64, u64 := ir.Scalar(ir.I64), ir.Scalar(ir.U64)
	if cell == nil {
		cell = c.b.Int(i64, 0)
	}
	cell = c.b.Convert(cell, ir.I64)
	o := ir.NewOp(ir.OpListMask, c.b.Pos, []ir.Type{u64}, c.entry, c.b.Op(ir.OpShr, cell, c.b.Int(i64, 6)))
	o.Aux = int64(c.bitsAt)
	word := c.b.Emit(o)
	if n == unit.WordCells {
		return word
	}
	bit := c.b.Op(ir.OpAnd, cell, c.b.Int(i64, unit.WordCells-1))
	return c.b.Op(ir.OpAnd, c.b.Op(ir.OpShr, word, bit), c.b.Const(u64, 1<<n-1))
}

// keeping runs f, which changes the current index, and restores the index.
func (c *cellLoop) keeping(f func()) {
	b, index := c.b, append([]*ir.Value{}, c.index...)
	f()
	c.b, c.index = b, index
}

// fullRow appends the loop over a piece of a row whose cells are all active.
func (c *cellLoop) fullRow(d layout.NestDim, p span) {
	it := ir.Scalar(c.kind)
	loop := ir.NewOp(ir.OpFor, c.b.Pos, nil, c.b.Int(it, p.lo), c.b.Int(it, p.hi))
	l := loop.Regions[0].AddParam(it, "")
	c.b.Emit(loop)
	c.into(loop.Regions[0])
	c.add(d.Axis, l, d.Mul)
	c.body(loop, false)
}

// ones appends the loop over the ones of m, which are the active cells of a piece.
func (c *cellLoop) ones(d layout.NestDim, p span, m *ir.Value) {
	it, u64 := ir.Scalar(c.kind), ir.Scalar(ir.U64)
	count := c.b.Convert(c.b.Op(ir.OpPopcount, m), c.kind)
	loop := ir.NewOp(ir.OpFor, c.b.Pos, []ir.Type{u64}, c.b.Int(it, 0), count, m)
	if c.rolled {
		loop.Flags = ir.Rolled
	}
	loop.Regions[0].AddParam(it, "")
	rest := loop.Regions[0].AddParam(u64, "")
	c.b.Emit(loop)
	c.into(loop.Regions[0])
	less := c.b.Op(ir.OpSub, rest, c.b.Const(u64, 1))
	below := c.b.Op(ir.OpAnd, c.b.Op(ir.OpNot, rest), less) // ones below the lowest one of rest
	l := c.b.Convert(c.b.Op(ir.OpPopcount, below), c.kind)
	l = c.b.Op(ir.OpAnd, l, c.b.Int(it, 1<<bits.Len64(uint64(p.hi-p.lo-1))-1)) // bounds the value
	if p.lo > 0 {
		l = c.b.NoWrap(ir.OpAdd, l, c.b.Int(it, p.lo))
	}
	c.add(d.Axis, l, d.Mul)
	// A jump that ends an iteration of the source leaves this block instead.
	once := ir.NewOp(ir.OpBlock, c.b.Pos, nil)
	c.b.Emit(once)
	outer := c.b
	c.into(once.Regions[0])
	c.body(once, false)
	ir.Visit(once.Regions[0], func(o *ir.Op) bool {
		if o.Code == ir.OpContinue && o.Target == once {
			o.Code = ir.OpBreak
		}
		return true
	})
	outer.Jump(ir.OpContinue, loop, outer.Op(ir.OpAnd, rest, less))
}

// into continues in a region.
func (c *cellLoop) into(region *ir.Block) {
	c.b = ir.NewBuilder(region)
	c.b.Pos = c.loop.Pos
}
