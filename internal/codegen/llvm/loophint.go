package llvm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// loopHint is the metadata of a loop. Where its iterations are independent it becomes
// vectors, even if it is short: LLVM would take that for a reason to unroll it.
func (f *function) loopHint(o *ir.Op) string {
	properties := f.loopProperties(o)
	if f.m.unrollsVectors() && !slices.ContainsFunc(properties, func(p string) bool { return strings.Contains(p, ".unroll.") }) {
		properties = append(properties, fewVectors)
	}
	if f.m.branchesInCall(o.Regions[0]) && !slices.ContainsFunc(properties, func(p string) bool { return strings.Contains(p, ".interleave.") }) {
		properties = append(properties, oneVector)
	}
	if len(properties) == 0 {
		return ""
	}
	return f.loopNode(properties...)
}

// loopProperties are those of a loop that LLVM is to heed.
func (f *function) loopProperties(o *ir.Op) []string {
	switch {
	case o.Flags.Has(ir.Rolled):
		return []string{`!"llvm.loop.unroll.disable"`, `!"llvm.loop.vectorize.enable", i1 false`}
	case o.Flags.Has(ir.Dependent) && f.m.reorders():
		return []string{`!"llvm.loop.vectorize.enable", i1 false`}
	case o.Flags.Has(ir.Scattered):
		// Two vectors at once: more reads to wait for, and not yet more values than registers.
		width := fmt.Sprintf(`!"llvm.loop.vectorize.width", i32 %d`, f.vectorWidth(o))
		return []string{`!"llvm.loop.vectorize.enable", i1 true`, width, `!"llvm.loop.interleave.count", i32 2`}
	case o.Flags.Has(ir.Independent):
		width := fmt.Sprintf(`!"llvm.loop.vectorize.width", i32 %d`, f.vectorWidth(o))
		return []string{`!"llvm.loop.unroll.disable"`, `!"llvm.loop.vectorize.enable", i1 true`, width}
	}
	switch {
	case holdsLong(o):
		return []string{`!"llvm.loop.vectorize.enable", i1 false`}
	case isSum(o):
		return []string{`!"llvm.loop.unroll.disable"`}
	}
	return f.unrollHint(o)
}

// unrollsVectors reports whether LLVM unrolls loops of unknown length that it has made vectors of already, several
// vectors at once. For Zen 3 it does so eight times: five times the code for nothing. Since version 18 it leaves such
// loops alone by itself. Loops of scalars gain from it: a histogram takes a quarter longer without.
func (m *module) unrollsVectors() bool { return m.opts.Version > 0 && m.opts.Version < 18 }

// fewVectors is the property of a loop that is not unrolled once it is one of vectors, unless its length is known.
const fewVectors = `!"llvm.loop.vectorize.followup_vectorized", !{!"llvm.loop.isvectorized", i32 1}, !{!"llvm.loop.unroll.runtime.disable"}`

// oneVector is the property of a loop whose vectors are computed one after the other, not several side by side.
const oneVector = `!"llvm.loop.interleave.count", i32 1`

// branchesInCall reports whether b calls a function with lane variants that seldom takes a branch. LLVM takes such a call
// for one instruction, and would take several vectors at once. Since the function is inlined later, each of them would
// spill its results and constants around the branch of the next.
func (m *module) branchesInCall(b *ir.Block) (found bool) {
	seldom := func(o *ir.Op) bool { return o.Flags.Has(ir.Seldom) }
	ir.Visit(b, func(o *ir.Op) bool {
		found = found || o.Code == ir.OpCall && len(m.variants[o.Func]) > 0 && slices.ContainsFunc(o.Func.Body.Ops, seldom)
		return !found
	})
	return found
}

