package pass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
)

// This file says, for people, which checks, atomics and distant accesses remain.

// An openCheck is an index check that remains: of operand number axis, out of
// axes, which is known to be in found.
type openCheck struct {
	axisCheck
	axis, axes int
	found      analysis.Interval
}

// noteCheck says what an index check that remains is about.
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
	// What reaches so far is no limit that anybody meant.
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

// noteAtomics says why atomics of t are left when all is done that makes them
// cheaper.
func (p *privatiser) noteAtomics(t *ir.Task) {
	if p.notes == nil {
		return
	}
	ir.Visit(t.Body, func(o *ir.Op) bool {
		if o.Code != ir.OpAtomic || o.Args[0].Def == nil {
			return true
		}
		place := o.Args[0].Def
		what, why := "the element", note.AnyIteration.With()
		switch {
		case place.Code == ir.OpElem:
			what, why = "the element of "+place.Param.Name, note.SliceNotCopied.With()
		case place.Code != ir.OpPtr:
		case p.used[o.Results[0]]:
			what, why = "the element of "+place.Field.Name, note.OldValueUsed.With()
		default:
			what = "the element of " + place.Field.Name
			if pt := p.trees[p.treeOf(place, 0)]; pt != nil && pt.why != nil {
				why = *pt.why
			}
		}
		p.notes.Say(o.Pos, note.AtomicRemains, what, why)
		return true
	})
}

// An access is how neighbouring iterations access a field: by a fixed distance in
// bytes, or in no such way.
type access struct {
	class  int32 // alias class of the field
	stride int64
	linear bool
}

// gathers says which fields neighbouring iterations of t access far apart.
func gathers(n *note.Notes, k *ir.Kernel, t *ir.Task, all []access) {
	if n == nil {
		return
	}
	for _, f := range k.Fields {
		var far []string
		irregular := false
		for _, a := range all {
			if a.class != int32(f.Index+1) {
				continue
			}
			irregular = irregular || !a.linear
			if text := fmt.Sprint(a.stride); a.linear && !slices.Contains(far, text) {
				far = append(far, text)
			}
		}
		if irregular {
			n.Say(t.Pos, note.Gathered, f.Name)
		}
		if len(far) > 0 {
			n.Say(t.Pos, note.Strided, f.Name, strings.Join(far, ", "))
		}
	}
}
