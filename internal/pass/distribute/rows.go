package distribute

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// This file writes a loop that is not split except for its counting, and the rows that its blocks transfer.

// write appends the loop, and the counting of its blocks.
func (l *countingLoop) write(b *ir.Builder) {
	b.Pos = l.pos
	for _, c := range l.blocks {
		if c.part != nil {
			c.part.from, c.part.to = l.from, l.to
			c.part.allocate(b)
			c.part.clear(b)
		}
	}
	for _, o := range l.vectors {
		o.Flags |= ir.Independent
	}
	l.loop(b, computes, func(p *phase) {
		for _, c := range l.blocks {
			if c.block != nil {
				c.block.Ops = l.handOver(c, c.block.Ops, p.row)
			}
		}
		for _, o := range l.handOver(l.blocks[0], l.body, p.row) {
			b.Emit(p.to.Op(o))
		}
	})
	for _, c := range l.blocks {
		if c.part != nil {
			c.part.countPart(b)
		}
	}
}

// clear appends the initialisation of the array that marks stored rows, if there is one: no row is stored yet.
func (d *distribution) clear(b *ir.Builder) {
	if d.unstored == nil {
		return
	}
	none := b.Int(ir.Vec(ir.U32, summaryLanes), math.MaxUint32)
	d.eachVector(b, nil, func(at *ir.Value, _ []*ir.Value) []*ir.Value {
		b.Store(at, none)
		return nil
	})
}

// eachVector appends a loop over the array that marks stored rows.
func (d *distribution) eachVector(b *ir.Builder, inits []*ir.Value, body func(at *ir.Value, carried []*ir.Value) []*ir.Value) []*ir.Value {
	i64 := ir.Scalar(ir.I64)
	return rolled(b, d.trips/summaryLanes, inits, func(n *ir.Value, carried []*ir.Value) []*ir.Value {
		at := b.Op(ir.OpOffset, d.unstored.array, b.NoWrap(ir.OpMul, n, b.Int(i64, int64(d.unstored.kind.Size())*summaryLanes)))
		return body(at, carried)
	})
}

// rolled appends a loop that LLVM leaves as it is. Body gets the number of an iteration and the values that the loop carries, and returns
// their next values.
func rolled(b *ir.Builder, n int64, inits []*ir.Value, body func(i *ir.Value, carried []*ir.Value) []*ir.Value) []*ir.Value {
	i64 := ir.Scalar(ir.I64)
	var types []ir.Type
	for _, v := range inits {
		types = append(types, v.Type)
	}
	o := ir.NewOp(ir.OpFor, b.Pos, types, append([]*ir.Value{b.Int(i64, 0), b.Int(i64, n)}, inits...)...)
	o.Flags |= ir.Rolled
	b.Emit(o)
	i := o.Regions[0].AddParam(i64, "")
	var carried []*ir.Value
	for _, t := range types {
		carried = append(carried, o.Regions[0].AddParam(t, ""))
	}
	b.In(o.Regions[0], func() { b.Jump(ir.OpContinue, o, body(i, carried)...) })
	return o.Results
}

// handOver returns the ops of a block, in which stores to the arrays replace the counting.
func (l *countingLoop) handOver(c *countedBlock, ops []*ir.Op, row *ir.Value) []*ir.Op {
	if c.part == nil {
		return ops
	}
	out := make([]*ir.Op, 0, len(ops))
	for _, o := range ops {
		if l.work[o] != counts {
			out = append(out, o)
		}
		if o == c.last {
			b := ir.NewBuilder(&ir.Block{})
			b.Pos = o.Pos
			c.store(b, row)
			out = append(out, b.Block.Ops...)
		}
	}
	return out
}

// store appends the stores to the arrays of the numbers that an iteration stores in this block.
func (c *countedBlock) store(b *ir.Builder, row *ir.Value) {
	d := c.part
	for _, o := range c.loops {
		from, _ := ir.IntOf(o.Args[0])
		i := b.Convert(o.Regions[0].Params[0], ir.I64)
		i = b.NoWrap(ir.OpSub, i, b.Int(i.Type, from))
		row = b.NoWrap(ir.OpAdd, b.NoWrap(ir.OpMul, row, b.Int(row.Type, roundsOf(o))), i)
	}
	p := &phase{distribution: d, b: b, row: row}
	for _, a := range d.arrays {
		for at, v := range a.values {
			if s, transferred := d.slot[v]; transferred && s == (slot{a, at}) {
				b.Store(p.place(s), b.Convert(v, a.kind))
			}
		}
	}
	if d.unstored != nil {
		b.Store(p.place(slot{of: d.unstored}), b.Int(ir.Scalar(d.unstored.kind), 0))
	}
}

// countPart appends the counting of a block.
func (d *distribution) countPart(b *ir.Builder) {
	count := func() {
		for _, t := range d.tallied {
			d.countTally(b, t)
		}
		for _, h := range d.counted {
			d.countBuckets(b, h)
		}
	}
	if d.unstored == nil {
		count()
		return
	}
	i64, whole := ir.Scalar(ir.I64), ir.Vec(ir.U32, summaryLanes)
	sums := d.eachVector(b, []*ir.Value{b.Int(whole, 0)}, func(at *ir.Value, carried []*ir.Value) []*ir.Value {
		stored := b.Op(ir.OpXor, b.Load(whole, at), b.Int(whole, math.MaxUint32))
		return []*ir.Value{b.Op(ir.OpAdd, carried[0], b.Op(ir.OpAnd, stored, b.Int(whole, 1)))}
	})
	d.present = b.Convert(b.Across(sums[0], func(x, y *ir.Value) *ir.Value { return b.Op(ir.OpAdd, x, y) }), ir.I64)
	d.from, d.to = b.Int(i64, 0), b.Int(i64, d.trips)
	b.If(b.Op(ir.OpNe, d.present, b.Int(i64, 0)), nil, func() { count(); b.Yield() }, func() { b.Yield() })
}

// ifStored appends body. Unless all rows are counted, body is in an if for those that are.
func (p *phase) ifStored(body func()) {
	if p.unstored == nil {
		body()
		return
	}
	b := p.b
	stored := b.Op(ir.OpEq, b.Load(ir.Scalar(p.unstored.kind), p.place(slot{of: p.unstored})), b.Int(ir.Scalar(p.unstored.kind), 0))
	b.If(stored, nil, func() { body(); b.Yield() }, func() { b.Yield() })
}
