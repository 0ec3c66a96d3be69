package packet

import "github.com/gotaichi/ti/internal/ir"

// This file finds which values of a loop become vectors. The others are parts of addresses, of which a vector of contiguous numbers has
// only one.

// findNeeded notes the values that varying ops, conditions and places for each lane need as vectors, and the bytes of the widest of them.
func (a *packetInfo) findNeeded(loop *ir.Op) {
	a.needed, a.widest = map[*ir.Value]bool{}, 1
	ir.Visit(loop.Regions[0], func(o *ir.Op) bool {
		for i, v := range o.Args {
			if a.isRoot(o, i) {
				a.need(v)
			}
		}
		return true
	})
	ir.Visit(loop.Regions[0], func(o *ir.Op) bool {
		for _, v := range o.Results {
			if o.Code == ir.OpLoad && a.varying[v] || a.needed[v] && !addressOnly(o) {
				a.measureKind(v.Type.Kind)
			}
		}
		if o.Code == ir.OpStore {
			a.measureKind(o.Args[1].Type.Kind)
		}
		return true
	})
	if a.needed[a.index] {
		a.measureKind(a.index.Type.Kind)
	}
}

// measureKind notes that a vector has numbers of a kind. Those of f16 are computed as f32.
func (a *packetInfo) measureKind(k ir.Kind) {
	switch k {
	case ir.F16:
		k = ir.F32
	case ir.Ptr, ir.Bool:
		return
	}
	a.widest = max(a.widest, k.Size())
}

// isRoot reports whether o needs its operand i as a vector by itself, if that varies.
func (a *packetInfo) isRoot(o *ir.Op, i int) bool {
	switch o.Code {
	case ir.OpLoad, ir.OpStore:
		return i > 0 || a.gathers[o] || a.byLane[o] || a.arrays[rootOf(o.Args[0])] != nil
	}
	return !o.Code.Is(ir.Pure) || len(o.Regions) > 0
}

// need notes that a varying value is needed, and what it is computed from.
func (a *packetInfo) need(v *ir.Value) {
	if a.needed[v] || !a.varying[v] {
		return
	}
	a.needed[v] = true
	if v.Def != nil && v.Def.Code.Is(ir.Pure) && len(v.Def.Regions) == 0 {
		for _, w := range v.Def.Args {
			a.need(w)
		}
	}
}
