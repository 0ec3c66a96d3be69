package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// This file decides about loops that may end a launch for want of memory, for loop fusion. Where two are fused, the first launch alone may
// want for it. Activation changes lists, too. So the first loop may activate cells of trees over whose lists the loops do not run. The
// second may only activate what the same iteration of the first has activated in any case: then it changes nothing.

// A growth is a store that may activate cells.
type growth struct {
	place *loopPlace
	sure  bool // each iteration reaches it
}

// mayGrow reports whether a store to a place may activate cells in a loop that is fused: all that it activates is the cell of its element,
// in a tree over whose list the loop does not run, and lists do not become longer by it.
func (f *fuser) mayGrow(loop, place *ir.Op) bool {
	if place.Field.List {
		return false
	}
	cells := f.o.Layout.Cells(place.Field)
	if loop.Code == ir.OpFieldFor && loop.Field.Sparse && f.o.Layout.Cells(loop.Field).Tree == cells.Tree {
		return false
	}
	way := f.o.Layout.Access(place.Field, int(place.Aux)).Steps
	return slices.EqualFunc(way, cells.Steps, func(s, t layout.Step) bool { return s.Node == t.Node })
}

// uncovered returns a store of the second loop that may activate a cell that the first does not; nil if there is none.
func (f *fuser) uncovered(one, two *loopAccesses) *loopPlace {
	for i := range two.grows {
		p := two.grows[i].place
		if !slices.ContainsFunc(one.grows, func(g growth) bool { return g.sure && f.sameCell(g.place, p) }) {
			return p
		}
	}
	return nil
}

// copied returns an update of the second loop by which it alone may want for memory, nil if there is none: in deterministic mode it may
// need copies of a tree.
func (f *fuser) copied(one, two *loopAccesses) *loopPlace {
	if !f.o.Deterministic || f.k.Parts == nil {
		return nil
	}
	for i := range two.places {
		q := &two.places[i]
		if q.update && !slices.ContainsFunc(one.places, func(p loopPlace) bool { return p.update && p.memory.Overlaps(q.memory) }) {
			return q
		}
	}
	return nil
}

// sameCell reports whether the same iteration of two loops accesses one cell of a node at p and q.
func (f *fuser) sameCell(p, q *loopPlace) bool {
	if f.o.Layout.Cells(p.at.Field).Node != f.o.Layout.Cells(q.at.Field).Node {
		return false
	}
	for i, x := range p.index {
		y := q.index[i]
		switch {
		case x == nil || y == nil:
			return false
		case x.Param == nil && x.Same(*y):
		case !x.OneParam(*y) || slices.Index(p.body.Params, x.Param) != slices.Index(q.body.Params, y.Param):
			return false
		}
	}
	return true
}

// certainOps returns the accesses that each iteration of a loop reaches.
func certainOps(loop *ir.Op) map[*ir.Op]bool {
	all := map[*ir.Op]bool{}
	for _, o := range loop.Regions[0].Ops {
		all[o] = true
		if len(o.Regions) > 0 && analysis.MayJump(o) {
			break
		}
	}
	return all
}
