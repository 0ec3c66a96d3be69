package versioning

import (
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// TestInteriorAnswers compares the answers in an interior with the result for each index there.
func TestInteriorAnswers(t *testing.T) {
	bit := func(b bool) int64 {
		if b {
			return 1
		}
		return 0
	}
	ops := map[ir.Code]func(x, n int64) int64{
		ir.OpMod: func(x, n int64) int64 { return ((x % n) + n) % n },
		ir.OpRem: func(x, n int64) int64 { return x % n },
		ir.OpAnd: func(x, n int64) int64 { return x & n },
		ir.OpMin: func(x, n int64) int64 { return min(x, n) },
		ir.OpMax: func(x, n int64) int64 { return max(x, n) },
		ir.OpLt:  func(x, n int64) int64 { return bit(x < n) },
		ir.OpLe:  func(x, n int64) int64 { return bit(x <= n) },
		ir.OpGt:  func(x, n int64) int64 { return bit(x > n) },
		ir.OpGe:  func(x, n int64) int64 { return bit(x >= n) },
		ir.OpEq:  func(x, n int64) int64 { return bit(x == n) },
		ir.OpNe:  func(x, n int64) int64 { return bit(x != n) },
	}
	found := map[ir.Code]int{}
	for code, f := range ops {
		for _, lo := range []int64{-45, -3, 0, 7} {
			for at := int64(-42); at <= 42; at++ {
				for n := int64(-50); n <= 90; n++ {
					r := &span{lo: lo, hi: lo + 40, from: lo, to: lo + 40}
					index := &ir.Value{}
					s := &interiorSplit{ranges: map[*ir.Value]*span{index: r}}
					a, ok := s.ask(&ir.Op{Code: code}, index, at, n)
					if !ok {
						if r.from != lo || r.to != lo+40 {
							t.Fatalf("%s of i%+d and %d has no answer, and narrows the range", code, at, n)
						}
						continue
					}
					found[code]++
					for i := r.from; i < r.to; i++ {
						got := a.plus
						if a.index != nil {
							got += i
						}
						if want := f(i+at, n); got != want {
							t.Fatalf("%s of i%+d and %d, i from %d: %d at %d, want %d", code, at, n, lo, got, i, want)
						}
					}
				}
			}
		}
		if found[code] == 0 {
			t.Errorf("%s never has an answer", code)
		}
	}
}
