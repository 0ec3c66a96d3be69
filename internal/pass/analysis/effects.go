package analysis

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// VisitOps calls f for each of ops and those in their regions.
func VisitOps(ops []*ir.Op, f func(*ir.Op)) {
	for _, o := range ops {
		f(o)
		for _, r := range o.Regions {
			VisitOps(r.Ops, f)
		}
	}
}

// MayJump reports whether a jump in o may leave o, so that the following ops may not run.
func MayJump(o *ir.Op) bool {
	inside := map[*ir.Op]bool{}
	found := false
	ir.Visit(&ir.Block{Ops: []*ir.Op{o}}, func(o *ir.Op) bool {
		inside[o] = true
		switch o.Code {
		case ir.OpBreak, ir.OpContinue, ir.OpReturn:
			found = found || !inside[o.Target]
		case ir.OpLoop: // may never end
			found = true
		}
		return !found
	})
	return found
}

// Indices returns the field indices among the operands of a ptr.
func Indices(place *ir.Op) []*ir.Value {
	return place.Args[:place.Field.Rank()]
}

// Activated returns the field whose cells o activates, if there is one, and the indices.
func Activated(o *ir.Op) (f *ir.Field, index []*ir.Value) {
	switch o.Code {
	case ir.OpActivate, ir.OpAppend:
		return o.Field, o.Args
	case ir.OpStore, ir.OpAtomic:
		if p := o.Args[0].Def; p != nil && p.Code == ir.OpPtr {
			return p.Field, Indices(p)
		}
	}
	return nil, nil
}

// NodesAround returns the nodes above the element of f at args whose cells are those above the cell of g at own: their indices are the
// same, and have the same origin.
func NodesAround(lay unit.Layout, g *ir.Field, own []*ir.Value, f *ir.Field, args []*ir.Value) map[*layout.Node]bool {
	if !SameValues(own, args) || !slices.Equal(f.Shape, g.Shape) || !slices.Equal(f.Origin, g.Origin) {
		return nil
	}
	known := map[*layout.Node]bool{}
	for _, s := range lay.Cells(g).Steps {
		known[s.Node] = true
	}
	return known
}

// SameValues reports whether two lists of values are the same.
func SameValues(a, b []*ir.Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// TopologyClass is the alias class of pointers, masks, lengths and control words.
func TopologyClass(k *ir.Kernel) int32 { return k.TopologyClass() }
