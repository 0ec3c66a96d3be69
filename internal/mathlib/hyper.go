package mathlib

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

// halfExp returns e^a/2 as hi + lo for a ≥ 0; beyond its range it gives
// infinity (hi) and a finite lo.
func (e *emitter) halfExp(a value) (hi, lo value) {
	_, top := e.expRange()
	h, l, n := e.expPair(e.atMost(a, top+1))
	half := e.num(0.5)
	return e.scale(e.mul(h, half), n), e.scale(e.mul(l, half), n)
}

// sinh: a polynomial up to 1, beyond it (e^a - e^-a)/2.
func (e *emitter) sinh(x value) value {
	a := e.abs(x)
	z := e.mul(x, x)
	small := e.mad(e.mul(x, z), e.poly(z, sinhCoef(e.t.Kind)), x)
	hi, lo := e.halfExp(a)
	big := e.add(hi, e.sub(lo, e.div(e.num(0.25), hi)))
	return e.sel(e.lt(a, e.num(1)), small, e.withSign(big, x))
}

// cosh is (e^a + e^-a)/2.
func (e *emitter) cosh(x value) value {
	hi, lo := e.halfExp(e.abs(x))
	return e.add(hi, e.add(lo, e.div(e.num(0.25), hi)))
}

// tanh: a polynomial up to 0.55, beyond it 1 - 2/(e^2a + 1).
func (e *emitter) tanh(x value) value {
	a := e.abs(x)
	z := e.mul(x, x)
	small := e.mad(e.mul(x, z), e.poly(z, tanhCoef(e.t.Kind)), x)
	h, l, n := e.expPair(e.mul(e.num(2), e.atMost(a, e.pick(10, 20))))
	half := e.add(e.scale(e.add(h, l), n), e.num(1))
	big := e.sub(e.num(1), e.div(e.num(2), half))
	return e.withSign(e.sel(e.lt(a, e.num(0.55)), small, big), x)
}

// rsqrt divides by the root, both correctly rounded.
func (e *emitter) rsqrt(x value) value { return e.div(e.num(1), e.sqrt(x)) }

// EstimateLanes is how many lanes a vector must have at least for [EstimateRsqrt].
const EstimateLanes = 16

// EstimateRsqrt appends 1/√x, for an x of EstimateLanes or more f32, to the block of b: the
// machine's estimate y, and with h = 1 - xy² a step of Newton's method, y + yh/2. It is good to
// 1.1 units of the last place. Where xy is not a number the estimate is right already: x is 0,
// infinite, negative or a NaN. xy comes before xyy, since y² of a denormal x is infinite.
func EstimateRsqrt(b *ir.Builder, x *ir.Value) *ir.Value {
	flags := b.Flags
	defer func() { b.Flags = flags }()
	e := newEmitter(&Library{Target: target.Traits{Has: target.FMA}}, b, x.Type, false)
	y := e.Op(ir.OpRsqrtEst, x)
	h := e.nmad(e.mul(x, y), y, e.num(1))
	return e.sel(e.eq(h, h), e.mad(e.mul(y, e.num(0.5)), h, y), y) // one instruction with a mask
}

// cbrt: y near 1/∛a from the exponent's third, then made better by a series in
// the small h = 1 - a y³; at last ∛a = a y², with one step of Newton's. Nothing
// is divided.
func (e *emitter) cbrt(x value) value {
	a := e.abs(x)
	// Small numbers are scaled up, so that no intermediate result is denormal.
	tiny := e.lt(a, e.num(e.pick(0x1p-90, 0x1p-900)))
	up := e.pick(60, 180)
	a = e.sel(tiny, e.mul(a, e.num(math.Ldexp(1, int(up)))), a)
	// Bits of a float are nearly its logarithm: those of a^(-1/3) are a constant
	// less a third. The third is a geometric series, 1/4 + 1/16 + 1/64 + ….
	b := e.toUint(a)
	t := e.add(e.shr(b, 2), e.shr(b, 4))
	for n := 4; n < 32; n *= 2 {
		t = e.add(t, e.shr(t, n))
	}
	start := e.uint(uint64(e.pick(0x54a21d2a, 0x553ef0ff289dd796)))
	y := e.toFloat(e.sub(start, t))
	steps := 1
	if !e.is32() {
		steps = 2
	}
	for range steps {
		h := e.nmad(e.mul(a, y), e.mul(y, y), e.num(1))
		p := e.mad(h, e.num(14.0/81), e.num(2.0/9))
		p = e.mad(h, p, e.num(1.0/3))
		y = e.mad(y, e.mul(h, p), y)
	}
	y2 := e.mul(y, y)
	r := e.mul(a, y2)
	// r - (r³ - a)/(3r²), and 1/r² = y². The difference is computed of (r/2)³
	// and a/8, since r³ may overflow.
	q := e.mul(r, e.num(0.5))
	s, sl := e.twoProd(q, q)
	c, cl := e.twoProd(s, q)
	d := e.add(e.sub(c, e.mul(a, e.num(0.125))), e.mad(sl, q, cl))
	r = e.nmad(d, e.mul(y2, e.num(8.0/3)), r)
	r = e.sel(tiny, e.mul(r, e.num(math.Ldexp(1, -int(up)/3))), r)
	odd := e.or(e.eq(a, e.num(0)), e.not(e.lt(a, e.inf())))
	return e.sel(odd, x, e.withSign(r, x))
}
