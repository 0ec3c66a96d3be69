package autodiff

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// DropLoads takes loads whose values nothing uses out of an adjoint, and reports whether there were any. Their index checks
// go with them: the launch that is differentiated has made them.
func DropLoads(k *ir.Kernel) bool {
	uses := map[*ir.Value]bool{}
	ir.Visit(k.Body, func(o *ir.Op) bool {
		for _, a := range o.Args {
			uses[a] = true
		}
		return true
	})
	return dropLoads(k.Body, uses)
}

func dropLoads(b *ir.Block, uses map[*ir.Value]bool) (dropped bool) {
	n := len(b.Ops)
	b.Ops = slices.DeleteFunc(b.Ops, func(o *ir.Op) bool { return o.Code == ir.OpLoad && !uses[o.Results[0]] })
	dropped = len(b.Ops) < n
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			dropped = dropLoads(r, uses) || dropped
		}
	}
	return dropped
}
