package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of packets for checks that may fail. A lane notes its first failure and counts the others. The end of the
// packet reports them in the order of the lanes, so that the first report is that of the lowest iteration, as without packets.

// A failing is the memory in which lanes note their failures.
type failing struct {
	ops   []*ir.Op    // the failures of the task
	first *ir.Value   // the number of the first one in ops, from 1; 0 for none
	count *ir.Value   // the number of failures
	args  []*ir.Value // the operands of the first
}

// failure notes the failure o of the lanes of mask.
func (p *packer) failure(o *ir.Op, mask *ir.Value) {
	f := &p.fails
	if f.first == nil {
		f.first, f.count = p.atStart(ir.I32, false), p.atStart(ir.I64, true)
	}
	f.ops = append(f.ops, o)
	i32, i64 := ir.Vec(ir.I32, p.lanes), ir.Vec(ir.I64, p.lanes)
	old := p.b.Load(i32, f.first)
	fresh := p.b.Op(ir.OpEq, old, p.b.Int(i32, 0))
	n := p.b.Load(i64, f.count)
	one := p.b.Int(i64, 1)
	p.b.Store(f.count, p.pick(mask, p.b.Op(ir.OpSelect, fresh, one, p.b.Op(ir.OpAdd, n, one)), n))
	fresh = p.and(mask, fresh)
	p.b.Store(f.first, p.b.Op(ir.OpSelect, fresh, p.b.Int(i32, int64(len(f.ops))), old))
	for i, v := range o.Args {
		if i == len(f.args) {
			f.args = append(f.args, p.atStart(ir.I64, true))
		}
		w := p.b.Convert(p.splat(p.value(v)), ir.I64)
		p.b.Store(f.args[i], p.b.Op(ir.OpSelect, fresh, w, p.b.Load(i64, f.args[i])))
	}
}

// report writes code for the end of a packet that reports its failures.
func (p *packer) report() {
	f := &p.fails
	if f.first == nil {
		return
	}
	i32 := ir.Vec(ir.I32, p.lanes)
	bad := p.b.Op(ir.OpNe, p.b.Load(i32, f.first), p.b.Int(i32, 0))
	p.b.If(p.b.OpOf(ir.OpAny, ir.Scalar(ir.Bool), bad), nil, func() {
		p.eachLane(bad, func(lane *ir.Value) {
			w := &laneWriter{packer: p, lane: lane}
			first := p.b.Load(ir.Scalar(ir.I32), w.at(f.first, ir.I32))
			count := p.b.Load(ir.Scalar(ir.I64), w.at(f.count, ir.I64))
			for i, o := range f.ops {
				this := p.b.Op(ir.OpEq, first, p.b.Int(first.Type, int64(i+1)))
				p.b.If(this, nil, func() { w.tell(o, count) }, func() { p.b.Yield() })
			}
		})
		if p.alone { // for the next packet
			p.b.Store(f.first, p.b.Int(i32, 0))
		}
		p.b.Yield()
	}, func() { p.b.Yield() })
	p.b.Block.Ops[len(p.b.Block.Ops)-1].Flags |= ir.Seldom
}

// tell reports the failure of the lane count times.
func (w *laneWriter) tell(o *ir.Op, count *ir.Value) {
	w.b.Pos = o.Pos
	loop := ir.NewOp(ir.OpFor, o.Pos, nil, w.b.Int(count.Type, 0), count)
	loop.Flags |= ir.Rolled
	c := *o
	c.Args = slices.Clone(o.Args)
	for i, v := range o.Args {
		c.Args[i] = w.b.Convert(w.b.Load(ir.Scalar(ir.I64), w.at(w.fails.args[i], ir.I64)), v.Type.Kind)
	}
	w.b.Emit(loop)
	loop.Regions[0].AddParam(count.Type, "")
	w.b.In(loop.Regions[0], func() {
		w.b.Emit(&c)
		w.b.Jump(ir.OpContinue, loop)
	})
	w.b.Yield()
}
