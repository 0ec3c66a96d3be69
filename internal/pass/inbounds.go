package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/access"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// inBounds marks places whose indices are proven to be in range.
//
// Input: a task before access lowering. Output: the same with the InBounds flag on such ptr, elem and cell. Later passes rely on
// the flag: a store to such a place certainly takes place, and an unused load from it can be dropped. The proof may depend on
// conditions around the op, so a marked op must not be moved out of them.
func inBounds(t *ir.Task) {
	r := analysis.Analyse(t)
	mark := func(o *ir.Op) bool {
		if o.Code == ir.OpLookup { // access lowering asks for it
			return true
		}
		if _, checks := access.ChecksOf(o); checks != nil && !slices.ContainsFunc(checks, func(c access.AxisCheck) bool { return !access.Proven(r.Operand(o, c.Arg), c) }) {
			o.Flags |= ir.InBounds
		}
		return true
	}
	for _, b := range t.Blocks() {
		ir.Visit(b, mark)
	}
}
