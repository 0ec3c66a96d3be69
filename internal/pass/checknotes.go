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
	switch {
	case c.length != nil && x.Len == c.length && x.Lo > -far:
		n.Advise(pos, edgeAdvice(what), "checked: %s is known to be %d to %d more than the extent, and has to be %s", name, x.Lo, x.Off, limits)
	case x.Any || x.Lo <= -far && x.Hi >= far-1:
		n.Advise(pos, fmt.Sprintf("nothing limits an index of %s; clamp(…, lo, hi) or an if around the access would, and no check would remain", what),
			"checked: %s could be anything, and has to be %s", name, limits)
	case x.Lo <= -far:
		n.Advise(pos, sideAdvice(what), "checked: %s is known to be at most %d, and has to be %s", name, x.Hi, limits)
	case x.Hi >= far-1:
		n.Advise(pos, sideAdvice(what), "checked: %s is known to be at least %d, and has to be %s", name, x.Lo, limits)
	default:
		n.Advise(pos, edgeAdvice(what), "checked: %s is known to be %d to %d, and has to be %s", name, x.Lo, x.Hi, limits)
	}
}

func edgeAdvice(what string) string {
	return fmt.Sprintf("an index of %s leaves its limits only at an edge; run the loop over the elements that have such a neighbour, range span(lo, hi), or treat the edge in an if or with clamp, and no check remains", what)
}

func sideAdvice(what string) string {
	return fmt.Sprintf("an index of %s is limited on one side only; clamp(…, lo, hi) limits it on both, and no check remains", what)
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
		what, why, advice := "the element", "any iteration may meet another there", ""
		switch {
		case place.Code == ir.OpElem:
			what, why = "the element of "+place.Param.Name, "slices are not copied for each thread"
		case place.Code != ir.OpPtr:
		case p.used[o.Results[0]]:
			what, why = "the element of "+place.Field.Name, "its old value is used"
		default:
			what = "the element of " + place.Field.Name
			if pt := p.trees[p.treeOf(place, 0)]; pt != nil && pt.why != "" {
				why, advice = pt.why, pt.advice
			}
		}
		p.notes.Advise(o.Pos, advice, "atomic: %s may be that of another iteration, and %s", what, why)
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
			n.Add(t.Pos, "gathered: which elements of %s neighbouring iterations use follows from data or conditions", f.Name)
		}
		if len(far) > 0 {
			n.Advise(t.Pos, fmt.Sprintf("let neighbouring iterations find their elements of %s side by side: place its components each in a node of its own (structure of arrays), or order its axes so that the loop's last one is innermost", f.Name),
				"strided: neighbouring iterations access numbers of %s that lie %s bytes apart", f.Name, strings.Join(far, ", "))
		}
	}
}
