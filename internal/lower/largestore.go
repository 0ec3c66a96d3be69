package lower

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// This file is about bulks in memory.

// inPlace is the bulk of type t that lies at p.
func (l *lowerer) inPlace(p *place, t typed.Type) *bulk {
	b := &bulk{t: t, place: p, at: func(w way) *ir.Value { return l.loadAt(p, t, w) }}
	if p.storage == nil || p.storage.arrays[0].table == nil {
		b.reads = []read{{p, true}}
	}
	return b
}

// own is inPlace for memory that nothing else uses.
func (l *lowerer) own(p *place, t typed.Type) *bulk {
	b := l.inPlace(p, t)
	b.reads, b.fresh = nil, true
	return b
}

// memory returns a place in new memory, which is zero unless flags have Unset.
func (l *lowerer) memory(kinds []ir.Kind, flags ir.Flags) *place {
	p := (&place{storage: l.alloc(kinds, "")}).holds(kinds)
	p.storage.setFlags(flags)
	return p
}

// setFlags sets flags of the allocs.
func (s *storage) setFlags(f ir.Flags) {
	for _, a := range s.arrays {
		a.mem.Def.Flags |= f
	}
}

// keep computes all components of b into new memory, unless b is fresh.
func (l *lowerer) keep(b *bulk) *bulk {
	if b.fresh {
		return b
	}
	kinds := kindsOf(b.t)
	if b.kind != ir.Invalid {
		kinds = slices.Repeat([]ir.Kind{b.kind}, len(kinds))
	}
	p := l.memory(kinds, ir.Unset)
	l.copy(p, b)
	kept := l.own(p, b.t)
	kept.kind = b.kind
	return kept
}

// inMemory returns b if it lies in memory, else a copy that does.
func (l *lowerer) inMemory(b *bulk) *bulk {
	if b.place != nil {
		return b
	}
	return l.keep(b)
}

// settled returns b if it reads no memory that may change, else a copy.
func (l *lowerer) settled(b *bulk) *bulk {
	if len(b.reads) == 0 {
		return b
	}
	return l.keep(b)
}

// copy stores all components of b at p, which b does not conflict with.
func (l *lowerer) copy(p *place, b *bulk) {
	l.over(b.t, func(w way) {
		v := b.at(w)
		l.b.Store(l.ptrAt(p, b.t, w), v)
	})
}

// storeBulk is copy for any b.
func (l *lowerer) storeBulk(p *place, b *bulk) { l.storeValue(p, value{bulk: b}) }

// conflicts reports whether storing one component of b at p may change memory that b's
// other components are computed from.
func (b *bulk) conflicts(p *place) bool {
	return slices.ContainsFunc(b.reads, func(r read) bool {
		q := r.place
		switch {
		case p.storage != nil || q.storage != nil:
			return p.storage == q.storage && !(r.aligned && p.sameOrApart(q))
		case p.field != nil && p.field == q.field || p.elem != nil && p.elem == q.elem:
			return !(r.aligned && p.sameOrApart(q))
		}
		return p.callers() || q.callers()
	})
}

// sameOrApart reports whether p and q, places of the same type in one object, are either
// the same or do not overlap. Only swizzles and parts of arrays overlap: elements and
// members cannot, since no type is a member of itself.
func (p *place) sameOrApart(q *place) bool {
	return !p.part && !q.part || p.terms == nil && q.terms == nil && slices.Equal(p.comps, q.comps)
}

// isElement reports whether comps, components of a value of type t, are the whole of it or
// one of its elements or members, of type of; not so a swizzle or a part of an array.
func isElement(t typed.Type, comps []int, of typed.Type) bool {
	if !inRow(comps) {
		return false
	}
	first := comps[0]
	for t != of {
		switch u := t.(type) {
		case typed.Array:
			t, first = u.Elem, first%typed.Components(u.Elem)
		case *typed.Struct:
			m := len(u.Fields) - 1
			for u.Fields[m].First > first {
				m--
			}
			t, first = u.Fields[m].Type, first-u.Fields[m].First
		default:
			return false
		}
	}
	return first == 0
}

// inRow reports whether each of comps is the one behind that before it.
func inRow(comps []int) bool {
	for i, c := range comps {
		if c != comps[0]+i {
			return false
		}
	}
	return true
}

// touches reports whether a store to p may change memory that b is computed from.
func (l *lowerer) touches(p *place, b *bulk) bool {
	return slices.ContainsFunc(b.reads, func(r read) bool {
		q := r.place
		switch {
		case p.v != nil:
			return false
		case p.storage != nil || q.storage != nil:
			return p.storage == q.storage
		}
		return p.field != nil && p.field == q.field || p.callers() || q.callers() || l.entangled(p, q)
	})
}

// callers reports whether p is memory that the caller of the kernel passes, in a slice or
// view. It may overlap other such memory and every field.
func (p *place) callers() bool { return p.elem != nil || p.field != nil && p.field.View != nil }

// loadAt loads the component at w of the value of type t at p.
func (l *lowerer) loadAt(p *place, t typed.Type, w way) *ir.Value {
	q, c := p.along(t, w)
	l.at(p.pos)
	kind := p.kinds[c]
	switch table := q.table(c); {
	case table != nil && q.terms == nil:
		return l.b.Const(ir.Scalar(kind), table.Data[q.storage.cell(c).number])
	case table != nil:
		return l.lookup(table, l.number(q, c))
	}
	return l.b.Load(ir.Scalar(kind), l.newPtr(q, c))
}

