package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// independent marks tasks whose iterations never access memory again after storing to it.
//
// Input: a task with addresses, at the end of the pipeline. Output: the same, with Independent set if that is proved, and the flag
// Dependent on the inner loops for which it is not proved: LLVM before version 17 reorders the accesses of such a loop although
// nothing was promised (llvm/llvm-project#63602).
//
// The rules of the language make the iterations of a parallel loop independent of each
// other. LLVM's metadata for this is llvm.loop.parallel_accesses, but LLVM assumes more:
// its vectoriser (InterleavedAccessInfo) takes the accesses within one iteration as
// independent too. It then hoists a load of a struct's member to the first load of the
// struct, past a conditional store to that member. It only hoists loads and only sinks
// stores. So a load followed by a store to the same place is safe; a store followed by
// any access to the same place is not.
func independent(t *ir.Task, opts *Options) {
	first := 0
	if t.Prologue != nil {
		first = ir.NumberBlock(t.Prologue, 0)
	}
	ir.NumberBlock(t.Body, first)
	r := analysis.RangesOf(t, opts.Without)
	if len(t.Dims) > 0 {
		t.Independent = !analysis.AccessesAgain(t.Body, r, false) && !(len(t.Lists) > 0 && t.Threads == 1) // a serial loop over cells runs in the order of the list
	}
	for _, b := range t.Blocks() {
		markDependent(b, func(body *ir.Block) bool {
			return analysis.AccessesAgain(body, r, true)
		})
	}
}

// independentAll marks all tasks. Nothing is known of the loops of functions that LLVM does not inline.
func independentAll(s *state) {
	for _, fn := range s.k.Funcs {
		markDependent(fn.Body, func(*ir.Block) bool { return true })
	}
	for _, t := range s.k.Tasks {
		independent(t, s.opts)
	}
}

// markDependent sets the flag Dependent on innermost loops in b that store, and for whose bodies found reports a second access to
// such memory.
func markDependent(b *ir.Block, found func(body *ir.Block) bool) {
	ir.Visit(b, func(o *ir.Op) bool {
		if o.Code != ir.OpFor { // any other loop polls, and so is not vectorised
			return true
		}
		body := o.Regions[0]
		if innermost(body) && unit.HasOp(ir.OpStore, body.Ops...) && found(body) {
			o.Flags |= ir.Dependent
		}
		return true
	})
}

// innermost reports whether there is no loop in b.
func innermost(b *ir.Block) bool {
	inner := true
	ir.Visit(b, func(o *ir.Op) bool {
		inner = inner && !o.Code.Is(ir.Loop)
		return inner
	})
	return inner
}
