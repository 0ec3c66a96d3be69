package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// overwrites reports stores that the text alone proves to break the rules of data access: what an element with an
// adjoint had before was read, or is part of the result, and is gone by the backward pass. Accesses of one element are
// known by their operands; the others are the business of debug mode.
func (f *facts) overwrites(body *ir.Block) {
	accesses := f.accesses(body)
	for i, s := range accesses {
		if s.Code != ir.OpStore {
			continue
		}
		if f.matters(s.Args[1]) && f.repeats(s) != nil {
			f.breaks(s, storedEachTime)
		}
		for j, e := range accesses {
			if i == j || !samePlace(e, s) || f.apart(e, s) || j > i && f.repeatsBoth(e, s) == nil {
				continue
			}
			switch {
			case e.Code == ir.OpLoad && (f.matters(e.Results[0]) || f.needed[e.Results[0]]):
				f.breaks(s, "this element is overwritten after it was read, and the backward pass would read the new value; store to another field")
			case e.Code != ir.OpLoad && f.matters(e.Args[len(e.Args)-1]):
				f.breaks(s, storedTwice)
			}
		}
	}
}

// accesses returns the accesses to fields with adjoints, in the order of the text.
func (f *facts) accesses(body *ir.Block) (accesses []*ir.Op) {
	ir.Visit(body, func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpLoad, ir.OpStore, ir.OpAtomic:
			if f.gradAt(o.Args[0]) != nil {
				accesses = append(accesses, o)
			}
		}
		return true
	})
	return accesses
}

// overwritesInLoops reports the same of stores in several loops over one range, and in a loop that runs again in each
// iteration of another. Where the backward pass clears the adjoints of what was stored, such stores are fine.
func (f *facts) overwritesInLoops(body *ir.Block) error {
	var before []*ir.Op
	all := f.accesses(body)
	for i, s := range all {
		f.overwritesRead(s, all[i+1:])
		if s.Code == ir.OpLoad || !f.isAlways(s) {
			continue
		}
		if s.Code == ir.OpStore {
			if f.matters(s.Args[1]) && f.repeatsRange(s) {
				f.breaks(s, storedEachTime)
			}
			// A constant does no harm where nothing reads it.
			counts := f.matters(s.Args[1]) || slices.ContainsFunc(all[i:], func(l *ir.Op) bool { return l.Code == ir.OpLoad && f.matters(l.Results[0]) && f.sameInLoops(l, s) })
			if counts && slices.ContainsFunc(before, func(e *ir.Op) bool { return f.matters(e.Args[len(e.Args)-1]) && f.sameInLoops(e, s) }) {
				f.breaks(s, storedTwice)
			}
		}
		before = append(before, s)
	}
	return f.err
}

// overwritesRead reports the stores among later ones to an element that s has stored to and its iteration has read:
// the adjoint that the backward pass leaves would be that of both values.
func (f *facts) overwritesRead(s *ir.Op, later []*ir.Op) {
	if o := f.readback[s]; o == nil || !f.useful[o.Results[0]] {
		return
	}
	if f.repeats(s) != nil || f.isAlways(s) && f.repeatsRange(s) {
		f.breaks(s, storedEachTime)
	}
	for _, w := range later {
		if w.Code == ir.OpStore && (samePlace(s, w) && !f.apart(s, w) || f.isAlways(s) && f.isAlways(w) && f.sameInLoops(s, w)) {
			f.breaks(w, storedAfterRead)
		}
	}
}

const storedEachTime = "this element is stored to in each iteration of a serial loop, and only the last of these values remains; use a variable, and store it once"

const storedAfterRead = "this element is stored to after it was given another value that was read, and its adjoint would be that of both; store to another field"

const storedTwice = "this element is stored to after it was given a value, which has a derivative of its own; store once, or add"

// isAlways reports whether no condition is around an op, which runs wherever the loops around it have iterations.
func (f *facts) isAlways(o *ir.Op) bool {
	for p := f.inside[o]; p != nil; p = f.inside[p] {
		if p.Code == ir.OpIf || p.Code == ir.OpLoop {
			return false
		}
	}
	return true
}

// repeatsRange reports whether a serial loop around a store that no condition is around comes to the same elements in
// each of its iterations, by other loops, whose limits are the same each time.
func (f *facts) repeatsRange(s *ir.Op) bool {
	for l := f.inside[s]; l != nil; l = f.inside[l] {
		if l.Code == ir.OpFor && !slices.ContainsFunc(s.Args[0].Def.Args, func(v *ir.Value) bool { return !f.runsAlike(l, v) }) {
			return true
		}
	}
	return false
}

