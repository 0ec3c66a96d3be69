package program

import (
	"errors"
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/runtest"
)

// Inner loops over ranges that are read from memory.
const guardSource = `package p

var (
	From, To, Shift, Y field[i32]
	X                  field[i32]
)

// Ranges of X, which may be empty or the wrong way round, each moved.
func Ranges() {
	for p := range From {
		s, by := i32(0), Shift[p]
		for j := range span(From[p], To[p]) {
			s += X[j+by] + 2*X[j]
		}
		Y[p] = s
	}
}

// The same backwards, every third element.
func Backwards() {
	for p := range From {
		s, last := i32(0), To[p]
		for j := range span(From[p], To[p]) {
			s = 3*s + X[last-1-j+From[p]] - X[3*(j-From[p])+Shift[p]]
		}
		Y[p] = s
	}
}

// A condition around the access, and a loop of known length.
func Some() {
	for p := range From {
		s, at := i32(0), Shift[p]
		for j := range span(From[p], To[p]) {
			if X[j]%2 == 0 {
				s += X[j]
			}
		}
		for k := range 5 {
			s += (k + 1) * X[at+k]
		}
		Y[p] = s
	}
}
`

// TestGuard runs loops with indices that are in range, and with one range or shift that is not.
func TestGuard(t *testing.T) {
	const n, m = 40, 100 // iterations, elements of X
	type host struct {
		From, To, Shift, Y, X   ti.Field[int32]
		Ranges, Backwards, Some func() error
	}
	var rts runtest.Runtimes
	defer rts.Close(t)
	variants := append([]runtest.Variant{
		{Label: "O3", Arch: ti.LLVM, Opt: "3", Threads: 1},
		{Label: "O3 as it was", Arch: ti.LLVM, Opt: "3", Threads: 1, Without: "predication"},
	}, runtest.TakeTurns(runtest.Variants(), randtest.Turn(t.Name()))...)
	runtest.RunIn(t, &rts, variants, func(r *runtest.Run) {
		var h host
		r.Place(ti.Shape{n}, &h.From, &h.To, &h.Shift, &h.Y)
		r.Place(ti.Shape{m}, &h.X)
		r.Load(guardSource, &h)
		for i := range m {
			h.X.Set(int32(i*i%17), i)
		}
		kernels := []func() error{h.Ranges, h.Backwards, h.Some}
		fails := 0
		at := func(i int32) int32 { // as numbers of 32 bits wrap
			if i < 0 || i >= m {
				fails++
				return 0
			}
			return i * i % 17
		}
		for _, odd := range [][3]int32{{10, 20, 5}, {0, 0, 0}, {30, 10, 0}, {99, 100, 0}, {95, 101, 0}, {-1, 3, 2}, {5, 9, -6}, {5, 9, 95}, {0, 2, 95},
			{100, 100, 0}, {math.MaxInt32 - 2, math.MaxInt32, 3}, {math.MinInt32, math.MinInt32 + 2, 3}, {2, 6, math.MaxInt32 - 3}, {2, 6, math.MinInt32}, {math.MaxInt32, math.MinInt32, 0}} {
			for k, kernel := range kernels {
				var want [n]int32
				fails = 0
				for p := range int32(n) {
					lo, hi, by, s := p, p+p%9, p%20, int32(0)
					if p == n/2 {
						lo, hi, by = odd[0], odd[1], odd[2]
					}
					h.From.Set(lo, int(p))
					h.To.Set(hi, int(p))
					h.Shift.Set(by, int(p))
					for j := lo; j < hi; j++ {
						switch k {
						case 0:
							s += at(j+by) + 2*at(j)
						case 1:
							s = 3*s + at(hi-1-j+lo) - at(3*(j-lo)+by)
						case 2:
							if x := at(j); x%2 == 0 {
								s += x
							}
						}
					}
					if k == 2 {
						for i := range int32(5) {
							s += (i + 1) * at(by+i)
						}
					}
					want[p] = s
				}
				if r.Unchecked && fails > 0 {
					continue // what happens is not defined
				}
				err := kernel()
				if failed := errors.Is(err, ti.ErrRange); failed != (fails > 0) && !(r.Debug && err != nil) {
					r.Errorf("kernel %d, odd %v: %v; fails: %d", k, odd, err, fails)
				}
				for p := range n {
					if y := h.Y.At(p); y != want[p] && !r.Debug {
						r.Errorf("kernel %d, odd %v: Y at %d is %d, want %d", k, odd, p, y, want[p])
						break
					}
				}
			}
		}
	})
}
