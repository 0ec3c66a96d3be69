package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// ranges marks integer arithmetic that cannot wrap, and decides comparisons.
//
// Input: a task with accesses not yet lowered. Output: the same, with NoWrap on
// every add, sub, mul and neg whose exact result is proven to fit, and a constant in
// the place of each comparison of integers whose outcome is known. Access
// lowering asks the same analysis which index checks are needless.
func ranges(t *ir.Task) {
	r := analysis.Analyse(t)
	for _, b := range t.Blocks() {
		ir.Visit(b, func(o *ir.Op) bool {
			if r.Exact[o] {
				o.Flags |= ir.NoWrap
			}
			if analysis.IsComparison(o) {
				if x := r.Get(o.Results[0]); x.Lo == x.Hi {
					o.Code, o.Args, o.Flags, o.Bits = ir.OpConst, nil, 0, uint64(x.Lo)
				}
			}
			return true
		})
	}
}
