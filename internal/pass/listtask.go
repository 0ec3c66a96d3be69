package pass

import (
	"math"

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
	s     *splitter
	loop  *ir.Op
	cells *Cells
	t     *ir.Task
	b     *ir.Builder
	entry *ir.Value
	kind  ir.Kind // of indices
	word  int     // next of the entry
	index []*ir.Value
	block *ir.Value
}

// cellTask fills the task of a loop over the cells of a sparse field.
func (s *splitter) cellTask(seg int, t *ir.Task, loop *ir.Op) {
	f := loop.Field
	t.Prologue, t.Epilogue, t.Body = &ir.Block{}, &ir.Block{}, &ir.Block{}
	c := &cellLoop{s: s, loop: loop, cells: s.lay.Cells(f), t: t, b: ir.NewBuilder(t.Body), kind: s.k.Int}
	c.b.Pos = loop.Pos
	dims, masked := c.inside()
	outer := c.outer(dims, masked)
	c.noteList(dims, outer, masked && !coversMasks(c.cells.Visit, outer))
	base := len(s.k.Bases)
	s.k.Bases = append(s.k.Bases, -1)
	t.Lists = []ir.TaskList{{Base: base, Field: f, Outer: outer}}
	t.Dims = []ir.Dim{{Kind: ir.I64, Hi: ir.Bound{From: ir.FromList}}}
	if loop.Flags.Has(ir.Serial) {
		t.Threads = 1
	}
	c.entry = t.Body.AddParam(ir.Scalar(ir.I64), "")
	c.start()
	for _, d := range dims[:outer] {
		c.add(d.Axis, c.read(d.Extent-1, c.kind), d.Mul)
	}
	in := s.importer(seg, t.Prologue)
	c.nest(dims[outer:], masked && !coversMasks(c.cells.Visit, outer))
	in.block(t.Body)
	for _, b := range []*ir.Block{t.Prologue, t.Epilogue} {
		ir.NewBuilder(b).Yield()
	}
}

