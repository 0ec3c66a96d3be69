package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
)

// need finds out which numbers the backward pass wants, and thereby what loops keep.
func (f *facts) need(b *ir.Block) {
	ir.Visit(b, func(o *ir.Op) bool {
		f.wants(o)
		return true
	})
	ir.Visit(b, func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpFor, ir.OpLoop, ir.OpParFor, ir.OpFieldFor:
			f.keepArrays(o)
		}
		return true
	})
}

// wants marks the operands that the backward pass through o takes.
func (f *facts) wants(o *ir.Op) {
	if !f.works(o) {
		if o.Code == ir.OpLoop { // no pass drops it where nobody knows that it ends, and with other numbers it might not
			f.wantWhole(o)
			f.demandWrite(f, o, nil)
		}
		return
	}
	switch o.Code {
	case ir.OpIf:
		f.wantFor(o, o.Args[0])
	case ir.OpFor:
		f.wantFor(o, o.Args[0])
		f.wantFor(o, o.Args[1])
	case ir.OpLoop:
		f.wantWhole(o) // it counts its iterations again
	case ir.OpParFor:
		f.wantFor(o, o.Args...)
	case ir.OpFieldFor:
		if o.Field.Sparse {
			f.asked[o] = true
		}
	case ir.OpLoad, ir.OpStore, ir.OpAtomic:
		if d := o.Args[0].Def; d != nil {
			for _, a := range d.Args {
				if a.Type.Kind != ir.Ptr {
					f.wantFor(o, a)
				}
			}
		}
		f.wantsOfExtremum(o)
		if f.clampsSum(o) {
			f.wantFor(o, o.Args[1])
		}
	case ir.OpCall:
		f.wantFor(o, o.Args...)
		if o.Func.Rule == nil {
			if slices.ContainsFunc(o.Results, f.matters) {
				f.fail(o, "%s", o.Func.NoRule)
			}
			return
		}
		if o.Func.Rule.TakesResults {
			f.wantFor(o, o.Results...)
		}
	default:
		f.wantsOf(o)
	}
}

// wantsOfExtremum marks what decides about the adjoint of a minimum or maximum.
func (f *facts) wantsOfExtremum(o *ir.Op) {
	x := f.extrema[o]
	if x == nil {
		return
	}
	f.wantFor(o, o.Args[1], x.id)
	switch {
	case x.final != nil:
		f.wantFor(o, x.initial, x.final)
	case x.finals != nil:
		f.wantArray(f.arrayOf[x.initials])
		f.wantArray(f.arrayOf[x.finals])
	}
}

// wantsOf marks what the rule of o uses.
func (f *facts) wantsOf(o *ir.Op) {
	r := ruleOf(o.Code)
	if r.times == nil || len(o.Results) != 1 || !f.active(o.Results[0]) {
		return
	}
	for i, a := range o.Args {
		if !isDifferentiable(o, i) || !f.active(a) {
			continue
		}
		for j, x := range o.Args {
			// A product wants the other factor only.
			if r.uses&(1<<j) != 0 && !(o.Code == ir.OpMul && i == j) {
				f.wantFor(o, x)
			}
		}
		if r.uses&uy != 0 {
			f.wantFor(o, o.Results[0])
		}
	}
}

// wantFor is want for what the backward pass through o itself uses.
func (f *facts) wantFor(o *ir.Op, vs ...*ir.Value) {
	f.direct[o] = append(f.direct[o], vs...)
	f.want(vs...)
}

// want marks values, and what they are computed of.
func (f *facts) want(vs ...*ir.Value) {
	for _, v := range vs {
		if !f.needed[v] {
			f.needed[v] = true
			f.spread(v)
		}
	}
}

func (f *facts) spread(v *ir.Value) {
	o := v.Def
	if o == nil {
		f.wantParam(v)
		return
	}
	switch o.Code {
	case ir.OpLoad:
		f.wantArray(f.arrayAt(o))
	case ir.OpIsActive, ir.OpCount:
		f.asked[o] = true
	case ir.OpAtomic, ir.OpAppend:
		f.old[o] = true
		return
	}
	demandCauses(f, v)
}

// wantArray marks what an array is filled with.
func (f *facts) wantArray(a *array) {
	if a == nil || a.needed {
		return
	}
	a.needed = true
	for _, w := range a.writes {
		f.demandWrite(f, w, nil)
	}
}

// wantWhole marks what a loop takes from outside, so that it can run again, and what ends it.
func (f *facts) wantWhole(o *ir.Op) {
	f.want(o.Args...)
	if _, done := next(o); done != nil {
		f.want(done)
	}
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		for _, a := range p.Args {
			if !f.isWithin(o, a) {
				f.want(a)
			}
		}
		if a := f.arrayAt(p); a != nil && p.Code == ir.OpLoad && !f.contains(o, a.alloc) {
			f.want(p.Results[0])
		}
		return true
	})
}