// isSum reports whether o adds up floats, in any order, in at least as many iterations as LLVM makes vectors of. LLVM would
// unroll those of little code first, and leave a chain of additions each of which waits for the one before.
func isSum(o *ir.Op) bool {
	lo, ok1 := ir.IntOf(o.Args[0])
	hi, ok2 := ir.IntOf(o.Args[1])
	if !ok1 || !ok2 || hi-lo < 16 || hi-lo > 128 {
		return false
	}
	body, sums := o.Regions[0], false
	for i, p := range body.Params[1:] {
		next := body.Terminator().Args[i].Def
		sums = sums || p.Type.Kind.IsFloat() && next != nil && next.Code == ir.OpAdd && !next.Flags.Has(ir.Strict) && slices.Contains(next.Args, p)
	}
	for _, p := range body.Ops {
		if len(p.Regions) > 0 || p.Code == ir.OpStore || p.Code == ir.OpAtomic || p.Code == ir.OpCall {
			return false
		}
	}
	return sums
}

// holdsLong reports whether o holds a loop of a known, not small, amount of code. LLVM may unroll that whole, take o for an
// innermost loop and make vectors of it: thousands of single reads in one block, which it then needs seconds for.
func holdsLong(o *ir.Op) (found bool) {
	const much = 256
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		if p.Code == ir.OpFor {
			lo, ok1 := ir.IntOf(p.Args[0])
			hi, ok2 := ir.IntOf(p.Args[1])
			found = found || ok1 && ok2 && (hi-lo)*int64(p.Regions[0].Size()) > much
		}
		return !found
	})
	return found
}

// vectorWidth is how many iterations of a loop a vector should hold: as many as fill a
// register with most of the numbers in the body. LLVM would go by the widest of them,
// such as the sum in double precision of what is computed in single precision. Vectors
// wider than the loop is long would be none.
func (f *function) vectorWidth(o *ir.Op) int {
	var count [9]int
	ir.Visit(o.Regions[0], func(o *ir.Op) bool {
		for _, r := range o.Results {
			if r.Type.Kind.IsFloat() || o.Code == ir.OpLoad && r.Type.Kind.IsInt() {
				count[r.Type.Kind.Size()]++
			}
		}
		return true
	})
	size := 4
	if count[8] > count[4] {
		size = 8
	}
	width := int64(max(f.m.opts.VectorBits/8/size, 1))
	lo, ok1 := ir.IntOf(o.Args[0])
	hi, ok2 := ir.IntOf(o.Args[1])
	for ok1 && ok2 && width > max(hi-lo, 1) {
		width /= 2
	}
	return int(width)
}

// loopNode is the metadata of a loop with properties.
func (f *function) loopNode(properties ...string) string {
	var nodes []string
	for _, p := range properties {
		nodes = append(nodes, f.m.node("!{"+p+"}"))
	}
	self := fmt.Sprintf("!%d", f.m.nodes)
	return ", !llvm.loop " + f.m.node(fmt.Sprintf("distinct !{%s, %s}", self, strings.Join(nodes, ", ")))
}

// unrollHint are the properties of a loop over the cells of a row in the interior of a
// small block. LLVM makes no vectors of loops of fewer than 16 iterations, but finds
// them in the code of an unrolled one. Longer ones stay loops where the task prefetches:
// processors foresee where an instruction that is run again and again accesses memory
// next, but not that one of many does.
func (f *function) unrollHint(o *ir.Op) []string {
	const most, small = 15, 60
	lo, ok1 := ir.IntOf(o.Args[0])
	hi, ok2 := ir.IntOf(o.Args[1])
	if !ok1 || !ok2 || f.task == nil || len(f.task.Lists) == 0 || hi-lo < 2 || hi-lo > most && !f.ahead || o.Regions[0].Size() > small {
		return nil
	}
	inner := false
	ir.Visit(o.Regions[0], func(o *ir.Op) bool {
		inner = inner || o.Code.Is(ir.Loop)
		return true
	})
	if inner {
		return nil
	}
	if hi-lo > most {
		return []string{`!"llvm.loop.unroll.disable"`}
	}
	return []string{`!"llvm.loop.unroll.full"`}
}
