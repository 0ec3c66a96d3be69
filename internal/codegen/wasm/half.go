package wasm

import "github.com/gotaichi/ti/internal/ir"

// A half-precision number is a word with its 16 bits. Arithmetic widens it to single precision and rounds what comes out. Rounding a sum, product, quotient or
// root of single precision once more gives what rounding the exact one would, since 24 ≥ 2·11+2 digits; the remainder is exact in both.

// half translates an op with half-precision operands that computes with them.
func (f *function) half(o *ir.Op) {
	v := o.Args[0]
	switch {
	case o.Code == ir.OpNeg:
		f.push(v)
		f.word(0x8000)
		f.do("i32.xor")
	case o.Code == ir.OpAbs:
		f.push(v)
		f.word(0x7fff)
		f.do("i32.and")
	case len(o.Args) == 2:
		f.halfBinary(o, o.Code, f.hold(v), f.hold(o.Args[1]))
	default:
		f.push(v)
		f.widenHalf()
		f.unaryOf(o, ir.F32, f32, f32, f.keep(f32))
		if o.Results[0].Type.Kind == ir.F16 {
			f.roundHalf()
		}
	}
}

// halfBinary computes code of two half-precision numbers.
func (f *function) halfBinary(o *ir.Op, code ir.Code, a, b operand) {
	wide := func(x operand) operand {
		f.put(x)
		f.widenHalf()
		return f.keep(f32)
	}
	a, b = wide(a), wide(b)
	if code.Is(ir.Comparison) {
		f.put(a)
		f.put(b)
		f.do(compareName(code, f32, ir.F32))
		return
	}
	f.binary(o, code, ir.F32, f32, a, b)
	f.roundHalf()
}

func (f *function) widenHalf() {
	f.helper("half.widen", signature{[]valType{i32}, []valType{f32}}, func(h *function) {
		h.get(0)
		h.widen(shapes[i32], h.fresh(i32))
	})
}

func (f *function) roundHalf() {
	f.helper("half.round", signature{[]valType{f32}, []valType{i32}}, func(h *function) {
		h.get(0)
		h.narrow(shapes[f32], h.fresh(i32), h.fresh(i32))
	})
}

// A shape is what there is once for a word and a number of single precision, and once for vectors of four of them.
type shape struct {
	word, float string
	toFloat     string // the bits as a number; "" in vectors, which have no type
	toWord      string
	bitwise     string
	vector      bool
}

var shapes = map[valType]shape{
	i32:  {"i32", "f32", "f32.reinterpret_i32", "i32.reinterpret_f32", "i32", false},
	f32:  {"i32", "f32", "f32.reinterpret_i32", "i32.reinterpret_f32", "i32", false},
	v128: {"i32x4", "f32x4", "", "", "v128", true},
}

// shaped puts a number of a shape on the stack, in every lane.
func (f *function) shaped(s shape, n int32) {
	if f.word(n); s.vector {
		f.do("i32x4.splat")
	}
}

// cast takes a number's bits for those of another type.
func (f *function) cast(name string) {
	if name != "" {
		f.do(name)
	}
}

// pick leaves the first of two words on the stack where the condition on top of them is true, or else the second.
func (f *function) pick(s shape) {
	if s.vector {
		f.do("v128.bitselect")
	} else {
		f.do("select")
	}
}

// widen converts to single precision. Shifted into place, exponent and significand are those of a number that is 2^112 too small, subnormal ones too.
func (f *function) widen(s shape, v uint32) {
	f.set(v)
	low := func() {
		f.get(v)
		f.shaped(s, 0x7fff)
		f.do(s.bitwise + ".and")
		f.word(13)
		f.do(s.word + ".shl")
	}
	low()
	f.shaped(s, 0xff<<23)
	f.do(s.bitwise + ".or")
	low()
	f.cast(s.toFloat)
	f.shaped(s, (127+112)<<23)
	f.cast(s.toFloat)
	f.do(s.float + ".mul")
	f.cast(s.toWord)
	low()
	f.shaped(s, 0x7c00<<13)
	f.do(s.word + ".ge_u")
	f.pick(s)
	f.get(v)
	f.shaped(s, 0x8000)
	f.do(s.bitwise + ".and")
	f.word(16)
	f.do(s.word + ".shl")
	f.do(s.bitwise + ".or")
	f.cast(s.toFloat)
}

