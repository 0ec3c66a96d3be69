package oracle

import "github.com/gotaichi/ti/internal/ir"

// A Tape records the operations on floats that runs execute, each with what it takes and its partial derivatives
// there, and visits them in reverse order. It knows nothing of control flow: what was executed is a straight line. Any number
// of runs, one after the other, may record on it.
//
// Old values of atomics, parameters, random numbers and slices are constants. So is what an element holds that nothing
// recorded has stored there. A function with a derivative of its own is differentiated line by line all the same.
type Tape struct {
	entries []entry // without the first, of all constants, which is number 0
}

// A ref is the number of an entry, counted from 1; 0 is a constant.
type ref int32

// An entry is a number that an op has computed, or that an element has held at first.
type entry struct {
	from [3]ref
	by   [3]float64 // the partial derivatives
}

// A Variable is a field as a tape sees it: what its elements come from.
type Variable struct {
	tape  *Tape
	now   map[Key]held
	first map[Key]ref // of elements that were read, or added to, before they were stored to
	given map[Key]ref // what the last store gave an element
}

// A held number is what an element has held after the last recorded access to it.
type held struct {
	ref  ref
	bits uint64
}

// Variable makes a field known to the tape.
func (t *Tape) Variable() *Variable {
	return &Variable{tape: t, now: map[Key]held{}, first: map[Key]ref{}, given: map[Key]ref{}}
}

// Tape returns the tape that v belongs to.
func (v *Variable) Tape() *Tape { return v.tape }

// Len returns the number of entries.
func (t *Tape) Len() int { return len(t.entries) }

func (t *Tape) add(e entry) ref {
	t.entries = append(t.entries, e)
	return ref(len(t.entries))
}

// ref is what an element comes from, which holds bits.
func (v *Variable) ref(k Key, bits uint64) ref {
	h, known := v.now[k]
	if !known {
		h = held{v.tape.add(entry{}), bits}
		v.now[k], v.first[k] = h, h.ref
	}
	if h.bits != bits { // something else has stored to it, or its cell was deactivated
		return 0
	}
	return h.ref
}

// variable is the field f as the tape sees it, nil if its elements are constants.
func (m *machine) variable(f *ir.Field) *Variable {
	if m.refs == nil || f.Index >= len(m.env.Variables) {
		return nil
	}
	return m.env.Variables[f.Index]
}

// refAt is what the element or cell at p comes from, which holds bits.
func (p place) refAt(bits uint64) ref {
	switch {
	case p.refs != nil:
		return p.refs[0]
	case p.taped == nil || p.node != nil && !p.node.Active(p.index):
		return 0
	}
	return p.taped.ref(key(p.index, p.comp), bits)
}

// update notes what the element or cell at p comes from now, which holds bits.
func (p place) update(r ref, bits uint64) {
	switch {
	case p.refs != nil:
		p.refs[0] = r
	case p.taped != nil:
		p.taped.now[key(p.index, p.comp)] = held{r, bits}
	}
}

// give is update for a store. What an element was given has an entry of its own: other uses of the stored value are
// none of the element.
func (p place) give(r ref, bits uint64) {
	if p.taped != nil {
		r = p.taped.tape.add(entry{from: [3]ref{r}, by: [3]float64{1}})
		p.taped.given[key(p.index, p.comp)] = r
	}
	p.update(r, bits)
}

func (m *machine) recordLoad(in *inst, p place) {
	if s := in.results[0]; m.refs != nil && in.op.Results[0].Type.Kind.IsFloat() {
		m.refs[s] = p.refAt(m.vals[s])
	}
}

func (m *machine) recordStore(in *inst, p place) {
	if s := in.args[1]; m.refs != nil && in.op.Args[1].Type.Kind.IsFloat() {
		p.give(m.refs[s], m.vals[s])
	}
}

