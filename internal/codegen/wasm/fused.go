package wasm

import "github.com/gotaichi/ti/internal/ir"

// A fused product ab + c of f32 is rounded once. In f64 the product is exact, and the sum s is rounded; that s is then rounded to f32 makes a difference only if s lies
// halfway between two f32. In that case, which is rare, s gets an odd last bit where it is not exact, as package mathlib computes all fused products for targets without
// an instruction: then the second rounding sees on which side of the middle the sum lies.
//
// Of normal numbers, s lies halfway if its last bits, of which an f32 has no more, are a one and zeros. Results that are denormal, or border on it, are taken for such.

const (
	fusedRest   = 1<<29 - 1 // bits of an f64 behind those of an f32
	fusedMiddle = 1 << 28
	leastNormal = 0x1p-126
)

// fusedVector translates a fused product of vectors.
func (f *function) fusedVector(o *ir.Op) {
	r := o.Results[0]
	n := int(r.Type.Lanes)
	var x [3]lanes // in f64
	for i, v := range o.Args {
		v = f.resolve(v)
		for j, w := range o.Args[:i] {
			if f.resolve(w) == v && v.Type.Lanes > 1 && !f.isConstant(v) {
				x[i] = x[j]
				f.pending = append(f.pending, func() { f.used(v) })
				break
			}
		}
		if x[i].size == 0 {
			x[i] = f.promoted(v, n)
		}
	}
	product := f.temporary(n, 8, func(i int) { f.pair("f64x2.mul", x[0], x[1], i) })
	sum := f.temporary(n, 8, func(i int) { f.pair("f64x2.add", product, x[2], i) })
	result := f.takeParts(partsOf(n, 4))
	round := func(sum lanes) {
		for i, l := range result {
			f.joinHalves(sum, i, n, "f32x4.demote_f64x2_zero")
			f.set(l)
		}
	}
	round(sum)
	f.join(partsOf(n, 8), "v128.or", func(i int) {
		f.putPart(sum, i)
		f.bytes(fill(ir.U64, fusedRest, 8))
		f.do("v128.and")
		f.bytes(fill(ir.U64, fusedMiddle, 8))
		f.do("i64x2.eq")
	})
	middle := f.keep(v128)
	f.put(middle)
	for _, l := range result {
		f.get(l)
		f.bytes(fill(ir.U32, 1<<31-1, 4))
		f.do("v128.and")
		f.bytes(fill(ir.F32, ir.FloatBits(ir.F32, leastNormal), 4))
		f.do("f32x4.le")
		f.do("v128.or")
	}
	f.do("v128.any_true")
	f.when(func() {
		f.put(middle) // or is any number denormal that is not zero?
		f.join(partsOf(n, 8), "v128.or", func(i int) {
			f.putPart(sum, i)
			f.do("f64x2.abs")
			f.bytes(fill(ir.F64, ir.FloatBits(ir.F64, leastNormal), 8))
			f.do("f64x2.lt")
			f.compareZero("f64x2.ne", sum, i)
			f.do("v128.and")
		})
		f.do("v128.or")
		f.do("v128.any_true")
		f.when(func() {
			round(f.temporary(n, 8, func(i int) { f.oddPart(product, x[2], sum, i) }))
		})
	})
	f.at(r, result...)
}

// promoted are the lanes of a vector of f32 as f64.
func (f *function) promoted(v *ir.Value, n int) lanes {
	if o := f.constantOf(v); o != nil {
		bits := ir.FloatBits(ir.F64, ir.FloatValue(ir.F32, o.Bits))
		f.bytes(fill(ir.F64, bits, 8))
		return lanes{locals: []uint32{f.temp(v128)}, size: 8}
	}
	x := f.holdLanes(v)
	if len(x.locals) == 1 && partsOf(n, 4) > 1 { // one part for all
		n = 2
	}
	return f.temporary(n, 8, func(i int) { f.spreadPart(x, i, "f64x2.promote_low_f32x4") })
}

// join puts n parts on the stack, joined by an instruction.
func (f *function) join(n int, name string, part func(i int)) {
	for i := range n {
		if part(i); i > 0 {
			f.do(name)
		}
	}
}

// takeParts takes locals for parts.
func (f *function) takeParts(n int) []uint32 {
	locals := make([]uint32, n)
	for i := range locals {
		locals[i] = f.take(v128)
	}
	return locals
}

// oddPart puts part i of a sum on the stack, rounded to odd.
func (f *function) oddPart(a, b, sum lanes, i int) {
	f.pair("f64x2.sub", sum, a, i)
	v := lanes{locals: []uint32{f.temp(v128)}, size: 8}
	f.putPart(a, i)
	f.pair("f64x2.sub", sum, v, i)
	f.do("f64x2.sub")
	f.pair("f64x2.sub", b, v, i)
	f.do("f64x2.add")
	lost := lanes{locals: []uint32{f.temp(v128)}, size: 8}
	f.putPart(lost, i)
	f.do("f64x2.abs")
	f.bytes([16]byte{})
	f.do("f64x2.gt") // not if an operand is infinite
	f.bytes(fill(ir.U64, 1, 8))
	f.do("v128.and")
	one := lanes{locals: []uint32{f.temp(v128)}, size: 8}
	f.putPart(sum, i) // where what was lost has another sign, the sum was rounded away from zero
	f.pair("v128.xor", sum, lost, i)
	f.word(63)
	f.do("i64x2.shr_u")
	f.putPart(one, i)
	f.do("v128.and")
	f.do("i64x2.sub")
	f.putPart(one, i)
	f.do("v128.or")
}

// fused translates a fused product of numbers.
func (f *function) fused(o *ir.Op) {
	var x [3]operand
	for i, v := range o.Args {
		f.push(v)
		f.do("f64.promote_f32")
		x[i] = f.keep(f64)
	}
	f.put(x[0])
	f.put(x[1])
	f.do("f64.mul")
	product := f.keep(f64)
	f.put(product)
	f.put(x[2])
	f.do("f64.add")
	sum := f.keep(f64)
	f.put(sum)
	f.do("i64.reinterpret_f64")
	f.long(fusedRest)
	f.do("i64.and")
	f.long(fusedMiddle)
	f.do("i64.eq")
	f.put(sum)
	f.do("f64.abs")
	f.float(f64, leastNormal)
	f.do("f64.lt")
	f.do("i32.or")
	f.when(func() {
		f.put(sum)
		f.put(product)
		f.do("f64.sub")
		v := f.keep(f64)
		f.put(product)
		f.put(sum)
		f.put(v)
		f.do("f64.sub")
		f.do("f64.sub")
		f.put(x[2])
		f.put(v)
		f.do("f64.sub")
		f.do("f64.add")
		lost := f.keep(f64)
		f.put(lost)
		f.do("f64.abs")
		f.float(f64, 0)
		f.do("f64.gt")
		f.do("i64.extend_i32_u")
		one := f.keep(i64)
		f.put(sum)
		f.do("i64.reinterpret_f64")
		f.put(sum)
		f.do("i64.reinterpret_f64")
		f.put(lost)
		f.do("i64.reinterpret_f64")
		f.do("i64.xor")
		f.long(63)
		f.do("i64.shr_u")
		f.put(one)
		f.do("i64.and")
		f.do("i64.sub")
		f.put(one)
		f.do("i64.or")
		f.do("f64.reinterpret_i64")
		f.set(sum.local)
	})
	f.put(sum)
	f.do("f32.demote_f64")
}
