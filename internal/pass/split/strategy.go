package split

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/note"
)

// This file plans the tasks before split changes anything, and describes the plans for users: stage "strategy".

// A taskPlan is the plan for a segment: a serial task, a task over cells, or a task for each nest.
type taskPlan struct {
	seg   int
	name  string
	nests []nest    // of a loop over ranges, or over a field in a dense tree
	cells *cellPlan // of a loop over the cells of a sparse tree
}

// plan plans all tasks.
func (s *splitter) plan() (all []*taskPlan) {
	for i, seg := range s.segs {
		if s.idle(i) {
			continue
		}
		p := &taskPlan{seg: i, name: s.taskName(&s.segs[i])}
		if seg.loop != nil {
			if f := seg.loop.Field; f != nil && f.Sparse {
				p.cells = s.planCells(seg.loop)
			} else {
				s.noteHints(seg.loop, nil, note.NoBlocks)
				p.nests = s.nests(seg.loop)
			}
		}
		all = append(all, p)
	}
	return all
}

// writeStrategy describes plans: a paragraph for each.
func writeStrategy(s *splitter, plans []*taskPlan) string {
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s\n", s.k.Name)
	for _, p := range plans {
		seg := s.segs[p.seg]
		fmt.Fprintf(&b, "\nline %d: %s\n", seg.ops[0].Pos.Line, p.name)
		switch {
		case p.cells != nil:
			p.cells.write(&b)
		default:
			for _, n := range p.nests {
				fmt.Fprintf(&b, "\ttask: %s\n", n.text(seg.loop.Regions[0].Params))
			}
		}
		for _, o := range seg.ops {
			s.writeSlots(&b, o)
		}
	}
	return b.String()
}

// writeSlots lists the results of an op that go through the frame.
func (s *splitter) writeSlots(b *strings.Builder, o *ir.Op) {
	for _, r := range o.Results {
		if at, ok := s.slot[r]; ok {
			what := "a value"
			switch {
			case o.Code == ir.OpAlloc:
				what = fmt.Sprintf("an array of %d %s", o.Aux, o.Kind)
			case r.Name != "":
				what = r.Name
			}
			fmt.Fprintf(b, "\tframe: %s at %d\n", what, at)
		}
	}
}

// text describes a nest: its dims, outermost first, each with its range, and the formula of an index that is not a single dim.
func (n nest) text(params []*ir.Value) string {
	var dims []string
	for _, d := range n.dims {
		text := axisName(params, d.axis)
		if d.mul != 1 {
			text += fmt.Sprintf("·%d", d.mul)
		}
		dims = append(dims, fmt.Sprintf("%s in %v:%v", text, d.lo, d.hi))
	}
	if len(dims) == 0 {
		dims = []string{"once"}
	}
	for axis, low := range n.low {
		if low != 0 {
			dims = append(dims, fmt.Sprintf("%s from %d", axisName(params, axis), low))
		}
	}
	return strings.Join(dims, ", ")
}

// axisName is the name of an axis's index in the source.
func axisName(params []*ir.Value, axis int) string {
	if axis < len(params) && params[axis].Name != "" {
		return params[axis].Name
	}
	return fmt.Sprintf("i%d", axis)
}

// write describes the task of a loop over cells.
func (c *cellPlan) write(b *strings.Builder) {
	params := c.loop.Regions[0].Params
	v := c.cells.Visit
	fmt.Fprintf(b, "\tlist: blocks below %s, %s each", pathOf(v.Node), cellsText(params, c.dims))
	if c.outer > 0 {
		fmt.Fprintf(b, ", an entry for each of %s", cellsText(params, c.dims[:c.outer]))
	}
	if c.bits.words > 0 {
		fmt.Fprintf(b, ", with %d words of a mask", c.bits.words)
	}
	b.WriteString("\n\tcells: " + c.loopsText(params))
	if c.flat {
		b.WriteString(", an iteration each")
	}
	b.WriteString("\n")
	switch {
	case v.Node.Kind() == layout.Dynamic:
		b.WriteString("\tactive: below the length of the list\n")
	case !c.masked:
		b.WriteString("\tactive: all\n")
	case c.rows && c.full:
		b.WriteString("\tactive: by a mask; full blocks have loops of their own, others go by rows\n")
	case c.rows:
		b.WriteString("\tactive: by a mask, by rows\n")
	default:
		b.WriteString("\tactive: by a mask, cell by cell\n")
	}
	if c.scratch == nil {
		fmt.Fprintf(b, "\tscratch: none: %s\n", c.why)
		return
	}
	c.scratch.write(b, params)
}

// loopsText writes the loops over the cells of an entry, with the pieces of each.
func (c *cellPlan) loopsText(params []*ir.Value) string {
	var loops []string
	for i, d := range c.nest {
		text := axisName(params, d.Axis)
		if d.Mul != 1 {
			text += fmt.Sprintf("·%d", d.Mul)
		}
		for j, p := range c.pieces[i] {
			sep := " in "
			if j > 0 {
				sep = " + "
			}
			text += fmt.Sprintf("%s%d:%d", sep, p.lo, p.hi)
		}
		loops = append(loops, text)
	}
	if len(loops) == 0 {
		return "one"
	}
	return strings.Join(loops, ", ")
}

// write describes the arrays from which neighbours are read.
func (p *scratchPlan) write(b *strings.Builder, params []*ir.Value) {
	for _, s := range p.fields {
		var parts []string
		for d, dim := range p.dims {
			parts = append(parts, fmt.Sprintf("%s in %d:%d", axisName(params, dim.axis), -s.lo[d], dim.extent+s.hi[d]))
		}
		_, size := p.padded(s)
		fmt.Fprintf(b, "\tscratch: %s, %s, %d elements", s.f.Name, strings.Join(parts, ", "), size)
		if n := len(s.f.Comps); n > 1 {
			fmt.Fprintf(b, " of components %v", s.comps)
		}
		if p.copied(s) {
			_, _, n := p.rows(s)
			fmt.Fprintf(b, ", and rows, %d", n)
		}
		b.WriteByte('\n')
	}
}

// pathOf names a node by the kinds of the nodes from the root to it.
func pathOf(n *layout.Node) string {
	if n.Parent() == nil {
		return "root"
	}
	return pathOf(n.Parent()) + "." + n.Kind().String()
}

// cellsText writes the cells of dims.
func cellsText(params []*ir.Value, dims []layout.NestDim) string {
	if len(dims) == 0 {
		return "1 cell"
	}
	var parts []string
	for _, d := range dims {
		parts = append(parts, fmt.Sprintf("%s %d", axisName(params, d.Axis), d.Extent))
	}
	return strings.Join(parts, " × ") + " cells"
}
