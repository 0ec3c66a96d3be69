package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// forward replaces loads of values that were stored or loaded before, and drops stores that are overwritten or change nothing.
//
// Input and output: a task before access lowering. Two accesses are to the same place if object, component and all indices are
// the same, where an index is compared as a value plus a constant. Other iterations may run between the two accesses. Their
// accesses to the same place would be a race, or atomics, and forward keeps no facts across an atomic to the same object. A store
// certainly takes place only if its index is proved in range. If a place is loaded after an if or block that stores to it, its
// value becomes a result of that op, like a phi (forwardjoin.go). A store before an if that stores to the same place moves behind
// the if (forwardsink.go).
func forward(_ *state, u *unit.Unit) int {
	f := &forwarder{
		subst: unit.Subst{}, locations: newLocations(), limit: factLimit(u),
		dead: map[*ir.Op]bool{}, ahead: map[*ir.Op][]*ir.Op{}, after: map[*ir.Op][]*ir.Op{}, departures: map[*ir.Op][]departure{},
	}
	for _, b := range u.Blocks {
		f.facts = nil
		f.block(b)
	}
	if len(f.dead) > 0 {
		for _, b := range u.Blocks {
			f.drop(b)
		}
	}
	return len(f.subst) + len(f.dead) + f.same
}

// At least minFacts facts are kept at a time. More are kept in units with few accesses, as long as the accesses and the facts make
// at most maxMeetings pairs.
const (
	minFacts    = 128
	maxFacts    = 1024
	maxMeetings = 1 << 19
)

// factLimit returns the number of facts that are kept at a time in u. Each access compares its place with all of them, and each region
// copies them.
func factLimit(u *unit.Unit) int {
	looks := 1
	u.Descent(func(o *ir.Op) {
		if o.Code == ir.OpLoad || o.Code == ir.OpStore || o.Code == ir.OpAtomic {
			looks++
		}
		looks += len(o.Regions)
	})
	return min(max(minFacts, maxMeetings/looks), maxFacts)
}

// A fact is the value in a place.
type fact struct {
	*location
	at      *ir.Op    // the op that made the place for the latest access
	value   *ir.Value // the value in memory; nil if it is unknown, or not yet computed from join
	join    *join     // the value as a phi, made when a load needs it; nil for none
	made    int       // the clock when the fact was added
	pending *ir.Op    // the store in this block that no op has read yet
}

type forwarder struct {
	subst      unit.Subst
	locations  *locations
	facts      []fact // oldest first
	limit      int    // the largest number of facts
	dead       map[*ir.Op]bool
	ahead      map[*ir.Op][]*ir.Op // new ops to insert before the key
	after      map[*ir.Op][]*ir.Op // new ops to insert after the key
	departures map[*ir.Op][]departure
	same       int       // number of stores of a value that was already there
	clock      int       // number of ops visited so far; a value's ID is the clock at its definition
	cur        *ir.Block // the block being visited
}

// block visits b with the facts that hold at its start.
func (f *forwarder) block(b *ir.Block) {
	around := f.cur
	f.cur = b
	f.stamp(b.Params)
	kept := b.Ops[:0]
	for _, o := range b.Ops {
		f.subst.Args(o)
		f.clock++
		switch {
		case o.Code == ir.OpLoad && f.load(o), o.Code == ir.OpStore && f.store(o):
			continue
		case o.Code == ir.OpAtomic:
			f.forget(&location{object: analysis.ObjectOf(o)})
		case o.Code.Touches(ir.Topology):
			f.forget(&location{object: analysis.Object{Sparse: true}})
		case len(o.Regions) > 0:
			f.control(o)
		case o.Code == ir.OpYield && b.Parent != nil:
			f.depart(b.Parent, o)
		case o.Code == ir.OpBreak:
			f.depart(o.Target, o)
		}
		f.stamp(o.Results)
		kept = append(kept, o)
	}
	b.Ops = unit.Cut(b.Ops, kept)
	f.insert(b)
	f.cur = around
}

