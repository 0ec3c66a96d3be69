package mathlib

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// pow is 2 or e to the power y log |x|, with the product kept to more digits than
// the result has, and then the special cases of IEEE 754 put in.
func (e *emitter) pow(x, y value) value {
	a := e.abs(x)
	var r value
	if e.is32() {
		r = e.pow32(a, y)
	} else {
		r = e.pow64(a, y)
	}
	zero, one, inf := e.num(0), e.num(1), e.inf()
	// |x| is 0 or infinite: so is the result, the same or the other.
	same := e.ne(e.gt(a, one), e.lt(y, zero))
	edge := e.or(e.eq(a, zero), e.eq(a, inf))
	r = e.sel(edge, e.sel(same, inf, zero), r)
	r = e.sel(e.or(e.isNaN(x), e.isNaN(y)), e.nan(), r)
	r = e.sel(e.or(e.eq(a, one), e.eq(y, zero)), one, r)
	// A negative x needs an integer y, and an odd one makes the result negative.
	whole := e.eq(e.trunc(y), y)
	half := e.mul(y, e.num(0.5))
	odd := e.and(whole, e.ne(e.trunc(half), half))
	r = e.sel(odd, e.toFloat(e.xor(e.toUint(r), e.signBit(x))), r)
	bad := e.and(e.and(e.lt(x, zero), e.gt(x, e.num(math.Inf(-1)))), e.not(whole))
	r = e.sel(bad, e.nan(), r)
	if e.strict {
		r = e.easyPowers(x, y, r)
	}
	return r
}

// easyPowers replaces r where y is 1, 2, -1 or ½: the compiler does so where it knows such an exponent, and under strict
// maths an exponent that is read must give the same bits.
func (e *emitter) easyPowers(x, y, r value) value {
	is := func(v float64) value { return e.eq(y, e.num(v)) }
	r = e.sel(is(1), x, r)
	r = e.sel(is(2), e.mul(x, x), r)
	r = e.sel(is(-1), e.div(e.num(1), x), r)
	// The square root, but for -0, which gives 0, and -inf, which gives inf.
	root := e.sel(e.eq(x, e.num(math.Inf(-1))), e.inf(), e.abs(e.sqrt(x)))
	return e.sel(is(0.5), root, r)
}

// pow32 computes the logarithm and the product to more digits than f32 has, and the power
// of two in f32. Without fused multiply-add the digits are those of f64.
func (e *emitter) pow32(a, y value) value {
	if !e.fma {
		return e.pow32wide(a, y)
	}
	const most = 0x1p64 // of y, so that no product overflows
	y = e.atLeast(e.atMost(y, most), -most)
	lh, ll := e.log2Pair32(a)
	ph := e.mul(y, lh)
	pl := e.mad(y, ll, e.prodErr(y, lh, ph))
	// Beyond these the result is 0 or infinite anyway.
	c := e.atLeast(e.atMost(ph, 129), -151)
	pl = e.sel(e.eq(c, ph), pl, e.num(0))
	k, n := e.nearestPower(c, 1)
	return e.scale(e.exp2Core(e.add(e.sub(c, k), pl)), n)
}

// log2Pair32 returns log₂ a = hi + lo for a positive f32, good to 2^-36 of itself: with
// a = m 2^n and s = (m-1)/(m+1), that is n + s (C + z (C/3 + z·polynomial)), where z = s² and
// C = 2/ln 2; all but the polynomial is in two pieces.
func (e *emitter) log2Pair32(a value) (hi, lo value) {
	m, n := e.decompose(a, math.Sqrt2/2)
	f := e.sub(m, e.num(1)) // exact, as is den + denLo = m + 1
	den, denLo := e.twoSum(e.num(2), f)
	inv := e.div(e.num(1), den)
	s := e.mul(f, inv)
	sl := e.mul(e.nmad(s, denLo, e.nmad(s, den, f)), inv)
	z := e.mul(s, s)
	zl := e.mad(e.add(s, s), sl, e.prodErr(s, s, z))

	third, lead := twoThirdsLog2e32(), twoLog2e32()
	tail := e.horner(z, powLog2TailCoef(e.t.Kind))
	qh := e.mad(z, tail, e.num(third[0]))
	ql := e.add(e.mad(z, tail, e.sub(e.num(third[0]), qh)), e.num(third[1]))
	wh := e.mul(z, qh)
	wl := e.mad(z, ql, e.mad(zl, qh, e.prodErr(z, qh, wh)))
	ch, cl := e.twoSum(e.num(lead[0]), wh)
	cl = e.add(cl, e.add(wl, e.num(lead[1])))
	ph := e.mul(s, ch)
	pl := e.mad(s, cl, e.mad(sl, ch, e.prodErr(s, ch, ph)))
	hi, lo = e.twoSum(n, ph)
	return hi, e.add(lo, pl)
}

