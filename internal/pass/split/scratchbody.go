package split

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// This file makes the loops of a task that uses scratch.

// A scratchBuilder makes such a task.
type scratchBuilder struct {
	*scratchPlan
	c    *cellLoop
	made map[*scratchField][]scratchArray
}

// A scratchArray holds a component.
type scratchArray struct {
	comp   int
	padded *ir.Value // the cells of the block and its border, row-major
	rows   *ir.Value // the array that the body reads; may be the same
}

// emit appends the body of the task.
func (p *scratchBuilder) emit() {
	c := p.c
	p.arrays()
	b := c.b
	cond := p.inInterior()
	if p.loop.masked {
		cond = p.manyActive(cond)
	}
	if cond == nil {
		p.onScratch()
		b.Jump(ir.OpContinue, nil)
		return
	}
	b.If(cond, nil, func() {
		c.b = ir.NewBuilder(b.Block)
		c.b.Pos = c.loop.Pos
		p.onScratch()
		c.b.Yield()
	}, func() {
		c.b = ir.NewBuilder(b.Block)
		c.b.Pos = c.loop.Pos
		c.place()
		c.rolled = true // it runs for few blocks, or for few cells of each
		c.loopNest()
		c.b.Yield()
	})
	c.b = b
	b.Jump(ir.OpContinue, nil)
}

// inInterior appends a test whether the indices of all neighbours of the block that are read are in range; nil if they always are.
func (p *scratchBuilder) inInterior() (cond *ir.Value) {
	b, it := p.c.b, ir.Scalar(p.c.kind)
	and := func(v *ir.Value) {
		if cond != nil {
			v = b.Op(ir.OpAnd, cond, v)
		}
		cond = v
	}
	for d, dim := range p.dims {
		at := p.c.first[dim.axis]
		lo, hi := p.interior(d)
		if lo > 0 {
			and(b.Op(ir.OpGe, p.c.q[dim.axis], b.Int(it, lo)))
		}
		if hi < at.blocks-1 {
			and(b.Op(ir.OpLe, p.c.q[dim.axis], b.Int(it, hi)))
		}
	}
	return cond
}

// leastActive divides the number of cells of a block: at least this part must be active, so that vectors of all cells, and the filling
// of scratch, cost less than the active cells one by one.
const leastActive = 16

// manyActive adds the condition that enough cells of the block are active to cond.
func (p *scratchBuilder) manyActive(cond *ir.Value) *ir.Value {
	inside, cells := p.c.cells.Visit.Inside, p.cellsFrom(0)
	if len(inside) != 1 || len(inside[0].Mask.Terms) > 0 || cells < leastActive {
		return cond
	}
	b := p.c.b
	i64, u64 := ir.Scalar(ir.I64), ir.Scalar(ir.U64)
	masks := b.Op(ir.OpOffset, b.Op(ir.OpBlockPtr, p.c.block), b.Int(i64, inside[0].Mask.Const))
	words := ir.NewOp(ir.OpFor, b.Pos, []ir.Type{u64}, b.Int(i64, 0), b.Int(i64, (cells+63)/64), b.Const(u64, 0))
	words.Flags = ir.Rolled
	w, sum := words.Regions[0].AddParam(i64, ""), words.Regions[0].AddParam(u64, "")
	count := b.Emit(words)
	b.In(words.Regions[0], func() {
		word := b.Load(u64, b.Op(ir.OpOffset, masks, b.NoWrap(ir.OpMul, w, b.Int(i64, 8))))
		word.Def.Alias = analysis.TopologyClass(p.c.s.k)
		b.Jump(ir.OpContinue, words, b.Op(ir.OpAdd, sum, b.Op(ir.OpPopcount, word)))
	})
	many := b.Op(ir.OpGe, count, b.Const(u64, uint64(cells/leastActive)))
	if cond == nil {
		return many
	}
	return b.Op(ir.OpAnd, cond, many)
}

