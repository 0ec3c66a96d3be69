package tally

import (
	"math"

	"github.com/gotaichi/ti/internal/scalar"
)

// Compiled kernels count in four fields, each in a tree of its own so that threads can have copies:
// Counts and Exponents of i64, to which they add, Ends of i64, and Sums of f64. The fields of a kernel have the
// numbers of its places one after the other. Ends has the keys of numbers, integers in the same order, of which
// processors find the least faster.

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

// Start sets the numbers of Ends to those of no number.
func (l *Layout) Start(ends []int64) {
	for p, k := range l.Kinds {
		of := ends[p*PerEnds:]
		of[AtLeast], of[AtLargest], of[AtSmallest] = Key(k, math.Inf(1)), Key(k, math.Inf(-1)), Key(k, math.Inf(1))
	}
}

// keyOf returns the key of a number: its bits as an integer, of which all but the sign are negated below zero.
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
	t.Least, t.Largest, t.Smallest = ofKey(k, ends[AtLeast]), ofKey(k, ends[AtLargest]), ofKey(k, ends[AtSmallest])
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
