package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/states"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// deadStores drops stores of linked kernels to elements that a later launch overwrites before anything reads them, and loops that then do
// nothing (Hu, Taichi, chapter 4).
//
// Input: a linked kernel's body with the indices of the source. Output: the same without stores and updates of components of dense fields
// if
//
//   - a later loop over all elements stores to the one of each iteration, on every path and before it reads any, or serial code stores to
//     the only element of a field without axes;
//   - nothing between reads such an element, and no later iteration does, nor code behind the store in the same iteration;
//   - the place is proved to exist, so that the store cannot fail; and
//   - nothing between can end the launch early, or the part that overwrites it, which would leave the earlier value to the host.
//
// The last value of each element stays: the host reads it. So only linked kernels have such stores, but for those of whoever wrote them.
//
// It goes backward with the set of components that are overwritten before they are read.
func deadStores(k *ir.Kernel, o *Options) {
	if k.Parts == nil {
		return
	}
	d := &deadStorer{fuser: newFuser(k, o), uses: map[*ir.Value]int{}, dead: map[fieldComp]bool{}}
	ir.Visit(k.Body, func(o *ir.Op) bool {
		for _, v := range o.Args {
			d.uses[v]++
		}
		return true
	})
	ops := k.Body.Ops
	var kept []*ir.Op // from the last to the first
	for i := len(ops) - 1; i >= 0; i-- {
		if !d.op(ops[i]) {
			kept = append(kept, ops[i])
		}
	}
	slices.Reverse(kept)
	k.Body.Ops = kept
}

// A fieldComp is a component of a field.
type fieldComp struct {
	field *ir.Field
	comp  int64
}

// A deadStorer is the state of deadStores.
type deadStorer struct {
	*fuser
	uses map[*ir.Value]int
	dead map[fieldComp]bool // overwritten before they are read, behind the current op
	drop map[fieldComp]bool // those of which the current op must not read what it stores
	lost []fieldComp        // whose stores in the current op were dropped
}

// op visits an op of the body, and reports whether it is to be dropped.
func (d *deadStorer) op(o *ir.Op) bool {
	if unit.HasOp(ir.OpReturn, o) { // what stands behind it in the part may not run
		clear(d.dead)
	}
	d.drop, d.lost = d.droppable(o), nil
	gone := d.clean(o)
	for _, c := range d.lost {
		states.Overwritten(d.k, o, c.field, int(c.comp))
	}
	if gone || o.IsParallel() && len(d.lost) > 0 && d.idle(o) {
		if len(d.lost) > 0 {
			d.o.Notes.Say(o.Pos, note.StoresDead)
		}
		for _, v := range o.Args {
			d.uses[v]--
		}
		return true
	}
	if d.endsEarly(o) {
		clear(d.dead)
		return false
	}
	reads, kills := d.reads(o)
	for c := range reads {
		delete(d.dead, c)
	}
	for c := range kills {
		d.dead[c] = true
	}
	return false
}

// componentsOf returns the components that an access may be to; none if it is not to a dense field of the host.
func componentsOf(o *ir.Op) (place *ir.Op, all []fieldComp) {
	if o.Code != ir.OpLoad && o.Code != ir.OpStore && o.Code != ir.OpAtomic {
		return nil, nil
	}
	place = o.Args[0].Def
	if place == nil || place.Code != ir.OpPtr || !place.Field.IsHost() || place.Field.Sparse {
		return nil, nil
	}
	for _, c := range place.Choices() {
		all = append(all, fieldComp{place.Field, int64(c)})
	}
	return place, all
}

// isLoad reports whether an access gives a value that something uses, or may fail.
func (d *deadStorer) isLoad(o *ir.Op) bool {
	return o.Code == ir.OpLoad || o.Code == ir.OpAtomic && d.uses[o.Results[0]] > 0
}

// droppable returns the components whose stores in o may be dropped: they are overwritten later, and o does not read what it stores.
func (d *deadStorer) droppable(o *ir.Op) map[fieldComp]bool {
	if len(d.dead) == 0 {
		return nil
	}
	s := &storeScan{d: d, loop: o, stored: map[fieldComp]bool{}, loads: map[fieldComp]bool{}, feeds: map[fieldComp]bool{}, other: map[fieldComp]bool{}}
	s.op(o)
	all := map[fieldComp]bool{}
	for c := range s.stored {
		if d.dead[c] && !s.feeds[c] && !(o.IsParallel() && s.loads[c] && s.other[c]) {
			all[c] = true
		}
	}
	return all
}

// A storeScan finds out what an op of the body reads of what it stores.
type storeScan struct {
	d             *deadStorer
	loop          *ir.Op
	stored, loads map[fieldComp]bool
	feeds         map[fieldComp]bool // loaded behind a store, or in a loop with one
	other         map[fieldComp]bool // accessed at another index than that of the iteration
}

func (s *storeScan) op(o *ir.Op) {
	place, comps := componentsOf(o)
	for _, c := range comps {
		if !s.d.isOwn(s.loop, place) {
			s.other[c] = true
		}
		if s.d.isLoad(o) {
			s.loads[c], s.feeds[c] = true, s.feeds[c] || s.stored[c]
		}
		if o.Code != ir.OpLoad {
			s.stored[c] = true
		}
	}
	inner := o.Code.Is(ir.Loop) && o != s.loop
	outside := *s
	if inner {
		s.stored, s.loads = map[fieldComp]bool{}, map[fieldComp]bool{}
	}
	for _, r := range o.Regions {
		for _, q := range r.Ops {
			s.op(q)
		}
	}
	if !inner {
		return
	}
	stored, loads := s.stored, s.loads
	s.stored, s.loads = outside.stored, outside.loads
	for c := range loads {
		s.loads[c], s.feeds[c] = true, s.feeds[c] || stored[c] || s.stored[c]
	}
	for c := range stored {
		s.stored[c] = true
	}
}

