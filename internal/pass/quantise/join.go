package quantise

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// This file rewrites stores and atomics. Several of them can be the parts of one assignment or update, which ir.More joins. Then the
// numbers of a group are rounded once, with one exponent.

// A part is a store or atomic. As a rule, it is the only part of its assignment or update.
type part struct {
	op   *ir.Op
	comp int         // the component of the place; -1 if it is chosen at run time
	args []*ir.Value // the operands after the place
	draw *ir.Value   // nil if it rounds to nearest
}

func (p *part) place() *ir.Op { return p.op.Args[0].Def }

// kind returns the kind of the number.
func (p *part) kind() ir.Kind { return p.op.Args[1].Type.Kind }

// isPart reports whether o is one of several parts.
func (q *quantiser) isPart(o *ir.Op) bool { return o.Flags.Has(ir.More) || len(q.parts) > 0 }

// part records a store or atomic as a part. At the last part, it rewrites all parts.
func (q *quantiser) part(o *ir.Op) {
	p := part{op: o, comp: int(o.Args[0].Def.Aux), draw: q.draw(o)}
	for _, v := range o.Args[1:] {
		p.args = append(p.args, q.value(v))
	}
	if p.place().Flags.Has(ir.Dynamic) {
		p.comp = -1
	}
	q.parts = append(q.parts, p)
	if o.Flags.Has(ir.More) {
		return
	}
	parts := q.parts
	q.parts = nil
	if o.Code == ir.OpStore {
		q.store(parts)
		return
	}
	for i, old := range q.update(parts) {
		q.subst[parts[i].op.Results[0]] = old
	}
}

// choose appends code for parts whose components are chosen at run time. It takes the first such part, and all parts that make the same
// choice. For each choice, it appends f for the parts with the chosen components. It returns false if there is no such part.
func (q *quantiser) choose(parts []part, types []ir.Type, f func(parts []part) []*ir.Value) (vs []*ir.Value, ok bool) {
	first := slices.IndexFunc(parts, func(p part) bool { return p.comp < 0 })
	if first < 0 {
		return nil, false
	}
	of := parts[first].place()
	alike := func(p part) bool {
		at := p.place()
		return p.comp < 0 && at.Field == of.Field && at.Bits == of.Bits && at.Stride == of.Stride && at.Args[len(at.Args)-1] == of.Args[len(of.Args)-1]
	}
	for _, p := range parts[first+1:] {
		if alike(p) {
			q.probe(p.place())
		}
	}
	return q.eachChoice(of, types, func(i int) []*ir.Value {
		chosen := slices.Clone(parts)
		for k, p := range parts {
			if alike(p) {
				chosen[k].comp = p.place().Choices()[i]
			}
		}
		return f(chosen)
	}), true
}

// groupOf returns the group of the number of a part; nil if it is in none.
func (q *quantiser) groupOf(p part) *layout.Group {
	if q.wordAt(p.place().Field, p.comp) == nil {
		return nil
	}
	return q.lay.Access(p.place().Field, p.comp).Packed.Of().Group
}

// grouped returns the indices of the parts that share the exponent of part i, and whether part i is the first of them.
func (q *quantiser) grouped(parts []part, i int) (of []int, first bool) {
	g := q.groupOf(parts[i])
	for k, p := range parts {
		if k == i || g != nil && q.groupOf(p) == g {
			of = append(of, k)
		}
	}
	return of, of[0] == i
}

// store appends the stores of an assignment.
func (q *quantiser) store(parts []part) {
	if slices.ContainsFunc(parts, func(p part) bool { return p.comp < 0 }) {
		q.flush()
	}
	if _, chosen := q.choose(parts, nil, func(parts []part) []*ir.Value {
		q.store(parts)
		q.flush()
		return nil
	}); chosen {
		return
	}
	for i, p := range parts {
		q.b.Pos = p.op.Pos
		switch of, first := q.grouped(parts, i); {
		case q.wordAt(p.place().Field, p.comp) == nil:
			q.b.Store(q.plainPlace(p.place(), p.comp), p.args[0])
			q.hush()
			if p.op.IsPacked() { // pass measure counts places without packed components
				q.countPlain(p.place(), p.comp, p.args[0])
			}
		case q.groupOf(p) == nil:
			q.add(q.memberOf(p.place(), p.comp), p.args[0], p.draw)
		case first:
			q.addAll(parts, of)
		}
	}
}

// addAll adds the stores of numbers that share an exponent to the open batch of their word, or to a new one.
func (q *quantiser) addAll(parts []part, of []int) {
	var t *batch
	for _, k := range of {
		p := &parts[k]
		q.b.Pos = p.op.Pos
		m := q.memberOf(p.place(), p.comp)
		g := m.Of().Group
		if t == nil {
			t = q.batchOf(m)
			t.groups[g] = map[int]*ir.Value{}
		} else {
			t.stores++
		}
		q.noteStore(t, m, p.args[0])
		t.groups[g][m.Member] = p.args[0]
	}
}

