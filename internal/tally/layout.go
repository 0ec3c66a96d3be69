package tally

import (
	"math"

	"github.com/gotaichi/ti/internal/scalar"
)

// Compiled kernels count in four fields, each in a tree of its own so that threads can have copies:
// Counts and Exponents of i64, to which they add, Ends of i64, and Sums of f64. The fields of a kernel have the
// numbers of its places one after the other. Ends has keys of numbers, integers in the same order, of which
// processors find the least faster. See [Shift].

// The fields, by the names that no source has.
const (
	Counts    = "ranges:counts"
	Ends      = "ranges:ends"
	Sums      = "ranges:sums"
	Exponents = "ranges:exponents"
)

// Numbers of a place in Counts.
const (
	AtClamped = iota
	AtFlushed
	AtAbsorbed
	PerCounts
)

// Numbers of a place in Ends.
const (
	AtLeast = iota
	AtLargest
	AtSmallest
	AtLargestError
	PerEnds
)

// A Layout says where the numbers of each place are. In Exponents a place has the histogram of its
// numbers, and behind it that of its errors, each in as many copies as [Turns] says.
type Layout struct {
	Kinds []scalar.Kind // of places
	at    []int
	size  int
}

// Add adds a place, and returns its number.
func (l *Layout) Add(k scalar.Kind) int {
	l.Kinds, l.at = append(l.Kinds, k), append(l.at, l.size)
	l.size += 2 * Buckets(k) * Turns(k)
	return len(l.Kinds) - 1
}

// Turns is how many copies a histogram has, which iterations take in turn: to add to one place again and again takes longer.
// It is a power of two.
func Turns(k scalar.Kind) int {
	if Single(k) {
		return 4
	}
	return 1 // they are long
}

// Histogram returns where the histogram of the numbers of a place begins in Exponents.
func (l *Layout) Histogram(place int) int { return l.at[place] }

// Sizes returns how many numbers the four fields have.
func (l *Layout) Sizes() (counts, ends, sums, exponents int) {
	n := len(l.Kinds)
	return n * PerCounts, n * PerEnds, n, l.size
}

// Shift is what is added to the key of a number for an entry of Ends, which is an integer of as many bits. What must not count then is
// not below the least, or above the largest, of what does: a NaN, and for the smallest magnitude 0. So nothing has to be asked of a number.
func Shift(k scalar.Kind, entry int) int64 {
	most := mostKey(k)
	switch entry {
	case AtLeast: // -Inf becomes the lowest integer, the NaNs are above Inf
		return inKey(k, ^most-Key(k, math.Inf(-1)))
	case AtLargest: // Inf becomes the highest integer, the NaNs are below -Inf
		return inKey(k, most-Key(k, math.Inf(1)))
	case AtSmallest: // the smallest magnitude becomes the lowest integer, 0 the highest
		return most
	}
	return 0
}

// mostKey is the highest integer of as many bits as a number of a kind.
func mostKey(k scalar.Kind) int64 {
	if Single(k) {
		return math.MaxInt32
	}
	return math.MaxInt64
}

// inKey drops what integers of so many bits do not hold.
func inKey(k scalar.Kind, v int64) int64 {
	if Single(k) {
		return int64(int32(v))
	}
	return v
}

// Start sets the numbers of Ends to those of no number.
func (l *Layout) Start(ends []int64) {
	for p, k := range l.Kinds {
		of := ends[p*PerEnds:]
		of[AtLeast], of[AtLargest], of[AtSmallest] = mostKey(k), ^mostKey(k), mostKey(k)
	}
}

// end returns the number of an entry of Ends.
func end(k scalar.Kind, entry int, v int64) float64 {
	none := math.Inf(1)
	if entry == AtLargest {
		none = math.Inf(-1)
	}
	if last := inKey(k, Key(k, none)+Shift(k, entry)); entry == AtLargest && v < last || entry != AtLargest && v > last {
		return none
	}
	return ofKey(k, inKey(k, v-Shift(k, entry)))
}

// Key returns the key of a number: its bits as an integer, of which all but the sign are negated below zero.
func Key(k scalar.Kind, v float64) int64 {
	if Single(k) {
		b := int32(math.Float32bits(float32(v)))
		return int64(b ^ b>>31&math.MaxInt32)
	}
	b := int64(math.Float64bits(v))
	return b ^ b>>63&math.MaxInt64
}

// ofKey returns the number of a key, 0 for -0.
func ofKey(k scalar.Kind, key int64) float64 {
	if Single(k) {
		b := int32(key)
		return float64(math.Float32frombits(uint32(b^b>>31&math.MaxInt32))) + 0
	}
	return math.Float64frombits(uint64(key^key>>63&math.MaxInt64)) + 0
}

// Tally returns what the fields have of a place.
func (l *Layout) Tally(place int, counts, ends []int64, sums []float64, exponents []int64) *Tally {
	k := l.Kinds[place]
	counts, ends, exponents = counts[place*PerCounts:], ends[place*PerEnds:], exponents[l.at[place]:]
	t := New(k)
	t.Clamped, t.Flushed, t.Absorbed = counts[AtClamped], counts[AtFlushed], counts[AtAbsorbed]
	t.Least, t.Largest, t.Smallest = end(k, AtLeast, ends[AtLeast]), end(k, AtLargest, ends[AtLargest]), end(k, AtSmallest, ends[AtSmallest])
	t.Sum, t.LargestError = sums[place], ofKey(k, ends[AtLargestError])
	n := Buckets(k)
	for _, h := range [][]int64{t.Exponents, t.Errors} {
		for range Turns(k) {
			for i := range h {
				h[i] += exponents[i]
			}
			exponents = exponents[n:]
		}
	}
	for i := range n { // each store is in both, or in the first alone
		t.Total += t.Exponents[i]
		if i < n-1 {
			t.Measured += t.Errors[i]
		}
	}
	return t
}
