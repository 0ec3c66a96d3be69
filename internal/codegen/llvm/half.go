package llvm

import "github.com/gotaichi/ti/internal/ir"

// Half-precision numbers are 16 bits of an integer to LLVM. Arithmetic widens
// them to single precision and rounds what comes out, with plain operations on
// words: LLVM's half would be calls of functions where the processor lacks the
// conversions, and scalar code in versions before 16 where it has them. Rounding
// a sum, product, quotient or root of single precision once more gives what
// rounding the exact one would, since 24 ≥ 2·11+2 digits.

// isHalf reports whether o computes with half-precision numbers, rather than
// moving their bits about.
func isHalf(o *ir.Op) bool {
	switch o.Code {
	case ir.OpConst, ir.OpConvert, ir.OpBitcast, ir.OpSelect, ir.OpSplat, ir.OpShuffle, ir.OpSlide, ir.OpPack, ir.OpLane:
		return false
	}
	return len(o.Args) > 0 && o.Args[0].Type.Kind == ir.F16
}

// half translates an op whose operands are half-precision numbers.
func (f *function) half(o *ir.Op) string {
	t := o.Args[0].Type
	args := f.uses(o.Args)
	bits := t.With(ir.U16)
	switch o.Code {
	case ir.OpNeg:
		return f.inst("xor %s %s, %s", typ(t), args[0], num(bits, 0x8000))
	case ir.OpAbs:
		return f.inst("and %s %s, %s", typ(t), args[0], num(bits, 0x7fff))
	}
	if len(args) == 2 {
		return f.binaryHalf(o, o.Code, t, args[0], args[1])
	}
	v := f.unary(o, single(t), f.widenHalf(t, args[0]))
	if o.Results[0].Type.Kind == ir.F16 {
		v = f.roundHalf(t, v)
	}
	return v
}

// single is the type of the same lanes of single precision.
func single(t ir.Type) ir.Type { return t.With(ir.F32) }

// binaryHalf computes code, with the flags of o, on two half-precision numbers.
func (f *function) binaryHalf(o *ir.Op, code ir.Code, t ir.Type, a, b string) string {
	s := single(t)
	v := f.binary(o, code, s, s, f.widenHalf(t, a), f.widenHalf(t, b))
	if code.Info().Rule == ir.RuleBool {
		return v
	}
	return f.roundHalf(t, v)
}

// widenHalf converts to single precision. Shifted into place, exponent and
// mantissa are those of a number 2^112 too small, denormal ones too.
func (f *function) widenHalf(t ir.Type, v string) string {
	word, s := t.With(ir.U32), single(t)
	wt, mask := typ(word), typ(t.With(ir.Bool))
	w := f.inst("zext %s %s to %s", typ(t), v, wt)
	sign := f.inst("shl %s %s, %s", wt, f.inst("and %s %s, %s", wt, w, num(word, 0x8000)), num(word, 16))
	low := f.inst("shl %s %s, %s", wt, f.inst("and %s %s, %s", wt, w, num(word, 0x7fff)), num(word, 13))
	scaled := f.inst("fmul %s %s, %s", typ(s), f.inst("bitcast %s %s to %s", wt, low, typ(s)), float(s, 0x1p112))
	finite := f.inst("bitcast %s %s to %s", typ(s), scaled, wt)
	special := f.inst("icmp uge %s %s, %s", wt, low, num(word, 0x7c00<<13))
	infinite := f.inst("or %s %s, %s", wt, low, num(word, 0xff<<23))
	abs := f.inst("select %s %s, %s %s, %s %s", mask, special, wt, infinite, wt, finite)
	return f.inst("bitcast %s %s to %s", wt, f.inst("or %s %s, %s", wt, abs, sign), typ(s))
}

// roundHalf rounds from single precision to the nearest, ties to even. A normal
// result is a shift to the right after adding half of what is cut off, less one
// where the last bit that stays is even; a denormal one is what an addition of
// 1/2, whose last bit is the unit of denormals, leaves in the low bits.
func (f *function) roundHalf(t ir.Type, v string) string {
	word, s := t.With(ir.U32), single(t)
	wt, mask := typ(word), typ(t.With(ir.Bool))
	op := func(name, a string, b int64) string { return f.inst("%s %s %s, %s", name, wt, a, num(word, b)) }
	pick := func(c, a, b string) string { return f.inst("select %s %s, %s %s, %s %s", mask, c, wt, a, wt, b) }

	bits := f.inst("bitcast %s %s to %s", typ(s), v, wt)
	abs := op("and", bits, 0x7fffffff)
	sign := op("lshr", f.inst("xor %s %s, %s", wt, bits, abs), 16)

	even := op("and", op("lshr", abs, 13), 1)
	sum := op("add", abs, 0xfff-(127-15)<<23)
	normal := op("lshr", f.inst("add %s %s, %s", wt, sum, even), 13)

	shifted := f.inst("fadd %s %s, %s", typ(s), f.inst("bitcast %s %s to %s", wt, abs, typ(s)), float(s, 0.5))
	denormal := op("sub", f.inst("bitcast %s %s to %s", typ(s), shifted, wt), 0x3f000000)

	r := pick(op("icmp ult", abs, (127-14)<<23), denormal, normal)
	r = pick(op("icmp uge", abs, (127+16)<<23), num(word, 0x7c00), r)
	r = pick(op("icmp ugt", abs, 0xff<<23), num(word, 0x7e00), r)
	return f.inst("trunc %s %s to %s", wt, f.inst("or %s %s, %s", wt, r, sign), typ(t))
}

// toHalf converts to half precision with a single rounding.
func (f *function) toHalf(from, to ir.Type, v string) string {
	s := single(to)
	switch a := from.Kind; {
	case a == ir.F32:
		return f.roundHalf(to, v)
	case a == ir.F64:
		return f.roundHalf(to, f.oddSingle(from, v))
	case a.Bits() > 16: // beyond 65535 all are infinite, so few digits are needed
		limit := num(from, 1<<17)
		v = f.minMax(ir.OpMin, from, v, limit)
		if a.IsSigned() {
			v = f.minMax(ir.OpMax, from, v, num(from, -1<<17))
		}
		i32 := to.With(ir.I32)
		v = f.convert(from, i32, v)
		from = i32
	}
	return f.roundHalf(to, f.convert(from, s, v))
}

// oddSingle rounds from double to single precision so that the next rounding sees
// on which side the number lay: an inexact result has an odd last bit.
func (f *function) oddSingle(from ir.Type, v string) string {
	s, word := single(from), from.With(ir.U32)
	wt, mask := typ(word), typ(from.With(ir.Bool))
	near := f.inst("fptrunc %s %s to %s", typ(from), v, typ(s))
	back := f.inst("fpext %s %s to %s", typ(s), near, typ(from))
	inexact := f.inst("fcmp one %s %s, %s", typ(from), back, v)
	abs := f.intrinsic(from, "llvm.fabs."+suffix(from), from, v)
	high := f.inst("fcmp ogt %s %s, %s", typ(from), f.intrinsic(from, "llvm.fabs."+suffix(from), from, back), abs)
	bits := f.inst("bitcast %s %s to %s", typ(s), near, wt)
	down := f.inst("sub %s %s, %s", wt, bits, f.inst("zext %s %s to %s", mask, high, wt))
	odd := f.inst("or %s %s, %s", wt, down, f.inst("zext %s %s to %s", mask, inexact, wt))
	return f.inst("bitcast %s %s to %s", wt, odd, typ(s))
}
