package mathlib

import "github.com/gotaichi/ti/internal/ir"

// A fused product ab + c is rounded once. Where the target has no instruction for it, it is computed of exact
// parts, the sum of which is rounded to odd: an inexact sum gets an odd last bit, so that the next rounding sees on
// which side of a tie it lies. (S. Boldo, G. Melquiond: Emulation of a FMA and correctly rounded sums: proved
// algorithms using rounding to odd. IEEE Transactions on Computers 57, 2008.)

// fused computes ab + c for every argument, to the bits that the instruction gives.
func (e *emitter) fused(a, b, c value) value {
	if e.is32() {
		return e.fused32(a, b, c)
	}
	return e.fused64(a, b, c)
}

// fused32 computes in f64, where the product is exact and 53 ≥ 24+2 digits of the sum are enough.
func (e *emitter) fused32(a, b, c value) value {
	d := e.in(ir.F64)
	p := d.mul(e.Convert(a, ir.F64), e.Convert(b, ir.F64))
	return e.Convert(d.oddSum(p, e.Convert(c, ir.F64)), ir.F32)
}

// fusedHalf computes an f16 of numbers that have been converted. Their product is exact, too, and 24 ≥ 11+2.
func (e *emitter) fusedHalf(a, b, c value) value { return e.oddSum(e.mul(a, b), c) }

// oddSum returns a + b rounded to odd.
func (e *emitter) oddSum(a, b value) value {
	sum, lost := e.twoSumAny(a, b)
	inexact := e.gt(e.abs(lost), e.num(0)) // lost is a NaN where a or b is infinite
	one := e.sel(inexact, e.uint(1), e.uint(0))
	// Where what was lost has another sign, the sum was rounded away from zero.
	bits := e.toUint(sum)
	differ := e.shr(e.xor(bits, e.toUint(lost)), e.t.Kind.Bits()-1)
	return e.toFloat(e.or(e.sub(bits, e.and(differ, one)), one))
}

// The scales of fused64. The exact product of two numbers of [1, 2) lies in [1, 4) and is a multiple of 2^-104. An addend
// below 2^-118, or one above 2^109, has another order of size: to the rounding counts only its sign, or that of the product.
// So exponents stay far from the ends of their range.
const (
	fusedLow  = -120
	fusedHigh = 110
	// fusedLeast is less than the exponent of every sum that is not 0.
	fusedLeast = -900
)

// fused64 computes m2^k + c with the product m of two numbers of [1, 2). The sum is m + c/2^k, or that with a larger k
// where c is beyond fusedHigh, and is rounded where its last bit is going to be: that of a denormal result is made to be
// the last one by adding, and taking away again, the power of two that has as many bits above it.
func (e *emitter) fused64(a, b, c value) value {
	i := e.in(ir.I64)
	ma, ka := e.fraction(a)
	mb, kb := e.fraction(b)
	mc, kc := e.fraction(c)
	k := i.add(ka, kb)
	k = i.Op(ir.OpMax, k, i.sub(kc, i.int(fusedHigh)))
	shift := i.Op(ir.OpMax, i.sub(kc, k), i.int(fusedLow))
	addend := e.toFloat(i.add(e.toInt(mc), i.shl(shift, e.mantissa())))

	hi, lo := e.exactProd(ma, mb)
	th, tl := e.twoSumAny(addend, lo)
	vh, vl := e.twoSumAny(hi, th)
	rest := e.oddSum(tl, vl)
	sum := e.add(vh, rest)

	bound := e.powerOfTwo(i.Op(ir.OpMax, i.sub(i.int(1-int64(e.bias())), k), i.int(fusedLeast)))
	guard := e.sel(e.lt(e.abs(sum), bound), e.withSign(bound, sum), e.num(0))
	gh, gl := e.twoSum(guard, vh)
	r := e.sub(e.add(gh, e.oddSum(gl, rest)), guard)
	r = e.withSign(e.abs(r), sum) // of a 0 that a small number was rounded to
	half := i.shr(k, 1)
	r = e.mul(e.mul(r, e.powerOfTwo(half)), e.powerOfTwo(i.sub(k, half)))
	return e.fusedSpecial(a, b, c, r)
}

// fusedSpecial replaces r where an argument is 0, infinite or a NaN: there ab + c has one rounding anyway.
func (e *emitter) fusedSpecial(a, b, c, r value) value {
	zero, inf := e.num(0), e.inf()
	p := e.mul(a, b)
	finite := func(v value) value { return e.lt(e.abs(v), inf) }
	ordinary := func(v value) value { return e.and(finite(v), e.ne(v, zero)) }
	r = e.sel(e.eq(c, zero), p, r) // p may be a 0 with a sign that p + c has not
	r = e.sel(finite(c), r, c)     // p + c may be infinity less infinity
	return e.sel(e.and(ordinary(a), ordinary(b)), r, e.add(p, c))
}

// fraction returns m and k with v = m·2^k and 1 ≤ |m| < 2, for an f64. Of 0, infinities and NaN they have no meaning, but
// for 0 no number has a smaller k.
func (e *emitter) fraction(v value) (m, k value) {
	const up = 54 // makes every denormal number a normal one
	i, exponents := e.in(ir.I64), uint64(2*e.bias()+1)
	tiny := e.lt(e.abs(v), e.num(0x1p-1022))
	word := e.toUint(e.sel(tiny, e.mul(v, e.num(1<<up)), v))
	k = e.Bitcast(e.and(e.shr(word, e.mantissa()), e.uint(exponents)), ir.I64)
	k = i.sub(k, e.sel(tiny, i.int(int64(e.bias()+up)), i.int(int64(e.bias()))))
	m = e.toFloat(e.or(e.and(word, e.uint(^(exponents<<e.mantissa()))), e.toUint(e.num(1))))
	return m, k
}

// powerOfTwo returns 2^k as an f64 that is not denormal.
func (e *emitter) powerOfTwo(k value) value {
	i := e.in(ir.I64)
	return e.toFloat(i.shl(i.add(k, i.int(int64(e.bias()))), e.mantissa()))
}

// exactProd returns ab of f64 and what rounding took from it, exactly if that is a number and ab does not overflow. a
// is cut into two parts of 26 digits, the second with a sign, b into 26 and 27: so all four products are exact, and after
// Dekker the sums are. a must be so far from the largest number that it can be rounded up.
func (e *emitter) exactProd(a, b value) (hi, lo value) {
	a1 := e.toFloat(e.and(e.add(e.toUint(a), e.uint(1<<26)), e.uint(^uint64(1<<27-1))))
	a2 := e.sub(a, a1)
	b1, b2 := e.split(b)
	hi = e.mul(a, b)
	s := e.sub(e.mul(a1, b1), hi)
	s = e.add(s, e.mul(a1, b2))
	s = e.add(s, e.mul(a2, b1))
	return hi, e.add(s, e.mul(a2, b2))
}
