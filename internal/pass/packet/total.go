package packet

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of packets that adds up lanes. If all lanes add to one element of a private copy, as the iterations of a
// convolution do to the adjoint of a shared element, the element is updated once with the total of the lanes.

// leastTotal is the fewest iterations of a row for packets that add up lanes. Rows shorter than a vector have short vectors, or idle
// lanes: a convolution has rows of 14.
const leastTotal = 4

// addsUp reports whether an update adds to an element, in any order, and does nothing else.
func (a *packetInfo) addsUp(u *update) bool {
	kind := accessKind(u.store())
	if kind == ir.F16 || !kind.IsNumber() || kind.IsFloat() && a.ordered {
		return false
	}
	sum := u.load().Results[0]
	for _, o := range u.between() {
		adds := o.Code == ir.OpAdd && (o.Args[0] == sum) != (o.Args[1] == sum) || o.Code == ir.OpSub && o.Args[0] == sum && o.Args[1] != sum
		if !adds || o.Flags.Has(ir.Strict) {
			return false
		}
		sum = o.Results[0]
	}
	return u.store().Args[1] == sum && len(u.between()) > 0
}

// addTotal writes an update that adds up lanes, those of mask.
func (p *packer) addTotal(u *update, mask *ir.Value) {
	sum := p.added(u, mask)
	if p.strip == nil || !p.strip.note(p, u.store(), sum, mask) {
		p.addVector(u, p.first(u.store().Args[0]), p.b.OpOf(ir.OpTotal, sum.Type.Elem(), sum), nil)
	}
}

// added returns what an update adds to the elements of lanes, and 0 for lanes that mask excludes.
func (p *packer) added(u *update, mask *ir.Value) *ir.Value {
	kind := accessKind(u.store())
	sum, old := (*ir.Value)(nil), u.load().Results[0]
	for _, o := range u.between() {
		v := o.Args[0]
		if v == old {
			v = o.Args[1]
		}
		v = p.splat(p.value(v))
		switch {
		case sum != nil:
			sum = p.b.Op(o.Code, sum, v)
		case o.Code == ir.OpSub:
			sum = p.b.Op(ir.OpNeg, v)
		default:
			sum = v
		}
		old = o.Results[0]
	}
	if mask != nil {
		none := uint64(0)
		if kind.IsFloat() {
			none = ir.FloatBits(kind, math.Copysign(0, -1))
		}
		sum = p.pick(mask, sum, p.b.Const(ir.Scalar(kind), none))
	}
	return sum
}

// addVector writes the remaining part of updates: it adds v to contiguous elements from a place on, for the lanes of mask.
func (p *packer) addVector(u *update, place, v, mask *ir.Value) {
	before := ir.NewOp(ir.OpLoad, u.load().Pos, []ir.Type{v.Type}, place)
	before.Alias = u.load().Alias
	after := ir.NewOp(ir.OpStore, u.store().Pos, nil, place, v)
	after.Alias = u.store().Alias
	if mask != nil {
		before.Args, after.Args = append(before.Args, mask), append(after.Args, mask)
	}
	after.Args[1] = p.b.Op(ir.OpAdd, p.b.Emit(before), v)
	p.b.Emit(after)
}
