package lower

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/typed"
)

// Components that share an exponent are stored at once by an assignment. Stored one after the other they would be rounded
// as often. What a component is rounded to would then depend on how an assignment is taken apart: by the components of a
// value or in a loop over them, with or without the records of debug mode in between. So lowering, which knows what an
// assignment is, joins its stores: they follow each other with the flag [ir.More], behind all else that the assignment
// computes and stores. An update, such as V[i] += v, joins its atomics alike.

// sharing returns for each component of f the groups of numbers with one exponent that it is in; nil for a field without such.
func (l *lowerer) sharing(f *ir.Field) [][]any {
	if l.groups == nil || f == nil || f.View != nil {
		return nil
	}
	all, known := l.shared[f]
	if known {
		return all
	}
	for c := range f.Comps {
		if of := l.groups(f, c); len(of) > 0 {
			if all == nil {
				all = make([][]any, len(f.Comps))
			}
			all[c] = of
		}
	}
	l.shared[f] = all
	return all
}

// entangled reports whether a store to p may change what is read at q since numbers of their fields share an exponent.
func (l *lowerer) entangled(p, q *place) bool {
	a, b := l.sharing(p.field), l.sharing(q.field)
	if a == nil || b == nil {
		return false
	}
	return slices.ContainsFunc(slices.Concat(a...), func(of any) bool { return slices.Contains(slices.Concat(b...), of) })
}

// joins reports whether component c of p, or one that run-time indices lead to from there, shares an exponent.
func (l *lowerer) joins(p *place, c int) bool {
	groups := l.sharing(p.field)
	return groups != nil && reaches(len(groups), c, p.terms, func(c int) bool { return groups[c] != nil })
}

// reaches reports whether run-time indices lead from c, one of n components, to one for which is holds.
func reaches(n, c int, terms []term, is func(c int) bool) bool {
	if len(terms) == 0 {
		return c < n && is(c)
	}
	for i := range terms[0].limit {
		if reaches(n, c+i*terms[0].stride, terms[1:], is) {
			return true
		}
	}
	return false
}

// isAtomic reports whether an update of p, which is memory, is made by atomics: also in serial code where that rounds otherwise
// than a load, an operation and a store do.
func (l *lowerer) isAtomic(s *typed.Update, p *place) bool {
	if atomicKinds[s.Op] == ir.AtomicNone {
		return false
	}
	return s.Atomic || p.field != nil && (l.gradient || l.accesses || l.addsToCode(s.Op, p))
}

// addsToCode reports whether an update adds what is rounded by itself to some number at p.
func (l *lowerer) addsToCode(op typed.Op, p *place) bool {
	if op != typed.Add && op != typed.Sub || l.packed == nil || p.field.View != nil {
		return false
	}
	return slices.ContainsFunc(p.comps, func(c int) bool {
		return !l.joins(p, c) && reaches(len(p.field.Comps), c, p.terms, func(c int) bool { return l.packed(p.field, c) })
	})
}

// An assignment is the parts of an assignment that are to be joined.
type assignment struct {
	l      *lowerer
	of     *place // to whose element they are
	ptrs   []*ir.Value
	values []*ir.Value
}

// store stores x at p, but for the components that are joined, which end stores.
func (a *assignment) store(p *place, x value) {
	if p.field != nil && a.of != nil && !sameElement(a.of, p) {
		a.end()
	}
	switch {
	case x.bulk != nil:
		a.storeBulk(p, x.bulk)
	case p.v != nil:
		a.l.setComponents(p, x.list)
	default:
		for i, c := range p.comps {
			if a.l.joins(p, c) {
				a.join(p, c, x.list[i])
			} else {
				a.l.b.Store(a.l.ptr(p, i), x.list[i])
			}
		}
	}
}

// join adds the store of v to component c of p.
func (a *assignment) join(p *place, c int, v *ir.Value) {
	if a.of == nil {
		a.of = p
	}
	if len(p.terms) > 1 {
		p.terms = []term{a.l.joined(p.terms)}
	}
	q := *p
	q.index = a.of.index // the same indices, and now the very same values
	pos := a.l.b.Pos
	a.l.at(p.pos)
	a.ptrs, a.values = append(a.ptrs, a.l.newPtr(&q, c)), append(a.values, v)
	a.l.b.Pos = pos
}

// end stores the components that are joined.
func (a *assignment) end() {
	for i, p := range a.ptrs {
		a.l.b.Store(p, a.values[i])
	}
	a.l.b.Join(len(a.ptrs))
	*a = assignment{l: a.l}
}

