package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// ranges marks integer arithmetic that cannot wrap, and decides comparisons.
//
// Input: a task before access lowering. Output: the same, with NoWrap on every add, sub, mul and neg whose exact result is proved to
// fit, and constants instead of comparisons of integers whose result is proved. Access lowering uses the same analysis to drop
// index checks.
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
