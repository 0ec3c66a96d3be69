package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// reload lets values that an iteration has stored into fields with an adjoint stand for what it loads from there right
// after, so that the adjoint of the element has no part in it. The store is certain to have taken place: an index out
// of range fails the launch. A packed number is loaded as it was rounded, which the stored value was not.
func reload(body *ir.Block, grad map[*ir.Field]*ir.Field) {
	f := &facts{grad: grad}
	stored := map[*ir.Value]*ir.Value{}
	f.reloadIn(body, nil, stored)
	ir.Substitute(body, stored)
}

// reloadIn goes through a block; known are the stores whose places have not been written to since.
func (f *facts) reloadIn(b *ir.Block, known []*ir.Op, stored map[*ir.Value]*ir.Value) {
	for _, o := range b.Ops {
		switch o.Code {
		case ir.OpLoad:
			i := slices.IndexFunc(known, func(s *ir.Op) bool { return samePlace(s, o) })
			if i >= 0 {
				stored[o.Results[0]] = known[i].Args[1]
			}
		case ir.OpStore, ir.OpAtomic, ir.OpDeactivate, ir.OpEmpty:
			known = f.forget(known, o)
			if o.Code == ir.OpStore && f.gradAt(o.Args[0]) != nil && !o.IsPacked() {
				known = append(known[:len(known):len(known)], o)
			}
		}
		for _, r := range o.Regions {
			inside := known
			if o.Code == ir.OpFor || o.Code == ir.OpLoop { // a later iteration comes after what an earlier one writes
				ir.Visit(r, func(p *ir.Op) bool { inside = f.forget(inside, p); return true })
			}
			if o.IsParallel() {
				inside = nil
			}
			f.reloadIn(r, inside, stored)
		}
		for _, r := range o.Regions {
			ir.Visit(r, func(p *ir.Op) bool { known = f.forget(known, p); return true })
		}
	}
}

// forget leaves the stores to the field that o writes to out, and those to cells where o may end cells: their elements are 0 then.
func (f *facts) forget(known []*ir.Op, o *ir.Op) []*ir.Op {
	if o.Code == ir.OpDeactivate || o.Code == ir.OpEmpty {
		return slices.DeleteFunc(slices.Clone(known), func(s *ir.Op) bool { return s.Args[0].Def.Field.Sparse })
	}
	if o.Code != ir.OpStore && o.Code != ir.OpAtomic || o.Args[0].Def == nil {
		return known
	}
	var left []*ir.Op
	for _, s := range known {
		if s.Args[0].Def.Field != o.Args[0].Def.Field {
			left = append(left, s)
		}
	}
	return left
}