// wantParam marks what is carried into a loop, which the loop keeps then.
func (f *facts) wantParam(v *ir.Value) {
	o := v.Block.Parent
	if o == nil || o.Code != ir.OpFor && o.Code != ir.OpLoop || o.Code == ir.OpFor && v.Index == 0 {
		return
	}
	k := f.keeps(o)
	k.values = append(k.values, v.Index)
	slices.Sort(k.values)
	i := v.Index
	if o.Code == ir.OpFor {
		i--
	}
	f.wantWhole(o) // to be kept it has to be computed again, in each iteration for the next one
	on, _ := next(o)
	f.want(on[i])
}

func (f *facts) keeps(o *ir.Op) *kept {
	if f.kept[o] == nil {
		f.kept[o] = &kept{}
	}
	return f.kept[o]
}

// keepArrays finds the arrays that a loop has to keep.
func (f *facts) keepArrays(o *ir.Op) {
	if !f.works(o) {
		return
	}
	serial := o.Code == ir.OpFor || o.Code == ir.OpLoop
	if serial && !f.chosen(o) && !f.without.Has(option.TBR) {
		w := f.wantedIn(o)
		f.filled[o] = w.arrays
		if k := f.kept[o]; k != nil {
			k.values = slices.DeleteFunc(k.values, func(i int) bool { return !w.values[o.Regions[0].Params[i]] })
		}
		f.chooseInside(o)
	}
	in := func(p *ir.Op) bool { return f.contains(o, p) }
	for _, a := range f.arrays {
		if !a.needed || f.contains(o, a.alloc) || !slices.ContainsFunc(a.reads, in) || serial && f.unfilled(o, a) && slices.ContainsFunc(a.writes, in) {
			continue
		}
		switch {
		case serial && slices.ContainsFunc(a.writes, in):
			k := f.keeps(o)
			k.arrays = append(k.arrays, a)
		case slices.ContainsFunc(a.writes, func(w *ir.Op) bool { return f.pos[w] > f.end[o] }):
			k := f.keeps(o)
			k.snapshots = append(k.snapshots, a)
		}
	}
}

// unfilled reports whether it is known that the backward pass through an iteration of o does not read a.
func (f *facts) unfilled(o *ir.Op, a *array) bool { return f.filled[o] != nil && !f.filled[o][a] }

// chosen has a minimum cut choose what a loop of known length keeps, and reports whether it did.
func (f *facts) chosen(o *ir.Op) bool {
	if _, fixed := trips(o); !fixed || f.without.Has(option.MinCut) {
		return false
	}
	c := f.choose(o)
	if c == nil {
		return false
	}
	k := f.keeps(o)
	k.values, k.inside = c.params, c.values
	f.redone[o] = c.again
	f.filled[o] = c.filled
	return true
}

// chooseInside has a minimum cut choose values that a loop of unknown length keeps of its iterations, beside the state
// at their beginning: that is there to run a segment again, which stores these values too.
func (f *facts) chooseInside(o *ir.Op) {
	if _, fixed := trips(o); fixed || f.without.Has(option.DynamicMinCut) {
		return
	}
	c := f.choose(o)
	if c == nil {
		return
	}
	if f.redone[o] = c.again; len(c.values) == 0 {
		return
	}
	bytes := int64(0)
	for _, v := range c.values {
		bytes += f.timesWithin(o, v.Def) * int64(v.Type.Kind.Size())
	}
	if bytes > mostInside {
		c.again.values = append(c.again.values, c.values...)
		return
	}
	f.keeps(o).inside = c.values
	f.reread[o] = c.filled
	for _, v := range c.values {
		f.given[v] = true
	}
}

// loopsAround lists the loops in an iteration of o in whose bodies p stands, the outermost one first.
func (f *facts) loopsAround(o, p *ir.Op) (loops []*ir.Op) {
	for p = f.inside[p]; p != o; p = f.inside[p] {
		if p.Code != ir.OpIf {
			loops = append(loops, p)
		}
	}
	slices.Reverse(loops)
	return loops
}

// timesWithin is how often an iteration of o runs p at most, 0 if nobody knows.
func (f *facts) timesWithin(o, p *ir.Op) int64 {
	times := int64(1)
	for _, l := range f.loopsAround(o, p) {
		n, fixed := trips(l)
		if !fixed {
			return 0
		}
		times *= n
	}
	return times
}

// trips returns the number of iterations of a for if it is known and small.
func trips(o *ir.Op) (n int64, known bool) {
	if o.Code != ir.OpFor {
		return 0, false
	}
	lo, ok := ir.IntOf(o.Args[0])
	hi, ok2 := ir.IntOf(o.Args[1])
	if !ok || !ok2 {
		return 0, false
	}
	n = max(0, hi-lo)
	return n, n <= 1<<10
}
