package wasm

import "github.com/gotaichi/ti/internal/ir"

// A fused product ab + c of f32 is rounded once. In f64 the product is exact, and the sum s is rounded; that s is then rounded to f32 makes a difference only if s lies
// halfway between two f32. In that case, which is rare, s gets an odd last bit where it is not exact, as package mathlib computes all fused products for targets without
// an instruction: then the second rounding sees on which side of the middle the sum lies.
//
// Of normal numbers, s lies halfway if its last bits, of which an f32 has no more, are a one and zeros. A denormal f32 has fewer bits, so that other s lie halfway too.
// But an s of that size is inexact only if some bit of ab is less than 2^-179, so ab less than 2^-131, and then c, unless it is 0, is less than 2^-125.

const (
	fusedRest   = 1<<29 - 1 // bits of an f64 behind those of an f32
	fusedMiddle = 1 << 28
	leastNormal = 0x1p-126
)

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
