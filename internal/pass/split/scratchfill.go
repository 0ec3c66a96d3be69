package split

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file fills scratch: for each neighbouring block that is read, a nest of loops copies the cells that are read.

// arrays allocates the arrays in the prologue of the task. All blocks share them: whatever is read from them has been written for the
// same block.
func (p *scratchBuilder) arrays() {
	b := ir.NewBuilder(p.c.t.Prologue)
	b.Pos = p.c.loop.Pos
	p.made = map[*scratchField][]scratchArray{}
	for _, s := range p.fields {
		_, size := p.padded(s)
		for _, comp := range s.comps {
			kind := s.f.Comps[comp]
			a := scratchArray{comp: comp, padded: b.Alloc(kind, int(size), s.f.Name)}
			a.rows = a.padded
			if p.copied(s) {
				_, _, n := p.rows(s)
				a.rows = b.Alloc(kind, int(n), s.f.Name)
			}
			p.made[s] = append(p.made[s], a)
		}
	}
}

// array returns the array that the body reads a component of s from.
func (p *scratchBuilder) array(s *scratchField, comp int) *ir.Value {
	all := p.made[s]
	return all[slices.IndexFunc(all, func(a scratchArray) bool { return a.comp == comp })].rows
}

// fill appends the filling of all arrays; base is the index of the block's first cell. Fields that are read at the same distances share
// their loops.
func (p *scratchBuilder) fill(base []*ir.Value) {
	done := map[*scratchField]bool{}
	for i, s := range p.fields {
		if done[s] {
			continue
		}
		f := &scratchFill{p: p, base: base, at: make([]fillDim, len(p.dims))}
		for _, t := range p.fields[i:] {
			if !done[t] && slices.Equal(s.lo, t.lo) && slices.Equal(s.hi, t.hi) && s.near == t.near {
				done[t] = true
				f.fields = append(f.fields, t)
			}
		}
		f.lo, f.hi, f.near = s.lo, s.hi, s.near
		f.blocks(0)
	}
	for _, s := range p.fields {
		if p.copied(s) {
			p.spread(s)
		}
	}
}

// A scratchFill fills the arrays of fields that are read at the same distances.
type scratchFill struct {
	p      *scratchBuilder
	base   []*ir.Value
	fields []*scratchField
	lo, hi []int64
	near   uint64
	at     []fillDim
}

// A fillDim is the part of a neighbouring block that is copied, along a dim.
type fillDim struct {
	n          *ir.Value // 0, 1 or 2: the block before, the same, the next
	start, end *ir.Value // the range of the copied cells
	m          *ir.Value // the current cell
}

// blocks appends the loops over the neighbouring blocks. The last dim has no loop but a copy for each block, so that rows have
// constant lengths.
func (f *scratchFill) blocks(d int) {
	c := f.p.c
	b, it := c.b, ir.Scalar(c.kind)
	if d == len(f.p.dims) {
		f.when(func() { f.cells(0) })
		return
	}
	extent := f.p.dims[d].extent
	from, to := int64(1), int64(2)
	if f.lo[d] > 0 {
		from = 0
	}
	if f.hi[d] > 0 {
		to = 3
	}
	part := func(n int64) (start, end int64) {
		switch n {
		case 0:
			return extent - f.lo[d], extent
		case 2:
			return 0, f.hi[d]
		}
		return 0, extent
	}
	if d == len(f.p.dims)-1 || to-from == 1 {
		for n := from; n < to; n++ {
			start, end := part(n)
			f.at[d] = fillDim{n: b.Int(it, n), start: b.Int(it, start), end: b.Int(it, end)}
			f.blocks(d + 1)
		}
		return
	}
	c.forRange(ir.Rolled, b.Int(it, from), b.Int(it, to), func(n *ir.Value) {
		b := c.b
		before, behind := b.Op(ir.OpEq, n, b.Int(it, 0)), b.Op(ir.OpEq, n, b.Int(it, 2))
		start, end := b.Int(it, 0), b.Int(it, extent)
		f.at[d] = fillDim{n: n,
			start: b.Op(ir.OpSelect, before, b.Int(it, extent-f.lo[d]), start),
			end:   b.Op(ir.OpSelect, behind, b.Int(it, f.hi[d]), end)}
		f.blocks(d + 1)
	})
}

// when puts the code that do appends under the condition that the neighbouring block is read.
func (f *scratchFill) when(do func()) {
	c := f.p.c
	b, it := c.b, ir.Scalar(c.kind)
	all := true
	for n := range f.count(0, 0) {
		all = all && f.near>>n&1 != 0
	}
	if all || len(f.p.dims) > maxNearDims {
		do()
		return
	}
	number := b.Int(it, 0)
	for _, at := range f.at {
		number = b.NoWrap(ir.OpAdd, b.NoWrap(ir.OpMul, number, b.Int(it, 3)), at.n)
	}
	u64 := ir.Scalar(ir.U64)
	bit := b.Op(ir.OpAnd, b.Op(ir.OpShr, b.Const(u64, f.near), number), b.Const(u64, 1))
	b.If(b.Op(ir.OpNe, bit, b.Const(u64, 0)), nil, func() {
		do()
		c.b.Yield()
	}, func() { b.Yield() })
}

