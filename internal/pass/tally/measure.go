package tally

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/adapter"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/tally"
)

// Measure appends a tally after each store of a number to a field, in a kernel that is compiled for Runtime.Ranges.
//
// Input: a kernel's body, with the sites in its Measure. Output: the same with tallies after stores and atomics on unpacked components.
// Package quantise appends those on packed components, since it has the words before and after a store.
func Measure(k *ir.Kernel) {
	if k.Measure == nil || k.Measure.Counts == nil {
		return
	}
	measureBlock(k, k.Body)
}

func measureBlock(k *ir.Kernel, block *ir.Block) {
	ops := block.Ops
	block.Ops = make([]*ir.Op, 0, len(ops))
	m := NewMeter(k, ir.NewBuilder(block))
	for _, o := range ops {
		for _, r := range o.Regions {
			measureBlock(k, r)
		}
		m.b.Pos = o.Pos
		m.b.Emit(o)
		if o.Code != ir.OpStore && o.Code != ir.OpAtomic || o.Args[0].Def == nil || o.Args[0].Def.Code != ir.OpPtr || o.IsPacked() {
			continue
		}
		place := o.Args[0].Def
		site, ok := k.Measure.Site(place.Field, place.Choices()[0], o.Pos)
		switch {
		case !ok || o.Code == ir.OpAtomic && o.Atomic == ir.AtomicLoad:
		case o.Code == ir.OpStore:
			m.Plain(site, o.Args[1])
		case o.Atomic == ir.AtomicCAS:
			m.Exchanged(o.Results[0], o.Args[1], func() { m.Plain(site, o.Args[2]) })
		default:
			m.Plain(site, m.b.Updated(o.Atomic, o.Results[0], o.Args[1:]))
		}
	}
}

// A Meter appends tallies.
type Meter struct {
	k *ir.Kernel
	b *ir.Builder
}

// NewMeter returns a Meter that appends with b.
func NewMeter(k *ir.Kernel, b *ir.Builder) *Meter { return &Meter{k: k, b: b} }

// Op appends an op, which is Strict if it is on floats.
func (m *Meter) Op(code ir.Code, args ...*ir.Value) *ir.Value { return strict(m.b, code, args...) }

// Number appends the conversion of v to the kind in which numbers of its kind are counted: f32 or f64.
func (m *Meter) Number(v *ir.Value) *ir.Value {
	k := ir.F64
	switch {
	case tally.Single(v.Type.Kind):
		k = ir.F32
	case v.Type.Kind == ir.Bool:
		v = m.b.Convert(v, ir.I32)
	}
	return convert(m.b, v, k)
}

// Plain appends the tally of a store of an unpacked number.
func (m *Meter) Plain(site int, v *ir.Value) { Emit(m.b, int64(site), ir.TallyAll, m.Number(v)) }

// Stored appends the tally of a store to a packed component: wanted is the number to store, old the number before, and now the number after
// the store. C is the coder of the component; shared is set if it shares an exponent.
func (m *Meter) Stored(site int, c *quant.Coder, shared bool, wanted, old, now *ir.Value) {
	lo, hi := tally.Limits(c, shared)
	old, now = m.Number(old), m.Number(now)
	Emit(m.b, int64(site), ir.TallyAll, wanted, old, now, m.b.Float(wanted.Type, lo), m.b.Float(wanted.Type, hi))
}

// Exchanged appends an if with the condition that a compare-and-swap took place. F appends the code of its first region.
func (m *Meter) Exchanged(old, compared *ir.Value, f func()) {
	m.b.If(adapter.SameBits(m.b, old, compared), nil, func() { f(); m.b.Yield() }, func() { m.b.Yield() })
}

// Emit appends a tally of a part, or of all parts.
func Emit(b *ir.Builder, site int64, part ir.TallyPart, args ...*ir.Value) {
	o := ir.NewOp(ir.OpTally, b.Pos, nil, args...)
	o.Aux, o.Tally = site, part
	b.Emit(o)
}

// strict appends an op, which is Strict if it is on floats.
func strict(b *ir.Builder, code ir.Code, args ...*ir.Value) *ir.Value {
	v := b.Op(code, args...)
	if args[0].Type.Kind.IsFloat() {
		v.Def.Flags |= ir.Strict
	}
	return v
}

func convert(b *ir.Builder, v *ir.Value, k ir.Kind) *ir.Value {
	w := b.Convert(v, k)
	if w != v && v.Type.Kind.IsFloat() {
		w.Def.Flags |= ir.Strict
	}
	return w
}
