package split

import (
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/note"
)

// This file notes hints of a loop that have no effect, so that nobody relies on them.

// noteHints notes the fields of blockLocal that the loop does not read from copies, according to its plan, or the reason why there is
// no plan.
func (s *splitter) noteHints(loop *ir.Op, p *scratchPlan, why note.Reason) {
	h := loop.Hints
	if s.notes == nil || h == nil {
		return
	}
	var idle []string
	for _, f := range h.BlockLocal {
		if p == nil || !slices.ContainsFunc(p.fields, func(s *scratchField) bool { return s.f == f }) {
			idle = append(idle, f.Name)
		}
	}
	if p != nil {
		why = note.NoNeighbourRead
	}
	if len(idle) > 0 {
		s.notes.Say(loop.Pos, note.BlockLocalIdle, strings.Join(idle, ", "), why.With())
	}
	var read []string
	for _, f := range h.CacheReadOnly {
		read = append(read, f.Name)
	}
	if len(read) > 0 {
		s.notes.Say(loop.Pos, note.CacheReadOnlyIdle, strings.Join(read, ", "))
	}
	if h.BlockDim != 0 && !s.blocks {
		s.notes.Say(loop.Pos, note.BlockDimIdle, h.BlockDim)
	}
}

// noScratch returns a reason why the loop cannot have copies, whatever its body reads; no is false if it can.
func (c *cellPlan) noScratch() (why note.Reason, no bool) {
	switch {
	case c.s.scratchless:
		return note.LeftOut, true
	case c.cells.Visit.Node.Kind() == layout.Dynamic:
		return note.OfList, true
	case c.loop.Flags.Has(ir.Serial):
		return note.Serial, true
	case c.bits.words > 0:
		return note.MaskMoves, true
	case len(c.dims) == 0:
		return note.OneCell, true
	case c.s.blocks:
		return note.CellAThread, true
	case c.outer != 0:
		return note.LargeBlocks, true
	}
	return 0, false
}
