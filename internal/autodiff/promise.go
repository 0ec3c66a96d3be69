package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A source promises of a number that each iteration of a parallel loop has another one. The backward pass through the
// loop has the same iterations, and so the promise holds there: what goes back to an element that such a number
// chooses needs no atomic. A gather has other iterations, and no promises.

// unmarked is v without the promise that each iteration has another one.
func unmarked(v *ir.Value) *ir.Value {
	for v.Def != nil && v.Def.Code == ir.OpUnique {
		v = v.Def.Args[0]
	}
	return v
}

// isPromised reports whether an index of a place is promised to be another one in each iteration.
func isPromised(place *ir.Op) bool {
	return slices.ContainsFunc(place.Args, func(v *ir.Value) bool { return markOf(v) != nil })
}

// markOf returns the promise that an index is, nil without one. A conversion that keeps all bits keeps numbers apart.
func markOf(v *ir.Value) *ir.Op {
	for v.Def != nil && v.Def.Code == ir.OpConvert {
		from := v.Def.Args[0]
		if !from.Type.Kind.IsInt() || v.Type.Kind.Bits() < from.Type.Kind.Bits() {
			return nil
		}
		v = from
	}
	if v.Def != nil && v.Def.Code == ir.OpUnique {
		return v.Def
	}
	return nil
}

// dropIdleMarks takes promises out of an adjoint that say nothing about what it writes to.
func dropIdleMarks(body *ir.Block) {
	used, vectors := map[*ir.Op]bool{}, map[int64]bool{}
	ir.Visit(body, func(o *ir.Op) bool {
		if o.Code != ir.OpStore && o.Code != ir.OpAtomic || o.Args[0].Def == nil {
			return true
		}
		for _, v := range o.Args[0].Def.Args {
			if d := markOf(v); d != nil {
				used[d] = true
				if d.Bits > 1 {
					vectors[d.Aux] = true
				}
			}
		}
		return true
	})
	plain := map[*ir.Value]*ir.Value{}
	var drop func(b *ir.Block)
	drop = func(b *ir.Block) {
		kept := b.Ops[:0]
		for _, o := range b.Ops {
			if o.Code == ir.OpUnique && !used[o] && !(o.Bits > 1 && vectors[o.Aux]) {
				plain[o.Results[0]] = o.Args[0]
				continue
			}
			for _, r := range o.Regions {
				drop(r)
			}
			kept = append(kept, o)
		}
		clear(b.Ops[len(kept):])
		b.Ops = kept
	}
	drop(body)
	ir.Substitute(body, plain)
}
