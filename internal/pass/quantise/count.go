package quantise

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/tally"
)

// This file counts stores to packed components, in a kernel that is compiled for Runtime.Ranges.

// A measured is a store in a batch. Its tally is appended when the batch is written.
type measured struct {
	m    *member
	v    *ir.Value
	site int
}

// meter returns a Meter that appends where the pass does.
func (q *quantiser) meter() *tally.Meter { return tally.NewMeter(q.k, q.b) }

// noteStore records a store, so that it is counted when its batch is written.
func (q *quantiser) noteStore(t *batch, m *member, v *ir.Value) {
	if site, ok := q.siteOf(m); ok {
		t.measured = append(t.measured, measured{m: m, v: v, site: site})
	}
}

// siteOf returns the site of a store to a member at the current position.
func (q *quantiser) siteOf(m *member) (int, bool) {
	if q.k.Measure == nil || q.k.Measure.Counts == nil {
		return 0, false
	}
	return q.k.Measure.Site(m.of, m.comp, q.b.Pos)
}

// countStores appends the tallies of the stores of a batch, which has replaced the word old by the word now.
func (q *quantiser) countStores(t *batch, old, now *ir.Value) {
	for _, s := range t.measured {
		mt, k := q.meter(), s.v.Type.Kind
		mt.Stored(s.site, s.m.Of().Coder, s.m.Of().Group != nil, mt.Number(s.v), s.m.decode(old, k), s.m.decode(now, k))
	}
}

// countUpdate appends the tally of an atomic on a member, which has replaced a word by another.
func (q *quantiser) countUpdate(m *member, site int, p *part, word, by *ir.Value) {
	o, args, k := p.op, p.args, p.kind()
	mt := q.meter()
	old, now := m.decode(word, k), m.decode(by, k)
	count := func(wanted *ir.Value) {
		mt.Stored(site, m.Of().Coder, m.Of().Group != nil, wanted, old, now)
	}
	switch o.Atomic {
	case ir.AtomicAdd:
		count(mt.Op(ir.OpAdd, mt.Number(old), mt.Number(args[0])))
	case ir.AtomicSub:
		count(mt.Op(ir.OpSub, mt.Number(old), mt.Number(args[0])))
	case ir.AtomicCAS:
		mt.Exchanged(old, args[0], func() { count(mt.Number(args[1])) })
	default:
		count(mt.Number(m.computed(old, o, args)))
	}
}

// countPlain appends the tally of a store to an unpacked component that is chosen among packed ones. A compare-and-swap counts even if it
// did not take place.
func (q *quantiser) countPlain(place *ir.Op, c int, v *ir.Value) {
	if q.k.Measure == nil || q.k.Measure.Counts == nil {
		return
	}
	if site, ok := q.k.Measure.Site(place.Field, c, q.b.Pos); ok {
		q.meter().Plain(site, v)
	}
}
