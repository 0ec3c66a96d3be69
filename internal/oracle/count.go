package oracle

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/tally"
)

// This file counts what is stored, for kernels with a Measure.

// number is the value of a scalar as the tallies have it.
func number(k ir.Kind, bits uint64) float64 {
	switch {
	case k.IsFloat():
		return ir.FloatValue(k, bits)
	case k.IsSigned():
		return float64(int64(bits))
	}
	return float64(bits)
}

// tallyOf returns what counts a store to a place, nil for nothing.
func (m *machine) tallyOf(o *ir.Op, p *place) *tally.Tally {
	if m.env.Tallies == nil {
		return nil
	}
	if n, ok := m.p.k.Measure.Site(p.field, p.comp, o.Pos); ok {
		return m.env.Tallies[n]
	}
	return nil
}

// countStore counts a store to a plain component.
func (m *machine) countStore(o *ir.Op, p *place, v uint64) {
	if t := m.tallyOf(o, p); t != nil {
		t.Plain(number(p.field.Comps[p.comp], v))
	}
}

// count counts a store to a packed component.
func (m *machine) count(o *ir.Op, p *place, wanted float64, old, now uint64) {
	if t := m.tallyOf(o, p); t != nil {
		q := p.packed
		lo, hi := tally.Limits(q.Coder, q.Group != nil)
		t.Store(wanted, number(q.kind, old), number(q.kind, now), lo, hi)
	}
}

// sum adds in the kind that numbers of a kind are counted in.
func sum(k ir.Kind, a, b float64) float64 {
	if tally.Single(k) {
		return float64(float32(a) + float32(b))
	}
	return a + b
}

// countAtomic counts an atomic.
func (m *machine) countAtomic(in *inst, p *place, old, now uint64) {
	o, v := in.op, m.vals[in.args[1]]
	switch {
	case m.env.Tallies == nil || p.field == nil || o.Atomic == ir.AtomicLoad || o.Atomic == ir.AtomicCAS && old != v:
		return
	case p.packed == nil:
		m.countStore(o, p, now)
		return
	}
	k := p.packed.kind
	var wanted float64
	switch o.Atomic {
	case ir.AtomicAdd:
		wanted = sum(k, number(k, old), number(k, v))
	case ir.AtomicSub:
		wanted = sum(k, number(k, old), -number(k, v))
	case ir.AtomicXchg:
		wanted = number(k, v)
	case ir.AtomicCAS:
		wanted = number(k, m.vals[in.args[2]])
	default:
		wanted = number(k, binaryOp(atomicCodes[o.Atomic], k, old, v))
	}
	m.count(o, p, wanted, old, now)
}
