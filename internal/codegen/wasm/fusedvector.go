package wasm

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
)

// The ops of a group of fused products are translated as if no sum lay halfway, and all sums are tested at once. If one does, a function tells whether one of them is not
// exact. As a rule all are: what is left of a number that cancels has few digits. Else another function computes the group again, with sums rounded to odd. Both are
// functions since an engine keeps fewer values in registers, also where nothing is to be done again, if that stands between the ops. A value in f64 is kept for the
// other products of its group, and a sum that only these take is never put together as f32.

// A double is an operand in f64. Its parts are made when they are first used.
type double struct {
	lanes
	from  lanes // in f32
	ready int   // how many parts are made
	made  bool  // by the group
}

// A fusedHow says what is done with sums.
type fusedHow int

const (
	sumsNearest fusedHow = iota // note those that lie halfway
	sumsTested                  // note those that lie halfway and are not exact
	sumsOdd                     // round them to odd
)

// A fusing is a group under translation.
type fusing struct {
	*function
	g            *fusedGroup
	n            int // lanes
	how          fusedHow
	doubles      map[*ir.Value]*double
	rest, middle lanes
	suspect      *operand // all bits of the lanes that lie halfway; nil for none
}

func (f *function) fusing(g *fusedGroup, how fusedHow) *fusing {
	u := &fusing{function: f, g: g, n: int(g.ops[0].Results[0].Type.Lanes), how: how, doubles: map[*ir.Value]*double{}}
	if how != sumsOdd {
		u.rest = u.words(^uint64(fusedRest))
		u.middle = u.words((^uint64(fusedRest) | fusedMiddle) & (1<<32 - 1))
	}
	return u
}

// fusedVectors translates a group.
func (f *function) fusedVectors(g *fusedGroup) {
	u := f.fusing(g, sumsNearest)
	for _, o := range g.ops {
		u.op(o)
	}
	u.any()
	f.when(u.again)
}

// any puts on the stack whether there is a lane that was noted.
func (u *fusing) any() {
	u.put(*u.suspect)
	u.do("v128.any_true")
}

// op translates an op of the group.
func (u *fusing) op(o *ir.Op) {
	if isFusedVector(o) {
		u.product(o)
	} else {
		u.arithmeticVector(o)
	}
}

// again computes the results of the group another time if a sum that lies halfway is not exact.
func (u *fusing) again() {
	from, to := u.inputs(), u.outputs()
	call := func(results []valType, how fusedHow) {
		for _, v := range from {
			for _, l := range u.places[v].locals {
				u.get(l)
			}
		}
		u.invokeNumber(u.outside(signature{u.partTypes(from), results}, from, to, how))
	}
	call([]valType{i32}, sumsTested)
	u.when(func() {
		call(u.partTypes(to), sumsOdd)
		for i := len(to) - 1; i >= 0; i-- {
			locals := u.places[to[i]].locals
			for j := len(locals) - 1; j >= 0; j-- {
				u.set(locals[j])
			}
		}
	})
}

// outside makes a function that computes the group for the values that come from outside of it, unless there is one with the same code, and returns its number.
func (u *fusing) outside(s signature, from, to []*ir.Value, how fusedHow) int {
	n := u.declare("fused", s)
	h := u.newFunction(u.plan, s.params, s.results)
	next := uint32(0)
	for _, v := range from {
		var locals []uint32
		for range u.places[v].locals {
			locals = append(locals, next)
			next++
		}
		h.pin(v, locals...)
	}
	inner := h.fusing(u.g, how)
	for _, o := range u.g.ops {
		inner.op(o)
	}
	if how == sumsTested {
		inner.any()
	} else {
		for _, r := range to {
			for _, l := range h.places[r].locals {
				h.get(l)
			}
		}
	}
	h.finish(n)
	c := u.functions[n]
	key := fmt.Sprint("fused", c.signature, c.locals, string(c.code))
	if same, ok := u.helpers[key]; ok && n == len(u.functions)-1 {
		u.functions = u.functions[:n]
		return same
	}
	u.helpers[key] = n
	return n
}

// inputs are the values from outside of the group.
func (u *fusing) inputs() (from []*ir.Value) {
	known := map[*ir.Value]bool{}
	for _, o := range u.g.ops {
		uses := o.Args
		if isFusedVector(o) {
			uses = u.fusedUses(o)
		}
		for _, v := range uses {
			if v = u.resolve(v); !known[v] && !u.isConstant(v) {
				from = append(from, v)
			}
			known[v] = true
		}
		known[o.Results[0]] = true
	}
	return from
}

// outputs are the results that ops outside of the group use.
func (u *fusing) outputs() (to []*ir.Value) {
	for _, o := range u.g.ops {
		if r := o.Results[0]; u.uses[r] > u.g.within[r] {
			to = append(to, r)
		}
	}
	return to
}

// partTypes are the types of the parts of values.
func (u *fusing) partTypes(vs []*ir.Value) (types []valType) {
	for _, v := range vs {
		for range u.places[v].locals {
			types = append(types, v128)
		}
	}
	return types
}

