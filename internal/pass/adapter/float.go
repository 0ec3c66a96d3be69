package adapter

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/quant"
)

// A shape describes the bits of a floating-point kind.
type shape struct {
	kind         ir.Kind
	uint, int    ir.Kind
	digits, bias int
	largest      uint64 // bits of infinity
}

func shapeOf(k ir.Kind) shape {
	if k == ir.F64 {
		return shape{ir.F64, ir.U64, ir.I64, 52, 1023, 0x7ff << 52}
	}
	return shape{ir.F32, ir.U32, ir.I32, 23, 127, 0xff << 23}
}

// pow2 returns the bits of 2^n, which may be denormal.
func (s shape) pow2(n int) uint64 {
	if s.kind == ir.F64 {
		return math.Float64bits(math.Ldexp(1, n))
	}
	return uint64(math.Float32bits(float32(math.Ldexp(1, n))))
}

// encodeFloat rounds the bits of the number as an integer: a carry out of the digits increments the exponent.
func (e *Emitter) encodeFloat(c *quant.Coder, v, draw *ir.Value) *ir.Value {
	s := shapeOf(c.Kind)
	num := func(n uint64) *ir.Value { return e.num(s.uint, n) }
	inum := func(n uint64) *ir.Value { return e.num(s.int, n) }
	bits := e.Bitcast(e.to(v, s.kind), s.uint)
	sign := num(1 << (s.uint.Bits() - 1))
	u := e.op(ir.OpAnd, bits, e.op(ir.OpNot, sign))
	cut := s.digits - c.Digits
	t := u
	if cut > 0 {
		if c.Stochastic {
			t = e.op(ir.OpAdd, t, e.drawn(draw, s.uint, cut))
		} else {
			odd := e.op(ir.OpAnd, e.op(ir.OpShr, u, e.num(ir.U32, uint64(cut))), num(1))
			t = e.op(ir.OpAdd, t, e.op(ir.OpAdd, odd, num(1<<(cut-1)-1)))
		}
	}
	// Codes have cut extra digits until the shift at the end.
	code, least := e.Bitcast(t, s.int), inum(1<<s.digits)
	if s.bias != c.Bias {
		code = e.op(ir.OpSub, code, inum(uint64(s.bias-c.Bias)<<s.digits))
	}
	code = e.op(ir.OpMin, e.op(ir.OpMax, code, least), inum(c.Max<<cut|ones(int64(cut))))
	zero := e.op(ir.OpGt, u, num(s.largest)) // a NaN
	if c.Stochastic {
		small := e.op(ir.OpLt, u, num(s.pow2(1-c.Bias)))
		part := e.op(ir.OpMul, e.Bitcast(u, s.kind), e.real(s.kind, math.Ldexp(1, c.Bias-1)))
		down := e.op(ir.OpLe, part, e.uniform(draw, s.kind))
		zero = e.op(ir.OpOr, zero, e.op(ir.OpAnd, small, down))
		code = e.pick(small, least, code)
	} else {
		zero = e.op(ir.OpOr, zero, e.op(ir.OpLe, u, num(s.pow2(-c.Bias))))
	}
	result := e.Bitcast(code, s.uint)
	if c.Unsigned {
		zero = e.op(ir.OpOr, zero, e.op(ir.OpNe, e.op(ir.OpAnd, bits, sign), num(0)))
	} else if s.bias == c.Bias { // the sign bit is above the exponent
		result = e.op(ir.OpOr, result, e.op(ir.OpAnd, bits, sign))
	}
	if cut > 0 {
		result = e.op(ir.OpShr, result, e.num(ir.U32, uint64(cut)))
	}
	if !c.Unsigned && s.bias != c.Bias {
		by := e.num(ir.U32, uint64(s.uint.Bits()-1))
		top := e.op(ir.OpShl, e.op(ir.OpShr, bits, by), e.num(ir.U32, uint64(c.Exp+c.Digits)))
		result = e.op(ir.OpOr, result, top)
	}
	return e.Convert(e.pick(zero, num(0), result), e.Word)
}

