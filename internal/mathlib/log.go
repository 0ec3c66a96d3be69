package mathlib

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// decompose cuts a positive x into m·2^n with low ≤ m < 2·low. m of other
// arguments (0, negative, infinite, NaN) has no meaning, and stands in for them
// in the polynomial; logSpecial puts things right.
func (e *emitter) decompose(x value, low float64) (m, n value) {
	tiny := e.lt(x, e.num(e.pick(0x1p-126, 0x1p-1022)))
	up := e.pick(23, 52)
	x = e.sel(tiny, e.mul(x, e.num(math.Ldexp(1, int(up)))), x)
	m, n = e.decomposeNormal(x, low)
	return m, e.sub(n, e.sel(tiny, e.num(up), e.num(0)))
}

// decomposeNormal is decompose for an x that is not denormal either.
func (e *emitter) decomposeNormal(x value, low float64) (m, n value) {
	k := e.shr(e.sub(e.toInt(x), e.toInt(e.num(low))), e.mantissa())
	m = e.toFloat(e.sub(e.toInt(x), e.shl(k, e.mantissa())))
	return m, e.exponent(k)
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
		return e.logSpecial(x, e.log32(e.decompose(x, log32Low)))
	}
	m, n := e.decompose(x, math.Sqrt2/2)
	f, ln2 := e.sub(m, e.num(1)), ln2Short64()
	half, tail := e.logTail(f)
	l := e.sub(e.sub(half, e.mad(n, e.num(ln2[1]), tail)), f)
	return e.logSpecial(x, e.mad(n, e.num(ln2[0]), e.neg(l)))
}

// log32Low is the least mantissa that log32 and log2of32 take.
const log32Low = 2.0 / 3

// log32 returns log (m 2^n).
func (e *emitter) log32(m, n value) value {
	f, ln2 := e.sub(m, e.num(1)), ln2Short32()
	f2 := e.mul(f, f)
	p := e.mul(f, e.poly(f, logCoef(e.t.Kind)))
	p = e.mad(n, e.num(ln2[1]), e.mul(f2, e.add(p, e.num(-0.5))))
	return e.mad(n, e.num(ln2[0]), e.add(f, p))
}

// logQuick is log of f32, or log2, with the branch to it for all that is special. The bits of the
// result are the same.
func (e *emitter) logQuick(code ir.Code, x value) value {
	m, n := e.decomposeNormal(x, log32Low)
	l := e.log32
	if code == ir.OpLog2 {
		l = e.log2of32
	}
	return e.unless(e.isNormal(x), l(m, n), code, x)
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
		return e.logSpecial(x, e.log2of32(e.decompose(x, log32Low)))
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

// log2of32 returns log₂ (m 2^n).
func (e *emitter) log2of32(m, n value) value {
	f, l2e := e.sub(m, e.num(1)), log2e32()
	p := e.mad(e.mul(f, f), e.poly(f, log2Coef(e.t.Kind)), e.mul(f, e.num(l2e[1])))
	hi, lo := e.twoProd(f, e.num(l2e[0]))
	hi, more := e.twoSumAny(n, hi)
	return e.add(hi, e.add(more, e.add(lo, p)))
}
