package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// ifConvert replaces an if by selects, and computes both regions. It does so if that is cheaper than an unpredictable branch, or
// if the branch would prevent vectors.
//
// Input and output: any form. Both regions have few ops, all of them pure, so that computing the region that is not taken has no
// effect.
func ifConvert(_ *state, u *unit.Unit) {
	for _, b := range u.Blocks {
		convertIfs(b)
	}
}

// maxSpeculated is the highest cost of regions that are computed although they may not be taken.
const maxSpeculated = 16

func convertIfs(b *ir.Block) {
	ops := b.Ops
	var out []*ir.Op // nil while nothing has changed
	for i, o := range ops {
		for _, r := range o.Regions {
			convertIfs(r)
		}
		if o.Code == ir.OpIf && speculable(o) {
			if out == nil {
				out = append(make([]*ir.Op, 0, len(ops)+8), ops[:i]...)
			}
			out = selects(out, o)
			continue
		}
		if out != nil {
			out = append(out, o)
		}
	}
	if out != nil {
		b.Ops = out
	}
}

// speculable reports whether both regions of an if may be computed.
func speculable(o *ir.Op) bool {
	cost := 0
	for _, r := range o.Regions {
		last := len(r.Ops) - 1
		if r.Ops[last].Code != ir.OpYield {
			return false
		}
		for _, op := range r.Ops[:last] {
			// A proof that an index is in range may depend on the condition.
			if !op.Code.Is(ir.Pure) || op.Code == ir.OpLookup || op.Flags.Has(ir.InBounds) {
				return false
			}
			if cost += price(op); cost > maxSpeculated {
				return false
			}
		}
	}
	return true
}

// price estimates the cost of a pure op, in simple operations.
func price(o *ir.Op) int {
	switch o.Code {
	case ir.OpConst, ir.OpParam, ir.OpLen, ir.OpKey, ir.OpOrdinal, ir.OpPtr, ir.OpElem, ir.OpCell, ir.OpBase, ir.OpArgPtr,
		ir.OpFrame, ir.OpBitcast, ir.OpNeg, ir.OpNot:
		return 0
	case ir.OpDiv, ir.OpSqrt:
		if !o.Args[0].Type.Kind.IsFloat() {
			return 12
		}
		return 6
	case ir.OpRem, ir.OpFloorDiv, ir.OpMod:
		return 12
	case ir.OpCall:
		return 40
	case ir.OpLookup:
		return 4
	}
	if o.Code.Is(ir.Math) {
		return 40
	}
	return 1
}

// selects appends to out the ops of both regions of o, and a select for each
// result. The results keep their identity, so that no use changes.
func selects(out []*ir.Op, o *ir.Op) []*ir.Op {
	var yields [2]*ir.Op
	for i, r := range o.Regions {
		last := len(r.Ops) - 1
		out = append(out, r.Ops[:last]...)
		yields[i] = r.Ops[last]
	}
	for i, r := range o.Results {
		s := &ir.Op{Code: ir.OpSelect, Pos: o.Pos, Args: []*ir.Value{o.Args[0], yields[0].Args[i], yields[1].Args[i]}, Results: []*ir.Value{r}}
		r.Def, r.Index = s, 0
		out = append(out, s)
	}
	return out
}