// pow32wide computes the logarithm and the product in f64.
func (e *emitter) pow32wide(a, y value) value {
	m, n := e.decompose(a, math.Sqrt2/2)
	d := e.in(ir.F64)
	f := d.sub(e.Convert(m, ir.F64), d.num(1))
	l := d.mad(f, d.poly(f, powLog2Coef(ir.F64)), e.Convert(n, ir.F64))
	p := d.mul(e.Convert(y, ir.F64), l)
	p = d.atLeast(d.atMost(p, 129), -151)
	k, bits := d.nearest(p, 1)
	r := e.Convert(d.sub(p, k), ir.F32)
	low := d.sub(bits, d.toInt(d.num(d.magic()-float64(2*e.bias()))))
	return e.scale(e.exp2Core(r), power{bits: e.Convert(low, ir.I32)})
}

// pow64 computes the logarithm in two f64, good to 2^-67 of itself.
func (e *emitter) pow64(a, y value) value {
	y = e.atLeast(e.atMost(y, 0x1p70), -0x1p70)
	lh, ll := e.logPair(a)
	// y log a, clamped to where the result is 0 or infinite anyway.
	ph := e.mul(y, lh)
	pl := e.mad(y, ll, e.prodErr(y, lh, ph))
	lo, hi := e.expRange()
	c := e.atLeast(e.atMost(ph, hi), lo)
	pl = e.sel(e.eq(c, ph), pl, e.num(0))
	r, n := e.reduceExp(c)
	// The reduction's own rounding is far below pl; both go into the argument.
	r = e.add(r, pl)
	q := e.mad(e.mul(r, r), e.poly(r, expCoef(e.t.Kind)), r)
	return e.scale(e.add(q, e.num(1)), n)
}

// logPair returns log a = hi + lo for a positive f64: with a = m 2^n and
// s = (m-1)/(m+1), that is n ln 2 + 2s + 2s³/3 + s⁵·polynomial, all but the last
// in two pieces.
func (e *emitter) logPair(a value) (hi, lo value) {
	m, n := e.decompose(a, math.Sqrt2/2)
	one := e.num(1)
	num := e.sub(m, one) // exact
	den, denLo := e.twoSumAny(m, one)
	inv := e.div(one, den)
	s := e.mul(num, inv)
	// num - s·den is exact; s + sl is the quotient to twice the digits.
	ph, pl := e.twoProd(s, den)
	sl := e.mul(e.nmad(s, denLo, e.sub(e.sub(num, ph), pl)), inv)
	zh, zl := e.twoProd(s, s)
	zl = e.mad(e.mul(e.num(2), s), sl, zl)
	ch, cl := e.twoProd(s, zh) // s³
	cl = e.mad(s, zl, e.mad(sl, zh, cl))
	third := third64()
	th, tl := e.twoProd(ch, e.num(2*third[0]))
	tl = e.mad(ch, e.num(2*third[1]), e.mad(cl, e.num(2*third[0]), tl))
	rest := e.mul(e.mul(ch, zh), e.poly(zh, powLogCoef(e.t.Kind)))

	ln2 := ln2Short64()
	two := e.num(2)
	// From the largest down: n ln2, 2s, 2s³/3, and all the small ones.
	h, l := e.twoSum(e.mul(n, e.num(ln2[0])), e.mul(two, s))
	nl, nll := e.twoProd(n, e.num(ln2[1]))
	h2, l2 := e.twoSumAny(th, nl)
	hi, l3 := e.twoSum(h, h2)
	small := e.add(e.add(tl, e.mul(two, sl)), nll)
	lo = e.add(e.add(l, l3), e.add(l2, e.add(rest, small)))
	return e.twoSum(hi, lo)
}