// onScratch appends the filling of scratch, and the loops over the cells.
func (p *scratchBuilder) onScratch() {
	c := p.c
	c.place()
	base := c.index
	p.fill(base)
	s := &scratchBody{scratchBuilder: p, base: base, at: make([]*ir.Value, len(p.dims))}
	s.loops(0)
}

// A scratchBody builds the loops over the cells of a block.
type scratchBody struct {
	*scratchBuilder
	base []*ir.Value
	at   []*ir.Value // the position of a cell in its block, by dim
	row  *ir.Value   // its position in the group
}

// loops appends the loops over the dims from d on.
func (s *scratchBody) loops(d int) {
	c := s.c
	it := ir.Scalar(c.kind)
	if d < s.group {
		c.forRange(ir.Rolled, c.b.Int(it, 0), c.b.Int(it, s.dims[d].extent), func(l *ir.Value) {
			s.at[d] = l
			s.loops(d + 1)
		})
		return
	}
	c.forRange(ir.Independent, c.b.Int(it, 0), c.b.Int(it, s.cellsFrom(d)), func(l *ir.Value) {
		s.row = l
		rest := l
		for d := len(s.dims) - 1; d > s.group; d-- {
			n := c.b.Int(it, s.dims[d].extent)
			s.at[d], rest = c.b.Op(ir.OpRem, rest, n), c.b.Op(ir.OpDiv, rest, n)
		}
		s.at[s.group] = rest
		s.cell()
	})
}

// cell appends the body for one cell, without the loop's continue.
func (s *scratchBody) cell() {
	c := s.c
	c.index = make([]*ir.Value, len(s.base))
	for d, dim := range s.dims {
		c.index[dim.axis] = c.b.NoWrap(ir.OpAdd, s.base[dim.axis], s.at[d])
	}
	loop := c.b.Block.Parent
	cloner, ops := c.cloned(loop)
	reads := map[*ir.Op]*scratchRead{}
	for o, rd := range s.reads {
		reads[cloner.Ops[o]] = rd
	}
	swap := map[*ir.Value]*ir.Value{}
	ops = s.replace(ops, reads, cloner, swap)
	b := &ir.Block{Ops: ops}
	ir.Substitute(b, swap)
	c.b.Op(ir.OpIteration, c.index...)
	switch {
	case !c.masked:
		c.visit(ir.Proven)
		s.append(b.Ops)
	default:
		c.visit(0)
		active := c.active()
		if !s.predicated(active, b.Ops) {
			c.b.If(active, nil, func() {
				c.visit(ir.Proven)
				c.b.Block.Ops = append(c.b.Block.Ops, b.Ops...)
			}, func() { c.b.Yield() })
		}
	}
}

// append appends the ops of a body without the jump to the next cell, which the loop has.
func (s *scratchBody) append(ops []*ir.Op) {
	s.c.b.Block.Ops = append(s.c.b.Block.Ops, ops[:len(ops)-1]...)
}

// replace replaces reads from fields by reads from scratch.
func (s *scratchBody) replace(ops []*ir.Op, reads map[*ir.Op]*scratchRead, cloner *ir.Cloner, swap map[*ir.Value]*ir.Value) []*ir.Op {
	out := &ir.Block{}
	b := ir.NewBuilder(out)
	for _, o := range ops {
		if rd := reads[o]; rd != nil {
			b.Pos = o.Pos
			swap[o.Results[0]] = s.element(b, rd, cloner)
			continue
		}
		for _, r := range o.Regions {
			r.Ops = s.replace(r.Ops, reads, cloner, swap)
		}
		out.Ops = append(out.Ops, o)
	}
	return out.Ops
}

