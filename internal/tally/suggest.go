package tally

import (
	"math"
	"slices"
	"strconv"

	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/scalar"
)

// A Range is what forms are suggested from: the numbers of a field, all of one kind.
type Range struct {
	Kind                     scalar.Kind
	Least, Largest, Smallest float64
	Stochastic               bool // forms of real numbers are to round by random numbers
}

// RangeOf returns the range of what was counted; false if there was no number, or an infinite one.
func RangeOf(t *Tally) (r Range, ok bool) {
	r = Range{Kind: t.Kind, Least: t.Least, Largest: t.Largest, Smallest: t.Smallest}
	return r, t.Least <= t.Largest && !math.IsInf(t.Least, 0) && !math.IsInf(t.Largest, 0)
}

// loss returns the part of the distance between two neighbours in a form by which a number between them may be
// off: half of it if it is stored as the nearer one, all of it if a random number decides.
func (r Range) loss() float64 {
	if r.Stochastic {
		return 1
	}
	return 0.5
}

func (r Range) magnitude() float64 { return max(math.Abs(r.Least), math.Abs(r.Largest)) }

// Suggest returns forms in which the error of no number in the range is more than a tolerance, relative
// to the largest magnitude; the fewest bits first. Integers are stored as they are.
func (r Range) Suggest(tolerance float64) []quant.Format {
	var out []quant.Format
	add := func(f quant.Format, ok bool) {
		f.Stochastic = r.Stochastic && f.Class != quant.Int
		if ok && f.Check(r.Kind, false) == nil {
			out = append(out, f)
		}
	}
	if r.Kind.IsFloat() {
		add(r.fixed(tolerance))
		add(r.float(tolerance))
	} else {
		add(r.integer())
	}
	slices.SortStableFunc(out, func(a, b quant.Format) int { return a.Width() - b.Width() })
	return out
}

// integer is the shortest form that has both ends.
func (r Range) integer() (quant.Format, bool) {
	f := quant.Format{Class: quant.Int, Unsigned: r.Least >= 0}
	for f.Bits = 1; f.Bits <= 64; f.Bits++ {
		if f.Check(r.Kind, false) != nil {
			continue
		}
		// The ends of an int64 and a uint64 are no numbers of f64.
		hi := math.Ldexp(1, f.Bits-1)
		lo := -hi
		if f.Unsigned {
			lo, hi = 0, 2*hi
		}
		if r.Least >= lo && r.Largest < hi || f.Bits == 64 {
			return f, true
		}
	}
	return f, false
}

// fixed is the shortest fixed-point form: below a limit that is a power of two, if a nearer one saves
// no bit.
func (r Range) fixed(tolerance float64) (quant.Format, bool) {
	m := r.magnitude()
	if m == 0 {
		return quant.Format{Class: quant.Fixed, Bits: 2, Limit: 1}, true
	}
	_, e := math.Frexp(m) // m < 2^e
	for bits := 1; bits <= 53; bits++ {
		f := quant.Format{Class: quant.Fixed, Bits: bits, Unsigned: r.Least >= 0}
		steps := math.Ldexp(1, bits)
		if !f.Unsigned {
			steps /= 2
		}
		if steps < 2 || bits > 1 && !f.Unsigned && steps < 4 {
			continue
		}
		near := roundUp(m * steps / (steps - 1)) // so that m is not clamped
		for _, f.Limit = range []float64{math.Ldexp(1, e), near} {
			step := f.Limit / steps
			if f.Limit-step >= m && step*r.loss() <= tolerance*m && f.Check(r.Kind, false) == nil {
				return f, true
			}
		}
	}
	return quant.Format{}, false
}

// roundUp returns the next number with two digits.
func roundUp(v float64) float64 {
	scale := math.Pow(10, math.Floor(math.Log10(v))-1)
	for n := math.Ceil(v/scale - 1e-9); ; n++ {
		// A decimal number is meant, not a product of powers of ten.
		if x, _ := strconv.ParseFloat(strconv.FormatFloat(n*scale, 'g', 2, 64), 64); x >= v {
			return x
		}
	}
}

// float is the shortest form with an exponent: it reaches down to numbers below the tolerance, or to the
// smallest one.
func (r Range) float(tolerance float64) (quant.Format, bool) {
	m := r.magnitude()
	f := quant.Format{Class: quant.Float, Unsigned: r.Least >= 0}
	digits := max(1, int(math.Ceil(math.Log2(r.loss()/tolerance)))) // neighbours of a number are apart by 2^-digits of it at most
	if f.Frac = digits; !f.Unsigned {
		f.Frac++
	}
	if m == 0 {
		f.Exp = 1
		return f, true
	}
	least := max(min(r.Smallest, m), tolerance*m/r.loss()) // what lies below the smallest number of the form
	for f.Exp = 1; f.Exp <= 11; f.Exp++ {
		if f.Check(r.Kind, false) != nil {
			continue
		}
		c := quant.New(f, r.Kind)
		_, hi := c.Ends(false)
		if smallest := math.Ldexp(1, 1-c.Bias); hi >= m && smallest <= least {
			return f, true
		}
	}
	return f, false
}

// Shared returns the form in which numbers share an exponent, with the error of none more than the
// tolerance. They are stored as the nearest ones.
func (r Range) Shared(tolerance float64) (quant.Format, bool) {
	r.Stochastic = false
	f, ok := r.float(tolerance)
	if !ok || !r.Kind.IsFloat() {
		return f, false
	}
	m := r.magnitude()
	for digits := 1; digits <= 52; digits++ {
		if f.Frac = digits; !f.Unsigned {
			f.Frac++
		}
		if 1/(math.Ldexp(1, digits)-1) > tolerance {
			continue
		}
		for f.Exp = 1; f.Exp <= 11; f.Exp++ {
			if f.Check(r.Kind, true) != nil {
				continue
			}
			c := quant.New(f, r.Kind)
			half := math.Ldexp(1, -c.Bias-digits-1) // a step, at the lowest exponent
			if c.Largest() >= m && (half <= tolerance*m || m == 0) {
				return f, true
			}
		}
	}
	return f, false
}

// Budget returns the least tolerance, of powers of two, at which the shortest forms of all ranges take no
// more than so many bits in all; each number of a range counts as often as comps says. It returns false if
// there is none.
func Budget(ranges []Range, comps []int, bits int) (tolerance float64, ok bool) {
	for digits := 52; digits >= 1; digits-- {
		tolerance = math.Ldexp(1, -digits)
		sum, all := 0, true
		for i, r := range ranges {
			formats := r.Suggest(tolerance)
			if all = all && len(formats) > 0; all {
				sum += comps[i] * formats[0].Width()
			}
		}
		if all && sum <= bits {
			return tolerance, true
		}
	}
	return 0, false
}
