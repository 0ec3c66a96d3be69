package autodiff

import "github.com/gotaichi/ti/internal/ir"

// A loop keeps what is carried and the arrays that its iterations change, if the backward pass through one of them
// reads that again. Not so a sum, or an array that is only added up: the backward pass through "a[k] += x" does not
// want a[k], although the sweep of the code around, which runs the loop as a whole, computes it. So what the backward
// pass through an iteration wants is found for each loop by itself.

// A wanted is what the backward pass through an iteration of a loop wants.
type wanted struct {
	*facts
	loop   *ir.Op
	values map[*ir.Value]bool
	arrays map[*array]bool // that it reads
}

// wantedIn finds out what the backward pass through an iteration of o wants: what rules use, and whatever decides about
// control flow and places, since everything is emitted.
func (f *facts) wantedIn(o *ir.Op) *wanted {
	w := &wanted{facts: f, loop: o, values: map[*ir.Value]bool{}, arrays: map[*array]bool{}}
	f.demandBack(w, o)
	on, _ := next(o)
	_, params := carried(o)
	for n := -1; n < len(w.values); { // a segment that runs again computes what is carried
		n = len(w.values)
		for i, p := range params {
			if w.values[p] {
				w.want(on[i])
			}
		}
	}
	return w
}

// demandBack marks what the backward pass through an iteration of o takes itself.
func (f *facts) demandBack(d demand, o *ir.Op) {
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		for _, v := range f.direct[p] {
			d.want(v)
		}
		switch p.Code {
		case ir.OpIf:
			d.want(p.Args[0])
		case ir.OpFor:
			d.want(p.Args[:2]...)
		case ir.OpLoop:
			d.wantWhole(p)
		case ir.OpPtr, ir.OpCell, ir.OpElem, ir.OpIsActive, ir.OpCount:
			d.want(p.Args...)
		}
		return true
	})
}

// want marks values of the iteration, and what they are computed of in it.
func (w *wanted) want(vs ...*ir.Value) {
	for _, v := range vs {
		if w.values[v] || !w.isWithin(w.loop, v) {
			continue
		}
		w.values[v] = true
		o := v.Def
		if o == nil {
			switch p := v.Block.Parent; {
			case p == w.loop:
			case p.Code == ir.OpFor && v.Index == 0:
				w.want(p.Args[:2]...)
			case p.Code == ir.OpFor || p.Code == ir.OpLoop:
				w.wantWhole(p)
			}
			continue
		}
		if o.Code == ir.OpLoad {
			w.read(w.arrayAt(o))
		}
		demandCauses(w, v)
	}
}

// read marks what decides about the elements of an array.
func (w *wanted) read(a *array) {
	if a == nil || w.arrays[a] {
		return
	}
	w.arrays[a] = true
	for _, p := range a.writes {
		if w.contains(w.loop, p) {
			w.demandWrite(w, p, w.loop)
		}
	}
}

// wantWhole marks all that a loop within the iteration takes.
func (w *wanted) wantWhole(o *ir.Op) {
	w.want(o.Args...)
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		w.want(p.Args...)
		if p.Code == ir.OpLoad {
			w.want(p.Results...)
		}
		return true
	})
}
