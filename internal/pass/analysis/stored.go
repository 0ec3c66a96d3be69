package analysis

import "github.com/gotaichi/ti/internal/ir"

// StoredClasses returns the alias classes of stores in o and its regions to fields and slices; all means that any memory may be
// stored to. It is for code with addresses.
func StoredClasses(o *ir.Op) (classes []int32, all bool) {
	ir.Visit(&ir.Block{Ops: []*ir.Op{o}}, func(p *ir.Op) bool {
		switch {
		case p.Code == ir.OpStore || p.Code == ir.OpAtomic:
			all = all || p.Alias == 0
			classes = append(classes, p.Alias)
		case p.Effects().Writes&(ir.Place|ir.Cells|ir.Topology) != 0:
			all = true
		}
		return !all
	})
	return classes, all
}
