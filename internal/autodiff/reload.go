package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// reload lets values that an iteration has stored into fields with an adjoint stand for what it loads from there right
// after, so that the backward pass loads no element that it can compute. The store is certain to have taken place: an
// index out of range fails the launch. A packed number is loaded as it was rounded, which the stored value was not.
//
// The derivative still goes through the element: its adjoint belongs to the program, and has to be that of all that
// was read of it. So the loads become one op behind the store, a constant as far as values go ([ir.OpStopGrad]), whose
// adjoint the backward pass through the store adds to that of the element. These ops are added to readback, by store.
func reload(body *ir.Block, grad map[*ir.Field]*ir.Field, readback map[*ir.Op]*ir.Op) {
	r := &reloader{facts: &facts{grad: grad, readback: readback}, in: map[*ir.Op]*ir.Block{}, loaded: map[*ir.Value]*ir.Value{}}
	r.block(body, nil)
	for store, b := range r.in {
		b.Ops = slices.Insert(b.Ops, slices.Index(b.Ops, store)+1, readback[store])
	}
	ir.Substitute(body, r.loaded)
}

// A reloader finds loads of what was stored.
type reloader struct {
	*facts
	in     map[*ir.Op]*ir.Block    // of stores of which loads were found for the first time, where they stand
	loaded map[*ir.Value]*ir.Value // what stands for the result of a load
}

// A placed store stands in a block, and its place has not been written to since.
type placedStore struct {
	*ir.Op
	in *ir.Block
}

// block goes through a block, with the stores that are known before it.
func (r *reloader) block(b *ir.Block, known []placedStore) {
	for _, o := range b.Ops {
		switch o.Code {
		case ir.OpLoad:
			i := slices.IndexFunc(known, func(s placedStore) bool { return samePlace(s.Op, o) })
			if i >= 0 {
				r.loaded[o.Results[0]] = r.read(known[i])
			}
		case ir.OpStore, ir.OpAtomic, ir.OpDeactivate, ir.OpShrink:
			known = forget(known, o)
			if o.Code == ir.OpStore && r.gradAt(o.Args[0]) != nil && !o.IsPacked() {
				known = append(known[:len(known):len(known)], placedStore{o, b})
			}
		}
		for _, region := range o.Regions {
			inside := known
			if o.Code == ir.OpFor || o.Code == ir.OpLoop { // a later iteration comes after what an earlier one writes
				ir.Visit(region, func(p *ir.Op) bool { inside = forget(inside, p); return true })
			}
			if o.IsParallel() {
				inside = nil
			}
			r.block(region, inside)
		}
		for _, region := range o.Regions {
			ir.Visit(region, func(p *ir.Op) bool { known = forget(known, p); return true })
		}
	}
}

// read returns what stands for a load of what s has stored.
func (r *reloader) read(s placedStore) *ir.Value {
	if r.readback[s.Op] == nil {
		r.readback[s.Op] = ir.NewOp(ir.OpStopGrad, s.Pos, []ir.Type{s.Args[1].Type}, s.Args[1])
		r.in[s.Op] = s.in
	}
	return r.readback[s.Op].Results[0]
}

// forget leaves the stores to the field that o writes to out, and those to cells where o may end cells: their elements
// are 0 then.
func forget(known []placedStore, o *ir.Op) []placedStore {
	if o.Code == ir.OpDeactivate || o.Code == ir.OpShrink {
		return slices.DeleteFunc(slices.Clone(known), func(s placedStore) bool { return s.Args[0].Def.Field.Sparse })
	}
	if o.Code != ir.OpStore && o.Code != ir.OpAtomic || o.Args[0].Def == nil {
		return known
	}
	var left []placedStore
	for _, s := range known {
		if s.Args[0].Def.Field != o.Args[0].Def.Field {
			left = append(left, s)
		}
	}
	return left
}
