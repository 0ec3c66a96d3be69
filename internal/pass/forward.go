package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// forward replaces loads of what was stored or loaded before, and drops stores
// that are overwritten or change nothing.
//
// Input and output: a task before access lowering. Two accesses are to one place
// if object, component and all indices are the same, an index being compared as a
// value plus a constant. What other iterations do at the same time need not be
// seen: they may meet at a place only by a race, or by atomics, of which none of
// the same object may lie between the two accesses here. A store is known to have
// taken place only where its index is proven to be in range. If a place is loaded after
// an if or block that stores to it, its value becomes a result of that op, as a phi would
// be (forwardjoin.go). A store before an if that stores to the same place moves behind
// the if (forwardsink.go).
func forward(_ *state, u *unit.Unit) {
	f := &forwarder{subst: unit.Subst{}, dead: map[*ir.Op]bool{}, ahead: map[*ir.Op][]*ir.Op{}, after: map[*ir.Op][]*ir.Op{}, departures: map[*ir.Op][]departure{}}
	for _, b := range u.Blocks {
		f.facts = nil
		f.block(b)
	}
	if len(f.dead) == 0 {
		return
	}
	for _, b := range u.Blocks {
		f.drop(b)
	}
}

// maxFacts bounds what is remembered at a time.
const maxFacts = 128

// A fact is what is known of a place.
type fact struct {
	object  analysis.Object
	place   *ir.Op
	index   []affineIndex
	axes    int       // how many of index are indices of elements; a component may follow
	value   *ir.Value // the value in memory; nil if it is unknown, or not yet computed from join
	join    *join     // the value as a phi, made when a load needs it; nil for none
	made    int       // the clock when the fact was added
	pending *ir.Op    // the store in this block that nothing has read so far
}

// An affineIndex is a value plus a constant; the value is nil for a constant.
type affineIndex struct {
	base *ir.Value
	add  int64
}

// affineOf takes constants out of an index.
func affineOf(v *ir.Value) affineIndex {
	k, add := v.Type.Kind, int64(0)
	for v.Def != nil {
		d := v.Def
		if c, ok := ir.IntOf(v); ok {
			return affineIndex{nil, int64(ir.IntBits(k, add+c))}
		}
		if len(d.Args) != 2 {
			break
		}
		c, ok := ir.IntOf(d.Args[1])
		if !ok || d.Code != ir.OpAdd && d.Code != ir.OpSub {
			break
		}
		if d.Code == ir.OpSub {
			c = -c
		}
		v, add = d.Args[0], add+c
	}
	return affineIndex{v, int64(ir.IntBits(k, add))}
}

type forwarder struct {
	subst      unit.Subst
	facts      []fact // oldest first
	dead       map[*ir.Op]bool
	ahead      map[*ir.Op][]*ir.Op // new ops to insert before the key
	after      map[*ir.Op][]*ir.Op // new ops to insert after the key
	departures map[*ir.Op][]departure
	clock      int       // number of ops walked so far; a value's ID is the clock at its definition
	cur        *ir.Block // the block being walked
}

// block walks b with the facts that hold at its start.
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
			f.forget(fact{object: analysis.ObjectOf(o)})
		case o.Code.Touches(ir.Topology):
			f.forget(fact{object: analysis.Object{Sparse: true}})
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

// control walks an op with regions.
func (f *forwarder) control(o *ir.Op) {
	var e analysis.Effects
	for _, r := range o.Regions {
		// What follows an if comes from the regions that do not jump away.
		if o.Code != ir.OpIf || !analysis.Jumps(r) {
			e.Block(r)
		}
	}
	if o.IsParallel() { // what was deactivated before becomes zero
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
		f.forget(fact{object: x})
	}
}

// forget drops the facts about places that k may be.
func (f *forwarder) forget(k fact) {
	f.facts = slices.DeleteFunc(f.facts, func(g fact) bool { return k.meets(&g) })
}

// meets reports whether k and g may be about the same memory.
func (k *fact) meets(g *fact) bool {
	if !k.object.Overlaps(g.object) {
		return false
	}
	if k.place == nil || k.place.Code != g.place.Code || k.place.Field != g.place.Field || k.place.Param != g.place.Param {
		return true
	}
	for i := range min(k.axes, g.axes) {
		if k.index[i].base == g.index[i].base && k.index[i].add != g.index[i].add {
			return false
		}
	}
	return true
}

// describe returns the fact that says nothing yet of the place that o accesses.
func describe(o *ir.Op) (fact, bool) {
	k := fact{object: analysis.ObjectOf(o)}
	place := o.Args[0].Def
	if place == nil {
		return k, false
	}
	switch k.place = place; place.Code {
	case ir.OpPtr, ir.OpElem:
		for _, a := range place.Args {
			k.index = append(k.index, affineOf(a))
		}
		if k.axes = len(k.index); place.Flags.Has(ir.Dynamic) {
			k.axes--
		}
	case ir.OpCell:
		k.index, k.axes = []affineIndex{affineOf(place.Args[1])}, 1
	case ir.OpFrame:
	default:
		k.place = nil
		return k, false
	}
	return k, true
}

// find returns the fact about the same place as k.
func find(facts []fact, k *fact) *fact {
	for i := range facts {
		if samePlace(&facts[i], k) {
			return &facts[i]
		}
	}
	return nil
}

// samePlace reports whether g and k are proven to be about the same place.
func samePlace(g, k *fact) bool {
	return g.place == k.place || g.object == k.object && g.place.Code == k.place.Code && g.place.Aux == k.place.Aux && g.place.Stride == k.place.Stride &&
		g.place.Param == k.place.Param && g.place.Field == k.place.Field && slices.Equal(g.index, k.index)
}

// remember adds a fact.
func (f *forwarder) remember(k fact) {
	if len(f.facts) == maxFacts {
		f.facts = slices.Delete(f.facts, 0, maxFacts/4)
	}
	k.made = f.clock
	f.facts = append(f.facts, k)
}

// load reports whether a load is not needed.
func (f *forwarder) load(o *ir.Op) bool {
	k, ok := describe(o)
	r := o.Results[0]
	var same *fact
	if ok {
		same = find(f.facts, &k)
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
		if g := &f.facts[i]; k.meets(g) {
			g.pending = nil
		}
	}
	switch {
	case same != nil:
		same.value, same.join, same.made = r, nil, f.clock
	case ok:
		k.value = r
		f.remember(k)
	}
	return false
}

// store reports whether a store is not needed.
func (f *forwarder) store(o *ir.Op) bool {
	k, ok := describe(o)
	if !ok {
		f.forget(k)
		return false
	}
	if g := find(f.facts, &k); g != nil {
		if g.value == o.Args[1] && (k.object.Field == nil || !k.object.Field.Sparse) { // a store may activate
			return true // it is there already
		}
		if g.pending != nil {
			f.dead[g.pending] = true
		}
	}
	f.forget(k)
	if analysis.InRange(k.place) {
		k.value = o.Args[1]
	}
	k.pending = o
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
