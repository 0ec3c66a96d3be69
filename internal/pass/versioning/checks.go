package versioning

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// Fails reports whether b itself ends in the report of an index out of range.
func Fails(b *ir.Block) bool {
	return slices.ContainsFunc(b.Ops, func(o *ir.Op) bool { return o.Code == ir.OpFail })
}

// DropChecks puts what is behind the checks, anywhere in b, in their place.
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

// copiesOf is the set of the copies that c has made.
func copiesOf(ops []*ir.Op, c *ir.Cloner) map[*ir.Op]bool {
	copies := map[*ir.Op]bool{}
	for _, o := range ops {
		copies[c.Ops[o]] = true
	}
	return copies
}
