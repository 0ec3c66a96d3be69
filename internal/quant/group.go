package quant

import (
	"math"

	"github.com/gotaichi/ti/internal/scalar"
)

// FractionBits returns the bits of each fraction of numbers that share an exponent.
func (f Format) FractionBits() int { return f.Frac }

// SharedWidth returns the bits of n numbers that share an exponent.
func (f Format) SharedWidth(n int) int { return f.Exp + n*f.Frac }

// EncodeGroup stores in codes the fractions of vs, which share an exponent, and returns that:
// the least, 0 included, at which every rounded fraction fits.
func (c *Coder) EncodeGroup(vs []float64, codes []uint64) (exponent uint64) {
	m, top := c.Digits, int64(1<<c.Exp-1)
	most := float64(int64(1)<<m - 1)
	largest := 0.0
	for _, v := range vs {
		if a := c.magnitude(v); a > largest {
			largest = a
		}
	}
	e := int64(0)
	if largest > 0 {
		_, x := math.Frexp(largest) // largest < 2^x
		e = min(max(int64(x+c.Bias), 0), top)
		if e < top && math.RoundToEven(c.shifted(largest, e)) > most {
			e++
		}
	}
	for i, v := range vs {
		n := math.RoundToEven(min(c.shifted(c.magnitude(v), e), most))
		code := int64(n)
		if v < 0 {
			code = -code
		}
		codes[i] = uint64(code) & ones(c.Frac)
	}
	return uint64(e)
}

// magnitude returns how large v counts: a NaN, and what is below the range, as zero, and what
// is above it as its end.
func (c *Coder) magnitude(v float64) float64 {
	if v != v || v < 0 && c.Unsigned {
		return 0
	}
	return min(math.Abs(v), c.Largest())
}

// Largest returns the largest of numbers that share an exponent.
func (c *Coder) Largest() float64 {
	return math.Ldexp(float64(int64(1)<<c.Digits-1), 1<<c.Exp-1-c.Bias-c.Digits)
}

// shifted returns v over the value of a fraction of 1 with exponent e.
func (c *Coder) shifted(v float64, e int64) float64 { return math.Ldexp(v, c.Bias+c.Digits-int(e)) }

// DecodeGroup returns the value of a fraction with an exponent.
func (c *Coder) DecodeGroup(code, exponent uint64) float64 {
	n := int64(code & ones(c.Frac))
	if !c.Unsigned {
		shift := 64 - c.Frac
		n = n << shift >> shift
	}
	v := math.Ldexp(float64(n), int(exponent)-c.Bias-c.Digits)
	if c.Kind == scalar.F32 {
		return float64(float32(v))
	}
	return v
}
