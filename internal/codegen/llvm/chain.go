package llvm

import "github.com/gotaichi/ti/internal/ir"

// Chains that a processor works on at once where it has enough of them, and the size of
// a body beside which they count.
const (
	chainsAtOnce = 4
	smallBody    = 48
)

// interleaved returns how many vectors of iterations of t's loop should be computed at
// once, or 1 to let LLVM decide. An iteration that is little more than a function whose
// ops wait for one another, such as that of random numbers, leaves most of the processor
// idle. LLVM counts registers only, of which the constants of such a function take many;
// they can just as well be read from memory.
func (m *module) interleaved(t *ir.Task) int {
	ops, calls := 0, 0
	ir.Visit(t.Body, func(o *ir.Op) bool {
		if o.Code != ir.OpConst {
			ops++
		}
		if o.Code == ir.OpFor || o.Code == ir.OpLoop {
			ops += smallBody
		}
		if o.Code == ir.OpCall && isChain(o.Func) {
			calls++
		}
		return ops <= smallBody
	})
	if ops > smallBody || calls == 0 {
		return 1
	}
	return max(chainsAtOnce/calls, 1)
}

// isChain reports whether f is straight code of integers in which one op waits for another
// most of the time, and for long. Functions of maths keep more values at once, and LLVM
// calls them in vectors of a length of their own.
func isChain(f *ir.Func) bool {
	const long = 32
	depth, deepest, ops := map[*ir.Value]int{}, 0, 0
	for _, o := range f.Body.Ops {
		if len(o.Regions) > 0 || len(o.Results) > 0 && !o.Results[0].Type.Kind.IsInt() {
			return false
		}
		if len(o.Results) == 0 || o.Code == ir.OpConst {
			continue
		}
		ops++
		d := 0
		for _, a := range o.Args {
			d = max(d, depth[a])
		}
		for _, r := range o.Results {
			depth[r] = d + 1
		}
		deepest = max(deepest, d+1)
	}
	return deepest >= long && 2*deepest >= ops
}
