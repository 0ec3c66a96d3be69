package pass

import (
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// Hints of a loop that change nothing are noted, so that nobody believes in them.

// noteHints notes which fields of blockLocal the loop does not read from copies, by the
// plan that it has, or without one the reason why not.
func (s *splitter) noteHints(loop *ir.Op, p *scratchPlan, why string) {
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
		why = nothingNear
	}
	if len(idle) > 0 {
		s.notes.Add(loop.Pos, "blockLocal(%s) changes nothing: %s", strings.Join(idle, ", "), why)
	}
	var read []string
	for _, f := range h.CacheReadOnly {
		read = append(read, f.Name)
	}
	if len(read) > 0 {
		s.notes.Add(loop.Pos, "cacheReadOnly(%s) changes nothing on a CPU, whose caches treat all memory alike", strings.Join(read, ", "))
	}
}

// Why a loop does not read from copies.
const (
	noBlocks    = "the loop does not run over cells of a sparse tree, and finds what is near in the caches"
	leftOut     = "this part of the compiler is left out"
	largeBlocks = "a block is so large that several threads share it"
	manyArrays  = "a block is not one array with rows, but an array of arrays or in Morton order"
	noBounds    = "indices have no bounds, so that it is not known which blocks have neighbours on all sides"
	maskMoves   = "the loop changes the mask that says which cells it visits"
	oneCell     = "a block is a single cell"
	inOrder     = "the loop is serial, and has to see what it wrote"
	ofList      = "the loop runs over elements of lists, which say nothing about where other fields are read"
	nothingNear = "the body does not read it at cells beside its own, at distances that are known, or writes to it there"
	tooMuch     = "the copies would not fit into the fastest cache"
	allAtEdge   = "every block lies at the edge of the domain"
	slower      = "copying would cost more than it saves"
)

// noScratch says why the loop cannot have copies, whatever its body reads; "" if it can.
func (c *cellPlan) noScratch() string {
	switch {
	case c.s.scratchless:
		return leftOut
	case c.cells.Visit.Node.Kind() == layout.Dynamic:
		return ofList
	case c.loop.Flags.Has(ir.Serial):
		return inOrder
	case c.bits.words > 0:
		return maskMoves
	case len(c.dims) == 0:
		return oneCell
	case c.outer != 0:
		return largeBlocks
	}
	return ""
}
