package mathlib

import (
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

// An emitter writes the ops of one function. Its methods have the names of the
// operations; arguments and results are values of the working type, unless said
// otherwise, and conditions are bools of as many lanes.
type emitter struct {
	*ir.Builder
	t   ir.Type // the working type: f32 or f64, any number of lanes
	fma bool    // products are fused with sums: the target has an instruction for it, or strict is set
	lib *Library

	strict bool // results have the same bits on every target
}

// newEmitter returns an emitter to the block of b that works in type t.
func newEmitter(l *Library, b *ir.Builder, t ir.Type, strict bool) *emitter {
	b.Flags = ir.Strict
	return &emitter{Builder: b, t: t, fma: strict || l.Target.Provides(target.FMA), lib: l, strict: strict}
}

// value abbreviates the type in every signature.
type value = *ir.Value

func (e *emitter) is32() bool { return e.t.Kind == ir.F32 }

// in returns an emitter to the same block that works in kind k.
func (e *emitter) in(k ir.Kind) *emitter {
	return &emitter{Builder: e.Builder, t: e.t.With(k), fma: e.fma, lib: e.lib, strict: e.strict}
}

// unsigned and signed are the integer kinds as wide as the working kind.
func (e *emitter) unsigned() ir.Kind { return e.t.Kind.Unsigned() }

func (e *emitter) signed() ir.Kind {
	if e.is32() {
		return ir.I32
	}
	return ir.I64
}

// mantissa is the number of stored bits of the significand, bias that of the
// exponent.
func (e *emitter) mantissa() int {
	if e.is32() {
		return 23
	}
	return 52
}

func (e *emitter) bias() int {
	if e.is32() {
		return 127
	}
	return 1023
}

// pick returns the number that belongs to the working kind.
func (e *emitter) pick(f32, f64 float64) float64 {
	if e.is32() {
		return f32
	}
	return f64
}

func (e *emitter) num(v float64) value { return e.Float(e.t, v) }

// int and uint are constants of the signed and unsigned kinds.
func (e *emitter) int(v int64) value   { return e.Int(e.t.With(e.signed()), v) }
func (e *emitter) uint(v uint64) value { return e.Int(e.t.With(e.unsigned()), int64(v)) }

// toInt and toUint give the bits of a float, toFloat the float with these bits.
func (e *emitter) toInt(v value) value   { return e.Bitcast(v, e.signed()) }
func (e *emitter) toUint(v value) value  { return e.Bitcast(v, e.unsigned()) }
func (e *emitter) toFloat(v value) value { return e.Bitcast(v, e.t.Kind) }

func (e *emitter) add(a, b value) value { return e.Op(ir.OpAdd, a, b) }
func (e *emitter) sub(a, b value) value { return e.Op(ir.OpSub, a, b) }
func (e *emitter) mul(a, b value) value { return e.Op(ir.OpMul, a, b) }
func (e *emitter) div(a, b value) value { return e.Op(ir.OpDiv, a, b) }
func (e *emitter) neg(a value) value    { return e.Op(ir.OpNeg, a) }
func (e *emitter) abs(a value) value    { return e.Op(ir.OpAbs, a) }
func (e *emitter) sqrt(a value) value   { return e.Op(ir.OpSqrt, a) }
func (e *emitter) trunc(a value) value  { return e.Op(ir.OpTrunc, a) }
func (e *emitter) floor(a value) value  { return e.Op(ir.OpFloor, a) }
func (e *emitter) isNaN(a value) value  { return e.Op(ir.OpIsNaN, a) }

func (e *emitter) and(a, b value) value { return e.Op(ir.OpAnd, a, b) }
func (e *emitter) or(a, b value) value  { return e.Op(ir.OpOr, a, b) }
func (e *emitter) xor(a, b value) value { return e.Op(ir.OpXor, a, b) }
func (e *emitter) not(a value) value    { return e.Op(ir.OpNot, a) }
func (e *emitter) eq(a, b value) value  { return e.Op(ir.OpEq, a, b) }
func (e *emitter) ne(a, b value) value  { return e.Op(ir.OpNe, a, b) }
func (e *emitter) lt(a, b value) value  { return e.Op(ir.OpLt, a, b) }
func (e *emitter) gt(a, b value) value  { return e.Op(ir.OpGt, a, b) }

// shl and shr shift by a constant.
func (e *emitter) shl(a value, n int) value { return e.Op(ir.OpShl, a, e.Int(a.Type, int64(n))) }
func (e *emitter) shr(a value, n int) value { return e.Op(ir.OpShr, a, e.Int(a.Type, int64(n))) }

func (e *emitter) sel(c, a, b value) value { return e.Op(ir.OpSelect, c, a, b) }

// atMost and atLeast clamp a to the constant v. They keep a NaN, and become one
// instruction, which ops min and max would not.
func (e *emitter) atMost(a value, v float64) value {
	c := e.num(v)
	return e.sel(e.lt(c, a), c, a)
}

func (e *emitter) atLeast(a value, v float64) value {
	c := e.num(v)
	return e.sel(e.gt(c, a), c, a)
}

// mad returns ab + c, rounded once or twice as the target likes best.
func (e *emitter) mad(a, b, c value) value {
	if e.fma {
		return e.fuse(a, b, c)
	}
	return e.add(e.mul(a, b), c)
}

// fuse returns ab + c, rounded once.
func (e *emitter) fuse(a, b, c value) value {
	switch {
	case e.lib.Target.Provides(target.FMA), e.is32() && e.lib.Target.Provides(target.FusedSingle):
		return e.Op(ir.OpFma, a, b, c)
	case e.is32():
		return e.fused32(a, b, c)
	}
	return e.Call(e.lib.function(key{code: ir.OpFma, t: e.t}), a, b, c)[0]
}

// nmad returns c - ab in the same way.
func (e *emitter) nmad(a, b, c value) value { return e.mad(e.neg(a), b, c) }

// twoSum returns a + b and what rounding took from it; |a| ≥ |b|, or a is 0.
func (e *emitter) twoSum(a, b value) (hi, lo value) {
	hi = e.add(a, b)
	return hi, e.sub(b, e.sub(hi, a))
}

// twoSumAny does the same for a and b in any order.
func (e *emitter) twoSumAny(a, b value) (hi, lo value) {
	hi = e.add(a, b)
	v := e.sub(hi, a)
	return hi, e.add(e.sub(a, e.sub(hi, v)), e.sub(b, v))
}

// twoProd returns ab and what rounding took from it.
func (e *emitter) twoProd(a, b value) (hi, lo value) {
	hi = e.mul(a, b)
	return hi, e.prodErr(a, b, hi)
}

// prodErr returns ab - hi, where hi is near ab, nearly or wholly exact.
func (e *emitter) prodErr(a, b, hi value) value {
	if e.fma {
		return e.fuse(a, b, e.neg(hi))
	}
	if e.is32() { // a product of two f32 is exact in f64
		d := e.in(ir.F64)
		p := d.mul(e.Convert(a, ir.F64), e.Convert(b, ir.F64))
		return e.Convert(d.sub(p, e.Convert(hi, ir.F64)), ir.F32)
	}
	// Dekker: halves of 26 bits have exact products.
	a1, a2 := e.split(a)
	b1, b2 := e.split(b)
	s := e.sub(e.mul(a1, b1), hi)
	s = e.add(s, e.mul(a1, b2))
	s = e.add(s, e.mul(a2, b1))
	return e.add(s, e.mul(a2, b2))
}

// split cuts an f64 into its upper 26 bits and the rest.
func (e *emitter) split(a value) (hi, lo value) {
	hi = e.toFloat(e.and(e.toUint(a), e.uint(0xffff_ffff_f800_0000)))
	return hi, e.sub(a, hi)
}

// poly evaluates the polynomial with coefficients c, lowest first, at z. A long
// one is split in even and odd powers, two chains that run side by side.
func (e *emitter) poly(z value, c []float64) value {
	if len(c) <= 6 {
		return e.horner(z, c)
	}
	var even, odd []float64
	for i, v := range c {
		if i%2 == 0 {
			even = append(even, v)
		} else {
			odd = append(odd, v)
		}
	}
	z2 := e.mul(z, z)
	return e.mad(z, e.horner(z2, odd), e.horner(z2, even))
}

func (e *emitter) horner(z value, c []float64) value {
	s := e.num(c[len(c)-1])
	for i := len(c) - 2; i >= 0; i-- {
		s = e.mad(s, z, e.num(c[i]))
	}
	return s
}

// magic is the number that, added to a smaller one, leaves that rounded to an
// integer in the lowest bits of the sum.
func (e *emitter) magic() float64 { return e.pick(0x1.8p23, 0x1.8p52) }

// nearest rounds a·k to the nearest integer n, for products below 2^21 (f32) or
// 2^50 (f64). bits holds n in its lowest bits; the rest is of no meaning.
func (e *emitter) nearest(a value, k float64) (n, bits value) {
	m := e.num(e.magic())
	t := e.mad(a, e.num(k), m)
	return e.sub(t, m), e.toInt(t)
}

// signBit returns the sign bit of a float, alone.
func (e *emitter) signBit(a value) value {
	return e.and(e.toUint(a), e.uint(1<<(e.t.Kind.Bits()-1)))
}

// flip negates a where the sign bit of bits is set; bits has no other bits.
func (e *emitter) flip(a, bits value) value { return e.toFloat(e.xor(e.toUint(a), bits)) }

// withSign gives a, which is not negative, the sign of x.
func (e *emitter) withSign(a, x value) value {
	return e.toFloat(e.or(e.toUint(a), e.signBit(x)))
}

func (e *emitter) inf() value { return e.num(math.Inf(1)) }
func (e *emitter) nan() value { return e.num(math.NaN()) }

// ifAny runs then where some lane of c is true and takes its results in those
// lanes, vs elsewhere. It is a branch that is seldom taken.
func (e *emitter) ifAny(c value, then func() []value, vs ...value) []value {
	cond, types := c, make([]ir.Type, len(vs))
	if e.t.Lanes > 1 {
		cond = e.OpOf(ir.OpAny, ir.Scalar(ir.Bool), c)
	}
	for i, v := range vs {
		types[i] = v.Type
	}
	return e.If(cond, types, func() {
		rare := slices.Clone(then()) // it may be the results of a call
		for i, v := range vs {
			rare[i] = e.sel(c, rare[i], v)
		}
		e.Yield(rare...)
	}, func() { e.Yield(vs...) })
}
