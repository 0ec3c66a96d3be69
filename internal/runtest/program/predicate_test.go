package program

import (
	"errors"
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

const predicateSource = `package p

func Shift(n, by i32, x, y array[i32, D1]) {
	for i := range n {
		y[i] = x[i+by]
	}
}

func Mirror(n, by i32, x, y array[i32, D1]) {
	for i := range n {
		y[i] = x[by-2*i]
	}
}

func Inner(n, by i32, x, y array[i32, D1]) {
	for i := range n {
		s := i32(0)
		for k := range 5 {
			s += x[3*i+k+by]
		}
		y[i] = s
	}
}

func Guarded(n, by i32, x, y array[i32, D1]) {
	for i := range y {
		if i >= by && i < n {
			y[i] = x[i-by]
		}
	}
}

func Narrow(n, by i32, x, y array[i32, D1]) {
	for i := range n {
		y[i] = x[i8(i)+i8(by)]
	}
}

func Slices(n, by i32, x, y []i32) {
	for i := range n {
		y[i] = x[i+by]
	}
}

func Middle(n, by i32, x, y array[i32, D1]) {
	for i := range span(by, n) {
		y[i] = x[i-1] + x[i] + x[i+1]
	}
}
`

type predicateHost struct {
	Shift, Mirror, Inner, Guarded, Narrow, Middle func(n, by int32, x, y ti.Array[int32]) error

	Slices func(n, by int32, x, y []int32) error
}

// TestPredicate runs loops whose indices leave their limits for some arguments and not for
// others, at the limits of 32 bits too: each launch fails where an index does, and nowhere
// else, and otherwise computes what Go does.
func TestPredicate(t *testing.T) {
	var rts runtest.Runtimes
	defer rts.Close(t)
	// Each returns the indices of x that iteration i adds up.
	type index func(n, by, i int32) []int32
	all := func(n, _, lenY int32) (lo, hi int32) { return 0, n }
	runtest.RunAll(t, &rts, func(r *runtest.Run) {
		var h predicateHost
		r.Load(predicateSource, &h)
		slices := func(n, by int32, x, y ti.Array[int32]) error { return h.Slices(n, by, x.Data, y.Data) }
		for _, c := range []struct {
			name   string
			kernel func(n, by int32, x, y ti.Array[int32]) error
			bounds func(n, by, lenY int32) (lo, hi int32)
			index  index
		}{
			{"Shift", h.Shift, all, func(_, by, i int32) []int32 { return []int32{i + by} }},
			{"Slices", slices, all, func(_, by, i int32) []int32 { return []int32{i + by} }},
			{"Mirror", h.Mirror, all, func(_, by, i int32) []int32 { return []int32{by - 2*i} }},
			{"Inner", h.Inner, all, func(_, by, i int32) []int32 {
				return []int32{3*i + by, 3*i + by + 1, 3*i + by + 2, 3*i + by + 3, 3*i + by + 4}
			}},
			{"Guarded", h.Guarded, func(n, by, lenY int32) (int32, int32) { return max(0, by), min(n, lenY) },
				func(_, by, i int32) []int32 { return []int32{i - by} }},
			{"Narrow", h.Narrow, all, func(_, by, i int32) []int32 { return []int32{int32(int8(i) + int8(by))} }},
			{"Middle", h.Middle, func(n, by, _ int32) (int32, int32) { return by, n },
				func(_, _, i int32) []int32 { return []int32{i - 1, i, i + 1} }},
		} {
			for _, n := range []int32{0, 1, 7, 20, 21, 130} {
				for _, by := range []int32{0, 1, -1, 3, 40, 100, 120, 200, math.MaxInt32, math.MaxInt32 - 5, math.MinInt32, math.MinInt32 + 2} {
					lo, hi := c.bounds(n, by, 128)
					if hi > lo && hi-lo > 1000 || hi > lo && hi-lo < 0 {
						continue // a long loop, each iteration of which fails
					}
					predicated(r, c.name, c.kernel, n, by, lo, hi, c.index)
				}
			}
		}
	})
}

func predicated(r *runtest.Run, name string, kernel func(n, by int32, x, y ti.Array[int32]) error, n, by, lo, hi int32, index func(n, by, i int32) []int32) {
	x, y := numbers[int32](1, 140), ti.Array[int32]{Data: make([]int32, 128), Shape: ti.Shape{128}}
	x.Shape = ti.Shape{140}
	want, fails := make([]int32, 128), false
	for i := lo; i < hi; i++ {
		sum := int32(0)
		for _, j := range index(n, by, i) {
			if j < 0 || j >= 140 {
				fails = true
			} else {
				sum += x.Data[j]
			}
		}
		if i < 0 || i >= 128 {
			fails = true
		} else {
			want[i] = sum
		}
	}
	if r.Unchecked && fails {
		return // what happens is not defined
	}
	err := kernel(n, by, x, y)
	if failed := errors.Is(err, ti.ErrRange); failed != fails && !(r.Debug && err != nil) {
		r.Errorf("%s(%d, %d): %v; fails: %v", name, n, by, err, fails)
	}
	for i := range want {
		if err == nil && y.Data[i] != want[i] {
			r.Errorf("%s(%d, %d): y[%d] is %d, want %d", name, n, by, i, y.Data[i], want[i])
		}
	}
}
