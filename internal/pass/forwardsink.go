package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file moves stores behind an if. A place that is stored to before an if and again
// in one of its regions, with no access in between, is stored to once, behind the if,
// with the value that it has there. So the if has no memory in it that keeps it from
// becoming a selection, and an iteration no store that another follows.

// pendingStores returns the facts whose store nothing has read so far.
func pendingStores(facts []fact) []fact {
	var ks []fact
	for _, k := range facts {
		if k.pending != nil && inRange(k.place) && (k.object.field == nil || !k.object.field.Sparse) {
			ks = append(ks, k)
		}
	}
	return ks
}

// sink moves those of the stores before o that o overwrites in some region. The effects
// of o are e.
func (f *forwarder) sink(o *ir.Op, stores []fact, exits []departure, e *effects) {
	if o.Code != ir.OpIf || len(exits) != len(o.Regions) {
		return
	}
	for i := range stores {
		k := &stores[i]
		if !slices.ContainsFunc(e.objects, k.object.overlaps) {
			continue
		}
		again, ok := overwrites(o, k)
		g := find(f.facts, k)
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

// overwrites returns the stores in the regions of o to the place of k. It is not ok if
// something in o may read the place, or leave o by another way than its end.
func overwrites(o *ir.Op, k *fact) (stores []*ir.Op, ok bool) {
	ok = true
	for _, r := range o.Regions {
		ir.Walk(r, func(o *ir.Op) bool {
			switch {
			case !ok:
			case o.Code == ir.OpStore:
				if g, described := describe(o); described && samePlace(&g, k) {
					stores = append(stores, o)
				}
			case o.Code == ir.OpLoad || o.Code == ir.OpAtomic:
				g, described := describe(o)
				ok = described && !g.meets(k) || !g.object.overlaps(k.object)
			case o.Code.Is(ir.Terminator):
				ok = o.Code == ir.OpYield
			case o.Code.Is(ir.Loop):
				ok = false // its stores are many
			}
			return ok
		})
	}
	return stores, ok
}
