package mathlib

import "github.com/gotaichi/ti/internal/ir"

// halfPi returns π/2 in two pieces.
func (e *emitter) halfPi() (hi, lo float64) {
	p := halfPi64()
	if e.is32() {
		p = halfPi32()
	}
	return p[0], p[1]
}

// asinParts returns, for a = |x|, s and p with asin s = s + p: s is a up to one
// half, and √((1-a)/2) beyond, where asin a = π/2 - 2 asin s. big selects between the two
// apart. For a > 1, s and p are NaN.
func (e *emitter) asinParts(a value) (s, p, big value) {
	big = e.gt(a, e.num(0.5))
	h := e.mad(a, e.num(-0.5), e.num(0.5)) // exact for a ≥ 1/2
	z := e.sel(big, h, e.mul(a, a))
	s = e.sel(big, e.sqrt(h), a)
	return s, e.mul(e.mul(s, z), e.poly(z, asinCoef(e.t.Kind))), big
}

func (e *emitter) asin(x value) value {
	a := e.abs(x)
	s, p, big := e.asinParts(a)
	hi, lo := e.halfPi()
	// π/2 - 2s - 2p; what rounding takes from the first difference is put back.
	d := e.mad(s, e.num(-2), e.num(hi))
	err := e.mad(s, e.num(-2), e.sub(e.num(hi), d))
	r := e.add(d, e.add(err, e.mad(p, e.num(-2), e.num(lo))))
	return e.withSign(e.sel(big, r, e.add(s, p)), x)
}

// acos: π/2 - asin x up to one half; beyond, 2 asin s, or π less that.
func (e *emitter) acos(x value) value {
	s, p, big := e.asinParts(e.abs(x))
	hi, lo := e.halfPi()
	neg := e.lt(x, e.num(0))
	sx := e.flip(s, e.signBit(x))
	px := e.flip(p, e.signBit(x))
	small := e.sub(e.num(hi), e.add(sx, e.sub(px, e.num(lo))))
	twice := e.mul(e.num(2), e.add(s, p))
	far := e.sub(e.num(2*hi), e.sub(twice, e.num(2*lo)))
	return e.sel(big, e.sel(neg, far, twice), small)
}

// atanCore returns p with atan t = t + p for 0 ≤ t ≤ 1.
func (e *emitter) atanCore(t value) value {
	z := e.mul(t, t)
	// Near 1 the terms cancel; Horner's order keeps the errors small.
	return e.mul(e.mul(t, z), e.horner(z, atanCoef(e.t.Kind)))
}

// atan: of a > 1 it is π/2 - atan(1/a).
func (e *emitter) atan(x value) value {
	a := e.abs(x)
	big := e.gt(a, e.num(1))
	t := e.sel(big, e.div(e.num(1), a), a)
	p := e.atanCore(t)
	hi, lo := e.halfPi()
	r := e.sub(e.num(hi), e.add(t, e.sub(p, e.num(lo))))
	return e.withSign(e.sel(big, r, e.add(t, p)), x)
}

// atan2 divides the smaller of |x| and |y| by the larger, and turns the angle
// into the right octant.
func (e *emitter) atan2(y, x value) value {
	ax, ay := e.abs(x), e.abs(y)
	steep := e.gt(ay, ax)
	num, den := e.sel(steep, ax, ay), e.sel(steep, ay, ax)
	// 0/0 counts as 0, inf/inf as 1. A NaN goes through both.
	t := e.div(num, den)
	t = e.sel(e.eq(den, e.num(0)), num, t)
	t = e.sel(e.eq(num, e.inf()), e.num(1), t)
	p := e.atanCore(t)
	// The angle is m·π/2 ± (t + p), m = 0, 1, 2.
	hi, lo := e.halfPi()
	left := e.Op(ir.OpLt, e.toInt(x), e.int(0)) // -0 is left, too
	zero := e.num(0)
	baseHi := e.sel(steep, e.num(hi), e.sel(left, e.num(2*hi), zero))
	baseLo := e.sel(steep, e.num(lo), e.sel(left, e.num(2*lo), zero))
	minus := e.sel(e.ne(steep, left), e.signBit(e.num(-1)), e.uint(0))
	t, p = e.flip(t, minus), e.flip(p, minus)
	r := e.add(baseHi, e.add(t, e.add(p, baseLo)))
	nan := e.Op(ir.OpOr, e.isNaN(x), e.isNaN(y))
	return e.sel(nan, e.nan(), e.withSign(e.abs(r), y))
}
