package mathlib

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// mod and floorDiv of floats are defined by the exact quotient. With q = ⌊a/b⌋,
//
//	mod(a, b)      is a - qb, rounded once. It has the sign of b, also if it is 0, and is never b itself:
//	               what would be rounded to b is the number before it.
//	floorDiv(a, b) is q, rounded once. Beyond 2^24 (f64: 2^53) it is a/b, rounded.
//
// Where b is infinite, q is -1 if the signs differ, or else 0, and mod is b or a. Where b is 0, a infinite or one
// of them a NaN, mod is a NaN and floorDiv is a/b.
//
// The quotient that is divided out is rounded. It may be an integer that the exact one has not reached; then the
// rest is negative.

// mod works with the signs of both turned so that b is positive. Any integer q for which the rest a - qb, rounded, lies
// in [0, b) is the right one: for |a| ≥ b such a rest is a multiple of the last place of b, and so it was exact. What
// is left over are quotients of many digits, a rest that was rounded to b, and what is no number.
func (e *emitter) mod(a, b value) value {
	sign := e.signBit(b)
	n, d := e.flip(a, sign), e.abs(b)
	r := e.rest(n, e.floor(e.div(n, d)), d)
	r = e.sel(e.lt(r, e.num(0)), e.add(r, d), r)
	within := e.lt(e.toUint(r), e.toUint(d)) // r is a NaN, or negative, if not
	r = e.ifAny(e.not(within), func() []value { return e.Call(e.lib.modSlow(e.t), n, d) }, r)[0]
	r.Def.Flags |= ir.Seldom
	return e.flip(r, sign)
}

// modHalf is mod of two f16 that have been converted.
func (e *emitter) modHalf(a, b value) value {
	r := e.mod(a, b)
	// The f16 before b is the greatest result, since what follows it would be rounded to b.
	d := e.abs(b)
	before := e.Bitcast(e.sub(e.Bitcast(e.Convert(d, ir.F16), ir.U16), e.in(ir.U16).uint(1)), ir.F16)
	most := e.sel(e.lt(d, e.inf()), e.Convert(before, ir.F32), d)
	size := e.abs(r)
	return e.withSign(e.sel(e.lt(most, size), most, size), r)
}

// modSlow returns the function that computes mod for the arguments n and d ≥ 0 that mod leaves it.
func (l *Library) modSlow(t ir.Type) *ir.Func {
	return l.make(key{code: ir.OpRem, t: t}, func() *ir.Func {
		f := &ir.Func{Name: "ti.mod.slow." + t.String(), Params: []ir.Type{t, t}, Results: []ir.Type{t}, Body: &ir.Block{}}
		e := newEmitter(l, ir.NewBuilder(f.Body), t, false)
		n, d := f.Body.AddParam(t, "x"), f.Body.AddParam(t, "y")
		r := e.Op(ir.OpRem, n, d) // exact, with the sign of n
		r = e.sel(e.lt(r, e.num(0)), e.add(r, d), r)
		before := e.toFloat(e.sub(e.toUint(d), e.uint(1)))
		r = e.sel(e.and(e.eq(r, d), e.lt(d, e.inf())), before, r)
		e.Return(e.abs(r)) // -0 is 0 with the wrong sign
		if t.Lanes > 1 {
			f.Scalar = l.modSlow(t.Elem())
		}
		return f
	})
}

// rest returns n - qd for an integer q near n/d. It is rounded once, and exact if it is a multiple of the last place of d, not
// far greater than d.
func (e *emitter) rest(n, q, d value) value {
	switch {
	case e.fma:
		return e.nmad(q, d, n)
	case e.is32(): // a product of two f32 is exact in f64
		w := e.in(ir.F64)
		p := w.mul(e.Convert(q, ir.F64), e.Convert(d, ir.F64))
		return e.Convert(w.sub(e.Convert(n, ir.F64), p), ir.F32)
	}
	// Both parts of the product are multiples of the last place of d, and n is so near to it that their difference is exact.
	hi, lo := e.exactProd(q, d)
	return e.sub(e.sub(n, hi), lo)
}

// floorDiv takes 1 from the rounded quotient where the rest is negative. A quotient that is rounded to -0 is one of those.
func (e *emitter) floorDiv(a, b value) value {
	q := e.floor(e.div(a, b))
	sign := e.signBit(b)
	n, d := e.flip(a, sign), e.atMost(e.abs(b), e.pick(math.MaxFloat32, math.MaxFloat64)) // so that no product is a NaN
	if !e.fma && !e.is32() {
		// Near the largest numbers the product would overflow. A d that this makes denormal is too small to matter.
		scale := e.sel(e.gt(e.abs(n), e.num(0x1p1000)), e.num(0x1p-60), e.num(1))
		n, d = e.mul(n, scale), e.mul(d, scale)
	}
	few := e.not(e.gt(e.abs(q), e.num(math.Ldexp(1, e.mantissa()+1))))
	down := e.and(few, e.lt(e.rest(n, q, d), e.num(0)))
	return e.sel(down, e.sub(q, e.num(1)), q)
}