// words is a constant in all lanes, read once.
func (f *function) words(bits uint64) lanes {
	f.bytes(fill(ir.U64, bits, 8))
	return lanes{locals: []uint32{f.temp(v128)}, size: 8}
}

// product translates a fused product.
func (u *fusing) product(o *ir.Op) {
	x := u.productOf(o)
	a, b, c := u.double(x.a), u.double(x.b), u.double(x.c)
	to := u.destination(o.Results[0])
	sum := func(i int) {
		switch {
		case u.how == sumsOdd:
			u.oddSum(x, a, b, c, i)
		case x.minus:
			u.putDouble(c, i)
			u.multiply(a, b, i)
			u.do("f64x2.sub")
		default:
			u.multiply(a, b, i)
			u.putDouble(c, i)
			u.do(map[bool]string{false: "f64x2.add", true: "f64x2.sub"}[x.less])
		}
	}
	u.round(to, sum, func(sum uint32, i int) {
		u.halfway(sum)
		switch {
		case u.how == sumsTested:
			u.halfwayTiny(sum)
			u.do("v128.or")
			u.inexact(x, a, b, c, sum, i)
			u.do("v128.and")
		case c.made: // a rest, most of which cancels
			u.cancels(sum, c, i)
			u.do("v128.andnot")
		}
	})
	if u.how == sumsNearest && !u.isNeverTiny(x.c, 0) {
		u.tiny(x.c)
	}
}

// A rounded is where a result goes: its parts as f32, as f64, or both.
type rounded struct{ single, double []uint32 }

// destination takes locals for a result, as its users want it.
func (u *fusing) destination(r *ir.Value) (to rounded) {
	products, others := 0, u.uses[r]-u.g.within[r]
	for _, o := range u.g.ops {
		if !isFusedVector(o) {
			for _, v := range o.Args {
				if u.resolve(v) == r {
					others++
				}
			}
			continue
		}
		for i, v := range u.fusedUses(o) {
			if v == r {
				products++
				if i == 2 && !u.isNeverTiny(r, 0) { // which is tested as f32
					others++
				}
			}
		}
	}
	if products > 0 {
		to.double = u.takeParts(partsOf(u.n, 8))
		u.doubles[r] = &double{lanes: lanes{locals: to.double, size: 8}, ready: len(to.double), made: true}
	}
	if others > 0 {
		to.single = u.takeParts(partsOf(u.n, 4))
		u.at(r, to.single...)
	}
	return to
}

// round rounds sums, of which one puts a part on the stack, to f32, and notes the lanes that another puts a mask of on the stack, unless sums are rounded to odd. All is done with four lanes before the next ones: an engine has no registers for more.
func (u *fusing) round(to rounded, sum func(i int), note func(sum uint32, i int)) {
	parts := partsOf(u.n, 8)
	for first := 0; first < parts; first += 2 {
		half := lanes{size: 8}
		for i := first; i < min(first+2, parts); i++ {
			if sum(i); u.how != sumsOdd {
				l := u.keep(v128).local
				note(l, i)
				u.suspicious()
				u.get(l)
			}
			u.do("f32x4.demote_f64x2_zero")
			half.locals = append(half.locals, u.keep(v128).local)
		}
		if to.single != nil {
			u.joinHalves(half, 0, perPart(8)*len(half.locals), "")
			u.set(to.single[first/2])
		}
		for i, l := range half.locals {
			if to.double != nil {
				u.get(l)
				u.do("f64x2.promote_low_f32x4")
				u.set(to.double[first+i])
			}
		}
	}
}

// halfway puts a mask of the lanes of a sum that lie halfway on the stack. It has bits in words, half of a lane.
func (u *fusing) halfway(sum uint32) {
	u.get(sum)
	u.putPart(u.rest, 0)
	u.do("v128.or")
	u.putPart(u.middle, 0)
	u.do("i32x4.eq")
}

// halfwayTiny puts a mask of the lanes of a sum on the stack that lie halfway between two denormal numbers of f32: as far from one as half of the least number.
func (u *fusing) halfwayTiny(sum uint32) {
	u.get(sum)
	u.get(sum)
	u.do("f32x4.demote_f64x2_zero")
	u.do("f64x2.promote_low_f32x4")
	u.do("f64x2.sub")
	u.do("f64x2.abs")
	u.bytes(fill(ir.F64, ir.FloatBits(ir.F64, 0x1p-150), 8))
	u.do("f64x2.eq")
}

// cancels puts a mask of the lanes on the stack where a sum is no more than half of what the product was added to. Such a sum is exact.
func (u *fusing) cancels(sum uint32, c *double, i int) {
	positive := func() {
		u.bytes(fill(ir.U64, 1<<63-1, 8))
		u.do("v128.and")
	}
	u.get(sum)
	u.get(sum)
	u.do("f64x2.add")
	positive()
	u.putDouble(c, i)
	positive()
	u.do("f64x2.le")
}

