package mathlib

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

// scaleLanes is how many lanes a vector has at least for which there is an instruction that scales.
const scaleLanes = 16

// expRange returns the arguments beyond which e to the x is 0 or infinite for
// sure, and for which scale still works.
func (e *emitter) expRange() (lo, hi float64) {
	return e.pick(-104.5, -746), e.pick(89.5, 710.5)
}

// A power holds an integer n, of those of expRange, as n + 2·bias in its lowest bits; the rest
// is of no meaning. So its half is the exponent of 2^(n/2) as floats store it. n is the number itself, or nil.
type power struct{ bits, n value }

// nearestPower is nearest, with n as a power.
func (e *emitter) nearestPower(a value, k float64) (n value, x power) {
	m := e.num(e.magic() + float64(2*e.bias()))
	t := e.mad(a, e.num(k), m)
	n = e.sub(t, m)
	return n, power{e.toInt(t), n}
}

// scale multiplies a with 2^n in two steps, so that every exponent of expRange is within reach and
// a denormal result is rounded once. One half of n is rounded down, the other one up. Where the target
// has an instruction for that, it gives the same bits.
func (e *emitter) scale(a value, n power) value {
	if n.n != nil && e.is32() && e.t.Lanes >= scaleLanes && e.lib.Target.Provides(target.Scales) {
		return e.Op(ir.OpScale, a, n.n)
	}
	m := e.mantissa()
	down := e.and(e.shl(n.bits, m-1), e.int(-1<<m))
	up := e.sub(e.shl(n.bits, m), down)
	return e.mul(e.mul(a, e.toFloat(down)), e.toFloat(up))
}

// exp: x = n ln 2 + r, e^x = 2^n e^r.
func (e *emitter) exp(x value) value {
	lo, hi := e.expRange()
	x = e.atLeast(e.atMost(x, hi), lo)
	r, n := e.reduceExp(x)
	q := e.poly(r, expCoef(e.t.Kind))
	p := e.mad(e.mul(r, r), q, r)
	return e.scale(e.add(p, e.num(1)), n)
}

// reduceExp returns r and n with x = n ln 2 + r.
func (e *emitter) reduceExp(x value) (r value, n power) {
	ln2, log2e := ln2Short64(), log2e64()[0]
	if e.is32() {
		ln2, log2e = ln2Short32(), log2e32()[0]
	}
	k, n := e.nearestPower(x, log2e)
	r = e.mad(k, e.num(-ln2[0]), x)
	return e.mad(k, e.num(-ln2[1]), r), n
}

// exp2: x = n + r, 2^x = 2^n 2^r.
func (e *emitter) exp2(x value) value {
	x = e.atLeast(e.atMost(x, e.pick(129, 1025)), e.pick(-151, -1076))
	k, n := e.nearestPower(x, 1)
	return e.scale(e.exp2Core(e.sub(x, k)), n)
}

// exp2Core returns 2^r for |r| ≤ 1/2.
func (e *emitter) exp2Core(r value) value {
	return e.mad(r, e.poly(r, exp2Coef(e.t.Kind)), e.num(1))
}

// expPair returns e^a as (hi + lo)·2^n; hi + lo carries some bits more than one number could.
func (e *emitter) expPair(a value) (hi, lo value, n power) {
	r, n := e.reduceExp(a)
	p := e.mad(e.mul(r, r), e.poly(r, expCoef(e.t.Kind)), r)
	hi, lo = e.twoSum(e.num(1), p)
	return hi, lo, n
}
