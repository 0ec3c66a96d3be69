package tally

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/scalar"
)

// Error returns the most by which a number of the range and what a form stores of it are apart. It is infinite if the
// form clamps one. Where the arithmetic of a form rounds, Error has a bound of that.
func (r Range) Error(f quant.Format) float64 {
	c := quant.New(f, r.Kind)
	if lo, hi := c.Ends(false); r.Least < lo || r.Largest > hi {
		return math.Inf(1)
	}
	a, b := r.magnitudes()
	switch {
	case f.Class == quant.Int || b == 0:
		return 0
	case f.Class == quant.Float:
		return r.floatError(c, a, b)
	}
	return r.fixedError(c, a, b)
}

// apart returns the largest distance of a number from lo to hi to the multiple of step that it is stored as. Where a
// random number chooses between two of them, that is all of a step.
func (r Range) apart(lo, hi, step float64) float64 {
	if r.Stochastic {
		if lo == hi && math.Mod(lo, step) == 0 {
			return 0
		}
		return step
	}
	if n := math.RoundToEven(lo / step); n == math.RoundToEven(hi/step) {
		return max(math.Abs(lo-n*step), math.Abs(hi-n*step))
	}
	return step / 2
}

// fixedError is Error for a fixed-point form and magnitudes from a to b.
func (r Range) fixedError(c *quant.Coder, a, b float64) float64 {
	codes, digits := codesOf(c.Format), digitsOf(r.Kind)
	step := c.Limit / codes
	e := r.apart(a, b, step)
	switch exact := isPower(c.Limit); { // of the arithmetic
	case exact && step <= unit(r.Kind, a, b):
		return 0
	case exact && codes <= math.Ldexp(1, digits+1):
		return e
	case exact:
	case r.Stochastic:
		e = step + rounding(c)*b
	default:
		e += rounding(c) * b
	}
	if r.Kind == scalar.F64 || r.Kind == scalar.F32 && c.Single {
		return e
	}
	// What the arithmetic gives is rounded to the kind. That is the number that was stored if no other one is as near.
	if e < math.Ldexp(1, exponent(a)-digits-2) {
		return 0
	}
	return e + min(e, math.Ldexp(1, exponent(b)-digits-1))
}

// rounding bounds what the arithmetic of a fixed-point form adds to an error, relative to the number.
func rounding(c *quant.Coder) float64 {
	if c.Single {
		return 0x1p-22
	}
	return 0x1p-51
}

// unit returns a power of two of which all numbers of a kind with magnitudes from a to b are multiples.
func unit(k scalar.Kind, a, b float64) float64 {
	u := math.Ldexp(1, exponent(a)-digitsOf(k))
	for a == b && math.Mod(a, 2*u) == 0 {
		u *= 2
	}
	return u
}

// isPower reports whether a number is a power of two.
func isPower(v float64) bool {
	fraction, _ := math.Frexp(v)
	return fraction == 0.5
}

// floatError is Error for a form with exponents and magnitudes from a to b.
func (r Range) floatError(c *quant.Coder, a, b float64) (e float64) {
	smallest := math.Ldexp(1, 1-c.Bias)
	if a < smallest {
		e = r.apart(a, min(b, smallest), smallest)
	}
	if b < smallest || c.Digits >= digitsOf(r.Kind) {
		return e
	}
	// Neighbours are farthest apart at the largest magnitude, and next below the power of two that it is not less than.
	power := math.Ldexp(1, exponent(b))
	step := math.Ldexp(power, -c.Digits)
	a = max(a, smallest)
	e = max(e, r.apart(max(a, power), b, step))
	if a < power {
		e = max(e, r.apart(a, power, step/2))
	}
	return e
}

// sharedError is Error for numbers that share an exponent: half of a step at the exponent of the largest one.
func (r Range) sharedError(f quant.Format) float64 {
	c := quant.New(f, r.Kind)
	_, b := r.magnitudes()
	switch {
	case b == 0:
		return 0
	case b > c.Largest():
		return math.Inf(1)
	}
	e := c.EncodeGroup([]float64{b}, make([]uint64, 1))
	return math.Ldexp(0.5, int(e)-c.Bias-c.Digits)
}

// exponent returns the binary exponent of a number: that of 1 to below 2 is 0.
func exponent(v float64) int {
	_, e := math.Frexp(v)
	return e - 1
}

// digitsOf returns how many binary digits numbers of a kind have behind the first.
func digitsOf(k scalar.Kind) int {
	switch k {
	case scalar.F16:
		return 10
	case scalar.F32:
		return 23
	}
	return 52
}

// roundUp returns the least number of so many decimal digits, 17 at most, that is not below v, which is positive.
func roundUp(v float64, digits int) float64 {
	text := strconv.FormatFloat(v, 'e', digits-1, 64)
	if x, _ := strconv.ParseFloat(text, 64); x >= v {
		return x
	}
	mantissa, power, _ := strings.Cut(text, "e")
	whole, _ := strconv.Atoi(strings.Replace(mantissa, ".", "", 1))
	last, _ := strconv.Atoi(power)
	x, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", whole+1, last-digits+1), 64)
	return x
}
