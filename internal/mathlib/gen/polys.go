package main

import (
	"math"
	"math/big"

	"github.com/gotaichi/ti/internal/mathlib/ref"
)

// polys lists what is fitted. In every entry the function's result is a leading
// part, computed apart with care, plus a power of the argument times g; w is
// that power over the result.
func polys(c *ref.Ctx) []poly {
	one := float(1)
	root := func(z *big.Float) *big.Float { return newFloat().Sqrt(z) }
	cube := func(r *big.Float) *big.Float { return mul(mul(r, r), r) }
	// odd fits (f(r) - lead·r)/r³ as a polynomial in r².
	odd := func(f func(*big.Float) *big.Float) func(z *big.Float) (g, w *big.Float) {
		return func(z *big.Float) (g, w *big.Float) {
			r := root(z)
			v := f(r)
			return quo(sub(v, r), cube(r)), quo(cube(r), v)
		}
	}
	atanh := func(s *big.Float) *big.Float { // for small s
		return mul(c.Log(quo(add(one, s), sub(one, s))), float(0.5))
	}
	// of log(1+f)
	log1p := func(f *big.Float) *big.Float { return c.Log(add(one, f)) }
	const (
		sqrtHalf = math.Sqrt2 / 2
		// (√2-1)/(√2+1), squared, is the largest s² of a logarithm
		logMax = 0.02943725152285942
		// that of (√3-√2)/(√3+√2), where a mantissa above 1.2 is taken times 3/4
		quickLogMax = 0.010205144336438023
	)
	return []poly{
		{"expCoef", "(eʳ - 1 - r)/r², |r| ≤ ln 2/2", -0.3467, 0.3467, 5, 10, func(r *big.Float) (g, w *big.Float) {
			e, r2 := c.Exp(r), mul(r, r)
			return quo(sub(sub(e, one), r), r2), quo(r2, e)
		}},
		{"exp2Coef", "(2ʳ - 1)/r, |r| ≤ 1/2", -0.5, 0.5, 6, 11, func(r *big.Float) (g, w *big.Float) {
			e := c.Exp2(r)
			return quo(sub(e, one), r), quo(r, e)
		}},
		{"logCoef", "(log(1+f) - f + f²/2)/f³, 2/3 ≤ 1+f ≤ 4/3", -1.0 / 3, 1.0 / 3, 9, 0, func(f *big.Float) (g, w *big.Float) {
			l, f2 := log1p(f), mul(f, f)
			return quo(add(sub(l, f), mul(f2, float(0.5))), cube(f)), quo(cube(f), l)
		}},
		{"log2Coef", "(log₂(1+f) - f log₂e)/f², 2/3 ≤ 1+f ≤ 4/3", -1.0 / 3, 1.0 / 3, 10, 0, func(f *big.Float) (g, w *big.Float) {
			l, f2 := quo(log1p(f), c.Ln2()), mul(f, f)
			return quo(sub(l, quo(f, c.Ln2())), f2), quo(f2, l)
		}},
		{"powLog2Coef", "log₂(1+f)/f, √½ ≤ 1+f ≤ √2", sqrtHalf - 1, math.Sqrt2 - 1, 0, 13, func(f *big.Float) (g, w *big.Float) {
			l := quo(log1p(f), c.Ln2())
			return quo(l, f), quo(f, l)
		}},
		{"atanhCoef", "(2 atanh s - 2s)/s³ in s²", 0, logMax, 0, 7, func(z *big.Float) (g, w *big.Float) {
			s := root(z)
			l := mul(float(2), atanh(s))
			return quo(sub(l, mul(float(2), s)), cube(s)), quo(cube(s), l)
		}},
		{"powLogCoef", "(2 atanh s - 2s - 2s³/3)/s⁵ in s²", 0, logMax, 0, 9, func(z *big.Float) (g, w *big.Float) {
			s := root(z)
			l := mul(float(2), atanh(s))
			s3 := cube(s)
			s5 := mul(s3, z)
			r := sub(sub(l, mul(float(2), s)), quo(mul(float(2), s3), float(3)))
			return quo(r, s5), quo(s5, l)
		}},
		{"powLog2TailCoef", "(2 atanh s - 2s - 2s³/3)/(s⁵ ln 2) in s²", 0, logMax, 3, 0, func(z *big.Float) (g, w *big.Float) {
			s := root(z)
			l := mul(float(2), atanh(s))
			s3 := cube(s)
			s5 := mul(s3, z)
			r := sub(sub(l, mul(float(2), s)), quo(mul(float(2), s3), float(3)))
			return quo(r, mul(s5, c.Ln2())), quo(mul(s5, c.Ln2()), l)
		}},
		{"quickLog2Coef", "(2 atanh s - 2s)/(s³ ln 2) in s², |s| ≤ (√3-√2)/(√3+√2)", 0, quickLogMax, 3, 0, func(z *big.Float) (g, w *big.Float) {
			s := root(z)
			l, s3 := mul(float(2), atanh(s)), cube(s)
			return quo(sub(l, mul(float(2), s)), mul(s3, c.Ln2())), quo(mul(s3, c.Ln2()), l)
		}},
		{"sinCoef", "(sin r - r)/r³ in r², |r| ≤ π/4", 0, 0.61686, 3, 6, odd(c.Sin)},
		{"cosCoef", "(cos r - 1 + r²/2)/r⁴ in r², |r| ≤ π/4", 0, 0.61686, 3, 6, func(z *big.Float) (g, w *big.Float) {
			v, z2 := c.Cos(root(z)), mul(z, z)
			return quo(add(sub(v, one), mul(z, float(0.5))), z2), quo(z2, v)
		}},
		{"tanCoef", "(tan r - r)/r³ in r², |r| ≤ π/4", 0, 0.61686, 7, 14, odd(c.Tan)},
		{"asinCoef", "(asin s - s)/s³ in s², |s| ≤ 1/2", 0, 0.25, 5, 12, odd(c.Asin)},
		{"atanCoef", "(atan t - t)/t³ in t², |t| ≤ 1", 0, 1, 9, 20, odd(c.Atan)},
		{"sinhCoef", "(sinh x - x)/x³ in x², |x| ≤ 1", 0, 1, 4, 8, odd(c.Sinh)},
		{"tanhCoef", "(tanh x - x)/x³ in x², |x| ≤ 0.55", 0, 0.3025, 5, 11, odd(c.Tanh)},
	}
}