// insert adds the ops of ahead and after to b.
func (f *forwarder) insert(b *ir.Block) {
	if len(f.ahead) == 0 && len(f.after) == 0 {
		return
	}
	var ops []*ir.Op
	for _, o := range b.Ops {
		ops = append(append(append(ops, f.ahead[o]...), o), f.after[o]...)
		delete(f.ahead, o)
		delete(f.after, o)
	}
	b.Ops = ops
}

// stamp sets the IDs of values that are defined at the current clock.
func (f *forwarder) stamp(values []*ir.Value) {
	for _, v := range values {
		v.ID = f.clock
	}
}

// control visits an op with regions.
func (f *forwarder) control(o *ir.Op) {
	var e analysis.Effects
	for _, r := range o.Regions {
		// What follows an if comes from the regions that do not jump away.
		if o.Code != ir.OpIf || !analysis.Jumps(r) {
			e.Block(r)
		}
	}
	if o.IsParallel() { // deactivated cells become zero at this point
		e.Object(analysis.Object{Sparse: true})
	}
	stores := pendingStores(f.facts)
	for i := range f.facts {
		f.facts[i].pending = nil // the regions may read
	}
	if o.Code.Is(ir.Loop) {
		f.forgetAll(&e)
	}
	before, start := f.facts, f.clock
	for _, r := range o.Regions {
		f.facts = slices.Clone(before)
		f.block(r)
	}
	f.facts = before
	f.forgetAll(&e)
	departures := f.departures[o]
	delete(f.departures, o)
	f.merge(o, start, departures, &e)
	f.sink(o, stores, departures, &e)
}

func (f *forwarder) forgetAll(e *analysis.Effects) {
	for _, x := range e.Objects {
		f.forget(&location{object: x})
	}
}

// forget drops the facts about places that may overlap p.
func (f *forwarder) forget(p *location) {
	f.facts = slices.DeleteFunc(f.facts, func(g fact) bool { return p.meets(g.location) })
}

// find returns the fact about a place.
func find(facts []fact, p *location) *fact {
	for i := range facts {
		if facts[i].location == p {
			return &facts[i]
		}
	}
	return nil
}

// remember adds a fact.
func (f *forwarder) remember(k fact) {
	if len(f.facts) == f.limit {
		f.facts = slices.Delete(f.facts, 0, f.limit/4)
	}
	k.made = f.clock
	f.facts = append(f.facts, k)
}

// load reports whether a load can be replaced.
func (f *forwarder) load(o *ir.Op) bool {
	p, ok := f.locations.of(o)
	r := o.Results[0]
	var same *fact
	if ok {
		same = find(f.facts, p)
	}
	if same != nil {
		if v := f.valueOf(same, r.Type, o); v != nil {
			f.subst[r] = v
			if v.Name == "" {
				v.Name = r.Name
			}
			return true
		}
	}
	for i := range f.facts {
		if g := &f.facts[i]; g.pending != nil && p.meets(g.location) {
			g.pending = nil
		}
	}
	switch {
	case same != nil:
		same.value, same.join, same.made = r, nil, f.clock
	case ok:
		f.remember(fact{location: p, at: o.Args[0].Def, value: r})
	}
	return false
}

// store reports whether a store can be dropped.
func (f *forwarder) store(o *ir.Op) bool {
	p, ok := f.locations.of(o)
	if !ok {
		f.forget(p)
		return false
	}
	if g := find(f.facts, p); g != nil {
		if g.value == o.Args[1] && (p.object.Field == nil || !p.object.Field.Sparse) { // a store to a sparse field may activate
			f.same++
			return true // the place has this value already
		}
		if g.pending != nil {
			f.dead[g.pending] = true
		}
	}
	f.forget(p)
	k := fact{location: p, at: o.Args[0].Def, pending: o}
	if analysis.InRange(k.at) {
		k.value = o.Args[1]
	}
	f.remember(k)
	return false
}

// drop removes the dead stores.
func (f *forwarder) drop(b *ir.Block) {
	b.Ops = slices.DeleteFunc(b.Ops, func(o *ir.Op) bool { return f.dead[o] })
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			f.drop(r)
		}
	}
}
