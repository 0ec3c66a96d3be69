package states

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// grows records that cells may be activated.
func (f *finder) grows(s *ir.State) {
	s.Mask |= ir.Reads | ir.Writes
	s.List |= ir.Reads | ir.Writes
	s.Allocation |= ir.Reads | ir.Writes
}

// cells records an op on the cells of a node, or on a list.
func (f *finder) cells(o *ir.Op) {
	s := f.phase.Of(o.Field)
	s.Mask |= ir.Reads
	switch o.Code {
	case ir.OpActivate:
		f.grows(s)
	case ir.OpAppend:
		f.grows(s)
		f.zeroes(o.Field)
	case ir.OpDeactivate, ir.OpShrink:
		f.grows(s)
		s.Clears = true
		f.zeroes(o.Field)
	case ir.OpCount:
		s.List |= ir.Reads
	}
}

// zeroes records that elements of all fields in cells of a field's node may be set to zero.
func (f *finder) zeroes(of *ir.Field) {
	node := f.lay.Cells(of).Node
	for _, g := range f.k.Fields {
		for c := range g.Comps {
			if g.IsHost() && g.Sparse && (passes(f.lay.Access(g, c).Steps, node) || passes(f.lay.Cells(g).Steps, node)) {
				f.phase.Touch(g, c, ir.Writes, false)
			}
		}
	}
}

// passes reports whether a path leads through a cell of a node.
func passes(steps []layout.Step, n *layout.Node) bool {
	return slices.ContainsFunc(steps, func(s layout.Step) bool { return s.Node == n })
}

// isActive reports whether the element at a place of a sparse field is certainly active, for all components that the place may name: it is
// the element of the iteration, in a loop over its node. Cells are deactivated after the loop, but lists become shorter at once.
func (f *finder) isActive(place *ir.Op) bool {
	if f.over == nil || f.over.Code != ir.OpFieldFor || !f.over.Field.Sparse || f.shrinks || !slices.Equal(analysis.Indices(place), f.over.Regions[0].Params) {
		return false
	}
	loop, cells := f.lay.Cells(f.over.Field), f.lay.Cells(place.Field)
	if loop.Node != cells.Node {
		return false
	}
	for _, c := range place.Choices() {
		for _, s := range f.lay.Access(place.Field, c).Steps {
			if !passes(loop.Steps, s.Node) {
				return false
			}
		}
	}
	return true
}
