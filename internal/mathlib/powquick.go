package mathlib

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

// powQuick is pow of f32 where results may differ in the last bits from those of pow: a logarithm
// with fewer digits, and no special cases but a zero or a power that is rounded to zero, which
// pictures are full of. Whatever else is special is left to pow, on a path that is seldom taken.
func (e *emitter) powQuick(x, y value) value {
	lh, ll := e.quickLog2Pair(x)
	ph := e.mul(y, lh)
	pl := e.mad(y, ll, e.prodErr(y, lh, ph))
	if e.lib.Target.Provides(target.Scales) {
		return e.powScaled(x, y, ph, pl)
	}
	p := e.add(ph, pl)
	n, bits := e.nearest(p, 1)
	r := e.exp2Core(e.add(e.sub(ph, n), pl))
	r = e.toFloat(e.add(e.toInt(r), e.shl(bits, e.mantissa())))

	normal := e.isNormal(x)
	ordinary := e.and(normal, e.and(e.gt(p, e.num(-125.5)), e.lt(p, e.num(127.5))))
	vanishes := e.and(normal, e.lt(ph, e.num(-152)))
	none := e.or(vanishes, e.zeroPower(x, y))
	return e.unless(e.or(ordinary, none), e.sel(none, e.num(0), r), ir.OpPow, x, y)
}

// powScaled is the end of powQuick where vectors are scaled by an instruction, which knows denormal results and
// infinite ones. What remains is asked of x and y; loops over x have mostly one y.
func (e *emitter) powScaled(x, y, ph, pl value) value {
	p := e.add(ph, pl)
	c := e.atLeast(e.atMost(p, 129), -151) // beyond these the result is 0 or infinite anyway
	k, n := e.nearestPower(c, 1)
	rest := e.sel(e.eq(c, p), e.add(e.sub(ph, k), pl), e.num(0))
	r := e.scale(e.exp2Core(rest), n)
	none := e.zeroPower(x, y)
	ordinary := e.and(e.isNormal(x), e.lt(e.abs(y), e.num(0x1p64))) // so that no product overflows
	return e.unless(e.or(ordinary, none), e.sel(none, e.num(0), r), ir.OpPow, x, y)
}

// zeroPower reports whether a power of x is that of 0, and 0.
func (e *emitter) zeroPower(x, y value) value {
	return e.and(e.eq(e.toInt(x), e.int(0)), e.gt(y, e.num(0)))
}

// unless is the end of a quick function: v where usual is true, and what the other function for
// code gives elsewhere.
func (e *emitter) unless(usual, v value, code ir.Code, args ...value) value {
	v = e.ifAny(e.not(usual), func() []value { return e.Call(e.lib.function(key{code: code, t: e.t}), args...) }, v)[0]
	v.Def.Flags |= ir.Seldom // so the other function stays out of line, and this one is short enough to be inlined
	return v
}

// isNormal reports whether x is positive, finite and not denormal.
func (e *emitter) isNormal(x value) value {
	least, inf := int64(math.Float32bits(0x1p-126)), int64(math.Float32bits(float32(math.Inf(1))))
	// One comparison: what is below the least becomes the greatest of the signed numbers.
	shifted := e.add(e.toInt(x), e.int(math.MaxInt32+1-least))
	return e.lt(shifted, e.int(inf-least+math.MinInt32))
}

// quickLog2Pair returns log₂ x = hi + lo, good to 2^-32 of itself, for an x that is positive,
// finite and not denormal. With x = m 2^n, c = 1 or 3/4 so that mc is near 1, and s = (mc-1)/(mc+1),
// that is n - log₂ c + s (C + z·polynomial), where z = s² and C = 2/ln 2. So near to 1 the
// polynomial is so small beside C that one f32 is enough for it. s and C are in two pieces, of which
// the first are so short that the products are exact.
func (e *emitter) quickLog2Pair(x value) (hi, lo value) {
	m, n := e.decomposeNormal(x, 0.8164966) // √⅔: mc is in [√⅔, √1½)
	large := e.gt(m, e.num(1.2))
	c := e.sel(large, e.num(0.75), e.num(1))
	f := e.mad(m, c, e.num(-1)) // exact
	off := log2FourThirds32()
	n = e.add(n, e.sel(large, e.num(off[0]), e.num(0))) // exact

	inv := e.div(e.num(1), e.mad(m, c, e.num(1)))
	s := e.mul(f, inv)
	s1 := e.toFloat(e.and(e.toUint(s), e.uint(0xffff_f000))) // 12 bits
	s2 := e.mul(e.nmad(s1, f, e.mad(s1, e.num(-2), f)), inv) // the rest
	z := e.mad(e.add(s, s1), s2, e.mul(s1, s1))
	// What of z is lost in s·s would change the tail, but not the polynomial.
	tail := e.mul(z, e.horner(e.mul(s, s), quickLog2Coef(e.t.Kind)))

	lead := shortTwoLog2e32()
	lo = e.mad(s2, e.num(twoLog2e32()[0]), e.sel(large, e.num(off[1]), e.num(0)))
	lo = e.mad(s, tail, e.mad(s1, e.num(lead[1]), lo))
	h := e.mul(s1, e.num(lead[0])) // exact
	hi, err := e.twoSum(n, h)
	return hi, e.add(err, lo)
}
