package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// numberRecords gives each record the number of its iteration (0 in serial code) as its first operand. Threads run iterations in any
// order, and the host sorts the records by this number.
//
// Input: a kernel's body, whose loops still have the indices of the source. Output: the same with one more operand in each record.
func numberRecords(k *ir.Kernel) {
	var serial *ir.Value
	for _, o := range k.Body.Ops {
		switch {
		case !unit.HasOp(ir.OpRecord, o):
			continue
		case o.IsParallel():
			loopRecords(o)
			continue
		case serial == nil:
			zero := ir.NewOp(ir.OpConst, o.Pos, []ir.Type{ir.Scalar(ir.U64)})
			serial = zero.Results[0]
		}
		prepend([]*ir.Op{o}, serial)
	}
	if serial != nil {
		k.Body.Ops = append([]*ir.Op{serial.Def}, k.Body.Ops...)
	}
}

func loopRecords(loop *ir.Op) {
	body := loop.Regions[0]
	ops := body.Ops
	body.Ops = nil
	b := ir.NewBuilder(body)
	b.Pos = loop.Pos
	number := iterationNumber(b, loop)
	body.Ops = append(body.Ops, ops...)
	prepend(body.Ops, number)
}

// prepend inserts number before the operands of the records among ops and in their regions.
func prepend(ops []*ir.Op, number *ir.Value) {
	analysis.VisitOps(ops, func(o *ir.Op) {
		if o.Code == ir.OpRecord {
			o.Args = append([]*ir.Value{number}, o.Args...)
		}
	})
}
