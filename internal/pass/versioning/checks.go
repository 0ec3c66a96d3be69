package versioning

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// Fails reports whether b itself reports an index out of range.
func Fails(b *ir.Block) bool {
	return slices.ContainsFunc(b.Ops, func(o *ir.Op) bool { return o.Code == ir.OpFail })
}

// DropChecks replaces checks anywhere in b by the code that runs if they pass.
func DropChecks(b *ir.Block, checks map[*ir.Op]bool) {
	values := map[*ir.Value]*ir.Value{}
	var drop func(b *ir.Block)
	drop = func(b *ir.Block) {
		ops := make([]*ir.Op, 0, len(b.Ops))
		for _, o := range b.Ops {
			for _, region := range o.Regions {
				drop(region)
			}
			if !checks[o] {
				ops = append(ops, o)
				continue
			}
			passed := o.Regions[0].Ops
			last := len(passed) - 1
			for i, v := range passed[last].Args {
				values[o.Results[i]] = v
			}
			ops = append(ops, passed[:last]...)
		}
		b.Ops = ops
	}
	drop(b)
	ir.Substitute(b, values)
}

// copiesOf returns the copies that c has made of ops.
func copiesOf(ops []*ir.Op, c *ir.Cloner) map[*ir.Op]bool {
	copies := map[*ir.Op]bool{}
	for _, o := range ops {
		copies[c.Ops[o]] = true
	}
	return copies
}
