package superword

import (
	"maps"

	"github.com/gotaichi/ti/internal/ir"
)

// Vectors pay if they replace at least leastRatio times as many operations as they cost, and at least leastGain more.
const leastRatio, leastGain = 1.5, 12

// gain compares the operations that are dead after the jobs with those of the jobs. It returns how many fewer there are; 0 if that is
// not enough.
func (w *worker) gain() int {
	uses := maps.Clone(w.uses)
	cost := 0
	counted := map[*pack]bool{}
	var count func(p *pack)
	count = func(p *pack) {
		if counted[p] {
			return
		}
		counted[p] = true
		cost += p.own
		if p.how == gathered || p.how == alike {
			for _, v := range distinct(p.lanes) {
				uses[v]++
			}
		}
		for _, a := range p.args {
			count(a)
		}
	}
	var dead []*ir.Op
	drop := func(o *ir.Op) {
		dead = append(dead, o)
		for _, v := range o.Args {
			uses[v]--
		}
	}
	for _, j := range w.jobs {
		if j.value != nil {
			count(j.value)
			cost += w.width(j.value)
		}
		for _, g := range j.sums {
			for _, r := range g.rows {
				count(r.value)
				cost += w.width(r.value)
			}
			for _, s := range g.sums {
				uses[s.root] = 0
				for _, v := range s.rest {
					uses[v]++
				}
				cost += 2 + len(s.rest)
			}
		}
	}
	for _, j := range w.jobs {
		for _, o := range j.stores {
			drop(o)
		}
	}
	for i := len(w.b.Ops) - 1; i >= 0; i-- {
		if o := w.b.Ops[i]; w.removable(o) && uses[o.Results[0]] == 0 {
			drop(o)
		}
	}
	if float64(len(dead)) < leastRatio*float64(cost) || len(dead)-cost < leastGain {
		return 0
	}
	return len(dead) - cost
}

// removable reports whether o may be dropped if its result has no uses.
func (w *worker) removable(o *ir.Op) bool {
	return len(o.Results) == 1 && len(o.Regions) == 0 && (o.Code == ir.OpLoad || o.Code.Is(ir.Pure))
}