// drawn returns cut random bits.
func (e *Emitter) drawn(draw *ir.Value, k ir.Kind, cut int) *ir.Value {
	if cut <= 32 {
		if cut < 32 {
			draw = e.op(ir.OpShr, draw, e.num(ir.U32, uint64(32-cut)))
		}
		return e.Convert(draw, k)
	}
	return e.op(ir.OpShl, e.Convert(draw, k), e.num(ir.U32, uint64(cut-32)))
}

func (e *Emitter) decodeFloat(c *quant.Coder, w *ir.Value, at Span, k ir.Kind) *ir.Value {
	s := shapeOf(c.Kind)
	if s.bias == c.Bias && s.uint == e.Word && !c.Unsigned && at.Dynamic == nil {
		return e.decodeCut(c, s, w, at, k)
	}
	num := func(n uint64) *ir.Value { return e.num(s.uint, n) }
	code := e.Convert(e.Extract(w, at), s.uint)
	u := code
	if !c.Unsigned {
		u = e.op(ir.OpAnd, u, num(ones(int64(c.Exp+c.Digits))))
	}
	if c.Max < ones(int64(c.Exp+c.Digits)) {
		u = e.op(ir.OpMin, u, num(c.Max))
	}
	none := e.op(ir.OpLt, u, num(1<<c.Digits))
	if s.bias != c.Bias {
		u = e.op(ir.OpAdd, u, num(uint64(s.bias-c.Bias)<<c.Digits))
	}
	if cut := s.digits - c.Digits; cut > 0 {
		u = e.op(ir.OpShl, u, e.num(ir.U32, uint64(cut)))
	}
	if !c.Unsigned {
		at := c.Exp + c.Digits
		top := e.op(ir.OpShl, e.op(ir.OpShr, code, e.num(ir.U32, uint64(at))), e.num(ir.U32, uint64(s.uint.Bits()-1)))
		u = e.op(ir.OpOr, u, top)
	}
	return e.to(e.Bitcast(e.pick(none, num(0), u), s.kind), k)
}

// decodeCut decodes a float that has the format of the kind but fewer digits: a word with the code in its highest bits is the number,
// once the bits of other codes below are cleared. Zeros and codes that are too large need care.
func (e *Emitter) decodeCut(c *quant.Coder, s shape, w *ir.Value, at Span, k ir.Kind) *ir.Value {
	num := func(n uint64) *ir.Value { return e.num(s.uint, n) }
	exponent := e.op(ir.OpAnd, w, num(ones(int64(c.Exp))<<(at.Shift+int64(c.Digits))))
	none := e.op(ir.OpEq, exponent, num(0))
	if up := e.bits() - at.Shift - at.Bits; up > 0 {
		w = e.op(ir.OpShl, w, e.num(ir.U32, uint64(up)))
	}
	w = e.pick(none, num(0), w) // before the shift, so that the shift uses the mask
	cut, sign := s.digits-c.Digits, uint64(1)<<(s.uint.Bits()-1)
	if at.Shift > 0 {
		w = e.op(ir.OpAnd, w, num(^ones(int64(cut))))
	}
	// As signed integers the positive numbers are the largest, as unsigned integers the negative numbers are.
	u := e.op(ir.OpMin, e.Bitcast(w, s.int), e.num(s.int, c.Max<<cut))
	u = e.op(ir.OpMin, e.Bitcast(u, s.uint), num(sign|c.Max<<cut))
	return e.to(e.Bitcast(u, s.kind), k)
}

// sharing returns the shape for the arithmetic of a group: f32 if all powers of two are normal numbers in it.
func sharing(c *quant.Coder) shape {
	if c.Kind != ir.F64 && c.Exp <= 7 {
		return shapeOf(ir.F32)
	}
	return shapeOf(ir.F64)
}

