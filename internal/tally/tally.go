package tally

import (
	"math"

	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/scalar"
)

// A Tally is what is counted of the numbers that one place of a source stores, all of one kind.
type Tally struct {
	Kind scalar.Kind

	Total    int64
	Clamped  int64 // beyond the ends of the form
	Flushed  int64 // not zero, and stored as zero
	Absorbed int64 // another number than the one before, and still no bit changed
	Measured int64 // with an error that is a number

	Least, Largest, Smallest float64 // of what is to be stored, NaNs left out; Smallest is a magnitude, zero left out
	Sum, LargestError        float64 // of the errors, and the largest magnitude

	Exponents, Errors []int64 // by bucket
}

// New returns a tally of no numbers.
func New(k scalar.Kind) *Tally {
	n := Buckets(k)
	return &Tally{Kind: k, Least: math.Inf(1), Largest: math.Inf(-1), Smallest: math.Inf(1), Exponents: make([]int64, n), Errors: make([]int64, n)}
}

// Single reports whether numbers of a kind are counted in the arithmetic of f32: f16 and f32, and integers of up to 16 bits,
// which it holds exactly, with their differences. Others are in that of f64.
func Single(k scalar.Kind) bool {
	switch k {
	case scalar.F16, scalar.F32, scalar.I8, scalar.U8, scalar.I16, scalar.U16:
		return true
	}
	return false
}

// Buckets is how many buckets a histogram has: one for each exponent field of an f32 or f64. The first
// has zeros and what is too small to be a normal number, the last infinities and NaNs.
func Buckets(k scalar.Kind) int {
	if Single(k) {
		return 1 << 8
	}
	return 1 << 11
}

// Bucket returns the bucket of a number.
func Bucket(k scalar.Kind, v float64) int {
	if Single(k) {
		return int(math.Float32bits(float32(v)) >> 23 & 0xff)
	}
	return int(math.Float64bits(v) >> 52 & 0x7ff)
}

// Exponent returns the exponent of the numbers in a bucket, false for the first and the last.
func Exponent(k scalar.Kind, bucket int) (e int, ok bool) {
	n := Buckets(k)
	return bucket - (n/2 - 1), bucket > 0 && bucket < n-1
}

// Number counts a number that is to be stored, or that is there.
func (t *Tally) Number(v float64) {
	t.Extent(v)
	t.Exponents[Bucket(t.Kind, v)]++
}

// Extent is Number without the histogram.
func (t *Tally) Extent(v float64) {
	if v != v {
		return
	}
	t.Least, t.Largest = min(t.Least, v), max(t.Largest, v)
	if v != 0 {
		t.Smallest = min(t.Smallest, math.Abs(v))
	}
}

// Store counts a store: of the number wanted, where old was, so that now is there. The form clamps
// beyond lo and hi.
func (t *Tally) Store(wanted, old, now, lo, hi float64) {
	t.Total++
	t.Number(wanted)
	clamped := wanted < lo || wanted > hi
	if clamped {
		t.Clamped++
	}
	if wanted != 0 && now == 0 && !clamped {
		t.Flushed++
	}
	if wanted != old && now == old {
		t.Absorbed++
	}
	e := now - wanted
	if Single(t.Kind) {
		e = float64(float32(e))
	}
	t.Errors[Bucket(t.Kind, e)]++
	if e == e && !math.IsInf(e, 0) {
		t.Measured++
		t.Sum += e
		t.LargestError = max(t.LargestError, math.Abs(e))
	}
}

// Plain counts a store of a number that is stored as it is.
func (t *Tally) Plain(v float64) {
	t.Total++
	t.Number(v)
}

// Add adds what another tally has counted of numbers of the same kind.
func (t *Tally) Add(o *Tally) {
	t.Total, t.Clamped, t.Flushed, t.Absorbed, t.Measured = t.Total+o.Total, t.Clamped+o.Clamped, t.Flushed+o.Flushed, t.Absorbed+o.Absorbed, t.Measured+o.Measured
	t.Least, t.Largest, t.Smallest = min(t.Least, o.Least), max(t.Largest, o.Largest), min(t.Smallest, o.Smallest)
	t.Sum, t.LargestError = t.Sum+o.Sum, max(t.LargestError, o.LargestError)
	for i, n := range o.Exponents {
		t.Exponents[i] += n
	}
	for i, n := range o.Errors {
		t.Errors[i] += n
	}
}

// Histogram returns the numbers of a histogram by exponent.
func Histogram(k scalar.Kind, buckets []int64) map[int]int64 {
	h := map[int]int64{}
	for i, n := range buckets {
		if e, ok := Exponent(k, i); ok && n > 0 {
			h[e] += n
		}
	}
	return h
}

// Limits returns beyond what numbers a form clamps: nothing where it wraps.
func Limits(c *quant.Coder, shared bool) (lo, hi float64) {
	if c.Wrap {
		return math.Inf(-1), math.Inf(1)
	}
	return c.Ends(shared)
}
