package analysis

import (
	"cmp"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// StatesOf lists what a task, as the split leaves it, may do to each field of the kernel,
// in the fields' order, for those who join or reorder tasks. It says too much rather than
// too little: a store to an element of a sparse field may activate its cell.
func StatesOf(t *ir.Task) []ir.State {
	of := map[*ir.Field]*ir.State{}
	at := func(f *ir.Field) *ir.State {
		if of[f] == nil {
			of[f] = &ir.State{Field: f}
		}
		return of[f]
	}
	for _, l := range t.Lists {
		s := at(l.Field)
		s.Mask |= ir.Reads
		s.List |= ir.Reads
	}
	visits := visitsOf(t)
	for _, b := range t.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			switch {
			case o.Code.Touches(ir.Place):
				if p := o.Args[0].Def; p != nil && p.Code == ir.OpPtr {
					active := slices.ContainsFunc(visits, func(v *ir.Op) bool {
						return v.Field == p.Field && slices.Equal(v.Args[1:], p.Args)
					})
					accessState(at(p.Field), o.Code.Effects(), active)
				}
			case o.Field != nil && o.Code.Touches(ir.Topology|ir.Cells):
				topologyState(at(o.Field), o.Code.Effects())
			}
			return true
		})
	}
	var all []ir.State
	for _, s := range of {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b ir.State) int { return cmp.Compare(a.Field.Index, b.Field.Index) })
	return all
}

// visitsOf finds what says that the cell of an iteration is active.
func visitsOf(t *ir.Task) []*ir.Op {
	var all []*ir.Op
	for _, b := range t.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			if o.Code == ir.OpVisit && o.Flags.Has(ir.Proven) {
				all = append(all, o)
			}
			return true
		})
	}
	return all
}

// accessState notes a load, store or atomic of an element, whose cell may be known to be
// active.
func accessState(s *ir.State, e *ir.Effects, active bool) {
	if e.Reads.Has(ir.Place) {
		s.Values |= ir.Reads
	}
	if s.Field.Sparse && !active {
		s.Mask |= ir.Reads
	}
	if !e.Writes.Has(ir.Place) {
		return
	}
	s.Values |= ir.Writes
	if s.Field.Sparse && !active { // the store may activate the cell
		s.Mask |= ir.Writes
		s.List |= ir.Reads | ir.Writes
		s.Allocation |= ir.Reads | ir.Writes
	}
}

// topologyState notes an op that asks for cells of a node, or changes which are active.
func topologyState(s *ir.State, e *ir.Effects) {
	if (e.Reads | e.Writes).Has(ir.Topology) {
		s.Mask |= ir.Reads
	}
	if s.Field.List {
		s.List |= ir.Reads
	}
	if e.Writes.Has(ir.Cells) {
		s.Values |= ir.Writes
	}
	if e.Writes.Has(ir.Topology) {
		s.Mask |= ir.Writes
		s.List |= ir.Reads | ir.Writes
		s.Allocation |= ir.Reads | ir.Writes
	}
}