// narrow rounds from single precision to the nearest, ties to even. A normal result is a shift after adding half of what is cut off, less one where the last
// bit that stays is even. A subnormal one is what an addition of 1/2, whose last bit is the unit of subnormal numbers, leaves in the lower bits.
func (f *function) narrow(s shape, v, abs uint32) {
	constant := func(op string, n int32) {
		f.shaped(s, n)
		f.do(op)
	}
	f.cast(s.toWord)
	f.set(v)
	f.get(v)
	constant(s.bitwise+".and", 0x7fffffff)
	f.set(abs)

	f.shaped(s, 0x7e00) // a NaN
	f.shaped(s, 0x7c00) // infinity
	f.get(abs)
	f.cast(s.toFloat)
	f.shaped(s, (127-1)<<23)
	f.cast(s.toFloat)
	f.do(s.float + ".add")
	f.cast(s.toWord)
	constant(s.word+".sub", (127-1)<<23)

	f.get(abs)
	constant(s.word+".add", 0xfff-(127-15)<<23)
	f.get(abs)
	f.word(13)
	f.do(s.word + ".shr_u")
	constant(s.bitwise+".and", 1)
	f.do(s.word + ".add")
	f.word(13)
	f.do(s.word + ".shr_u")

	f.get(abs)
	constant(s.word+".lt_u", (127-14)<<23)
	f.pick(s)
	f.get(abs)
	constant(s.word+".ge_u", (127+16)<<23)
	f.pick(s)
	f.get(abs)
	constant(s.word+".gt_u", 0xff<<23)
	f.pick(s)

	f.get(v)
	f.word(16)
	f.do(s.word + ".shr_u")
	constant(s.bitwise+".and", 0x8000)
	f.do(s.bitwise + ".or")
}

// toHalf converts to half precision, and rounds once.
func (f *function) toHalf(from ir.Kind, t valType) {
	switch {
	case from == ir.F64:
		f.helper("half.odd", signature{[]valType{f64}, []valType{f32}}, oddSingle)
	case from != ir.F32:
		if from.IsInt() && from.Bits() > 16 { // all beyond 65535 are infinite
			f.clamp(from, t)
			from, t = ir.I32, i32
		}
		f.convert(from, ir.F32, t)
	}
	f.roundHalf()
}

// clamp limits an integer to what has the same half-precision number, or to 2^17, and makes a word of it.
func (f *function) clamp(k ir.Kind, t valType) {
	limit := func(n int64, code ir.Code) {
		v := f.keep(t)
		f.put(v)
		f.number(t, n)
		f.put(v)
		f.number(t, n)
		f.do(compareName(code, t, k))
		f.do("select")
	}
	if limit(1<<17, ir.OpLt); k.IsSigned() {
		limit(-1<<17, ir.OpGt)
	}
	f.cut(t, i32)
}

// oddSingle rounds from double to single precision so that the next rounding finds on which side the number lay: it is cut off, and an inexact result has an odd
// last bit (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
func oddSingle(h *function) {
	near := h.fresh(i32)
	back := func() {
		h.get(near)
		h.do("f32.reinterpret_i32")
		h.do("f64.promote_f32")
	}
	h.get(0)
	h.do("f32.demote_f64")
	h.do("i32.reinterpret_f32")
	h.set(near)
	h.get(near)
	back()
	h.do("f64.abs")
	h.get(0)
	h.do("f64.abs")
	h.do("f64.gt")
	h.do("i32.sub")
	back()
	h.get(0)
	h.do("f64.lt")
	back()
	h.get(0)
	h.do("f64.gt")
	h.do("i32.or")
	h.do("i32.or")
	h.do("f32.reinterpret_i32")
}
