package tally

import (
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/scalar"
)

// A Range is what forms are suggested from: the numbers of a field, all of one kind. It stands for each number of
// the kind from Least to Largest that is 0 or has a magnitude of at least Smallest.
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

// magnitudes returns the smallest magnitude of the numbers that are not zero, and the largest; both are 0 if all
// are zero.
func (r Range) magnitudes() (a, b float64) {
	b = max(math.Abs(r.Least), math.Abs(r.Largest))
	return min(r.Smallest, b), b
}

// Width returns the bits of a number that is stored as Go does.
func (r Range) Width() int { return 8 * r.Kind.Size() }

// Suggest returns the form of fewest bits of each class: one in which the error of no number in the range is more
// than a tolerance, relative to the largest magnitude, and which clamps none. The fewest bits come first, and fixed
// point comes before floats of as many. It returns none that saves no bit. Integers are stored as they are.
//
// Among as many bits fixed point has the nearest limit of two digits, or of more where two do not do; a float has the
// longest fraction.
func (r Range) Suggest(tolerance float64) (out []quant.Format) {
	add := func(f quant.Format, ok bool) {
		if ok && f.Width() < r.Width() {
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

// format returns one to complete: for numbers that are never negative without a sign.
func (r Range) format(class quant.Class) quant.Format {
	return quant.Format{Class: class, Unsigned: r.Least >= 0, Stochastic: r.Stochastic && class != quant.Int}
}

// integer is the shortest form that has both ends.
func (r Range) integer() (quant.Format, bool) {
	f := r.format(quant.Int)
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

// fixed is the fixed-point form of fewest bits, with the nearest limit.
func (r Range) fixed(tolerance float64) (quant.Format, bool) {
	f := r.format(quant.Fixed)
	if _, b := r.magnitudes(); b == 0 {
		f.Bits, f.Limit = 1, 1
		return f, true
	}
	for f.Bits = 1; f.Bits <= 53; f.Bits++ {
		if limit, ok := r.limit(f, tolerance); ok {
			f.Limit = limit
			return f, true
		}
	}
	return f, false
}

// limit returns the limit with the fewest digits, but two, and of these the least one, with which a fixed-point form
// keeps the tolerance.
func (r Range) limit(f quant.Format, tolerance float64) (limit float64, ok bool) {
	codes := codesOf(f)
	if codes < 2 {
		return 0, false
	}
	_, b := r.magnitudes()
	steps := r.steps(codes, tolerance)
	for digits := 2; digits <= 17 && !ok; digits++ {
		for _, step := range steps {
			f.Limit = step.Lo * codes
			for range 2 { // the first may fail by what the arithmetic rounds
				f.Limit = roundUp(f.Limit, digits)
				if f.Limit <= step.Hi*codes && (!ok || f.Limit < limit) && f.Check(r.Kind, false) == nil && r.Error(f) <= tolerance*b {
					limit, ok = f.Limit, true
				}
				f.Limit = math.Nextafter(f.Limit, math.Inf(1))
			}
		}
	}
	return limit, ok
}

// An interval has the numbers from Lo to Hi.
type interval struct{ Lo, Hi float64 }

// steps returns intervals that have every step, limit over number of codes, with which a fixed-point form may do, as
// far as its arithmetic is exact.
func (r Range) steps(codes, tolerance float64) (out []interval) {
	a, b := r.magnitudes()
	loss := tolerance * b
	least := max(r.Largest/(codes-1), -r.Least/codes) // so that neither end is clamped
	add := func(lo, hi float64) {
		if lo = max(lo, least); lo <= hi {
			out = append(out, interval{lo, hi})
		}
	}
	add(0, loss/r.loss())
	for exact := unit(r.Kind, a, b); exact >= least; exact /= 2 {
		add(exact, exact) // all numbers are multiples
	}
	// Where one code is near all magnitudes, a form of a few bits does.
	for k := 1.0; !r.Stochastic && k <= min(codes, 4); k++ {
		add((b-loss)/k, (a+loss)/k)
	}
	return out
}

// codesOf returns how many steps the limit of a fixed-point form has.
func codesOf(f quant.Format) float64 {
	if f.Unsigned {
		return math.Ldexp(1, f.Bits)
	}
	return math.Ldexp(1, f.Bits-1)
}

// float is the form of fewest bits with an exponent, and of these the one with the longest fraction.
func (r Range) float(tolerance float64) (best quant.Format, ok bool) {
	_, b := r.magnitudes()
	f := r.format(quant.Float)
	for f.Exp = 1; f.Exp <= 11; f.Exp++ {
		for f.Frac = 1; f.Frac <= 53; f.Frac++ {
			if ok && f.Width() >= best.Width() {
				break
			}
			if f.Check(r.Kind, false) == nil && r.Error(f) <= tolerance*b {
				best, ok = f, true
				break
			}
		}
	}
	return best, ok
}

// Shared returns the form in which numbers share an exponent that takes the fewest bits for a group of n, and of
// these the one with the longest fraction. The error of none is more than the tolerance. They are stored as the nearest ones.
func (r Range) Shared(tolerance float64, n int) (best quant.Format, ok bool) {
	if !r.Kind.IsFloat() {
		return best, false
	}
	r.Stochastic = false
	_, b := r.magnitudes()
	f := r.format(quant.Float)
	for f.Exp = 1; f.Exp <= 11; f.Exp++ {
		for f.Frac = 1; f.Frac <= 53; f.Frac++ {
			if f.Check(r.Kind, true) == nil && r.sharedError(f) <= tolerance*b {
				if !ok || f.SharedWidth(n) < best.SharedWidth(n) {
					best, ok = f, true
				}
				break
			}
		}
	}
	return best, ok && best.SharedWidth(n) < n*r.Width()
}

// Closest returns the form that comes closest to the numbers in fewer bits than they have, and its error relative to
// the largest magnitude, which a closer one would have smaller by a thousandth at most.
func (r Range) Closest() (f quant.Format, e float64, ok bool) {
	_, b := r.magnitudes()
	keeps := func(tolerance float64) bool {
		formats := r.Suggest(tolerance)
		if len(formats) > 0 {
			f, e, ok = formats[0], r.Error(formats[0])/b, true
		}
		return len(formats) > 0
	}
	enough := 0x1p-60
	for !keeps(enough) && enough < Coarsest {
		enough *= 2
	}
	low := enough / 2
	for range 10 {
		if middle := (low + enough) / 2; keeps(middle) {
			enough = middle
		} else {
			low = middle
		}
	}
	return f, e, ok
}

// Bits returns how many bits the shortest forms of all ranges take within a tolerance, or the numbers as they are
// where no form is shorter. Each number of a range counts as often as comps says.
func Bits(ranges []Range, comps []int, tolerance float64) (sum int) {
	for i, r := range ranges {
		width := r.Width()
		if formats := r.Suggest(tolerance); len(formats) > 0 {
			width = formats[0].Width()
		}
		sum += comps[i] * width
	}
	return sum
}

// Coarsest is the largest tolerance of a budget.
const Coarsest = 0.5

// Budget returns the least tolerance, of powers of two, at which Bits is no more than so many; false if it is more at
// all of them.
func Budget(ranges []Range, comps []int, bits int) (tolerance float64, ok bool) {
	for tolerance = 0x1p-52; tolerance <= Coarsest; tolerance *= 2 {
		if Bits(ranges, comps, tolerance) <= bits {
			return tolerance, true
		}
	}
	return 0, false
}