// inexact puts a mask of the lanes on the stack where part i of a sum is not exact: one of the two cannot be taken off again.
func (u *fusing) inexact(x fusedSum, a, b, c *double, sum uint32, i int) {
	u.addends(x, a, b, c, i)
	second, first := u.keep(v128), u.keep(v128)
	for k, pair := range [][2]operand{{first, second}, {second, first}} {
		u.get(sum)
		u.put(pair[0])
		u.do("f64x2.sub")
		u.put(pair[1])
		if u.do("f64x2.ne"); k > 0 {
			u.do("v128.or")
		}
	}
}

// multiply puts a part of a product on the stack.
func (u *fusing) multiply(a, b *double, i int) {
	u.putDouble(a, i)
	u.putDouble(b, i)
	u.do("f64x2.mul")
}

// suspicious notes the mask on the stack.
func (u *fusing) suspicious() {
	if u.suspect != nil {
		u.put(*u.suspect)
		u.do("v128.or")
	}
	x := u.keep(v128)
	u.suspect = &x
}

// tiny notes the lanes that are less than 2^-125 and not 0: those whose bits, without the sign, less 1 are less than others.
func (u *fusing) tiny(v *ir.Value) {
	c := u.lanesOf(v)
	for i := range partsOf(u.n, 4) {
		if i > 0 && len(c.locals) <= 1 {
			break // all parts are equal
		}
		u.pair("i32x4.add", c, c, i)
		u.bytes(fill(ir.U32, 1<<31-1, 4))
		u.do("i32x4.add")
		u.bytes(fill(ir.U32, 1<<31+0x02000000-1, 4))
		u.do("i32x4.lt_s")
		u.suspicious()
	}
}

// lanesOf are the lanes of an operand whose use is counted elsewhere.
func (u *fusing) lanesOf(v *ir.Value) lanes {
	if p, ok := u.places[v]; ok && v.Type.Lanes > 1 {
		return lanes{locals: p.locals, size: 4}
	}
	return u.holdLanes(v)
}

// double is an operand in f64.
func (u *fusing) double(v *ir.Value) *double {
	if o := u.constantOf(v); o != nil {
		return &double{lanes: u.words(ir.FloatBits(ir.F64, ir.FloatValue(ir.F32, o.Bits))), ready: 1}
	}
	if _, ok := u.places[v]; ok {
		u.pending = append(u.pending, func() { u.used(v) })
	}
	d := u.doubles[v]
	if d == nil {
		from, n := u.lanesOf(v), u.n
		if len(from.locals) == 1 && partsOf(n, 4) > 1 { // one part for all
			n = perPart(8)
		}
		d = &double{lanes: lanes{locals: u.takeParts(partsOf(n, 8)), size: 8}, from: from}
		u.pending = append(u.pending, func() { u.give(d.locals...) })
		u.doubles[v] = d
	}
	return d
}

// putDouble puts a part of an operand on the stack.
func (u *fusing) putDouble(d *double, i int) {
	for ; d.ready <= i && d.ready < len(d.locals); d.ready++ {
		u.spreadPart(d.from, d.ready, "f64x2.promote_low_f32x4")
		u.set(d.locals[d.ready])
	}
	u.putPart(d.lanes, i)
}

// takeParts takes locals for parts.
func (f *function) takeParts(n int) []uint32 {
	locals := make([]uint32, n)
	for i := range locals {
		locals[i] = f.take(v128)
	}
	return locals
}

// addends puts the product and what is added to it on the stack.
func (u *fusing) addends(x fusedSum, a, b, c *double, i int) {
	if u.multiply(a, b, i); x.minus {
		u.do("f64x2.neg")
	}
	if u.putDouble(c, i); x.less {
		u.do("f64x2.neg")
	}
}

// oddSum puts part i of a sum on the stack, rounded to odd.
func (u *fusing) oddSum(x fusedSum, a, b, c *double, i int) {
	u.addends(x, a, b, c, i)
	u.helper("fused.odd", signature{[]valType{v128, v128}, []valType{v128}}, (*function).addOdd)
}

// addOdd is the function that adds its parameters, and rounds the sums to odd.
func (h *function) addOdd() {
	a, b, sum, v, lost, one := uint32(0), uint32(1), h.fresh(v128), h.fresh(v128), h.fresh(v128), h.fresh(v128)
	apply := func(name string, x, y uint32) {
		h.get(x)
		h.get(y)
		h.do(name)
	}
	apply("f64x2.add", a, b)
	h.set(sum)
	apply("f64x2.sub", sum, a)
	h.set(v)
	h.get(a)
	apply("f64x2.sub", sum, v)
	h.do("f64x2.sub")
	apply("f64x2.sub", b, v)
	h.do("f64x2.add")
	h.set(lost)
	h.get(lost)
	h.do("f64x2.abs")
	h.bytes([16]byte{})
	h.do("f64x2.gt") // not if an operand is infinite
	h.bytes(fill(ir.U64, 1, 8))
	h.do("v128.and")
	h.set(one)
	h.get(sum) // where what was lost has another sign, the sum was rounded away from zero
	apply("v128.xor", sum, lost)
	h.word(63)
	h.do("i64x2.shr_u")
	h.get(one)
	h.do("v128.and")
	h.do("i64x2.sub")
	h.get(one)
	h.do("v128.or")
}