// scaled returns x times 2^n, for an integer n of the shape. It takes two steps if 2^n may not be a normal number.
func (e *Emitter) scaled(c *quant.Coder, s shape, x, n *ir.Value) *ir.Value {
	pow := func(n *ir.Value) *ir.Value {
		field := e.op(ir.OpAdd, n, e.num(s.int, uint64(s.bias)))
		return e.Bitcast(e.op(ir.OpShl, field, e.num(ir.U32, uint64(s.digits))), s.kind)
	}
	if s.kind == ir.F64 && c.Exp > 10 {
		half := e.op(ir.OpShr, n, e.num(ir.U32, 1))
		return e.op(ir.OpMul, e.op(ir.OpMul, x, pow(half)), pow(e.op(ir.OpSub, n, half)))
	}
	return e.op(ir.OpMul, x, pow(n))
}

// DecodeShared returns the number of kind k whose fraction and exponent are in a word.
func (e *Emitter) DecodeShared(c *quant.Coder, w *ir.Value, fraction, exponent Span, k ir.Kind) *ir.Value {
	s := sharing(c)
	var n *ir.Value
	if c.Unsigned {
		n = e.Extract(w, fraction)
	} else {
		n = e.Signed(w, fraction)
	}
	x := e.to(e.Convert(n, s.int), s.kind)
	exp := e.Convert(e.Extract(w, exponent), s.int)
	return e.to(e.scaled(c, s, x, e.op(ir.OpSub, exp, e.num(s.int, uint64(c.Bias+c.Digits)))), k)
}

// EncodeShared returns the codes of the fractions of numbers, and their common exponent.
func (e *Emitter) EncodeShared(c *quant.Coder, vs []*ir.Value) (codes []*ir.Value, exponent *ir.Value) {
	s := sharing(c)
	zero := e.real(s.kind, 0)
	var xs, as []*ir.Value
	var most *ir.Value
	for _, v := range vs {
		x := e.to(v, s.kind)
		x = e.pick(e.op(ir.OpIsNaN, x), zero, x)
		a := e.op(ir.OpAbs, x)
		if c.Unsigned {
			a = e.pick(e.op(ir.OpGt, x, zero), x, zero)
		}
		top := e.real(s.kind, c.Largest())
		a = e.pick(e.op(ir.OpLt, a, top), a, top)
		if xs, as = append(xs, x), append(as, a); most == nil {
			most = a
		} else {
			most = e.pick(e.op(ir.OpLt, most, a), a, most)
		}
	}
	exp := e.leastExponent(c, s, most)
	by := e.op(ir.OpSub, e.num(s.int, uint64(c.Bias+c.Digits)), exp)
	for i, a := range as {
		n := e.to(e.op(ir.OpRoundEven, e.scaled(c, s, a, by)), s.int)
		n.Def.Flags |= ir.NoWrap
		if !c.Unsigned {
			n = e.pick(e.op(ir.OpLt, xs[i], zero), e.op(ir.OpNeg, n), n)
		}
		code := e.Convert(n, e.Word)
		if !c.Unsigned {
			code = e.op(ir.OpAnd, code, e.num(e.Word, ones(int64(c.Frac))))
		}
		codes = append(codes, code)
	}
	return codes, e.Convert(exp, e.Word)
}

// leastExponent returns the least exponent for which the fraction of most fits.
func (e *Emitter) leastExponent(c *quant.Coder, s shape, most *ir.Value) *ir.Value {
	top, none := e.num(s.int, 1<<c.Exp-1), e.num(s.int, 0)
	field := e.Bitcast(e.op(ir.OpShr, e.Bitcast(most, s.uint), e.num(ir.U32, uint64(s.digits))), s.int)
	exp := e.op(ir.OpAdd, field, e.num(s.int, uint64(c.Bias-s.bias+1))) // most < 2^(field-bias+1)
	if c.Bias >= s.bias {
		exp = e.pick(e.op(ir.OpEq, field, none), none, exp)
	}
	exp = e.op(ir.OpMin, e.op(ir.OpMax, exp, none), top)
	by := e.op(ir.OpSub, e.num(s.int, uint64(c.Bias+c.Digits)), exp)
	n := e.op(ir.OpRoundEven, e.scaled(c, s, most, by))
	over := e.op(ir.OpGt, n, e.real(s.kind, float64(int64(1)<<c.Digits-1)))
	more := e.op(ir.OpMin, e.op(ir.OpAdd, exp, e.num(s.int, 1)), top)
	return e.pick(over, more, exp)
}
