package versioning

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// Choice returns the if that is all that an iteration of t does, if it goes the same way in all iterations; nil otherwise. interior
// writes it, with a body that has no checks first.
func Choice(t *ir.Task) *ir.Op {
	o := t.Body.Ops[0]
	if o.Code != ir.OpIf || len(o.Results) > 0 || len(t.Body.Ops) != 2 || slices.Contains(t.Body.Params, o.Args[0]) {
		return nil
	}
	return o
}