// count yields the numbers of the neighbouring blocks that are reached.
func (f *scratchFill) count(d int, number int64) func(yield func(int64) bool) {
	return func(yield func(int64) bool) {
		if d == len(f.lo) {
			yield(number)
			return
		}
		for n := int64(0); n < 3; n++ {
			if n == 0 && f.lo[d] == 0 || n == 2 && f.hi[d] == 0 {
				continue
			}
			for v := range f.count(d+1, 3*number+n) {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// cells appends the loops that copy the cells of a neighbouring block.
func (f *scratchFill) cells(d int) {
	c := f.p.c
	if d < len(f.p.dims) {
		c.forRange(f.p.rolled(d), f.at[d].start, f.at[d].end, func(m *ir.Value) {
			f.at[d].m = m
			f.cells(d + 1)
		})
		return
	}
	b, it := c.b, ir.Scalar(c.kind)
	index := make([]*ir.Value, len(f.p.dims))
	stride, _ := f.p.padded(f.fields[0])
	to := b.Int(it, 0)
	for d, at := range f.at {
		axis, extent := f.p.dims[d].axis, f.p.dims[d].extent
		away := b.NoWrap(ir.OpMul, b.NoWrap(ir.OpSub, at.n, b.Int(it, 1)), b.Int(it, extent))
		index[axis] = b.NoWrap(ir.OpAdd, b.NoWrap(ir.OpAdd, f.base[axis], away), at.m)
		place := b.NoWrap(ir.OpAdd, b.NoWrap(ir.OpAdd, away, b.Int(it, f.lo[d])), at.m)
		to = b.NoWrap(ir.OpAdd, to, b.NoWrap(ir.OpMul, place, b.Int(it, stride[d])))
	}
	for _, s := range f.fields {
		for _, a := range f.p.made[s] {
			from := b.Ptr(s.f, a.comp, index...)
			from.Def.Flags |= ir.InBounds // the block is in the interior
			b.Store(scratchCell(b, a.padded, to), b.Load(ir.Scalar(s.f.Comps[a.comp]), from))
		}
	}
}

// spread appends loops that copy the padded arrays of a field to those with a copy for each offset along the dims of the group.
func (p *scratchBuilder) spread(s *scratchField) {
	c := p.c
	it := ir.Scalar(c.kind)
	stride, _ := p.padded(s)
	cell, offset, _ := p.rows(s)
	var dim func(d int, from, to *ir.Value)
	sum := func(x, y *ir.Value, by int64) *ir.Value {
		return c.b.NoWrap(ir.OpAdd, x, c.b.NoWrap(ir.OpMul, y, c.b.Int(it, by)))
	}
	// First the offsets, then the cells, those of rows last.
	dim = func(d int, from, to *ir.Value) {
		n := len(p.dims)
		switch {
		case d == 2*n:
			for _, a := range p.made[s] {
				t := ir.Scalar(s.f.Comps[a.comp])
				c.b.Store(scratchCell(c.b, a.rows, to), c.b.Load(t, scratchCell(c.b, a.padded, from)))
			}
		case d < n && d <= p.group:
			dim(d+1, from, to)
		case d < n:
			c.forRange(ir.Rolled, c.b.Int(it, 0), c.b.Int(it, s.lo[d]+1+s.hi[d]), func(o *ir.Value) {
				dim(d+1, sum(from, o, stride[d]), sum(to, o, offset[d]))
			})
		default:
			d -= n
			extent := p.dims[d].extent
			if d <= p.group {
				extent += s.lo[d] + s.hi[d]
			}
			c.forRange(p.rolled(d), c.b.Int(it, 0), c.b.Int(it, extent), func(l *ir.Value) {
				dim(n+d+1, sum(from, l, stride[d]), sum(to, l, cell[d]))
			})
		}
	}
	dim(0, c.b.Int(it, 0), c.b.Int(it, 0))
}

// rolled returns the flags of a loop that copies along a dim: only rows are worth optimising.
func (p *scratchBuilder) rolled(d int) ir.Flags {
	if d < len(p.dims)-1 {
		return ir.Rolled
	}
	return 0
}

// scratchCell appends the place of an element of an array, which is in range.
func scratchCell(b *ir.Builder, array, i *ir.Value) *ir.Value {
	v := b.Op(ir.OpCell, array, i)
	v.Def.Flags |= ir.InBounds
	return v
}

// forRange appends a loop with the body that do appends.
func (c *cellLoop) forRange(flags ir.Flags, lo, hi *ir.Value, do func(i *ir.Value)) {
	loop := ir.NewOp(ir.OpFor, c.b.Pos, nil, lo, hi)
	loop.Flags = flags
	i := loop.Regions[0].AddParam(lo.Type, "")
	c.b.Emit(loop)
	outer := c.b
	c.b = ir.NewBuilder(loop.Regions[0])
	c.b.Pos = outer.Pos
	do(i)
	c.b.Jump(ir.OpContinue, loop)
	c.b = outer
}
