package pass

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// This file notes which atomics, and which accesses with large strides, remain.

// noteAtomics notes why atomics of t remain after the passes that replace them.
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

// A distance is the number of bytes between the accesses of neighbouring iterations to a field. If it is not linear, there is no
// fixed number.
type distance struct {
	class  int32 // alias class of the field
	stride int64
	linear bool
}

// gathers notes the fields that neighbouring iterations of t access with large or no fixed strides.
func gathers(n *note.Notes, k *ir.Kernel, t *ir.Task, all []distance) {
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
