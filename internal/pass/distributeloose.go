package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// This file is the part of distribute for tasks that count and whose iterations do more than compute and access memory: one checks that
// a particle is within the grid, and spreads it. The loop stays as it is, one iteration at a time. It hands over what is counted:
//
//	for the strip { all but the counting, the numbers into local arrays }
//	the counting, by vectors (distributesummary.go)
//
// Nothing but counters is accessed in another order.

// countsOfTask returns nil for a task whose iterations jump, and for what has no tally. measured says that the kernel counts for
// Runtime.Ranges, and that vectors of the processor are long enough for it.
func countsOfTask(t *ir.Task, r *analysis.RangeInfo, measured bool) *distribution {
	last := t.Dims[len(t.Dims)-1]
	if !measured || t.Helper || len(t.Lists) > 0 || last.Lo.From != ir.FromConst || last.Hi.From != ir.FromConst || last.Hi.Const-last.Lo.Const < manyStrips*bucketLanes {
		return nil
	}
	d := newDistribution(r, t.Pos, t.Body, t.Body.Params[len(t.Dims)-1], bucketLanes)
	d.wide, d.loose = true, true
	if !d.surveyCounters() {
		return nil
	}
	d.findHistograms()
	d.tallies()
	if len(d.tallied) == 0 {
		return nil
	}
	d.counted = slices.DeleteFunc(d.counted, func(h *histogram) bool {
		return !slices.ContainsFunc(d.tallied, func(t *stripTally) bool { return t.numbers == h || t.errors == h })
	})
	for _, h := range d.counted {
		d.work[h.load], d.work[h.add], d.work[h.store] = counts, counts, counts
	}
	for _, t := range d.tallied {
		d.handTally(t)
	}
	return d
}

// surveyCounters finds out which variables and histograms the ops update, and what depends on the iteration. It reports whether an iteration
// ends at its end alone.
func (d *distribution) surveyCounters() bool {
	ends := true
	d.depends[d.index] = true
	for i, o := range d.ops {
		d.at[o] = i
		within(o, func(p *ir.Op) bool {
			leaves := p.Target == nil && (p.Code == ir.OpContinue || p.Code == ir.OpBreak) || p.Code == ir.OpReturn
			ends = ends && !leaves && p.Code != ir.OpOrdinal && p.Code != ir.OpIteration
			return ends
		})
		if o.Code == ir.OpAlloc || len(o.Regions) > 0 || slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return d.depends[v] }) {
			for _, v := range o.Results {
				d.depends[v] = true
			}
		}
	}
	for _, o := range d.ops {
		if o.Code == ir.OpStore && o.Args[0].Def != nil && o.Args[0].Def.Code == ir.OpAlloc {
			if _, here := d.at[o.Args[0].Def]; !here {
				d.sums[o.Args[0]] = true
			}
		}
	}
	return ends
}

// findHistograms finds those that are counted by vectors.
func (d *distribution) findHistograms() {
	for _, o := range d.ops {
		if o.Code != ir.OpStore || len(o.Args) != 2 || d.sums[o.Args[0]] || !d.depends[o.Args[0]] {
			continue
		}
		d.places[o] = place{class: o.Alias, far: true}
		d.work[o] = scatters
		h := d.histogramOf(o)
		d.work[o] = computes
		if h == nil {
			delete(d.places, o)
			continue
		}
		d.late = append(d.late, h.late)
		d.counted = append(d.counted, h)
	}
}
