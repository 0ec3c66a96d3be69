package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// isCostly reports whether computing iterations again for a gathering costs more than atomics. One of the iterations
// of each element would be computed anyway. Those beside an end count twice: few elements have them, but they are code
// that hardly becomes vectors.
func (f *facts) isCostly(o *ir.Op, a *gathering) bool {
	places := a.places()
	again := places - 1 + 2*(len(a.parts)-places)
	return int64(again)*f.costAgain(o, a) > atomicCost*int64(places)
}

// costAgain is what numbers cost that the backward pass to the loads of a gathering takes from an iteration of o,
// together with derivatives that cost more than a product. Integers count nothing: neighbours have most of them in
// common.
func (f *facts) costAgain(o *ir.Op, a *gathering) (cost int64) {
	way := f.changedBy(o, a)
	wanted := map[*ir.Value]bool{}
	var want func(v *ir.Value)
	want = func(v *ir.Value) {
		if wanted[v] || !f.isWithin(o, v) || v.Def == nil {
			return
		}
		wanted[v] = true
		if v.Type.Kind.IsFloat() {
			if cost += costOf(v.Def); v.Def.Code == ir.OpLoad { // by neighbours, too
				cost += 1 - costLoad
			}
		}
		demandCauses(&causes{want}, v)
	}
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		on := slices.ContainsFunc(p.Results, func(v *ir.Value) bool { return way[v] }) || slices.ContainsFunc(p.Args, func(v *ir.Value) bool { return way[v] })
		if !on {
			return true
		}
		if c := costOf(p); c >= costDivide && len(p.Regions) == 0 {
			cost += c
		}
		for _, v := range f.direct[p] {
			want(v)
		}
		return true
	})
	return cost
}

// causes are a demand where there are no loops.
type causes struct{ each func(v *ir.Value) }

func (c *causes) want(vs ...*ir.Value) {
	for _, v := range vs {
		c.each(v)
	}
}

func (c *causes) wantWhole(*ir.Op) {}

// changedBy has the values in o that change with the loads of a gathering.
func (f *facts) changedBy(o *ir.Op, a *gathering) map[*ir.Value]bool {
	way := map[*ir.Value]bool{}
	for _, part := range a.parts {
		for load := range part.loads {
			way[load.Results[0]] = true
		}
	}
	for size := -1; size != len(way); { // results of an if come after what stands in it
		size = len(way)
		ir.Visit(o.Regions[0], func(p *ir.Op) bool {
			for i, v := range p.Results {
				if !f.active(v) {
					continue
				}
				from := p.Args
				if p.Code == ir.OpIf {
					from = []*ir.Value{p.Regions[0].Terminator().Args[i], p.Regions[1].Terminator().Args[i]}
				}
				if slices.ContainsFunc(from, func(w *ir.Value) bool { return way[w] }) {
					way[v] = true
				}
			}
			return true
		})
	}
	return way
}
