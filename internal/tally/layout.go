package tally

import (
	"math"

	"github.com/gotaichi/ti/internal/scalar"
)

// Compiled kernels count in three fields, each in a tree of its own so that threads can have copies:
// Counts and Exponents of i64, to which they add, and Ends of f64. The fields of a kernel have the
// numbers of its places one after the other.

// The fields, by the names that no source has.
const (
	Counts    = "ranges:counts"
	Ends      = "ranges:ends"
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
	AtSum
	AtLargestError
	PerEnds
)

// A Layout says where the numbers of each place are. In Exponents a place has the histogram of its
// numbers, and behind it that of its errors.
type Layout struct {
	Kinds []scalar.Kind // of places
	at    []int
	size  int
}

// Add adds a place, and returns its number.
func (l *Layout) Add(k scalar.Kind) int {
	l.Kinds, l.at = append(l.Kinds, k), append(l.at, l.size)
	l.size += 2 * Buckets(k)
	return len(l.Kinds) - 1
}

// Histogram returns where the histogram of the numbers of a place begins in Exponents.
func (l *Layout) Histogram(place int) int { return l.at[place] }

// Sizes returns how many numbers the three fields have.
func (l *Layout) Sizes() (counts, ends, exponents int) {
	n := len(l.Kinds)
	return n * PerCounts, n * PerEnds, l.size
}

// Start sets the numbers of Ends to those of no number.
func (l *Layout) Start(ends []float64) {
	for p := range l.Kinds {
		of := ends[p*PerEnds:]
		of[AtLeast], of[AtLargest], of[AtSmallest] = math.Inf(1), math.Inf(-1), math.Inf(1)
	}
}

// Tally returns what the fields have of a place.
func (l *Layout) Tally(place int, counts []int64, ends []float64, exponents []int64) *Tally {
	k := l.Kinds[place]
	counts, ends, exponents = counts[place*PerCounts:], ends[place*PerEnds:], exponents[l.at[place]:]
	n := Buckets(k)
	t := &Tally{
		Kind: k, Clamped: counts[AtClamped], Flushed: counts[AtFlushed], Absorbed: counts[AtAbsorbed],
		Least: ends[AtLeast], Largest: ends[AtLargest], Smallest: ends[AtSmallest], Sum: ends[AtSum], LargestError: ends[AtLargestError],
		Exponents: append([]int64(nil), exponents[:n]...), Errors: append([]int64(nil), exponents[n:2*n]...),
	}
	for i := range n { // each store is in both, or in the first alone
		t.Total += t.Exponents[i]
		if i < n-1 {
			t.Measured += t.Errors[i]
		}
	}
	return t
}
