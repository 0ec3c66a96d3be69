package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// This file is the part of hoist for blocks of sparse trees. If a loop makes a block in its first iteration, hoist makes it before
// the loop, so that the body has neither a branch nor a call, and LLVM can vectorise it. This requires that the loop runs at least
// once, and that no earlier op of the body tests whether a block exists. Loads before the activation get the same values: an
// absent block reads as zeros, including bits of masks and lengths of lists, and so does a new one.

// runs reports whether a loop has at least one iteration.
func runs(loop *ir.Op) bool {
	if loop.Code != ir.OpFor {
		return false
	}
	lo, ok1 := ir.IntOf(loop.Args[0])
	hi, ok2 := ir.IntOf(loop.Args[1])
	return ok1 && ok2 && lo < hi
}

// testedBlocks returns the blocks whose existence the code tests. Any use of a block but as a place counts as a test.
func testedBlocks(u *unit.Unit) map[*ir.Value]bool {
	tested := map[*ir.Value]bool{}
	for _, b := range u.Blocks {
		ir.Visit(b, func(o *ir.Op) bool {
			switch o.Code {
			case ir.OpOffset, ir.OpLoad, ir.OpStore, ir.OpAtomic, ir.OpFollow, ir.OpGrow, ir.OpBlockPtr:
				return true
			}
			for _, a := range o.Args {
				if a.Type.Kind == ir.Ptr || a.Type.Kind == ir.BlockRef {
					tested[a] = true
				}
			}
			return true
		})
	}
	return tested
}

// ask notes whether o, which is not hoisted, tests whether a block exists.
func (h *hoister) ask(o *ir.Op) {
	asks := (o.Code == ir.OpFollow || o.Code == ir.OpFind) && h.tested[o.Results[0]]
	for i := len(h.loops) - 1; asks && i >= 0 && !h.loops[i].asked; i-- {
		h.loops[i].asked = true
	}
}

// askedIn returns the number of loops around the innermost one that is known to test for a block.
func (h *hoister) askedIn() int {
	n := len(h.loops)
	for n > 0 && !h.loops[n-1].asked {
		n--
	}
	return n
}
