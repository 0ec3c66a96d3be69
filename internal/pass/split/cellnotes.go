package split

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/note"
)

// This file has the remarks on loops over the cells of sparse trees.

// noteList describes how the list of a task over cells is made, and what its entries are.
func (c *cellPlan) noteList() {
	n := c.s.notes
	if n == nil {
		return
	}
	v := c.cells.Visit
	what := "one block, the root's"
	if v.Node.Parent() != nil {
		var chain []string
		for m := v.Node; m.Parent() != nil; m = m.Parent() {
			if m.Kind().Allocates() {
				chain = append(chain, m.Kind().String())
			}
		}
		what = "the active cells of the " + chain[0] + " node"
		if chain[0] == layout.Dynamic.String() {
			what = "the chunks of the lists"
		}
		if len(chain) > 1 {
			what += ", made from those of the " + strings.Join(chain[1:], " and ") + " above"
		}
	}
	if c.outer > 0 {
		parts := int64(1)
		for _, d := range c.dims[:c.outer] {
			parts *= d.Extent
		}
		what += fmt.Sprintf(", each in %d parts", parts)
	}
	if c.bits.words > 0 {
		what += ", with the bits of the cells in them"
	}
	n.Say(c.loop.Pos, note.ListKept, what)
	inner, when := c.dims[c.outer:], ""
	if c.bits.words > 0 {
		when = ", as they were when the loop began"
	}
	switch {
	case len(inner) == 0 && v.Node.Kind() != layout.Dynamic:
		n.Say(c.loop.Pos, note.CellsOne)
	case v.Node.Kind() == layout.Dynamic:
		n.Say(c.loop.Pos, note.CellsOfChunk)
	case c.masked && c.byRows(c.cutRow(inner)):
		n.Say(c.loop.Pos, note.CellsByRows, extents(inner), when)
	case c.masked:
		n.Say(c.loop.Pos, note.CellsByBit, extents(inner), when)
	default:
		n.Say(c.loop.Pos, note.CellsDense, extents(inner))
	}
}

// extents writes dims as 16×16.
func extents(dims []layout.NestDim) string {
	var parts []string
	for _, d := range dims {
		parts = append(parts, fmt.Sprint(d.Extent))
	}
	return strings.Join(parts, "×")
}

// noteBorder says that a separate loop handles the border of a block.
func (c *cellPlan) noteBorder(copies int) {
	if copies > 1 {
		c.s.notes.Say(c.loop.Pos, note.Border, copies)
	}
}
