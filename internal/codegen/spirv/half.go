package spirv

import "github.com/gotaichi/ti/internal/ir"

// A half-precision number is an integer of 16 bits to a module, since few devices compute with such numbers as they are defined. Arithmetic widens it to
// single precision and rounds what comes out. Rounding a sum, product, quotient or root of single precision once more gives what rounding the exact one
// would, since 24 ≥ 2·11+2 digits (S. A. Figueroa: When is double rounding innocuous? SIGNUM Newsletter 30, 1995). The remainder is exact in both.
// Nothing here depends on whether a device keeps subnormal numbers of single precision.

// half translates an op with half-precision operands that computes with them.
func (f *function) half(o *ir.Op) id {
	u16 := f.integer(16)
	v := f.use(o.Args[0])
	switch {
	case o.Code == ir.OpNeg:
		return f.inst(opBitwiseXor, u16, v, f.number(16, 0x8000))
	case o.Code == ir.OpAbs:
		return f.inst(opBitwiseAnd, u16, v, f.number(16, 0x7fff))
	case len(o.Args) == 2:
		return f.binary(o, o.Code, ir.F16, v, f.use(o.Args[1]))
	}
	r := f.unary(o, ir.F32, f.widenHalf(v))
	if o.Results[0].Type.Kind == ir.F16 {
		return f.roundHalf(r)
	}
	return r
}

// widenHalf converts to single precision. A subnormal number is an integer times 2^-24.
func (f *function) widenHalf(v id) id {
	u32, f32, yes := f.integer(32), f.kind(ir.F32), f.kind(ir.Bool)
	w := f.inst(opUConvert, u32, v)
	sign := f.inst(opShiftLeftLogical, u32, f.inst(opBitwiseAnd, u32, w, f.word(0x8000)), f.word(16))
	low := f.inst(opBitwiseAnd, u32, w, f.word(0x7fff))
	moved := f.inst(opShiftLeftLogical, u32, low, f.word(13))
	normal := f.inst(opIAdd, u32, moved, f.word((127-15)<<23))
	special := f.inst(opBitwiseOr, u32, moved, f.word(0xff<<23))
	tiny := f.inst(opFMul, f32, f.inst(opConvertUToF, f32, low), f.real(ir.F32, 0x1p-24))
	f.decorate(tiny, 42) // NoContraction
	r := f.inst(opSelect, u32, f.inst(opUGreaterThanEqual, yes, low, f.word(0x7c00)), special, normal)
	r = f.inst(opSelect, u32, f.inst(opULessThan, yes, low, f.word(0x400)), f.inst(opBitcast, u32, tiny), r)
	return f.inst(opBitcast, f32, f.inst(opBitwiseOr, u32, r, sign))
}

// roundHalf rounds from single precision to the nearest, ties to even. What stays of the significand is shifted to its place after adding half of the
// last bit that stays, less one where that bit is 0. A subnormal result has fewer bits left. A NaN keeps the upper bits of its payload, and is quiet.
func (f *function) roundHalf(v id) id {
	u32, yes := f.integer(32), f.kind(ir.Bool)
	op := func(op uint32, a, b id) id { return f.inst(op, u32, a, b) }
	pick := func(c, a, b id) id { return f.inst(opSelect, u32, c, a, b) }
	// cut is a without its n last bits, rounded.
	cut := func(a, n id) id {
		last := op(opBitwiseAnd, op(opShiftRightLogical, a, n), f.word(1))
		half := op(opISub, op(opShiftLeftLogical, f.word(1), op(opISub, n, f.word(1))), f.word(1))
		return op(opShiftRightLogical, op(opIAdd, op(opIAdd, a, half), last), n)
	}
	bits := f.inst(opBitcast, u32, v)
	abs := op(opBitwiseAnd, bits, f.word(1<<31-1))
	sign := op(opShiftRightLogical, op(opBitwiseXor, bits, abs), f.word(16))

	normal := cut(op(opISub, abs, f.word((127-15)<<23)), f.word(13))
	exponent := op(opShiftRightLogical, abs, f.word(23))
	whole := op(opBitwiseOr, op(opBitwiseAnd, abs, f.word(1<<23-1)), f.word(1<<23))
	// From 25 bits on nothing is left of a significand of 24.
	lost := f.ext(extUMin, u32, op(opISub, f.word(127-1), exponent), f.word(25))
	small := f.inst(opULessThan, yes, abs, f.word((127-14)<<23))
	subnormal := cut(whole, pick(small, lost, f.word(1)))

	r := pick(small, subnormal, normal)
	r = pick(f.inst(opUGreaterThanEqual, yes, abs, f.word((127+16)<<23)), f.word(0x7c00), r)
	payload := op(opBitwiseAnd, op(opShiftRightLogical, abs, f.word(13)), f.word(0x3ff))
	r = pick(f.inst(opUGreaterThan, yes, abs, f.word(0xff<<23)), op(opBitwiseOr, payload, f.word(0x7e00)), r)
	return f.inst(opUConvert, f.integer(16), op(opBitwiseOr, r, sign))
}

// toHalf converts to half precision, and rounds once.
func (f *function) toHalf(from ir.Kind, v id) id {
	switch {
	case from == ir.F64:
		v = f.oddSingle(v)
	case from != ir.F32:
		if from.IsInt() && from.Bits() > 16 { // all beyond 65535 are infinite
			v = f.clamped(from, v, 1<<17)
			from = ir.I32
		}
		v = f.convert(from, ir.F32, v)
	}
	return f.roundHalf(v)
}

// clamped is an integer of 32 or 64 bits as an i32 that is at most limit, and at least -limit.
func (f *function) clamped(k ir.Kind, v id, limit int64) id {
	n := k.Bits()
	v = f.binary(nil, ir.OpMin, k, v, f.number(n, uint64(limit)))
	if k.IsSigned() {
		v = f.binary(nil, ir.OpMax, k, v, f.number(n, uint64(-limit)))
	}
	return f.resized(n, 32, v)
}

// oddSingle rounds from double to single precision so that the next rounding finds on which side the number lay: it is cut off, and an inexact result has an
// odd last bit (Boldo and Melquiond, Emulation of FMA and correctly rounded sums, 2008).
func (f *function) oddSingle(v id) id {
	u32, f32, f64, yes := f.integer(32), f.kind(ir.F32), f.kind(ir.F64), f.kind(ir.Bool)
	near := f.inst(opFConvert, f32, v)
	back := f.inst(opFConvert, f64, near)
	abs, rounded := f.ext(extFAbs, f64, v), f.ext(extFAbs, f64, back)
	high := f.inst(opFOrdGreaterThan, yes, rounded, abs)
	low := f.inst(opFOrdLessThan, yes, rounded, abs)
	bits := f.inst(opBitcast, u32, near)
	down := f.inst(opISub, u32, bits, f.inst(opSelect, u32, high, f.word(1), f.word(0)))
	inexact := f.inst(opLogicalOr, yes, high, low)
	return f.inst(opBitcast, f32, f.inst(opBitwiseOr, u32, down, f.inst(opSelect, u32, inexact, f.word(1), f.word(0))))
}
