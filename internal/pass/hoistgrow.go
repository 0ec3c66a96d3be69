package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// This file is the part of hoist that makes a block in front of a loop which makes it in its
// first iteration: all of them find it there then, and the body has neither a branch nor a
// call, so that LLVM makes vectors of it. That wants a loop that surely runs, and that
// nothing before in its body asks whether a block is there. What is read before is the same:
// a missing block reads as zeros, bits of masks and lengths of lists included, and a new one
// has nothing else.

// runs reports whether a loop has at least one iteration.
func runs(loop *ir.Op) bool {
	if loop.Code != ir.OpFor {
		return false
	}
	lo, ok1 := ir.IntOf(loop.Args[0])
	hi, ok2 := ir.IntOf(loop.Args[1])
	return ok1 && ok2 && lo < hi
}

// testedBlocks returns the blocks of which something asks whether they are there: what is
// compared, handed on, or anything else but a place.
func testedBlocks(u *unit.Unit) map[*ir.Value]bool {
	tested := map[*ir.Value]bool{}
	for _, b := range u.Blocks {
		ir.Visit(b, func(o *ir.Op) bool {
			switch o.Code {
			case ir.OpOffset, ir.OpLoad, ir.OpStore, ir.OpAtomic, ir.OpFollow, ir.OpGrow:
				return true
			}
			for _, a := range o.Args {
				if a.Type.Kind == ir.Ptr {
					tested[a] = true
				}
			}
			return true
		})
	}
	return tested
}

// ask notes whether o, which stays where it stands, asks whether a block is there.
func (h *hoister) ask(o *ir.Op) {
	asks := (o.Code == ir.OpFollow || o.Code == ir.OpFind) && h.tested[o.Results[0]]
	for i := len(h.loops) - 1; asks && i >= 0 && !h.loops[i].asked; i-- {
		h.loops[i].asked = true
	}
}

// askedIn returns the number of loops of which the innermost has been found to ask.
func (h *hoister) askedIn() int {
	n := len(h.loops)
	for n > 0 && !h.loops[n-1].asked {
		n--
	}
	return n
}
