package pass

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// A Note says, in words for the author of a kernel, what a pass has done at a
// place in the source or why it could not.
type Note struct {
	Pos    ir.Pos
	Text   string
	Advice string // what would make the code faster; "" if nothing is evident
}

// Notes collects notes. A nil *Notes takes none, and passes that have to work for
// a note ask for that first.
type Notes struct{ List []Note }

// add notes something.
func (n *Notes) add(pos ir.Pos, format string, args ...any) {
	if n != nil {
		n.List = append(n.List, Note{Pos: pos, Text: fmt.Sprintf(format, args...)})
	}
}

// advise is add with an advice.
func (n *Notes) advise(pos ir.Pos, advice, format string, args ...any) {
	if n != nil {
		n.List = append(n.List, Note{pos, fmt.Sprintf(format, args...), advice})
	}
}

// noteChecks says what an index check that remains is about: the places in open
// are those operands of o, with the limits that they have to keep.
func (a *accessor) noteChecks(o *ir.Op, what string, open []axisCheck, found []interval) {
	if a.notes == nil {
		return
	}
	for i, c := range open {
		name := "an index"
		if c.v.Name != "" {
			name = "index " + c.v.Name
		}
		limits := fmt.Sprintf("0 to len(%s)-1", what)
		switch {
		case c.length == nil:
			limits = fmt.Sprintf("%d to %d", c.lo, c.lo+c.extent-1)
		case c.length.Form != ir.FormSlice:
			limits = fmt.Sprintf("%d to %d less than the extent", c.lo, 1-c.lo)
		}
		switch x := found[i]; {
		case x.any || x.lo == kindInterval(c.v.Type.Kind).lo && x.hi == kindInterval(c.v.Type.Kind).hi:
			a.notes.advise(o.Pos, fmt.Sprintf("%s is computed in a way that says nothing about its limits; clamp(…, …) would, or an if around the access", name),
				"checked: %s of %s could be anything, and has to be %s", name, what, limits)
		default:
			a.notes.add(o.Pos, "checked: %s of %s is known to be %d to %d, and has to be %s", name, what, x.lo, x.hi, limits)
		}
	}
}

// noteAtomics says why atomics of t are left when all is done that makes them
// cheaper.
func (p *privatiser) noteAtomics(t *ir.Task) {
	if p.notes == nil {
		return
	}
	ir.Walk(t.Body, func(o *ir.Op) bool {
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
			if pt := p.trees[p.treeOf(place)]; pt != nil && pt.why != "" {
				why, advice = pt.why, pt.advice
			}
		}
		p.notes.advise(o.Pos, advice, "atomic: %s may be that of another iteration, and %s", what, why)
		return true
	})
}

// treeOf is the tree of the component that place names.
func (p *privatiser) treeOf(place *ir.Op) int {
	return p.lay.Access(place.Field, int(place.Aux)).Tree
}

// gathers says which fields neighbouring iterations of t access far apart.
func (n *Notes) gathers(k *ir.Kernel, t *ir.Task, classes map[int32]bool) {
	if n == nil {
		return
	}
	var names []string
	for _, f := range k.Fields {
		if classes[int32(f.Index+1)] {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	list := strings.Join(names, ", ")
	how := "elements of several numbers lie one after the other, or the index varies in another way than by 1"
	n.advise(t.Pos, fmt.Sprintf("if iterations next to each other use neighbouring elements of %s, place their components apart (each in a node of its own: structure of arrays), or put the axis of the innermost loop last", list),
		"gathered one by one: neighbouring iterations find their elements of %s far apart (%s)", list, how)
}

// obstacles are ops with effects that packets do not have.
var obstacles = map[ir.Code]string{
	ir.OpAtomic: "there is an atomic",
	ir.OpFail:   "an index check may fail",
	ir.OpAlloc:  "there is an array in memory",
	ir.OpReturn: "the kernel may return",
}
