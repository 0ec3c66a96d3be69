package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// numberRecords gives each record the number of the iteration that it belongs to,
// 0 in serial code, as its first operand: threads run iterations in any order, and
// the host puts what they record in the order of the source.
//
// Input: a kernel's body. Output: the same with one operand more in each record. It
// runs while loops still have the indices of the source.
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

// prepend puts number in front of the operands of the records among ops, at any
// depth.
func prepend(ops []*ir.Op, number *ir.Value) {
	analysis.VisitOps(ops, func(o *ir.Op) {
		if o.Code == ir.OpRecord {
			o.Args = append([]*ir.Value{number}, o.Args...)
		}
	})
}
