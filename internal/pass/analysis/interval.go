package analysis

import (
	"math"
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
)

// An Interval bounds an integer: lo ≤ v ≤ hi, and, if len is set, also v ≤ length(len)+off. Unsigned 64-bit numbers above the largest
// i64 have no interval; any means that there are no bounds.
type Interval struct {
	Lo, Hi int64
	Len    *ir.Param
	Off    int64
	Any    bool // no bounds; v may not even fit an i64
}

func Point(v int64) Interval { return Interval{Lo: v, Hi: v} }

// KindInterval returns the range of integer kind k.
func KindInterval(k ir.Kind) Interval {
	if k == ir.U64 || !k.IsInt() && k != ir.Bool {
		return Interval{Lo: math.MinInt64, Hi: math.MaxInt64, Any: true}
	}
	lo, hi := KindRange(k)
	return Interval{Lo: lo, Hi: hi}
}

// Fits reports whether every number in x is one of kind k.
func (x Interval) Fits(k ir.Kind) bool {
	if x.Any {
		return false
	}
	if k == ir.U64 {
		return x.Lo >= 0
	}
	full := KindInterval(k)
	return x.Lo >= full.Lo && x.Hi <= full.Hi
}

// Within reports whether lo ≤ v < hi for every v in x.
func (x Interval) Within(lo, hi int64) bool { return !x.Any && x.Lo >= lo && x.Hi < hi }

// Join is the smallest interval that contains both.
func (x Interval) Join(y Interval) Interval {
	z := Interval{Lo: min(x.Lo, y.Lo), Hi: max(x.Hi, y.Hi), Any: x.Any || y.Any}
	z.Len, z.Off = joinLengths(x, y)
	return z
}

// joinLengths returns a length that bounds both intervals. A length that bounds one also bounds the other if that is at most the
// smallest length.
func joinLengths(x, y Interval) (length *ir.Param, off int64) {
	switch {
	case x.Any || y.Any:
	case x.Len != nil && x.Len == y.Len:
		return x.Len, max(x.Off, y.Off)
	case x.Len != nil && y.Len == nil:
		return x.Len, max(x.Off, y.Hi-x.Len.Least())
	case y.Len != nil && x.Len == nil:
		return y.Len, max(y.Off, x.Hi-y.Len.Least())
	}
	return nil, 0
}

// meet returns the intersection. It returns x if that is empty, which means that the code is not reached.
func (x Interval) meet(y Interval) Interval {
	z := Interval{Lo: max(x.Lo, y.Lo), Hi: min(x.Hi, y.Hi), Len: x.Len, Off: x.Off, Any: x.Any && y.Any}
	if x.Any {
		z.Lo, z.Hi = y.Lo, y.Hi
	}
	if y.Len != nil {
		z.Len, z.Off = y.Len, y.Off
	}
	if z.Lo > z.Hi {
		return x
	}
	return z
}

// add returns the exact sums; ok is false if one does not fit an i64.
func (x Interval) add(y Interval) (Interval, bool) {
	lo, ok1 := AddExact(x.Lo, y.Lo)
	hi, ok2 := AddExact(x.Hi, y.Hi)
	z := Interval{Lo: lo, Hi: hi}
	// A symbolic bound moves with a constant, and can only decrease with the other operand's upper bound.
	switch {
	case x.Len != nil && y.Hi < 1<<31:
		z.Len, z.Off = x.Len, x.Off+y.Hi
	case y.Len != nil && x.Hi < 1<<31:
		z.Len, z.Off = y.Len, y.Off+x.Hi
	}
	return z, ok1 && ok2 && !x.Any && !y.Any
}

// neg returns the exact negations.
func (x Interval) neg() (Interval, bool) {
	if x.Any || x.Lo == math.MinInt64 {
		return Interval{Any: true}, false
	}
	return Interval{Lo: -x.Hi, Hi: -x.Lo}, true
}

// mul returns the exact products.
func (x Interval) mul(y Interval) (Interval, bool) {
	if x.Any || y.Any {
		return Interval{Any: true}, false
	}
	z := Interval{Lo: math.MaxInt64, Hi: math.MinInt64}
	for _, a := range [...]int64{x.Lo, x.Hi} {
		for _, b := range [...]int64{y.Lo, y.Hi} {
			p, ok := MulExact(a, b)
			if !ok {
				return Interval{Any: true}, false
			}
			z.Lo, z.Hi = min(z.Lo, p), max(z.Hi, p)
		}
	}
	return z, true
}

func AddExact(a, b int64) (int64, bool) {
	c := a + b
	return c, (c > a) == (b > 0)
}

func MulExact(a, b int64) (int64, bool) {
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

// FloorDiv returns a/b rounded down, for b > 0.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// KindRange returns the smallest and largest number of an integer kind; for U64
// the largest has the bits of -1.
func KindRange(k ir.Kind) (lo, hi int64) {
	switch k {
	case ir.Bool:
		return 0, 1
	case ir.U64:
		return 0, -1
	case ir.I64:
		return math.MinInt64, math.MaxInt64
	}
	if k.IsUnsigned() {
		return 0, 1<<k.Bits() - 1
	}
	return -1 << (k.Bits() - 1), 1<<(k.Bits()-1) - 1
}
