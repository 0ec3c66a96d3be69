package split

import (
	"math"
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// This file makes the task of a loop over the cells of a sparse tree (docs/decisions/0004-sparse.md).
//
// The range of the task is a list of blocks, made by the engine. The body reads the block from an entry, and has a nest of ordinary
// loops over its cells:
//
//	body(%e: i64) {
//		%b = entry 0.0 %e : ptr
//		%q = entry 0.1 %e : i32
//		%0 = for 0, 16 { (%l: i32)
//			%i = q*16 + l
//			visit @X %b, %i
//			if isactive @X %i { visit.proven @X %b, %i … the loop's body … }
//		}
//	}
//
// The test isactive is there only if the block has a mask.

// Where each thread has an iteration, the cells of an entry are a dim of the task. The body computes where a cell lies in its block:
//
//	body(%e: i64, %c: i32) {
//		%b = entry 0.0 %e : block
//		%q = entry 0.1 %e : i32
//		%i = q*16 + c%16
//		visit @X %b, %i
//		if isactive @X %i { visit.proven @X %b, %i … the loop's body … }
//	}

// A cellLoop builds the body of such a task.
type cellLoop struct {
	*cellPlan
	t      *ir.Task
	b      *ir.Builder
	entry  *ir.Value
	number *ir.Value // of the cell in the entry, if the task has an iteration for each
	kind   ir.Kind   // of indices
	word   int       // number of the next word of the entry
	block  *ir.Value
	q      []*ir.Value // the coordinates of the block, by axis; nil for 0
	apart  []*ir.Value // coordinates that entries distinguish, of the first dims of a block
	bitsAt int         // first word of the bits in an entry
	cell   *ir.Value   // number of the cell's bit, as far as the nest has computed it; nil for 0
	rolled bool        // the nest runs for few blocks
	index  []*ir.Value // of the first cell of the block, then of the current cell
}

// cellTask fills the task of a loop over the cells of a sparse field.
func (s *splitter) cellTask(seg int, t *ir.Task, plan *cellPlan) {
	loop := plan.loop
	t.Prologue, t.Epilogue, t.Body = &ir.Block{}, &ir.Block{}, &ir.Block{}
	c := &cellLoop{cellPlan: plan, t: t, b: ir.NewBuilder(t.Body), kind: s.k.Int}
	c.b.Pos = loop.Pos
	base := len(s.k.Bases)
	s.k.Bases = append(s.k.Bases, -1)
	t.Lists = []ir.TaskList{{Base: base, Field: loop.Field, Outer: c.outer, Masks: c.bits.words}}
	t.Dims = []ir.Dim{{Kind: ir.I64, Hi: ir.Bound{From: ir.FromList}}}
	if loop.Flags.Has(ir.Serial) {
		t.Threads = 1
	}
	c.entry = t.Body.AddParam(ir.Scalar(ir.I64), "")
	if c.flat {
		t.Dims = append(t.Dims, ir.Dim{Kind: c.kind, Hi: ir.Bound{Const: c.inside()}})
		c.number = t.Body.AddParam(ir.Scalar(c.kind), "")
	}
	c.start()
	in := s.importer(seg, t.Prologue)
	if c.scratch != nil {
		(&scratchBuilder{scratchPlan: c.scratch, c: c}).emit()
	} else {
		c.place()
		if c.loopNest() {
			c.b.Jump(ir.OpContinue, nil)
		}
	}
	in.block(t.Body)
	for _, b := range []*ir.Block{t.Prologue, t.Epilogue} {
		ir.NewBuilder(b).Yield()
	}
}

// read appends the load of the next word of the entry, whose value is in [0, hi].
func (c *cellLoop) read(hi int64, kind ir.Kind) *ir.Value {
	o := ir.NewOp(ir.OpEntry, c.b.Pos, []ir.Type{ir.Scalar(kind)}, c.entry)
	o.Aux, o.Bits = int64(c.word), uint64(hi)
	c.word++
	return c.b.Emit(o)
}

// start reads the block, the coordinates of its first cell, and the coordinates along the dims that entries distinguish.
func (c *cellLoop) start() {
	c.block = c.read(0, ir.BlockRef)
	c.q = make([]*ir.Value, len(c.first))
	for k := range c.first {
		at, kind := &c.first[k], c.kind
		if at.unbounded {
			// Coordinates count from the lowest index, which is minus half the extent and may be below -2^32 under a hash node; signed ones fit
			// the type of the index.
			kind = ir.I64
		}
		if q := c.read(at.blocks-1, kind); at.blocks > 1 || at.unbounded {
			c.q[k] = q
		}
	}
	for _, d := range c.dims[:c.outer] {
		c.apart = append(c.apart, c.read(d.Extent-1, c.kind))
	}
	c.bitsAt = c.word
}

// place computes the index of the first cell of the entry.
func (c *cellLoop) place() {
	c.index = make([]*ir.Value, len(c.first))
	for k := range c.first {
		at := &c.first[k]
		q := c.q[k]
		if at.unbounded {
			q = c.b.NoWrap(ir.OpSub, q, c.b.Int(ir.Scalar(ir.I64), at.blocks/2))
			q = c.b.Convert(q, c.kind)
		} else {
			c.index[k] = c.b.Int(ir.Scalar(c.kind), at.low)
		}
		if q != nil {
			c.add(k, q, at.span)
		}
	}
	for i, d := range c.dims[:c.outer] {
		c.add(d.Axis, c.apart[i], d.Mul)
	}
}

// add adds q*mul to the index along axis k.
func (c *cellLoop) add(k int, q *ir.Value, mul int64) {
	if mul != 1 {
		q = c.b.NoWrap(ir.OpMul, q, c.b.Int(q.Type, mul))
	}
	if old := c.index[k]; old != nil {
		if n, ok := ir.IntOf(old); !ok || n != 0 {
			q = c.b.NoWrap(ir.OpAdd, old, q)
		}
	}
	c.index[k] = q
}

// loopNest appends the loops over the cells of an entry, and the body in the innermost. It
// reports whether the block that it appends to still needs a terminator.
func (c *cellLoop) loopNest() (open bool) {
	v := c.cells.Visit
	var count *ir.Value
	if v.Node.Kind() == layout.Dynamic {
		count = c.read(min(v.Chunk, math.MaxInt32), c.kind)
	}
	if c.flat {
		c.numbered(count)
		return false
	}
	if c.full {
		cell := c.cell
		copied := func(masked bool) func() {
			return func() {
				c.keeping(func() { c.loops(c.nest, c.pieces, nil, nil, masked) })
				c.cell = cell
				c.b.Yield()
			}
		}
		c.b.If(c.allActive(), nil, copied(false), copied(true))
		return true
	}
	c.loops(c.nest, c.pieces, count, nil, c.masked)
	return len(c.nest) > 0
}

// numbered appends the body for the cell with the number that the task has given; of a list, only if its length is beyond the cell.
func (c *cellLoop) numbered(count *ir.Value) {
	below := c.inside()
	for i, d := range c.nest {
		below /= d.Extent
		l := c.digit(below, d.Extent, i == 0)
		c.add(d.Axis, l, d.Mul)
		if c.bits.words > 0 && len(c.nest)-i > c.bits.below {
			c.cell = c.nextCell(d, l)
		}
		if count != nil && i == len(c.nest)-1 {
			c.b.If(c.b.Op(ir.OpLt, l, count), nil, func() { c.body(nil, c.masked) }, func() { c.b.Yield() })
			c.b.Jump(ir.OpContinue, nil)
			return
		}
	}
	c.body(nil, c.masked)
}

// digit appends the number of the cell divided by below, modulo n unless it is the first.
func (c *cellLoop) digit(below, n int64, first bool) *ir.Value {
	l := c.number
	part := func(op, power ir.Code, by, exponent int64) {
		if by&(by-1) != 0 {
			l = c.b.Op(op, l, c.b.Int(l.Type, by))
		} else if by > 1 {
			l = c.b.Op(power, l, c.b.Int(l.Type, exponent))
		}
	}
	part(ir.OpDiv, ir.OpShr, below, int64(bits.TrailingZeros64(uint64(below))))
	if !first {
		part(ir.OpRem, ir.OpAnd, n, n-1)
	}
	return l
}

// loops appends the nest over dims; parent is the loop around it, nil for the task.
func (c *cellLoop) loops(dims []layout.NestDim, pieces [][]span, count *ir.Value, parent *ir.Op, masked bool) {
	if len(dims) == 0 {
		c.body(parent, masked)
		return
	}
	if masked && c.bits.words > 0 && len(dims) == c.bits.below {
		c.b.If(c.active(), nil, func() {
			c.keeping(func() { c.loops(dims, pieces, count, parent, false) })
			c.b.Yield()
		}, func() { c.b.Yield() })
		return
	}
	if masked && len(dims) == 1 && c.rows {
		c.row(dims[0], pieces[0])
		pieces = [][]span{nil}
	}
	d, it := dims[0], ir.Scalar(c.kind)
	outer, index, cell := c.b, append([]*ir.Value{}, c.index...), c.cell
	for _, p := range pieces[0] {
		c.index, c.cell = append([]*ir.Value{}, index...), cell
		hi := c.b.Int(it, p.hi)
		if count != nil && len(dims) == 1 {
			hi = count
		}
		// A piece of one cell is a loop, too, so that a jump that ends an iteration has a target. The simplifier removes the loop.
		loop := ir.NewOp(ir.OpFor, c.b.Pos, nil, c.b.Int(it, p.lo), hi)
		if c.rolled {
			loop.Flags = ir.Rolled
		}
		l := loop.Regions[0].AddParam(it, "")
		outer.Emit(loop)
		c.b = ir.NewBuilder(loop.Regions[0])
		c.b.Pos = c.loop.Pos
		c.add(d.Axis, l, d.Mul)
		if c.bits.words > 0 && len(dims) > c.bits.below {
			c.cell = c.nextCell(d, l)
		}
		if c.loops(dims[1:], pieces[1:], count, loop, masked); len(dims) > 1 {
			c.b.Jump(ir.OpContinue, loop)
		}
		c.b = outer
	}
}

// body appends a copy of the body of the loop; target is the loop around it.
func (c *cellLoop) body(target *ir.Op, masked bool) {
	c.b.Op(ir.OpIteration, c.index...)
	_, body := c.cloned(target)
	if !masked {
		c.visit(ir.Proven)
		c.b.Block.Ops = append(c.b.Block.Ops, body...)
		return
	}
	if c.bits.words == 0 {
		c.visit(0)
	}
	c.b.If(c.active(), nil, func() {
		c.visit(ir.Proven)
		c.b.Block.Ops = append(c.b.Block.Ops, body...)
	}, func() { c.b.Yield() })
	c.b.Jump(ir.OpContinue, target)
}

// cloned returns a copy of the body of the loop at the current index, in which target replaces the loop.
func (c *cellLoop) cloned(target *ir.Op) (*ir.Cloner, []*ir.Op) {
	old := c.loop.Regions[0]
	cloner := ir.NewCloner(nil)
	for k, p := range old.Params {
		if c.index[k].Name == "" {
			c.index[k].Name = p.Name
		}
		cloner.Values[p] = c.index[k]
	}
	body := cloner.List(old.Ops)
	ir.Visit(&ir.Block{Ops: body}, func(o *ir.Op) bool {
		if o.Target == c.loop {
			o.Target = target
		}
		return true
	})
	return cloner, body
}

// visit appends the facts about the cell at the current index.
func (c *cellLoop) visit(flags ir.Flags) {
	o := ir.NewOp(ir.OpVisit, c.b.Pos, nil, append([]*ir.Value{c.block}, c.index...)...)
	o.Field, o.Flags = c.loop.Field, flags
	c.b.Emit(o)
}

// active appends a test whether the cell is active.
func (c *cellLoop) active() *ir.Value {
	if c.bits.words > 0 {
		return c.b.Op(ir.OpNe, c.entryMask(c.cell, 1), c.b.Const(ir.Scalar(ir.U64), 0))
	}
	test := ir.NewOp(ir.OpIsActive, c.b.Pos, []ir.Type{ir.Scalar(ir.Bool)}, c.index...)
	test.Field = c.loop.Field
	return c.b.Emit(test)
}
