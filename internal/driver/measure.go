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
	if o.Layout[tally.Counts].Field == nil || len(k.Measure.Sites) == 0 {
		return
	}
	counts, ends, sums, exponents := k.Measure.Sizes()
	add := func(name string, kind ir.Kind, n int) *ir.Field {
		f := &ir.Field{Name: name, Index: len(k.Fields), Comps: []ir.Kind{kind}, Shape: []int64{int64(n)}}
		k.Fields = append(k.Fields, f)
		return f
	}
	m := k.Measure
	m.Counts, m.Ends = add(tally.Counts, ir.I64, counts), add(tally.Ends, ir.I64, ends)
	m.Sums, m.Exponents = add(tally.Sums, ir.F64, sums), add(tally.Exponents, ir.I64, exponents)
}
