package pass

import "github.com/gotaichi/ti/internal/ir"

// numberRecords gives each record the number of the iteration that it belongs to,
// 0 in serial code, as its first operand: threads run iterations in any order, and
// the host puts what they record in the order of the source.
//
// Input: a kernel's body. Output: the same with one operand more in each record. It
// runs while loops still have the indices of the source.
func numberRecords(k *ir.Kernel) {
	var serial *ir.Value
	for _, o := range k.Body.Ops {
		if isParallel(o) {
			if records(o.Regions[0]) {
				loopRecords(o)
			}
			continue
		}
		if serial == nil && records(&ir.Block{Ops: []*ir.Op{o}}) {
			zero := ir.NewOp(ir.OpConst, o.Pos, []ir.Type{ir.Scalar(ir.U64)})
			serial = zero.Results[0]
		}
		if serial != nil {
			prepend(&ir.Block{Ops: []*ir.Op{o}}, serial)
		}
	}
	if serial != nil {
		k.Body.Ops = append([]*ir.Op{serial.Def}, k.Body.Ops...)
	}
}

// records reports whether b has a record.
func records(b *ir.Block) bool {
	found := false
	ir.Walk(b, func(o *ir.Op) bool {
		found = found || o.Code == ir.OpRecord
		return !found
	})
	return found
}

func loopRecords(loop *ir.Op) {
	body := loop.Regions[0]
	ops := body.Ops
	body.Ops = nil
	b := ir.NewBuilder(body)
	b.Pos = loop.Pos
	number := iterationNumber(b, loop)
	body.Ops = append(body.Ops, ops...)
	prepend(body, number)
}

// prepend puts number in front of the operands of the records of b.
func prepend(b *ir.Block, number *ir.Value) {
	ir.Walk(b, func(o *ir.Op) bool {
		if o.Code == ir.OpRecord {
			o.Args = append([]*ir.Value{number}, o.Args...)
		}
		return true
	})
}