// update appends atomics on the components that are joined, and returns their old values.
func (a *assignment) update(kind ir.AtomicKind) (old []*ir.Value) {
	for i, p := range a.ptrs {
		old = append(old, a.l.b.Atomic(kind, p, a.values[i]))
	}
	a.l.b.Join(len(a.ptrs))
	*a = assignment{l: a.l}
	return old
}

// updateChecked is update with the checks of what the atomics compute.
func (a *assignment) updateChecked(kind ir.AtomicKind) []*ir.Value {
	values := a.values
	old := a.update(kind)
	for i, v := range old {
		a.l.checkAtomic(kind, v, values[i])
	}
	return old
}

// atomics appends atomics on all components of p, with operands, and returns their old values.
func (l *lowerer) atomics(kind ir.AtomicKind, p *place, operands func(i int) []*ir.Value) []*ir.Value {
	old := make([]*ir.Value, len(p.comps))
	a := &assignment{l: l}
	var of []int
	for i, c := range p.comps {
		if kind != ir.AtomicCAS && l.joins(p, c) { // which works on scalars
			a.join(p, c, operands(i)[0])
			of = append(of, i)
		} else {
			old[i] = l.atomicAt(kind, l.ptr(p, i), operands(i)...)
		}
	}
	for i, v := range a.updateChecked(kind) {
		old[of[i]] = v
	}
	return old
}

// sameElement reports whether two places of an assignment are of elements with the same indices, whatever the fields: the same variables or
// constants, or expressions that are written the same.
func sameElement(p, q *place) bool {
	if len(p.index) != len(q.index) {
		return false
	}
	if p.written != nil && q.written != nil && typed.SameAll(p.written, q.written) {
		return true
	}
	return slices.EqualFunc(p.index, q.index, func(x, y *ir.Value) bool {
		a, isConst := ir.ConstOf(x)
		b, both := ir.ConstOf(y)
		return x == y || isConst && both && a == b && x.Type == y.Type
	})
}

// storeBulk stores b at p, but for the components that are joined.
func (a *assignment) storeBulk(p *place, b *bulk) {
	l, pos := a.l, a.l.b.Pos
	if b.conflicts(p) {
		b = l.keep(b)
	}
	l.b.Pos = pos
	a.over(p, b.t, func(w way, joined bool) {
		v := b.at(w)
		if joined {
			a.join(p, p.comps[number(b.t, w)], v)
		} else {
			l.b.Store(l.ptrAt(p, b.t, w), v)
		}
	})
}

// over appends loops over the components of a value of type t at p. It calls f to append the code for one component, which
// no loop does for one that is joined.
func (a *assignment) over(p *place, t typed.Type, f func(w way, joined bool)) {
	if a.l.sharing(p.field) == nil {
		a.l.over(t, func(w way) { f(w, false) })
		return
	}
	a.overFrom(p, nil, t, 0, f)
}

func (a *assignment) overFrom(p *place, w way, t typed.Type, first int, f func(w way, joined bool)) {
	l := a.l
	apart := func(first int, t typed.Type) bool {
		return slices.ContainsFunc(p.comps[first:first+typed.Components(t)], func(c int) bool { return l.joins(p, c) })
	}
	if !apart(first, t) {
		l.overFrom(w, t, func(w way) { f(w, false) })
		return
	}
	switch t := t.(type) {
	case typed.Array:
		size := typed.Components(t.Elem)
		short := typed.Components(t) <= rowUnrolled
		for i := 0; i < t.Len; i++ {
			if short || apart(first+i*size, t.Elem) {
				a.overFrom(p, w.then(selector{index: l.int(int64(i))}), t.Elem, first+i*size, f)
				continue
			}
			lo := i
			for i+1 < t.Len && !apart(first+(i+1)*size, t.Elem) {
				i++
			}
			l.between(l.int(int64(lo)), l.int(int64(i+1)), func(i *ir.Value) {
				l.overFrom(w.then(selector{index: i}), t.Elem, func(w way) { f(w, false) })
			})
		}
	case *typed.Struct:
		for m, field := range t.Fields {
			a.overFrom(p, w.then(selector{member: m}), field.Type, first+field.First, f)
		}
	default:
		f(w, true)
	}
}

// number returns the number of the component of a value of type t that w leads to by constants.
func number(t typed.Type, w way) (n int) {
	for _, s := range w {
		switch u := t.(type) {
		case typed.Array:
			i, _ := ir.IntOf(s.index)
			n, t = n+int(i)*typed.Components(u.Elem), u.Elem
		case *typed.Struct:
			n, t = n+u.Fields[s.member].First, u.Fields[s.member].Type
		}
	}
	return n
}
