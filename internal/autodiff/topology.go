package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// The backward pass runs over the active cells once more, and asks about cells what the launch asked. It computes the
// same only if the topology is the same, which the host finds out.

// topology reports the loops and questions that the backward pass repeats, in the order of the text. Clear says that
// it clears adjoints of what was stored.
func (f *facts) topology(body *ir.Block, clear bool, report func(o *ir.Op, changes bool)) {
	if report == nil {
		return
	}
	var changes []int // the places of ops that may change a topology
	ir.Visit(body, func(o *ir.Op) bool {
		if mayActivate(o) {
			changes = append(changes, f.pos[o])
		}
		return true
	})
	ir.Visit(body, func(o *ir.Op) bool {
		if f.asked[o] {
			top := o
			for f.inside[top] != nil {
				top = f.inside[top]
			}
			if !f.gives(top, clear) {
				return true
			}
			report(o, slices.ContainsFunc(changes, func(n int) bool { return n > f.pos[top] }))
		}
		return true
	})
}

// gives reports whether the backward pass through o changes an adjoint.
func (f *facts) gives(o *ir.Op, clear bool) (found bool) {
	ir.Visit(&ir.Block{Ops: []*ir.Op{o}}, func(p *ir.Op) bool {
		if p.Code == ir.OpStore || p.Code == ir.OpAtomic {
			found = found || f.works(p) && (clear || f.clampsSum(p) || f.active(p.Args[len(p.Args)-1]))
		}
		return !found
	})
	return found
}

// mayActivate reports whether o may change which cells are active.
func mayActivate(o *ir.Op) bool {
	switch o.Code {
	case ir.OpActivate, ir.OpDeactivate, ir.OpShrink, ir.OpAppend:
		return true
	case ir.OpStore, ir.OpAtomic:
		d := o.Args[0].Def
		return d != nil && d.Code == ir.OpPtr && d.Field.Sparse
	}
	return false
}
