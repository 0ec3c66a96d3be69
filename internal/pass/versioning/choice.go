package versioning

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// Choice returns the if that is the whole iteration of t, if its condition is the same in all iterations; otherwise nil. Interior
// writes such an if, whose first region is the version without checks.
func Choice(t *ir.Task) *ir.Op {
	o := t.Body.Ops[0]
	if o.Code != ir.OpIf || len(o.Results) > 0 || len(t.Body.Ops) != 2 || slices.Contains(t.Body.Params, o.Args[0]) {
		return nil
	}
	return o
}
