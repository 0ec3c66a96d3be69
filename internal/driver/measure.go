package driver

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/tally"
)

// measure makes a lowered kernel count what it stores in fields, by name: in components as the layout
// counts them. Where the layout has the fields of counters, they become fields of the kernel.
func measure(k *ir.Kernel, o *Options) {
	comps := map[*ir.Field][]bool{}
	for _, f := range k.Fields {
		all := o.Measure[f.Name]
		if all == nil || f.View != nil {
			continue
		}
		of := make([]bool, len(f.Comps))
		for c := range of {
			n := c
			if f.Host != nil {
				n = f.Host[c]
			}
			of[c] = n < len(all) && all[n]
		}
		comps[f] = of
	}
	k.Measure = ir.NewMeasure(k, comps)
	if o.Layout[tally.Counts].Field != nil && len(k.Measure.Sites) > 0 {
		k.Measure.AddCounters(k)
	}
}