// isOwn reports whether a place is at the index of the iteration.
func (d *deadStorer) isOwn(loop, place *ir.Op) bool {
	if !loop.IsParallel() {
		return false
	}
	index, params := analysis.Indices(place), loop.Regions[0].Params
	return len(index) >= len(params) && slices.Equal(index[:len(params)], params)
}

// clean drops the stores in o that are droppable, with what is computed for them alone. It reports whether that is o itself.
func (d *deadStorer) clean(o *ir.Op) bool {
	for _, r := range o.Regions {
		var kept []*ir.Op
		for i := len(r.Ops) - 1; i >= 0; i-- {
			if q := r.Ops[i]; d.clean(q) {
				for _, v := range q.Args {
					d.uses[v]--
				}
			} else {
				kept = append(kept, q)
			}
		}
		slices.Reverse(kept)
		r.Ops = kept
	}
	switch {
	case o.Code == ir.OpLookup, o.Code == ir.OpLoad:
		at := o
		if o.Code == ir.OpLoad {
			at = o.Args[0].Def
		}
		return d.unused(o) && at != nil && d.exists(at)
	case o.Code.Is(ir.Pure) && len(o.Regions) == 0:
		return d.unused(o)
	}
	place, comps := componentsOf(o)
	if len(comps) != 1 || !d.drop[comps[0]] || d.isLoad(o) || !d.exists(place) || o.Flags.Has(ir.More) {
		return false
	}
	if !slices.Contains(d.lost, comps[0]) {
		d.lost = append(d.lost, comps[0])
	}
	return true
}

func (d *deadStorer) unused(o *ir.Op) bool {
	return !slices.ContainsFunc(o.Results, func(v *ir.Value) bool { return d.uses[v] > 0 })
}

// idle reports whether a loop does nothing, and cannot fail.
func (d *deadStorer) idle(loop *ir.Op) bool {
	idle := d.certain(loop)
	ir.Visit(loop.Regions[0], func(o *ir.Op) bool {
		switch o.Code {
		case ir.OpIf, ir.OpFor, ir.OpBlock, ir.OpYield, ir.OpContinue, ir.OpBreak, ir.OpAlloc:
		case ir.OpLookup:
			idle = idle && d.exists(o)
		case ir.OpLoad:
			idle = idle && o.Args[0].Def != nil && d.exists(o.Args[0].Def)
		case ir.OpStore, ir.OpAtomic:
			idle = idle && analysis.WrittenAlloc(o) != nil && d.ownArray(loop, o)
		default:
			idle = idle && o.Code.Is(ir.Pure)
		}
		return idle
	})
	return idle
}

// ownArray reports whether a store is to an array that is made in the loop.
func (d *deadStorer) ownArray(loop, store *ir.Op) bool {
	array, own := analysis.WrittenAlloc(store), false
	ir.Visit(loop.Regions[0], func(o *ir.Op) bool {
		own = own || o == array
		return !own
	})
	return own
}

// endsEarly reports whether o may end the launch, for want of memory or because a loop is too long.
func (d *deadStorer) endsEarly(o *ir.Op) bool {
	if o.IsParallel() && !d.certain(o) {
		return true
	}
	early := false
	analysis.VisitOps([]*ir.Op{o}, func(q *ir.Op) { early = early || d.mayEnd(q) })
	return early
}

// reads returns the components that o may read as they were before it, and those that it overwrites.
func (d *deadStorer) reads(o *ir.Op) (reads, kills map[fieldComp]bool) {
	reads, kills = map[fieldComp]bool{}, map[fieldComp]bool{}
	if place, comps := componentsOf(o); o.Code == ir.OpStore && len(comps) == 1 && place.Field.Rank() == 0 {
		kills[comps[0]] = true
		return reads, kills
	}
	if o.IsParallel() {
		kills = d.overwrites(o)
	}
	analysis.VisitOps([]*ir.Op{o}, func(q *ir.Op) {
		place, comps := componentsOf(q)
		for _, c := range comps {
			if q.Code != ir.OpStore && !(kills[c] && d.isOwn(o, place)) {
				reads[c] = true
				delete(kills, c)
			}
		}
	})
	return reads, kills
}

// overwrites returns the components that each iteration of a loop stores to at its own index before it accesses them, if the loop has an
// iteration for each element.
func (d *deadStorer) overwrites(loop *ir.Op) map[fieldComp]bool {
	kills, accessed := map[fieldComp]bool{}, map[fieldComp]bool{}
	for _, o := range loop.Regions[0].Ops {
		place, comps := componentsOf(o)
		if o.Code == ir.OpStore && len(comps) == 1 && !accessed[comps[0]] && d.isOwn(loop, place) && place.Field.Rank() == len(loop.Regions[0].Params) && states.Covers(loop, place.Field) {
			kills[comps[0]] = true
		}
		analysis.VisitOps([]*ir.Op{o}, func(q *ir.Op) {
			_, comps := componentsOf(q)
			for _, c := range comps {
				accessed[c] = true
			}
		})
		if len(o.Regions) > 0 && analysis.MayJump(o) {
			break
		}
	}
	return kills
}