// ptrAt returns the address of the component at w of the value of type t at p. An index out of range is reported where the source
// has p, wherever the value to be stored was computed.
func (l *lowerer) ptrAt(p *place, t typed.Type, w way) *ir.Value {
	q, c := p.along(t, w)
	pos := l.b.Pos
	l.at(p.pos)
	ptr := l.newPtr(q, c)
	l.b.Pos = pos
	return ptr
}

// along returns the place of the component at w of the value of type t at p. C is the
// number of the component if all run-time indices are 0.
func (p *place) along(t typed.Type, w way) (q *place, c int) {
	q = &place{}
	*q = *p
	q.terms = slices.Clone(p.terms)
	at := 0
	for _, s := range w {
		switch u := t.(type) {
		case typed.Array:
			size := typed.Components(u.Elem)
			if n, ok := ir.IntOf(s.index); ok {
				at += int(n) * size
			} else {
				q.terms = append(q.terms, term{idx: s.index, limit: u.Len, stride: p.apart(at, size), inside: true})
			}
			t = u.Elem
		case *typed.Struct:
			at += u.Fields[s.member].First
			t = u.Fields[s.member].Type
		}
	}
	return q, p.comps[at]
}

// apart returns how far the element of size components behind the one that begins with
// number at is from it: farther than size where p is every so many elements of an array.
func (p *place) apart(at, size int) int {
	if next := at + size; next < len(p.comps) {
		return p.comps[next] - p.comps[at]
	}
	return size // there is only one
}

// defineBulk declares v with the value b; nil stands for zero.
func (l *lowerer) defineBulk(v *typed.Var, b *bulk) {
	switch {
	case b == nil:
		l.bind(v, binding{mem: l.alloc(kindsOf(v.Type), v.Name)})
	case b.fresh: // its memory becomes the variable's
		l.bind(v, binding{mem: b.place.storage.called(v.Name)})
	case b.isTable() && !v.Assigned && !v.Reduced:
		l.bind(v, binding{table: b.place.storage.called(v.Name)})
	default:
		s := l.alloc(kindsOf(v.Type), v.Name)
		s.setFlags(ir.Unset)
		l.copy((&place{storage: s}).holds(kindsOf(v.Type)), b)
		l.bind(v, binding{mem: s})
	}
}

// isTable reports whether b is a whole constant table.
func (b *bulk) isTable() bool {
	return b.place != nil && b.place.storage != nil && b.place.terms == nil &&
		b.place.storage.arrays[0].table != nil && b.place.whole()
}

// isVariable reports whether b is a whole variable.
func (b *bulk) isVariable() bool {
	return b.place != nil && b.place.storage != nil && b.place.terms == nil &&
		b.place.storage.arrays[0].mem != nil && b.place.whole()
}

// whole reports whether p has all components of its storage, in order.
func (p *place) whole() bool {
	last := len(p.kinds) - 1
	return len(p.comps) == len(p.kinds) && p.comps[0] == 0 && p.comps[last] == last
}

// variable is the place of a large variable, which is not a reference.
func (l *lowerer) variable(v *typed.Var) *place {
	return (&place{storage: l.env[v].mem}).holds(kindsOf(v.Type))
}

// settleAll replaces the vals that read memory that may change by copies.
func (l *lowerer) settleAll(vals []value) {
	for i, v := range vals {
		if v.bulk != nil {
			vals[i].bulk = l.settled(v.bulk)
		}
	}
}

// storeEach stores vals[i] at places[i] unless that is nil. As in Go, all values are those
// from before the first store.
func (l *lowerer) storeEach(places []*place, vals []value) {
	a := &assignment{l: l}
	for i, p := range places {
		if p == nil {
			continue
		}
		for j, v := range vals {
			if j > i && v.bulk != nil && l.touches(p, v.bulk) {
				vals[j].bulk = l.keep(v.bulk)
			}
		}
		if b := vals[i].bulk; b == nil || !b.isVariable() || b.place.storage != p.storage {
			a.store(p, vals[i])
		}
	}
	a.end()
}

// storeValue stores x, of any number of components, at p.
func (l *lowerer) storeValue(p *place, x value) {
	a := &assignment{l: l}
	a.store(p, x)
	a.end()
}

// updateBulk lowers place = place op value.
func (l *lowerer) updateBulk(s *typed.Update) {
	p := l.place(s.Place)
	t := s.Place.Type()
	x := l.eval(s.Value)
	l.at(s.Pos)
	if s.Op == typed.MatMul {
		l.storeValue(p, l.productValue(t, l.valueAt(p, t), x, t, s.Value.Type()))
		return
	}
	b := x.bulk
	if b.conflicts(p) {
		b = l.keep(b)
	}
	atomic := atomicKinds[s.Op]
	if !l.isAtomic(s, p) {
		atomic = ir.AtomicNone
	}
	a := &assignment{l: l}
	a.over(p, t, func(w way, joined bool) {
		v := b.at(w)
		l.at(s.Pos)
		if atomic == ir.AtomicNone {
			old := l.loadAt(p, t, w)
			l.at(s.Pos)
			v = l.elementwise(s.Op, []*ir.Value{old}, []*ir.Value{v})[0]
		}
		switch {
		case joined:
			a.join(p, p.comps[number(t, w)], v)
		case atomic != ir.AtomicNone:
			l.updates(l.atomicAt(atomic, l.ptrAt(p, t, w), v))
		default:
			l.b.Store(l.ptrAt(p, t, w), v)
		}
	})
	if atomic == ir.AtomicNone {
		a.end()
	} else {
		l.updates(a.updateChecked(atomic)...)
	}
}

// valueAt is the value at p.
func (l *lowerer) valueAt(p *place, t typed.Type) value {
	if l.large(t) {
		return value{bulk: l.inPlace(p, t)}
	}
	return value{list: l.load(p)}
}
