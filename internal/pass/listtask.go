package pass

import (
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// This file is the part of split that makes the task of a loop over the cells of a
// sparse tree (docs/decisions/0004-sparse.md).
//
// The range of the task is a list of blocks, made by the engine. The body reads from
// an entry which block it is, and has a nest of ordinary loops over the cells in it:
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
// Isactive is there only where the block has a mask.

// mostInside is the number of cells that an entry stands for at most, as far as the
// dims of a block can be told apart: large blocks are shared by several threads.
const mostInside = 16 << 10

// A cellLoop builds the body of such a task.
type cellLoop struct {
	s      *splitter
	loop   *ir.Op
	cells  *Cells
	t      *ir.Task
	b      *ir.Builder
	entry  *ir.Value
	kind   ir.Kind // of indices
	word   int     // next of the entry
	block  *ir.Value
	first  []blockAxis // the way to the first cell, by axis
	apart  []*ir.Value // coordinates that entries tell apart, of the first dims of a block
	bits   entryBits
	rolled bool        // the nest is for few blocks
	index  []*ir.Value // of the first cell, then of the cell
}

// A blockAxis is where the block of an entry begins along an axis: at low + q*span.
type blockAxis struct {
	q         *ir.Value // nil for 0
	low, span int64
	blocks    int64
	unbounded bool
}

// cellTask fills the task of a loop over the cells of a sparse field.
func (s *splitter) cellTask(seg int, t *ir.Task, loop *ir.Op) {
	f := loop.Field
	t.Prologue, t.Epilogue, t.Body = &ir.Block{}, &ir.Block{}, &ir.Block{}
	c := &cellLoop{s: s, loop: loop, cells: s.lay.Cells(f), t: t, b: ir.NewBuilder(t.Body), kind: s.k.Int}
	c.b.Pos = loop.Pos
	dims, masked := c.inside()
	outer := c.outer(dims, masked)
	masked = masked && !coversMasks(c.cells.Visit, outer)
	c.noteList(dims, outer, masked)
	base := len(s.k.Bases)
	s.k.Bases = append(s.k.Bases, -1)
	t.Lists = []ir.TaskList{{Base: base, Field: f, Outer: outer, Masks: c.bits.words}}
	t.Dims = []ir.Dim{{Kind: ir.I64, Hi: ir.Bound{From: ir.FromList}}}
	if loop.Flags.Has(ir.Serial) {
		t.Threads = 1
	}
	c.entry = t.Body.AddParam(ir.Scalar(ir.I64), "")
	c.start(dims[:outer])
	in := s.importer(seg, t.Prologue)
	p, why := c.scratch(dims, outer)
	s.noteHints(loop, p, why)
	if p != nil {
		p.emit(masked)
	} else {
		c.place(dims[:outer])
		if c.nest(dims[outer:], masked, true) {
			c.b.Jump(ir.OpContinue, nil)
		}
	}
	in.block(t.Body)
	for _, b := range []*ir.Block{t.Prologue, t.Epilogue} {
		ir.NewBuilder(b).Yield()
	}
}

// inside returns the dims within a block, and whether a mask is among them.
func (c *cellLoop) inside() (dims []layout.NestDim, masked bool) {
	_, _, masked = c.cells.Visit.LastMask()
	return c.cells.Visit.Dims(), masked
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

// outer returns how many dims of a block the entries of the list tell apart: as many
// as leave a moderate amount of work to each. If the loop changes masks while it runs,
// its entries have bits of their own, since it visits what was active before: those of the
// innermost mask, so that what is above that is told apart.
func (c *cellLoop) outer(dims []layout.NestDim, masked bool) int {
	n, total := 0, int64(1)
	for _, d := range dims {
		total *= d.Extent
	}
	for ; n < len(dims) && total > mostInside; n++ {
		total /= dims[n].Extent
	}
	if masked && c.changesMasks() {
		from, to, _ := c.cells.Visit.LastMask()
		n = max(n, from)
		if n < to {
			c.bits = entryBits{words: c.cells.Visit.MaskWords(n), below: len(dims) - to}
		}
	}
	return n
}

// changesMasks reports whether an iteration may activate a bitmasked cell on the way
// to the cells of the loop, other than its own, which it may reach by any field of its
// node.
func (c *cellLoop) changesMasks() bool {
	masks := map[*layout.Node]bool{}
	for _, in := range c.cells.Visit.Inside {
		masks[in.Node] = in.Mask != nil
	}
	own := c.loop.Regions[0].Params
	found := false
	ir.Visit(c.loop.Regions[0], func(o *ir.Op) bool {
		if f, args := activated(o); f != nil && f.Sparse {
			known := nodesAround(c.s.lay, c.loop.Field, own, f, args)
			for _, s := range c.s.lay.Cells(f).Steps {
				found = found || masks[s.Node] && !known[s.Node]
			}
		}
		return !found
	})
	return found
}

// activated returns the field of which o activates cells, if there is one, and their
// indices.
func activated(o *ir.Op) (f *ir.Field, index []*ir.Value) {
	switch o.Code {
	case ir.OpActivate, ir.OpAppend:
		return o.Field, o.Args
	case ir.OpStore, ir.OpAtomic:
		if p := o.Args[0].Def; p != nil && p.Code == ir.OpPtr {
			return p.Field, indices(p)
		}
	}
	return nil, nil
}

// nodesAround returns the nodes whose cells around the element of f at args are those
// around the cell of g at own: where the index is the same, and counts the same.
func nodesAround(lay Layout, g *ir.Field, own []*ir.Value, f *ir.Field, args []*ir.Value) map[*layout.Node]bool {
	if !sameValues(own, args) || !slices.Equal(f.Shape, g.Shape) || !slices.Equal(f.Origin, g.Origin) {
		return nil
	}
	known := map[*layout.Node]bool{}
	for _, s := range lay.Cells(g).Steps {
		known[s.Node] = true
	}
	return known
}

func sameValues(a, b []*ir.Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// read appends the next word of the entry, which is from 0 to hi.
func (c *cellLoop) read(hi int64, kind ir.Kind) *ir.Value {
	o := ir.NewOp(ir.OpEntry, c.b.Pos, []ir.Type{ir.Scalar(kind)}, c.entry)
	o.Aux, o.Bits = int64(c.word), uint64(hi)
	c.word++
	return c.b.Emit(o)
}

// start reads the block, the coordinates of its first cell, and those along the dims
// that entries tell apart.
func (c *cellLoop) start(outer []layout.NestDim) {
	v := c.cells.Visit
	c.block = c.read(0, ir.Ptr)
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
		kind := c.kind
		if at.unbounded {
			// Coordinates count from the lowest index, which is minus half the extent, of
			// more than 2^32 below the hash node; signed ones fit the index.
			kind = ir.I64
		} else {
			at.low = c.loop.Field.Origin[k]
		}
		if q := c.read(at.blocks-1, kind); at.blocks > 1 || at.unbounded {
			at.q = q
		}
	}
	for _, d := range outer {
		c.apart = append(c.apart, c.read(d.Extent-1, c.kind))
	}
	c.bits.at = c.word
}

// place computes the index of the first cell that the entry stands for.
func (c *cellLoop) place(outer []layout.NestDim) {
	c.index = make([]*ir.Value, len(c.first))
	for k := range c.first {
		at := &c.first[k]
		q := at.q
		if at.unbounded {
			q = nowrap(c.b, ir.OpSub, q, c.b.Int(ir.Scalar(ir.I64), at.blocks/2))
			q = c.b.Convert(q, c.kind)
		} else {
			c.index[k] = c.b.Int(ir.Scalar(c.kind), at.low)
		}
		if q != nil {
			c.add(k, q, at.span)
		}
	}
	for i, d := range outer {
		c.add(d.Axis, c.apart[i], d.Mul)
	}
}

// add adds q*mul to the index along axis k.
func (c *cellLoop) add(k int, q *ir.Value, mul int64) {
	if mul != 1 {
		q = nowrap(c.b, ir.OpMul, q, c.b.Int(q.Type, mul))
	}
	if old := c.index[k]; old != nil {
		if n, ok := ir.IntOf(old); !ok || n != 0 {
			q = nowrap(c.b, ir.OpAdd, old, q)
		}
	}
	c.index[k] = q
}

// nest appends the loops over the rest of the dims, and the body in the innermost.
//
// Where the body reads neighbours, at the index plus constants, the cells at the
// border of a block are split off from its interior: whether a neighbour lies in this
// block or in which other is the same for all cells of a piece then, so that access
// lowering looks each block up once for a piece, and an interior needs none (bounds
// inference in seed text 004, chapter 2, section 5.1).
//
// It reports whether the block that it appends to still needs a terminator.
func (c *cellLoop) nest(dims []layout.NestDim, masked, split bool) (open bool) {
	v := c.cells.Visit
	var count *ir.Value
	if v.Node.Kind() == layout.Dynamic {
		count = c.read(min(v.Chunk, math.MaxInt32), c.kind)
		dims = append(dims, layout.NestDim{Axis: len(c.index) - 1, Extent: v.Chunk, Mul: 1})
	}
	if masked {
		dims = c.cutRow(dims)
	}
	pieces := make([][]span, len(dims))
	for i, d := range dims {
		pieces[i] = []span{{0, d.Extent}}
	}
	if count == nil && split && !c.s.whole {
		c.split(dims, pieces)
	}
	if full := c.full(dims, pieces, masked); full != nil {
		cell := c.bits.cell
		copied := func(masked bool) func() {
			return func() {
				c.keeping(func() { c.loops(dims, pieces, nil, nil, masked) })
				c.bits.cell = cell
				c.b.Yield()
			}
		}
		c.b.If(full, nil, copied(false), copied(true))
		return true
	}
	c.loops(dims, pieces, count, nil, masked)
	return len(dims) > 0
}

// A stretch is a stretch lo ≤ l < hi of a dim.
type span struct{ lo, hi int64 }

// Limits of splitting a block: cells at each border, and ops of all copies of the body.
const (
	maxBorder     = 2
	maxPieceOps   = 3000
	leastInterior = 2
)

// split cuts dims at the borders of blocks if the body reads neighbours along them.
func (c *cellLoop) split(dims []layout.NestDim, pieces [][]span) {
	body := c.loop.Regions[0]
	ops := body.Size()
	copies := 1
	for i := len(dims) - 1; i >= 0; i-- {
		d := dims[i]
		lo, hi := c.reach(body, d)
		if d.Mul != 1 || lo == 0 && hi == 0 || lo > maxBorder || hi > maxBorder || d.Extent-lo-hi < leastInterior {
			continue
		}
		n := int(lo + hi + 1)
		if copies*n*ops > maxPieceOps {
			continue
		}
		copies *= n
		pieces[i] = nil
		for l := int64(0); l < lo; l++ {
			pieces[i] = append(pieces[i], span{l, l + 1})
		}
		pieces[i] = append(pieces[i], span{lo, d.Extent - hi})
		for l := d.Extent - hi; l < d.Extent; l++ {
			pieces[i] = append(pieces[i], span{l, l + 1})
		}
	}
	c.noteBorder(copies)
}

// reach returns how far before and behind its own cell the body accesses elements of
// sparse fields along the axis of a dim.
func (c *cellLoop) reach(body *ir.Block, d layout.NestDim) (lo, hi int64) {
	own := body.Params[d.Axis]
	ir.Visit(body, func(o *ir.Op) bool {
		if o.Code == ir.OpPtr && o.Field.Sparse {
			for _, v := range indices(o) {
				if at := loopIndex(body, v); at.param == own {
					lo, hi = max(lo, -at.add), max(hi, at.add)
				}
			}
		}
		return true
	})
	return lo, hi
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
	if masked && len(dims) == 1 && c.hasRow(dims[0]) {
		c.row(dims[0], pieces[0])
		pieces = [][]span{nil}
	}
	d, it := dims[0], ir.Scalar(c.kind)
	outer, index, cell := c.b, append([]*ir.Value{}, c.index...), c.bits.cell
	for _, p := range pieces[0] {
		c.index, c.bits.cell = append([]*ir.Value{}, index...), cell
		hi := c.b.Int(it, p.hi)
		if count != nil && len(dims) == 1 {
			hi = count
		}
		// A piece of one cell is a loop too, which the simplifier resolves: what
		// ends an iteration has a target so.
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
			c.bits.cell = c.nextCell(d, l)
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

// cloned returns a copy of the body of the loop at the index, with target in the
// place of the loop.
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

// visit appends what is known of the cell at the index.
func (c *cellLoop) visit(flags ir.Flags) {
	o := ir.NewOp(ir.OpVisit, c.b.Pos, nil, append([]*ir.Value{c.block}, c.index...)...)
	o.Field, o.Flags = c.loop.Field, flags
	c.b.Emit(o)
}

// active appends the question whether the cell is active.
func (c *cellLoop) active() *ir.Value {
	if c.bits.words > 0 {
		return c.b.Op(ir.OpNe, c.entryMask(c.bits.cell, 1), c.b.Const(ir.Scalar(ir.U64), 0))
	}
	test := ir.NewOp(ir.OpIsActive, c.b.Pos, []ir.Type{ir.Scalar(ir.Bool)}, c.index...)
	test.Field = c.loop.Field
	return c.b.Emit(test)
}
