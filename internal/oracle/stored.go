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

// encode stores a number at p, alone.
func (p *place) encode(v uint64, r exact.Rounding) {
	p.activate()
	q := p.packed
	r.Random = q.Coder.Stochastic
	p.memory.Store(p.index, p.comp, exact.Encode(q.Coder.Format, q.kind, v, r))
}

// numbers returns those of the group of p.
func (p *place) numbers() []uint64 {
	q := p.packed
	all := make([]uint64, q.Group.Members)
	for i := range all {
		all[i] = exact.DecodeGroup(q.Coder.Format, q.kind, q.group.Load(p.index, i), q.group.Load(p.index, len(all)))
	}
	return all
}

// encodeAll stores numbers at places of one element which share an exponent, all at once.
func encodeAll(parts []part) {
	p := &parts[0].place
	q := p.packed
	all := p.numbers()
	for _, s := range parts {
		all[s.place.packed.Member] = s.value
	}
	codes, e := exact.EncodeGroup(q.Coder.Format, q.kind, all)
	for i, c := range codes {
		q.group.Store(p.index, i, c)
	}
	q.group.Store(p.index, len(all), e)
}

// draw returns the random bits by which a store or atomic rounds.
func (m *machine) draw(o *ir.Op) (r exact.Rounding) {
	if o.DrawsToStore() {
		r.Draw = uint32(m.rand.next())
	}
	return r
}

// A part is a store or atomic on a number that shares its exponent. It waits for the end of the assignment or update that it is a part of.
type part struct {
	in         *inst
	place      place
	value, old uint64 // of the number
}

// store runs a store.
func (m *machine) store(in *inst) {
	p, v := m.places[in.args[0]], m.vals[in.args[1]]
	r := m.draw(in.op)
	m.touch(&p, Write)
	switch {
	case p.packed == nil:
		p.store(v)
		m.countStore(in.op, &p, v)
		m.recordStore(in, p)
	case p.packed.Group == nil:
		old := p.load()
		p.encode(v, r)
		m.stored(in, p, v, old)
	default:
		m.parts = append(m.parts, part{in, p, v, p.load()})
	}
	if !in.op.Flags.Has(ir.More) {
		m.endParts()
	}
}

// stored counts and records a store of v to a packed component that held old.
func (m *machine) stored(in *inst, p place, v, old uint64) {
	m.count(in.op, &p, number(p.packed.kind, v), old, p.load())
	m.recordRounded(in, p, v)
}

// endParts stores the numbers of an assignment or update that share exponents: those of a group at once.
func (m *machine) endParts() {
	for len(m.parts) > 0 {
		var group, others []part
		for _, s := range m.parts {
			if s.place.packed.Group == m.parts[0].place.packed.Group {
				group = append(group, s)
			} else {
				others = append(others, s)
			}
		}
		m.parts = others
		m.touchGroup(group)
		group[0].place.activate()
		before := group[0].place.numbers()
		encodeAll(group)
		m.recordMoved(group, before)
		for _, s := range group {
			if s.in.op.Code == ir.OpStore {
				m.stored(s.in, s.place, s.value, s.old)
			} else {
				now := s.place.load()
				m.countAtomic(s.in, &s.place, s.old, now)
				m.recordAtomic(s.in, s.place, s.old, now)
			}
		}
	}
}

// recordMoved records that a store to numbers of a group has rounded the others again, which come from what they came from.
func (m *machine) recordMoved(parts []part, before []uint64) {
	if m.refs == nil {
		return
	}
	p := parts[0].place
	after := p.numbers()
	for _, f := range m.p.k.Fields {
		v := m.variable(f)
		for c := range f.Stored {
			s := f.StoredAs(c)
			if v == nil || s == nil || s.Group != p.packed.Group {
				continue
			}
			k := key(p.index, c)
			if h, known := v.now[k]; known && h.bits == before[s.Member] {
				v.now[k] = held{h.ref, after[s.Member]}
			}
		}
	}
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
	p.give(from, p.load())
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

// set stores a number that shares no exponent, rounded as the place has it, and returns what is held then.
func (p place) set(v uint64, r exact.Rounding) uint64 {
	if p.packed == nil {
		p.store(v)
		return v
	}
	p.encode(v, r)
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
