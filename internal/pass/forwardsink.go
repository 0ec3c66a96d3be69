package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// This file sinks stores. If a place is stored to before an if and again in one of its
// regions, with no access in between, all these stores become one store after the if, of
// the merged value. Without stores in its regions the if can become a select, and no
// store is overwritten in the same iteration.

// pendingStores returns the facts with a store that nothing has read yet, and that may move.
func pendingStores(facts []fact) []fact {
	var ks []fact
	for _, k := range facts {
		if k.pending != nil && analysis.InRange(k.at) && (k.object.Field == nil || !k.object.Field.Sparse) {
			ks = append(ks, k)
		}
	}
	return ks
}

// sink moves the stores before o that some region of o overwrites. E has the effects of o.
func (f *forwarder) sink(o *ir.Op, stores []fact, departures []departure, e *analysis.Effects) {
	if o.Code != ir.OpIf || len(departures) != len(o.Regions) {
		return
	}
	for i := range stores {
		k := &stores[i]
		if !slices.ContainsFunc(e.Objects, k.object.Overlaps) {
			continue
		}
		again, ok := f.overwrites(o, k.location)
		g := find(f.facts, k.location)
		if !ok || len(again) == 0 || g == nil || !g.known() {
			continue
		}
		v := f.valueOf(g, k.pending.Args[1].Type, k.pending)
		if v == nil {
			continue
		}
		f.dead[k.pending] = true
		for _, s := range again {
			f.dead[s] = true
		}
		store := *k.pending
		store.Args = []*ir.Value{k.pending.Args[0], v}
		f.after[o] = append(f.after[o], &store)
		g.pending = &store
	}
}

// overwrites returns the stores to a place in the regions of o. It is not ok if an
// op in o may read the place, or jumps past the end of o.
func (f *forwarder) overwrites(o *ir.Op, at *location) (stores []*ir.Op, ok bool) {
	ok = true
	for _, r := range o.Regions {
		ir.Visit(r, func(o *ir.Op) bool {
			switch {
			case !ok:
			case o.Code == ir.OpStore:
				if p, known := f.locations.of(o); known && p == at {
					stores = append(stores, o)
				}
			case o.Code == ir.OpLoad || o.Code == ir.OpAtomic:
				p, _ := f.locations.of(o)
				ok = !p.meets(at)
			case o.Code.Is(ir.Terminator):
				ok = o.Code == ir.OpYield
			case o.Code.Is(ir.Loop):
				ok = false // it may store to the place many times, or never
			}
			return ok
		})
	}
	return stores, ok
}
