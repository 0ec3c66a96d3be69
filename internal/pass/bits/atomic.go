package bits

import (
	"math/bits"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
)

// atomicOp appends an update of the lanes' elements, or of one place by all lanes.
func (w *evaluator) atomicOp(o *ir.Op, mask plane) {
	place := o.Args[0].Def
	if place == nil {
		stop(o.Pos, note.BitsOther, "atomic "+o.Atomic.String())
	}
	if isAccess(o) {
		if s := w.spot(o); s != nil {
			w.updateBits(o, s, mask)
			return
		}
	}
	if !w.areUniform(place.Args) {
		w.v.stopPlain(o)
	}
	if isUsed(w.v.body, o.Results[0]) {
		stop(o.Pos, note.OldValueUsed)
	}
	w.gather(o, mask)
}

// isUsed reports whether some op of b has v as an operand.
func isUsed(b *ir.Block, v *ir.Value) bool {
	used := false
	ir.Visit(b, func(o *ir.Op) bool {
		used = used || slices.Contains(o.Args, v)
		return !used
	})
	return used
}

// updateBits appends an update of the element of each lane.
func (w *evaluator) updateBits(o *ir.Op, s *spot, mask plane) {
	k := s.array.field.Comps[s.array.comp]
	old := fromPlane(w.read(o, s, mask))
	w.values[o.Results[0]] = value{number: old}
	x := w.numberOf(o, w.of(o.Args[1]), k)
	var n *number
	switch o.Atomic {
	case ir.AtomicAdd:
		n = w.add(old, x)
	case ir.AtomicSub:
		n = w.sub(old, x)
	case ir.AtomicMul:
		n = w.mul(old, x)
	case ir.AtomicMin:
		n = w.choose(w.less(old, x), old, x)
	case ir.AtomicMax:
		n = w.choose(w.less(old, x), x, old)
	case ir.AtomicAnd, ir.AtomicLAnd:
		n = w.common(old, x)
	case ir.AtomicOr, ir.AtomicLOr:
		n = w.bitwise(old, x, w.or)
	case ir.AtomicXor:
		n = w.bitwise(old, x, w.xor)
	case ir.AtomicXchg:
		n = x
	default:
		stop(o.Pos, note.BitsOther, "atomic "+o.Atomic.String())
	}
	if n == nil || o.Atomic == ir.AtomicMul && w.logic.kept(k, n) != n {
		stop(o.Pos, note.BitsLarge)
	}
	w.write(o, s, w.code(o, s, value{number: n}), mask)
}

// gather appends an update of one place by all lanes of mask: a sum becomes a sum of population counts.
func (w *evaluator) gather(o *ir.Op, mask plane) {
	k := o.Results[0].Type.Kind
	x := w.of(o.Args[1])
	if k.IsFloat() {
		stop(o.Pos, note.BitsFloat)
	}
	var by *ir.Value
	switch o.Atomic {
	case ir.AtomicAdd, ir.AtomicSub:
		by = w.sumOf(o, x, k, mask)
	case ir.AtomicOr, ir.AtomicLOr, ir.AtomicAnd, ir.AtomicLAnd:
		if k != ir.Bool {
			stop(o.Pos, note.BitsOther, "atomic "+o.Atomic.String())
		}
		p := w.planeOf(o, x)
		if o.Atomic == ir.AtomicOr || o.Atomic == ir.AtomicLOr {
			by = w.some(w.and(mask, p))
		} else {
			by = w.Op(ir.OpNot, w.some(w.and(mask, w.not(p))))
		}
	default:
		stop(o.Pos, note.BitsOther, "atomic "+o.Atomic.String())
	}
	place := w.of(o.Args[0]).uniform
	pos := o.Pos
	w.updates = append(w.updates, func() {
		update := func() {
			w.Pos = pos
			w.Atomic(o.Atomic, place, by).Def.Flags |= o.Flags
		}
		if d := place.Def; d.Code == ir.OpCell || mask == w.active && !w.careful {
			update()
			return
		}
		w.If(w.some(mask), nil, func() { update(); w.Yield() }, func() { w.Yield() })
	})
}

// sumOf appends the sum of an integer of kind k over the lanes of mask.
func (w *evaluator) sumOf(o *ir.Op, x value, k ir.Kind, mask plane) *ir.Value {
	t := ir.Scalar(k)
	if x.uniform != nil {
		return w.Op(ir.OpMul, x.uniform, w.population(w.and(mask, w.pattern(^uint64(0)>>(64-w.v.lanes))), k))
	}
	n := w.numberOf(o, x, k)
	var sum *ir.Value
	for i, p := range w.extended(n, n.width()) {
		if p = w.and(p, mask); p == none {
			continue
		}
		part := w.population(p, k)
		if i > 0 {
			part = w.Op(ir.OpMul, part, w.Const(t, ir.IntBits(k, 1<<i)))
		}
		switch {
		case sum == nil && n.lo < 0 && i == n.width()-1:
			sum = w.Op(ir.OpNeg, part)
		case sum == nil:
			sum = part
		case n.lo < 0 && i == n.width()-1: // the sign bit has a negative weight
			sum = w.Op(ir.OpSub, sum, part)
		default:
			sum = w.Op(ir.OpAdd, sum, part)
		}
	}
	if sum == nil {
		sum = w.Const(t, 0)
	}
	return sum
}

// population appends the number of lanes in a plane, as a number of kind k.
func (w *evaluator) population(p plane, k ir.Kind) *ir.Value {
	if c, ok := ir.ConstOf(w.word(p)); ok {
		return w.Int(ir.Scalar(k), int64(bits.OnesCount64(c&(^uint64(0)>>(64-w.kind.Bits())))))
	}
	return w.Convert(w.Op(ir.OpPopcount, p.v), k)
}
