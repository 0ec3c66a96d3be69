package pass

import (
	"math"
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
)

// An interval bounds an integer: lo ≤ v ≤ hi, and, where len is set, also
// v ≤ length(len)+off. Unsigned 64-bit numbers above the largest i64 have no
// interval; any claims nothing about them.
type interval struct {
	lo, hi int64
	len    *ir.Param
	off    int64
	any    bool // nothing is known, not even that v fits an i64
}

func point(v int64) interval { return interval{lo: v, hi: v} }

// kindInterval returns what a value of integer kind k can be.
func kindInterval(k ir.Kind) interval {
	if k == ir.U64 || !k.IsInt() && k != ir.Bool {
		return interval{lo: math.MinInt64, hi: math.MaxInt64, any: true}
	}
	lo, hi := kindRange(k)
	return interval{lo: lo, hi: hi}
}

// fits reports whether every number in x is one of kind k.
func (x interval) fits(k ir.Kind) bool {
	if x.any {
		return false
	}
	if k == ir.U64 {
		return x.lo >= 0
	}
	full := kindInterval(k)
	return x.lo >= full.lo && x.hi <= full.hi
}

// within reports whether lo ≤ v < hi for every v in x.
func (x interval) within(lo, hi int64) bool { return !x.any && x.lo >= lo && x.hi < hi }

// join is the smallest interval that contains both.
func (x interval) join(y interval) interval {
	z := interval{lo: min(x.lo, y.lo), hi: max(x.hi, y.hi), any: x.any || y.any}
	z.len, z.off = joinLengths(x, y)
	return z
}

// joinLengths returns a length that bounds both intervals: one that bounds either
// does the other where that is no more than the least length.
func joinLengths(x, y interval) (length *ir.Param, off int64) {
	switch {
	case x.any || y.any:
	case x.len != nil && x.len == y.len:
		return x.len, max(x.off, y.off)
	case x.len != nil && y.len == nil:
		return x.len, max(x.off, y.hi-x.len.Least())
	case y.len != nil && x.len == nil:
		return y.len, max(y.off, x.hi-y.len.Least())
	}
	return nil, 0
}

// meet is what is in both, x where the two contradict each other (the code is
// not reached then).
func (x interval) meet(y interval) interval {
	z := interval{lo: max(x.lo, y.lo), hi: min(x.hi, y.hi), len: x.len, off: x.off, any: x.any && y.any}
	if x.any {
		z.lo, z.hi = y.lo, y.hi
	}
	if y.len != nil {
		z.len, z.off = y.len, y.off
	}
	if z.lo > z.hi {
		return x
	}
	return z
}

// add returns the exact sums; ok is false if one does not fit an i64.
func (x interval) add(y interval) (interval, bool) {
	lo, ok1 := addExact(x.lo, y.lo)
	hi, ok2 := addExact(x.hi, y.hi)
	z := interval{lo: lo, hi: hi}
	// A symbolic bound moves with a constant, and can only fall with the other
	// operand's upper bound.
	switch {
	case x.len != nil && y.hi < 1<<31:
		z.len, z.off = x.len, x.off+y.hi
	case y.len != nil && x.hi < 1<<31:
		z.len, z.off = y.len, y.off+x.hi
	}
	return z, ok1 && ok2 && !x.any && !y.any
}

// neg returns the exact negations.
func (x interval) neg() (interval, bool) {
	if x.any || x.lo == math.MinInt64 {
		return interval{any: true}, false
	}
	return interval{lo: -x.hi, hi: -x.lo}, true
}

// mul returns the exact products.
func (x interval) mul(y interval) (interval, bool) {
	if x.any || y.any {
		return interval{any: true}, false
	}
	z := interval{lo: math.MaxInt64, hi: math.MinInt64}
	for _, a := range [...]int64{x.lo, x.hi} {
		for _, b := range [...]int64{y.lo, y.hi} {
			p, ok := mulExact(a, b)
			if !ok {
				return interval{any: true}, false
			}
			z.lo, z.hi = min(z.lo, p), max(z.hi, p)
		}
	}
	return z, true
}

func addExact(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

func mulExact(a, b int64) (int64, bool) {
	if a == math.MinInt64 || b == math.MinInt64 {
		return 0, a == 0 || b == 0
	}
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

// floorDiv returns a/b rounded down, for b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
