package mathlib

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// trigLimit is the greatest |x| that quickSubPi and subPi take: the integer n it makes
// stays below 2^15 (f32) and 2^22 (f64), and so the pieces of π are enough.
func (e *emitter) trigLimit() float64 { return e.pick(0x1p15, 0x1p22) }

// halfPiPieces returns π/2 in the pieces that reduction takes.
func (e *emitter) halfPiPieces() []float64 {
	switch {
	case e.is32():
		return halfPi32()
	case e.fma:
		return halfPi64()
	}
	return halfPiShort64()
}

// subPi returns x - nπ/2 as hi + lo. The first step is exact; what rounding takes
// from the others goes into lo.
func (e *emitter) subPi(x, n value) (hi, lo value) {
	p := e.halfPiPieces()
	n = e.neg(n)
	hi = e.exactMad(n, p[0], x)
	lo = e.num(0)
	for _, c := range p[1 : len(p)-1] {
		var prod, err value
		if e.fma || e.is32() {
			prod, err = e.twoProd(n, e.num(c))
			lo = e.add(lo, err)
		} else {
			prod = e.mul(n, e.num(c)) // exact: the pieces are short
		}
		hi, err = e.twoSumAny(hi, prod)
		lo = e.add(lo, err)
	}
	return hi, e.mad(n, e.num(p[len(p)-1]), lo)
}

// exactMad returns n·c + x where that is exact if rounded once. In f32 without
// fused operations the sum is taken in f64.
func (e *emitter) exactMad(n value, c float64, x value) value {
	if e.fma || !e.is32() {
		return e.mad(n, e.num(c), x)
	}
	d := e.in(ir.F64)
	p := d.mul(e.Convert(n, ir.F64), d.num(c))
	return e.Convert(d.add(p, e.Convert(x, ir.F64)), ir.F32)
}

// quickSubPi returns x - nπ/2 in one number, good to an ulp.
func (e *emitter) quickSubPi(x, n value) value {
	n = e.neg(n)
	for _, c := range e.halfPiPieces() {
		x = e.exactMad(n, c, x)
	}
	return x
}

// sin: x = nπ/2 + r with |r| ≤ π/4; by n modulo 4, sin x = ±sin r or ±cos r.
func (e *emitter) sin(x value) value { return e.sinCos(x, 0) }

// cos x is sin (x + π/2).
func (e *emitter) cos(x value) value { return e.sinCos(x, 1) }

// sinCos returns sin(x + quarter·π/2).
func (e *emitter) sinCos(x value, quarter int64) value {
	n, bits := e.nearest(x, 2/math.Pi)
	r := e.quickSubPi(x, n)
	v := e.ifAny(e.gt(e.abs(x), e.num(e.trigLimit())), func() []value {
		r, _, n := e.reduceHuge(x)
		return []value{r, n}
	}, r, bits)
	r, bits = v[0], v[1]
	if quarter != 0 {
		bits = e.add(bits, e.int(quarter))
	}
	z := e.mul(r, r)
	s := e.mad(e.mul(r, z), e.poly(z, sinCoef(e.t.Kind)), r)
	s = e.withSign(s, r) // for -0, which the sum turned into 0
	c := e.mad(z, e.num(-0.5), e.num(1))
	c = e.mad(e.mul(z, z), e.poly(z, cosCoef(e.t.Kind)), c)
	sign := e.and(e.shl(e.Bitcast(bits, e.unsigned()), e.t.Kind.Bits()-2), e.uint(1<<(e.t.Kind.Bits()-1)))
	return e.flip(e.sel(e.isOdd(bits), c, s), sign)
}

// isOdd tests the lowest bit.
func (e *emitter) isOdd(bits value) value {
	return e.ne(e.and(bits, e.int(1)), e.int(0))
}

// tan: x = nπ/2 + r with |r| ≤ π/4; tan x = tan r for even n, else -1/tan r.
// tan r is kept as hi + lo, or the quotient would add up three roundings.
func (e *emitter) tan(x value) value {
	n, bits := e.nearest(x, 2/math.Pi)
	hi, lo := e.subPi(x, n)
	v := e.ifAny(e.gt(e.abs(x), e.num(e.trigLimit())), func() []value {
		h, l, n := e.reduceHuge(x)
		return []value{h, l, n}
	}, hi, lo, bits)
	r, rl, bits := v[0], v[1], v[2]

	z := e.mul(r, r)
	p := e.mul(e.mul(r, z), e.poly(z, tanCoef(e.t.Kind)))
	// tan(r + rl) = tan r + rl (1 + tan² r), nearly
	p = e.add(p, e.mad(rl, z, rl))
	t, tl := e.twoSum(r, p)

	q := e.div(e.num(-1), t)
	// One step of Newton's for -1/(t + tl): q + q(1 + q(t + tl)).
	ph, pl := e.twoProd(q, t)
	rem := e.add(e.add(ph, e.num(1)), e.mad(q, tl, pl))
	q = e.mad(q, rem, q)
	s := e.sel(e.isOdd(bits), q, t)
	return e.sel(e.eq(x, e.num(0)), x, s)
}
