package versioning

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/packet"
)

// This file is the part of interior that writes the loops.

// write replaces the iteration by the loops of a strip.
func (s *interiorSplit) write() {
	t, last := s.t, len(s.t.Dims)-1
	old := t.Body
	body := &ir.Block{Params: append([]*ir.Value{}, old.Params[:last]...)}
	for _, v := range body.Params {
		v.Block = body
	}
	number := body.AddParam(s.index.Type, s.index.Name)
	b := ir.NewBuilder(body)
	b.Pos = t.Pos
	n := s.length()
	from := b.NoWrap(ir.OpAdd, b.NoWrap(ir.OpMul, number, b.Int(number.Type, n)), b.Int(number.Type, s.row.lo))
	to := b.Op(ir.OpMin, b.NoWrap(ir.OpAdd, from, b.Int(number.Type, n)), b.Int(number.Type, s.row.hi))
	split := func() {
		within := func(at int64) *ir.Value {
			return b.Op(ir.OpMin, b.Op(ir.OpMax, b.Int(number.Type, at), from), to)
		}
		start, end := within(s.row.from), within(s.row.to)
		row := s.rowIsInterior(b, body.Params[:last])
		apart := row != nil && s.lanes == 1 && s.hasManyBorders()
		if row != nil && !apart {
			start, end = b.Op(ir.OpSelect, row, start, to), b.Op(ir.OpSelect, row, end, to)
		}
		s.border(b, from, start)
		if apart {
			b.If(row, nil, func() {
				s.loop(b, start, end, s.body, s.order)
				b.Yield()
			}, func() {
				s.loop(b, start, end, s.body, s.ofRow())
				b.Yield()
			})
		} else {
			o := s.loop(b, start, end, s.body, s.order)
			s.rows = append(s.rows, packet.Row{Loop: o, Whole: true})
		}
		s.border(b, end, to)
	}
	if s.choice == nil {
		split()
	} else {
		b.If(s.choice.Args[0], nil, func() {
			split()
			b.Yield()
		}, func() {
			checked := s.choice.Regions[1].Ops
			s.loop(b, from, to, checked[:len(checked)-1], nil).Flags |= ir.Rolled
			b.Yield()
		})
	}
	b.Jump(ir.OpContinue, nil)
	t.Body, t.Nest, t.Strip = body, nil, n
	t.Group(s.row.lo, n)
	d := &t.Dims[last]
	*d = ir.Dim{Kind: d.Kind, Hi: ir.Bound{Const: (s.row.hi - s.row.lo + n - 1) / n}}
}

// length is the length of a strip: a row, if there are many, or a part of one.
func (s *interiorSplit) length() int64 {
	rows, row := int64(1), s.row.hi-s.row.lo
	for _, d := range s.t.Dims[:len(s.t.Dims)-1] {
		rows = min(rows*min(d.Hi.Const-d.Lo.Const, manyInteriors), manyInteriors)
	}
	if rows >= manyInteriors {
		return row
	}
	n := max(interiorStrip, row*rows/manyInteriors)
	return min(row, (n+s.lanes-1)/s.lanes*s.lanes)
}

// border emits the original iterations from lo to hi.
func (s *interiorSplit) border(b *ir.Builder, lo, hi *ir.Value) {
	o := s.loop(b, lo, hi, s.body, nil)
	o.Flags |= ir.Rolled
	s.rows = append(s.rows, packet.Row{Loop: o})
}

// hasManyBorders reports whether enough rows are borders that a loop for their middle pays.
func (s *interiorSplit) hasManyBorders() bool {
	for _, p := range s.t.Body.Params[:len(s.t.Dims)-1] {
		r := s.ranges[p]
		if (r.hi-r.lo-(r.to-r.from))*manyBorders >= r.hi-r.lo {
			return true
		}
	}
	return false
}

// ofRow returns the values that are known in the middle of every row.
func (s *interiorSplit) ofRow() (known []*ir.Value) {
	for _, v := range s.order {
		if s.follows(v) {
			known = append(known, v)
		}
	}
	return known
}

// rowIsInterior emits the condition that the indices of the outer dims are in their interiors; nil if they always are.
func (s *interiorSplit) rowIsInterior(b *ir.Builder, outer []*ir.Value) (all *ir.Value) {
	also := func(c *ir.Value) {
		if all != nil {
			c = b.Op(ir.OpAnd, all, c)
		}
		all = c
	}
	for _, p := range outer {
		r := s.ranges[p]
		if r.from > r.lo {
			also(b.Op(ir.OpGe, p, b.Int(p.Type, r.from)))
		}
		if r.to < r.hi {
			also(b.Op(ir.OpLt, p, b.Int(p.Type, r.to)))
		}
	}
	return all
}

// loop emits the iterations from lo to hi, with the answers of known.
func (s *interiorSplit) loop(b *ir.Builder, lo, hi *ir.Value, ops []*ir.Op, known []*ir.Value) *ir.Op {
	o := ir.NewOp(ir.OpFor, s.t.Pos, nil, lo, hi)
	if s.alone {
		o.Flags |= ir.Independent
	}
	b.Emit(o)
	i := o.Regions[0].AddParam(lo.Type, s.index.Name)
	b.In(o.Regions[0], func() {
		c := ir.NewCloner(map[*ir.Value]*ir.Value{s.index: i})
		body := &ir.Block{Ops: c.List(ops)}
		values := map[*ir.Value]*ir.Value{}
		for _, v := range known {
			values[c.Value(v)] = s.known[v].emit(b, c, v.Type)
		}
		ir.Substitute(body, values)
		b.Block.Ops = append(b.Block.Ops, body.Ops...)
		b.Jump(ir.OpContinue, o)
	})
	return o
}

// emit computes an answer of type t in a copy of the iteration.
func (a answer) emit(b *ir.Builder, c *ir.Cloner, t ir.Type) *ir.Value {
	if t.Kind == ir.Bool {
		return b.Const(t, uint64(a.plus))
	}
	n := b.Int(t, a.plus)
	if a.index == nil {
		return n
	}
	return b.NoWrap(ir.OpAdd, b.Convert(c.Value(a.index), t.Kind), n)
}
