package mathlib

import "math"

// decompose cuts a positive x into m·2^n with low ≤ m < 2·low. m of other
// arguments (0, negative, infinite, NaN) has no meaning, and stands in for them
// in the polynomial; logSpecial puts things right.
func (e *emitter) decompose(x value, low float64) (m, n value) {
	tiny := e.lt(x, e.num(e.pick(0x1p-126, 0x1p-1022)))
	up := e.pick(23, 52)
	x = e.sel(tiny, e.mul(x, e.num(math.Ldexp(1, int(up)))), x)
	base := e.toInt(e.num(low))
	d := e.sub(e.toInt(x), base)
	k := e.shr(d, e.mantissa())
	m = e.toFloat(e.sub(e.toInt(x), e.shl(k, e.mantissa())))
	n = e.exponent(k)
	return m, e.sub(n, e.sel(tiny, e.num(up), e.num(0)))
}

// exponent converts a small signed integer to a float. In 64 bits that is done
// by hand: few machines have an instruction for vectors.
func (e *emitter) exponent(k value) value {
	if e.is32() {
		return e.Convert(k, e.t.Kind)
	}
	magic := e.num(e.magic())
	return e.sub(e.toFloat(e.add(k, e.toInt(magic))), magic)
}

// logSpecial replaces l where x is not positive and finite.
func (e *emitter) logSpecial(x, l value) value {
	inf := e.inf()
	odd := e.sel(e.eq(x, e.num(0)), e.num(math.Inf(-1)), e.nan())
	return e.sel(e.gt(x, e.num(0)), e.sel(e.lt(x, inf), l, x), odd)
}

// log: x = m 2^n, log x = n ln 2 + log m. In f32 log m is a polynomial in m-1,
// in f64 2 atanh((m-1)/(m+1)), arranged so that m-1, which is exact, is the
// leading term.
func (e *emitter) log(x value) value {
	if e.is32() {
		m, n := e.decompose(x, 2.0/3)
		f, ln2 := e.sub(m, e.num(1)), ln2Short32()
		f2 := e.mul(f, f)
		p := e.mul(f, e.poly(f, logCoef(e.t.Kind)))
		p = e.mad(n, e.num(ln2[1]), e.mul(f2, e.add(p, e.num(-0.5))))
		return e.logSpecial(x, e.mad(n, e.num(ln2[0]), e.add(f, p)))
	}
	m, n := e.decompose(x, math.Sqrt2/2)
	f, ln2 := e.sub(m, e.num(1)), ln2Short64()
	half, tail := e.logTail(f)
	l := e.sub(e.sub(half, e.mad(n, e.num(ln2[1]), tail)), f)
	return e.logSpecial(x, e.mad(n, e.num(ln2[0]), e.neg(l)))
}

// logTail returns h and t with log(1+f) = f - (h - t), where h = f²/2.
func (e *emitter) logTail(f value) (h, t value) {
	s := e.div(f, e.add(f, e.num(2)))
	z := e.mul(s, s)
	r := e.mul(z, e.poly(z, atanhCoef(e.t.Kind)))
	h = e.mul(e.mul(f, e.num(0.5)), f)
	return h, e.mul(s, e.add(h, r))
}

// log2 does as log, with the coefficients of log₂, and the leading term times
// log₂e in two pieces.
func (e *emitter) log2(x value) value {
	if e.is32() {
		m, n := e.decompose(x, 2.0/3)
		f, l2e := e.sub(m, e.num(1)), log2e32()
		p := e.mad(e.mul(f, f), e.poly(f, log2Coef(e.t.Kind)), e.mul(f, e.num(l2e[1])))
		hi, lo := e.twoProd(f, e.num(l2e[0]))
		hi, more := e.twoSumAny(n, hi)
		return e.logSpecial(x, e.add(hi, e.add(more, e.add(lo, p))))
	}
	m, n := e.decompose(x, math.Sqrt2/2)
	f, l2e := e.sub(m, e.num(1)), log2e64()
	half, tail := e.logTail(f)
	hi, lo := e.twoProd(f, e.num(l2e[0]))
	lo = e.mad(f, e.num(l2e[1]), lo)
	lo = e.nmad(e.sub(half, tail), e.num(l2e[0]), lo)
	hi, more := e.twoSumAny(n, hi)
	return e.logSpecial(x, e.add(hi, e.add(more, lo)))
}
