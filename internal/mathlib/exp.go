package mathlib

// expRange returns the arguments beyond which e to the x is 0 or infinite for
// sure, and for which scale still works.
func (e *emitter) expRange() (lo, hi float64) {
	return e.pick(-104.5, -746), e.pick(89.5, 710.5)
}

// scale multiplies a with 2^n, n in the lowest bits of bits as nearest leaves
// it, in two steps, so that every exponent of expRange is within reach and a
// denormal result is rounded once.
func (e *emitter) scale(a, bits value) value {
	m := e.mantissa()
	low := e.sub(bits, e.toInt(e.num(e.magic())))
	half := e.shr(low, 1)
	rest := e.sub(low, half)
	return e.mul(e.mul(a, e.pow2(half, m)), e.pow2(rest, m))
}

// pow2 returns 2^n for a signed integer n in the range of normal numbers.
func (e *emitter) pow2(n value, m int) value {
	return e.toFloat(e.shl(e.add(n, e.int(int64(e.bias()))), m))
}

// exp: x = n ln 2 + r, e^x = 2^n e^r.
func (e *emitter) exp(x value) value {
	lo, hi := e.expRange()
	x = e.atLeast(e.atMost(x, hi), lo)
	r, bits := e.reduceExp(x)
	q := e.poly(r, expCoef(e.t.Kind))
	p := e.mad(e.mul(r, r), q, r)
	return e.scale(e.add(p, e.num(1)), bits)
}

// reduceExp returns r and n, as nearest does, with x = n ln 2 + r.
func (e *emitter) reduceExp(x value) (r, bits value) {
	ln2, log2e := ln2Short64(), log2e64()[0]
	if e.is32() {
		ln2, log2e = ln2Short32(), log2e32()[0]
	}
	n, bits := e.nearest(x, log2e)
	r = e.mad(n, e.num(-ln2[0]), x)
	return e.mad(n, e.num(-ln2[1]), r), bits
}

// exp2: x = n + r, 2^x = 2^n 2^r.
func (e *emitter) exp2(x value) value {
	x = e.atLeast(e.atMost(x, e.pick(129, 1025)), e.pick(-151, -1076))
	n, bits := e.nearest(x, 1)
	return e.scale(e.exp2Core(e.sub(x, n)), bits)
}

// exp2Core returns 2^r for |r| ≤ 1/2.
func (e *emitter) exp2Core(r value) value {
	return e.mad(r, e.poly(r, exp2Coef(e.t.Kind)), e.num(1))
}

// expPair returns e^a as (hi + lo)·2^n, with n as nearest leaves it; hi + lo
// carries some bits more than one number could.
func (e *emitter) expPair(a value) (hi, lo, bits value) {
	r, bits := e.reduceExp(a)
	p := e.mad(e.mul(r, r), e.poly(r, expCoef(e.t.Kind)), r)
	hi, lo = e.twoSum(e.num(1), p)
	return hi, lo, bits
}
