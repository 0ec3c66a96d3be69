package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/option"
)

// The backward pass makes the accesses of a launch again. Where index and control flow follow from arguments and loop
// indices alone, they are those of the launch, whose index checks have succeeded, and need none. What follows from
// memory may have changed since, if a program breaks the rules.

// isPure reports whether v follows from arguments and loop indices.
func (f *facts) isPure(v *ir.Value) bool {
	if known, ok := f.pure[v]; ok {
		return known
	}
	f.pure[v] = false // while it is found out: a carried value
	pure := false
	switch o := v.Def; {
	case v.Type.Kind.IsFloat(): // which another kernel may round in another way
	case o == nil:
		pure = f.isPureIndex(v)
	case o.Code == ir.OpConst || o.Code == ir.OpParam || o.Code == ir.OpLen:
		pure = true
	case o.Code == ir.OpIf:
		pure = f.isPure(o.Args[0]) && f.isPure(o.Regions[0].Terminator().Args[v.Index]) && f.isPure(o.Regions[1].Terminator().Args[v.Index])
	case len(o.Regions) == 0 && o.Code.Is(ir.Pure) && len(o.Args) > 0:
		pure = !slices.ContainsFunc(o.Args, func(a *ir.Value) bool { return !f.isPure(a) })
	}
	f.pure[v] = pure
	return pure
}

// isPureIndex is isPure for the parameter of a region.
func (f *facts) isPureIndex(v *ir.Value) bool {
	if v.Block == nil || v.Block.Parent == nil {
		return false
	}
	switch o := v.Block.Parent; o.Code {
	case ir.OpParFor:
		return true // whose bounds isCertain looks at
	case ir.OpFieldFor:
		return !o.Field.Sparse
	case ir.OpFor:
		return v.Index == 0
	}
	return false
}

// isCertain reports whether a launch has made the access at a place, in just the iterations in which the backward pass
// does.
func (f *facts) isCertain(place *ir.Op) bool {
	if f.without.Has(option.AdjointBCE) || place.Flags.Has(ir.Dynamic) || place.Field == nil || place.Field.Sparse || slices.ContainsFunc(place.Args, func(v *ir.Value) bool { return !f.isPure(v) }) {
		return false
	}
	for o := f.inside[place]; o != nil; o = f.inside[o] {
		switch o.Code {
		case ir.OpIf:
			if !f.isPure(o.Args[0]) {
				return false
			}
		case ir.OpFor:
			if !f.isPure(o.Args[0]) || !f.isPure(o.Args[1]) {
				return false
			}
		case ir.OpParFor:
			if slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return !f.isPure(v) }) {
				return false
			}
		case ir.OpFieldFor:
			if o.Field.Sparse {
				return false
			}
		default:
			return false
		}
	}
	return true
}