// element appends the place in scratch of the element that rd reads.
func (s *scratchBody) element(b *ir.Builder, rd *scratchRead, cloner *ir.Cloner) *ir.Value {
	it := ir.Scalar(s.c.kind)
	f := rd.field
	cell, offset, _ := s.rows(f)
	at, add := s.row, int64(0)
	for d := range s.group {
		at = b.NoWrap(ir.OpAdd, at, b.NoWrap(ir.OpMul, s.at[d], b.Int(it, cell[d])))
	}
	for d, dim := range s.dims {
		add += (rd.add[d] + f.lo[d]) * offset[d]
		if rd.index != nil && rd.index[d] != nil {
			away := b.NoWrap(ir.OpSub, cloner.Value(rd.index[d]), s.c.index[dim.axis])
			at = b.NoWrap(ir.OpAdd, at, b.NoWrap(ir.OpMul, away, b.Int(it, offset[d])))
		}
	}
	return scratchCell(b, s.array(f, rd.comp), b.NoWrap(ir.OpAdd, at, b.Int(it, add)))
}

// predicated appends a body whose ops without effects run for inactive cells, too, and only the others under a condition, so that the
// cells can be vectorised. It returns false, without appending anything, if the body cannot be split in this way.
func (s *scratchBody) predicated(active *ir.Value, ops []*ir.Op) bool {
	ops = ops[:len(ops)-1]
	effects := map[*ir.Value]bool{}
	for _, o := range ops {
		for _, a := range o.Args {
			if effects[a] {
				return false
			}
		}
		used := false
		for _, r := range o.Regions {
			ir.Visit(r, func(o *ir.Op) bool {
				for _, a := range o.Args {
					used = used || effects[a]
				}
				return true
			})
		}
		if used {
			return false
		}
		if s.free(o) {
			continue
		}
		if analysis.MayJump(o) || o.Code == ir.OpAlloc {
			return false
		}
		for _, r := range o.Results {
			effects[r] = true
		}
	}
	c := s.c
	for i := 0; i < len(ops); {
		if s.free(ops[i]) {
			c.b.Block.Ops = append(c.b.Block.Ops, ops[i])
			i++
			continue
		}
		c.b.If(active, nil, func() {
			c.visit(ir.Proven)
			for ; i < len(ops) && !s.free(ops[i]); i++ {
				c.b.Block.Ops = append(c.b.Block.Ops, ops[i])
			}
			c.b.Yield()
		}, func() { c.b.Yield() })
	}
	return true
}

// free reports whether o may run for an inactive cell.
func (s *scratchBody) free(o *ir.Op) bool {
	switch o.Code {
	case ir.OpLoad:
		return s.readable(o.Args[0].Def)
	case ir.OpLookup:
		return o.Flags.Has(ir.InBounds)
	case ir.OpYield:
		return true
	case ir.OpContinue, ir.OpBreak:
		return o.Target != nil && o.Target.Code == ir.OpFor && o.Target != s.c.b.Block.Parent
	case ir.OpIf, ir.OpFor:
		if o.Code == ir.OpFor && analysis.MayJump(o) {
			return false
		}
		for _, r := range o.Regions {
			for _, o := range r.Ops {
				if !s.free(o) {
					return false
				}
			}
		}
		return true
	}
	return o.Code.Is(ir.Pure)
}

// readable reports whether a place can be read even if the cell is inactive: an element of scratch, or of the own cell.
func (s *scratchBody) readable(place *ir.Op) bool {
	switch {
	case place == nil:
		return false
	case place.Code == ir.OpCell:
		return place.Flags.Has(ir.InBounds) && place.Args[0].Def != nil && place.Args[0].Def.Code == ir.OpAlloc
	case place.Code != ir.OpPtr || place.Flags.Has(ir.Dynamic) || !analysis.SameValues(place.Args, s.c.index):
		return false
	}
	f, own := place.Field, s.c.loop.Field
	if f.View != nil || f.Extents != nil || f.Rank() != own.Rank() {
		return false
	}
	for k, n := range own.Shape {
		if f.Low(k) > own.Low(k) || f.Low(k)+f.Shape[k] < own.Low(k)+n {
			return false
		}
	}
	return true
}