// update appends the atomics of an update, and returns the old numbers.
func (q *quantiser) update(parts []part) []*ir.Value {
	var types []ir.Type
	for _, p := range parts {
		types = append(types, p.op.Results[0].Type)
	}
	if old, chosen := q.choose(parts, types, q.update); chosen {
		return old
	}
	all := make([]*ir.Value, len(parts))
	for i := range parts {
		p := &parts[i]
		q.b.Pos = p.op.Pos
		switch of, first := q.grouped(parts, i); {
		case q.wordAt(p.place().Field, p.comp) == nil:
			all[i] = q.updatePlain(p)
		case p.op.Atomic == ir.AtomicLoad:
			if first {
				q.fetchAll(parts, of, all)
			}
		case q.groupOf(*p) == nil:
			all[i] = q.updateNumber(p)
		case first:
			for k, old := range q.updateGroup(parts, of) {
				all[of[k]] = old
			}
		}
	}
	return all
}

// fetchAll appends one load of a word, and decodes the numbers of these parts.
func (q *quantiser) fetchAll(parts []part, of []int, all []*ir.Value) {
	var word *ir.Value
	for _, k := range of {
		p := &parts[k]
		m := q.memberOf(p.place(), p.comp)
		if word == nil {
			word = q.fetch(m, q.owns(m.word))
		}
		all[k] = m.decode(word, p.kind())
	}
}

// updatePlain appends an atomic on an unpacked component.
func (q *quantiser) updatePlain(p *part) *ir.Value {
	old := q.b.Atomic(p.op.Atomic, q.plainPlace(p.place(), p.comp), p.args...)
	old.Def.Flags |= p.op.Flags &^ ir.More
	q.hush()
	if p.op.IsPacked() && p.op.Atomic != ir.AtomicLoad { // pass measure counts places without packed components
		q.countPlain(p.place(), p.comp, q.b.Updated(p.op.Atomic, old, p.args))
	}
	return old
}

// updateNumber appends an atomic on a member that shares no exponent.
func (q *quantiser) updateNumber(p *part) *ir.Value {
	m := q.memberOf(p.place(), p.comp)
	owned := q.owns(m.word)
	site, counted := q.siteOf(m)
	if !owned && !counted {
		if old := q.single(m, p.op, p.args); old != nil {
			return m.decode(old, p.kind())
		}
	}
	q.note(p.op.Pos, m, owned, false)
	old := q.modify(m, owned, func(w *ir.Value) *ir.Value { return m.updated(w, p) })
	if counted {
		q.countUpdate(m, site, p, old, m.updated(old, p))
	}
	return m.decode(old, p.kind())
}

// updateGroup appends atomics on numbers that share an exponent. All new numbers are computed from one old word, and stored at once.
func (q *quantiser) updateGroup(parts []part, of []int) (old []*ir.Value) {
	var ms []*member
	for _, k := range of {
		q.b.Pos = parts[k].op.Pos
		ms = append(ms, q.memberOf(parts[k].place(), parts[k].comp))
	}
	owned := q.owns(ms[0].word)
	q.note(parts[of[0]].op.Pos, ms[0], owned, false)
	updated := func(w *ir.Value) *ir.Value { return q.updatedGroup(w, ms, parts, of) }
	word := q.modify(ms[0], owned, updated)
	var now *ir.Value
	for i, k := range of {
		p := &parts[k]
		q.b.Pos = p.op.Pos
		if site, counted := q.siteOf(ms[i]); counted {
			if now == nil {
				now = updated(word)
			}
			q.countUpdate(ms[i], site, p, word, now)
		}
		old = append(old, ms[i].decode(word, p.kind()))
	}
	return old
}

// updatedGroup appends the word into which the atomics of a group turn a word. If a compare-and-swap finds a number other than it compares
// with, no bit of the word changes.
func (q *quantiser) updatedGroup(w *ir.Value, ms []*member, parts []part, of []int) *ir.Value {
	e, t := q.adapters(ms[0].word), w.Type.Kind
	w = e.Convert(w, e.Word)
	by := map[int]*ir.Value{}
	var equal *ir.Value
	for i, k := range of {
		m, p := ms[i], &parts[k]
		old := m.decode(w, p.kind())
		if p.op.Atomic == ir.AtomicCAS { // which has one part
			by[m.Member], equal = p.args[1], m.equal(old, p.args[0])
		} else {
			by[m.Member] = m.computed(old, p.op, p.args)
		}
	}
	next := ms[0].regrouped(e, w, ms[0].Of().Group, by)
	if equal != nil {
		next = e.Op(ir.OpSelect, equal, next, w)
	}
	return e.Convert(next, t)
}
