package access

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// rowMask appends the load of a row of a mask.
func (a *accessor) rowMask(b *ir.Builder, o *ir.Op) *ir.Value {
	cells := a.lay.Cells(o.Field)
	w := a.descend(b, cells.Tree, cells.Steps, o.Args, o.Field.Origin)
	at, bit := a.word(b, w, len(w.steps)-1, a.read(b, w, nil), nil)
	u64 := ir.Scalar(ir.U64)
	word := b.Load(u64, at)
	word.Def.Alias = analysis.TopologyClass(a.k)
	if o.Aux == unit.WordCells {
		return word
	}
	return b.Op(ir.OpAnd, b.Op(ir.OpShr, word, bit), b.Const(u64, 1<<o.Aux-1))
}