// runsAlike reports whether v goes through the same numbers in each iteration of a loop.
func (f *facts) runsAlike(l *ir.Op, v *ir.Value) bool {
	v = unmarked(v)
	if !f.isWithin(l, v) {
		return true
	}
	if v.Def != nil {
		return (isArithmetic(v.Def) || isQuestion(v.Def)) && !slices.ContainsFunc(v.Def.Args, func(a *ir.Value) bool { return !f.runsAlike(l, a) })
	}
	inner := v.Block.Parent
	return inner != l && inner.Code == ir.OpFor && v.Index == 0 && f.runsAlike(l, inner.Args[0]) && f.runsAlike(l, inner.Args[1])
}

// breaks notes a broken rule.
func (f *facts) breaks(o *ir.Op, msg string) {
	if f.err == nil {
		f.err = &Unsupported{Pos: o.Pos, Msg: msg, Access: true}
	}
}

// samePlace reports whether two accesses are to the same element and component.
func samePlace(a, b *ir.Op) bool {
	p, q := a.Args[0].Def, b.Args[0].Def
	return p == q || p.Field == q.Field && p.Aux == q.Aux && p.Flags&ir.Dynamic == q.Flags&ir.Dynamic && slices.EqualFunc(p.Args, q.Args, sameNumber)
}

// sameNumber reports whether two values are one, or equal constants.
func sameNumber(a, b *ir.Value) bool {
	a, b = unmarked(a), unmarked(b)
	x, ok := ir.ConstOf(a)
	y, ok2 := ir.ConstOf(b)
	return a == b || ok && ok2 && x == y
}

// apart reports whether an iteration runs one of two ops at most: they stand in the two regions of an if, or code that
// has run the one goes a way on which the other is not.
func (f *facts) apart(a, b *ir.Op) bool {
	w := f.after(a)
	for o := f.inside[b]; o != nil; o = f.inside[o] {
		if o.Code != ir.OpIf {
			continue
		}
		if side, known := w.sideOf(o); known && side != f.side(o, b) {
			return true
		}
	}
	return false
}

// ran is what is known of control flow since an op has run.
type ran struct {
	*facts
	taken map[*ir.Op]int  // sides of ifs
	loops map[*ir.Op]bool // in whose iterations it stands
}

// after is what is known once o has run.
func (f *facts) after(o *ir.Op) *ran {
	w := &ran{facts: f, taken: map[*ir.Op]int{}, loops: map[*ir.Op]bool{}}
	for p := f.inside[o]; p != nil; p = f.inside[p] {
		switch p.Code {
		case ir.OpIf:
			w.taken[p] = f.side(p, o)
		case ir.OpLoop:
			w.loops[p] = true
		}
	}
	return w
}

// leaves reports whether it is known that this was the last iteration of a loop around the op.
func (w *ran) leaves(loop *ir.Op) bool {
	_, done := next(loop)
	if done == nil {
		return false
	}
	last, known := w.number(done)
	return known && last == 1
}

// sideOf is the side of an if that is taken, if that is known.
func (w *ran) sideOf(o *ir.Op) (side int, known bool) {
	if side, known = w.taken[o]; known {
		return side, true
	}
	c, known := w.number(o.Args[0])
	return int(1 - c), known
}

// number is that of an integer or condition, if it is known: the number of a way, as a rule.
func (w *ran) number(v *ir.Value) (n int64, known bool) {
	if n, known = ir.IntOf(v); known || v.Def == nil {
		return n, known
	}
	switch o := v.Def; o.Code {
	case ir.OpEq, ir.OpNe:
		x, ok := w.number(o.Args[0])
		y, ok2 := w.number(o.Args[1])
		if (x == y) == (o.Code == ir.OpEq) {
			n = 1
		}
		return n, ok && ok2
	case ir.OpIf:
		if side, ok := w.sideOf(o); ok {
			return w.number(o.Regions[side].Terminator().Args[v.Index])
		}
	case ir.OpLoop:
		if w.loops[o] && w.leaves(o) {
			on, _ := next(o)
			return w.number(on[v.Index])
		}
	}
	return 0, false
}

// side is the number of the region of an if that an op stands in.
func (f *facts) side(o, p *ir.Op) int {
	if len(o.Regions[1].Ops) > 0 && f.pos[p] >= f.pos[o.Regions[1].Ops[0]] {
		return 1
	}
	return 0
}

// repeats returns the serial loop around o that may go on after it, and all of whose iterations access the same
// element; nil if there is none.
func (f *facts) repeats(o *ir.Op) *ir.Op {
	after := f.after(o)
	for l := f.inside[o]; l != nil; l = f.inside[l] {
		serial := l.Code == ir.OpFor || l.Code == ir.OpLoop
		if serial && !after.leaves(l) && !slices.ContainsFunc(o.Args[0].Def.Args, func(v *ir.Value) bool { return f.isWithin(l, v) }) {
			return l
		}
	}
	return nil
}

// repeatsBoth is repeats for a loop around two ops.
func (f *facts) repeatsBoth(a, b *ir.Op) *ir.Op {
	if l := f.repeats(a); l != nil && f.contains(l, b) {
		return l
	}
	return nil
}
