package access

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
)

// An openCheck is an index check that remains: of operand number axis, out of axes, whose range is found.
type openCheck struct {
	AxisCheck
	axis, axes int
	found      analysis.Interval
}

// noteCheck adds a remark on an index check that remains.
func noteCheck(n *note.Notes, pos ir.Pos, what string, c openCheck) {
	if n == nil {
		return
	}
	name := "the index"
	if c.axes > 1 {
		name = "the " + [...]string{"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"}[c.axis] + " index"
	}
	name += " of " + what
	limits := fmt.Sprintf("%d to %d", c.lo, c.lo+c.extent-1)
	if c.length != nil {
		limits = fmt.Sprintf("%d or more, and below that and the extent, which is known at launch", c.lo)
	}
	// A bound beyond this comes from the type of a number, not from the program.
	const far = 1 << 30
	x := c.found
	r := note.CheckedRange
	high := x.Hi
	switch {
	case c.length != nil && x.Len == c.length && x.Lo > -far:
		r, high = note.CheckedBeyond, x.Off
	case x.Any || x.Lo <= -far && x.Hi >= far-1:
		r = note.CheckedAnything
	case x.Lo <= -far:
		r = note.CheckedAbove
	case x.Hi >= far-1:
		r = note.CheckedBelow
	}
	n.Say(pos, r, what, name, limits, x.Lo, high)
}