// recordAtomic records what an atomic has done to the place, where old was and now is.
func (m *machine) recordAtomic(in *inst, p place, old, now uint64) {
	o := in.op
	kind := o.Results[0].Type.Kind
	if m.refs == nil || !kind.IsFloat() {
		return
	}
	was, with := p.refAt(old), m.refs[in.args[1]]
	switch o.Atomic {
	case ir.AtomicLoad:
	case ir.AtomicXchg:
		p.give(with, now)
	case ir.AtomicCAS:
		if old == m.vals[in.args[1]] {
			p.give(m.refs[in.args[2]], now)
		}
	default:
		x := []float64{ir.FloatValue(kind, old), ir.FloatValue(kind, m.vals[in.args[1]])}
		r := m.apply(atomicCodes[o.Atomic], x, ir.FloatValue(kind, now), []ref{was, with})
		if p.packed != nil && p.clamps(o.Atomic, old, m.vals[in.args[1]], now) {
			r = 0
		}
		p.update(r, now)
	}
}

// recordOp records an op without effects.
func (m *machine) recordOp(in *inst) {
	o := in.op
	if m.refs == nil || !o.Results[0].Type.Kind.IsFloat() {
		return
	}
	s := in.results[0]
	switch o.Code {
	case ir.OpSelect:
		if m.vals[in.args[0]] != 0 {
			m.refs[s] = m.refs[in.args[1]]
		} else {
			m.refs[s] = m.refs[in.args[2]]
		}
		return
	case ir.OpConvert: // of floats; integers come from nothing
		m.refs[s] = m.refs[in.args[0]]
		return
	}
	x, from := make([]float64, len(in.args)), make([]ref, len(in.args))
	for i, a := range in.args {
		from[i] = m.refs[a]
		x[i] = ir.FloatValue(o.Args[i].Type.Kind, m.vals[a])
	}
	m.refs[s] = m.apply(o.Code, x, ir.FloatValue(o.Results[0].Type.Kind, m.vals[s]), from)
}

// apply records that an op has made y of x, which come from entries.
func (m *machine) apply(c ir.Code, x []float64, y float64, from []ref) ref {
	var e entry
	copy(e.from[:], from)
	if e.from == [3]ref{} {
		return 0
	}
	f := partials[c]
	if f == nil {
		m.err = noPartials(c)
		return 0
	}
	e.by = f(x, y)
	return m.env.Tape.add(e)
}

// A Way is a backward pass over a tape: what the adjoints of its entries are.
type Way struct {
	tape *Tape
	adj  []float64 // by number of the entry
}

// Back begins a backward pass, on which all adjoints are 0.
func (t *Tape) Back() *Way { return &Way{tape: t, adj: make([]float64, len(t.entries)+1)} }

// Seed adds to the adjoint of what a component of an element holds in the end.
func (w *Way) Seed(v *Variable, index []int64, comp int, d float64) {
	w.adj[v.now[key(index, comp)].ref] += d // of what was never accessed the constants take it
}

// Run visits all entries in reverse order. What has no adjoint gives none, whatever its partial derivatives are.
func (w *Way) Run() {
	for n := len(w.tape.entries); n > 0; n-- {
		d := w.adj[n]
		if d == 0 {
			continue
		}
		e := &w.tape.entries[n-1]
		for i, r := range e.from {
			if r != 0 && e.by[i] != 0 {
				w.adj[r] += d * e.by[i]
			}
		}
	}
}

// Adjoint returns the adjoint of what a component of an element has held at first: 0 if nothing recorded has used it.
func (w *Way) Adjoint(v *Variable, index []int64, comp int) float64 {
	r := v.first[key(index, comp)]
	if r == 0 {
		return 0
	}
	return w.adj[r]
}

// Left is what a tape is to leave in the adjoint of a component of an element: that of what the last store gave it or,
// if none did, of what it has held at first. Updates since then count as what they pass on. Known is false if nothing
// recorded has accessed it.
func (w *Way) Left(v *Variable, index []int64, comp int) (d float64, known bool) {
	k := key(index, comp)
	r := v.given[k]
	if r == 0 {
		r = v.first[k]
	}
	return w.adj[r], r != 0
}
