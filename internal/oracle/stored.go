package oracle

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/quant/exact"
)

// This file has the accesses to components that are stored in fewer bits. Their memories hold
// codes. What the codes mean is computed exactly, by a package that the compiler does not use.

// A packed is the part of a place that says how the component is stored.
type packed struct {
	*ir.Stored
	kind  ir.Kind
	group Memory // of a group: component n is the code of number n, and the last the exponent
}

// packedPlace completes the place of a component that is stored in fewer bits.
func (m *machine) packedPlace(f *ir.Field, comp int) *packed {
	s := f.StoredAs(comp)
	if s == nil {
		return nil
	}
	p := &packed{Stored: s, kind: f.Comps[comp]}
	if s.Group != nil {
		p.group = m.env.Groups[s.Group.Number]
	}
	return p
}

// decode returns the number that is stored at p.
func (p *place) decode() uint64 {
	q := p.packed
	if q.Group == nil {
		return exact.Decode(q.Coder.Format, q.kind, p.memory.Load(p.index, p.comp))
	}
	return exact.DecodeGroup(q.Coder.Format, q.kind, q.group.Load(p.index, q.Member), q.group.Load(p.index, q.Group.Members))
}

// encode stores numbers at places of one element: several if they share an exponent.
func encode(ps []place, values []uint64, r exact.Rounding) {
	p := &ps[0]
	p.activate()
	q := p.packed
	if q.Group == nil {
		r.Random = q.Coder.Stochastic
		p.memory.Store(p.index, p.comp, exact.Encode(q.Coder.Format, q.kind, values[0], r))
		return
	}
	n := q.Group.Members
	all := make([]uint64, n)
	for i := range all {
		all[i] = exact.DecodeGroup(q.Coder.Format, q.kind, q.group.Load(p.index, i), q.group.Load(p.index, n))
	}
	for i, v := range values {
		all[ps[i].packed.Member] = v
	}
	codes, e := exact.EncodeGroup(q.Coder.Format, q.kind, all)
	for i, c := range codes {
		q.group.Store(p.index, i, c)
	}
	q.group.Store(p.index, n, e)
}

// draw returns the random bits by which a store or atomic rounds.
func (m *machine) draw(o *ir.Op) (r exact.Rounding) {
	if o.DrawsToStore() {
		r.Draw = uint32(m.rand.next())
	}
	return r
}

// store runs a store. Those that are one with the next wait for it.
func (m *machine) store(in *inst) {
	p, v := m.places[in.args[0]], m.vals[in.args[1]]
	r := m.draw(in.op)
	if p.packed == nil {
		p.store(v)
		m.countStore(in.op, &p, v)
		m.recordStore(in, p)
		return
	}
	m.joined, m.values, m.stores = append(m.joined, p), append(m.values, v), append(m.stores, in)
	if in.op.Flags.Has(ir.More) {
		return
	}
	old := m.oldNumbers()
	encode(m.joined, m.values, r)
	for i, in := range m.stores {
		if old != nil {
			m.count(in.op, &m.joined[i], number(m.joined[i].packed.kind, m.values[i]), old[i], m.joined[i].load())
		}
		m.recordRounded(in, m.joined[i], m.values[i])
	}
	m.joined, m.values, m.stores = m.joined[:0], m.values[:0], m.stores[:0]
}

// recordRounded is recordStore of a number that was rounded, whose derivative is that of the number:
// a constant where it was clamped.
func (m *machine) recordRounded(in *inst, p place, v uint64) {
	s := in.args[1]
	if m.refs == nil || !in.op.Args[1].Type.Kind.IsFloat() {
		return
	}
	from := m.refs[s]
	if p.packed.excludes(v) {
		from = 0
	}
	p.setRef(from, p.load())
}

// excludes reports whether a store of v clamps.
func (q *packed) excludes(v uint64) bool {
	lo, hi := q.Coder.Ends(q.Group != nil)
	x := ir.FloatValue(q.kind, v)
	return x < lo || x > hi
}

// clamps reports whether an update of old by v, which has left now, counts as clamped, so that the result is a constant. A
// sum counts if it stands at the end that it was moved towards.
func (p place) clamps(how ir.AtomicKind, old, v, now uint64) bool {
	q := p.packed
	x := ir.FloatValue(q.kind, v)
	switch how {
	case ir.AtomicSub:
		x = -x
		fallthrough
	case ir.AtomicAdd:
		lo, hi := q.Coder.Ends(q.Group != nil)
		is := ir.FloatValue(q.kind, now)
		return x > 0 && is >= hi || x < 0 && is <= lo
	}
	return q.excludes(binaryOp(atomicCodes[how], q.kind, old, v))
}

// set stores a number, rounded as the place has it, and returns what is held then.
func (p place) set(v uint64, r exact.Rounding) uint64 {
	if p.packed == nil {
		p.store(v)
		return v
	}
	encode([]place{p}, []uint64{v}, r)
	return p.load()
}

// add runs an atomic add or sub where it works on the code, and reports whether it does.
func (m *machine) add(o *ir.Op, p *place, v uint64, r exact.Rounding) bool {
	q := p.packed
	if q == nil || o.Atomic != ir.AtomicAdd && o.Atomic != ir.AtomicSub || q.Coder.Class == quant.Float {
		return false
	}
	r.Random = q.Coder.Stochastic
	code := exact.Add(q.Coder.Format, q.kind, p.memory.Load(p.index, p.comp), v, o.Atomic == ir.AtomicSub, r)
	p.memory.Store(p.index, p.comp, code)
	return true
}