// inside returns the dims within a block, and whether a mask is among them.
func (c *cellLoop) inside() (dims []layout.NestDim, masked bool) {
	for _, in := range c.cells.Visit.Inside {
		dims = append(dims, in.Dims...)
		masked = masked || in.Mask != nil
	}
	return dims, masked
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
// as leave a moderate amount of work to each; and all that masks are about, if the
// loop changes masks while it runs: it visits what was active before.
func (c *cellLoop) outer(dims []layout.NestDim, masked bool) int {
	n, total := 0, int64(1)
	for _, d := range dims {
		total *= d.Extent
	}
	for ; n < len(dims) && total > mostInside; n++ {
		total /= dims[n].Extent
	}
	if masked && c.changesMasks() {
		at := 0
		for _, in := range c.cells.Visit.Inside {
			at += len(in.Dims)
			if in.Mask != nil {
				n = max(n, at)
			}
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
	ir.Walk(c.loop.Regions[0], func(o *ir.Op) bool {
		if f, args := activated(o); f != nil && f.Sparse && !(c.s.lay.Cells(f).Node == c.cells.Node && sameValues(args, own)) {
			for _, s := range c.s.lay.Cells(f).Steps {
				found = found || masks[s.Node]
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

// start reads the block and the coordinates of its first cell.
func (c *cellLoop) start() {
	f, v := c.loop.Field, c.cells.Visit
	c.block = c.read(0, ir.Ptr)
	c.index = make([]*ir.Value, f.Rank())
	for k, axis := range c.cells.Node.PathAxes() {
		blocks, span := v.Node.Extent(axis), int64(0)
		if v.Node.Kind() == layout.Dynamic && axis == v.Node.Axes()[0] {
			span = v.Chunk
			blocks = (blocks + span - 1) / span
		} else {
			span = c.cells.Node.Extent(axis) / blocks
		}
		if c.cells.Node.Unbounded(axis) {
			// Coordinates count from the lowest index, which is minus half the extent, of
			// more than 2^32 below the hash node; signed ones fit the index.
			q := c.read(blocks-1, ir.I64)
			q = c.b.Convert(nowrap(c.b, ir.OpSub, q, c.b.Int(ir.Scalar(ir.I64), blocks/2)), c.kind)
			c.add(k, q, span)
			continue
		}
		c.index[k] = c.b.Int(ir.Scalar(c.kind), f.Origin[k])
		if q := c.read(blocks-1, c.kind); blocks > 1 {
			c.add(k, q, span)
		}
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
func (c *cellLoop) nest(dims []layout.NestDim, masked bool) {
	v := c.cells.Visit
	var count *ir.Value
	if v.Node.Kind() == layout.Dynamic {
		count = c.read(min(v.Chunk, math.MaxInt32), c.kind)
		dims = append(dims, layout.NestDim{Axis: len(c.index) - 1, Extent: v.Chunk, Mul: 1})
	}
	if masked {
		dims = c.cutRow(dims)
	}
	pieces := make([][]stretch, len(dims))
	for i, d := range dims {
		pieces[i] = []stretch{{0, d.Extent}}
	}
	if count == nil && !c.s.whole {
		c.split(dims, pieces)
	}
	c.loops(dims, pieces, count, nil, masked)
}

// A stretch is a stretch lo ≤ l < hi of a dim.
type stretch struct{ lo, hi int64 }

// Limits of splitting a block: cells at each border, and ops of all copies of the body.
const (
	maxBorder     = 2
	maxPieceOps   = 3000
	leastInterior = 2
)

// split cuts dims at the borders of blocks if the body reads neighbours along them.
func (c *cellLoop) split(dims []layout.NestDim, pieces [][]stretch) {
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
			pieces[i] = append(pieces[i], stretch{l, l + 1})
		}
		pieces[i] = append(pieces[i], stretch{lo, d.Extent - hi})
		for l := d.Extent - hi; l < d.Extent; l++ {
			pieces[i] = append(pieces[i], stretch{l, l + 1})
		}
	}
	c.noteBorder(copies)
}

// reach returns how far before and behind its own cell the body accesses elements of
// sparse fields along the axis of a dim.
func (c *cellLoop) reach(body *ir.Block, d layout.NestDim) (lo, hi int64) {
	own := body.Params[d.Axis]
	ir.Walk(body, func(o *ir.Op) bool {
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

// loops appends the nest over dims; owner is the loop around it, nil for the task.
func (c *cellLoop) loops(dims []layout.NestDim, pieces [][]stretch, count *ir.Value, owner *ir.Op, masked bool) {
	if len(dims) == 0 {
		c.body(owner, masked)
		return
	}
	if masked && len(dims) == 1 && c.hasRow(dims[0]) {
		c.row(dims[0], pieces[0])
		pieces = [][]stretch{nil}
	}
	d, it := dims[0], ir.Scalar(c.kind)
	outer, index := c.b, append([]*ir.Value{}, c.index...)
	for _, p := range pieces[0] {
		c.index = append([]*ir.Value{}, index...)
		hi := c.b.Int(it, p.hi)
		if count != nil && len(dims) == 1 {
			hi = count
		}
		// A piece of one cell is a loop too, which the simplifier resolves: what
		// ends an iteration has a target so.
		loop := ir.NewOp(ir.OpFor, c.b.Pos, nil, c.b.Int(it, p.lo), hi)
		l := loop.Regions[0].AddParam(it, "")
		outer.Emit(loop)
		c.b = ir.NewBuilder(loop.Regions[0])
		c.b.Pos = c.loop.Pos
		c.add(d.Axis, l, d.Mul)
		c.loops(dims[1:], pieces[1:], count, loop, masked)
		c.b = outer
	}
	c.b.Jump(ir.OpContinue, owner)
}

// body appends a copy of the body of the loop; target is the loop around it.
func (c *cellLoop) body(target *ir.Op, masked bool) {
	old := c.loop.Regions[0]
	visit := func(flags ir.Flags) {
		o := ir.NewOp(ir.OpVisit, c.b.Pos, nil, append([]*ir.Value{c.block}, c.index...)...)
		o.Field, o.Flags = c.loop.Field, flags
		c.b.Emit(o)
	}
	c.b.Op(ir.OpIteration, c.index...)
	cloner := ir.NewCloner(nil)
	for k, p := range old.Params {
		if c.index[k].Name == "" {
			c.index[k].Name = p.Name
		}
		cloner.Values[p] = c.index[k]
	}
	body := cloner.List(old.Ops)
	ir.Walk(&ir.Block{Ops: body}, func(o *ir.Op) bool {
		if o.Target == c.loop {
			o.Target = target
		}
		return true
	})
	if !masked {
		visit(ir.Proven)
		c.b.Block.Ops = append(c.b.Block.Ops, body...)
		return
	}
	visit(0)
	test := ir.NewOp(ir.OpIsActive, c.b.Pos, []ir.Type{ir.Scalar(ir.Bool)}, c.index...)
	test.Field = c.loop.Field
	c.b.If(c.b.Emit(test), nil, func() {
		visit(ir.Proven)
		c.b.Block.Ops = append(c.b.Block.Ops, body...)
	}, func() { c.b.Yield() })
	c.b.Jump(ir.OpContinue, target)
}
