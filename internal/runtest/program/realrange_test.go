package program

import (
	"errors"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// Indices made of floats, which what the floats are limited by bounds; no number, infinities and the limits themselves among them.
var realRanges = []program{
	{"indices made of floats that are limited", `
var X field[f32, D1]
var Y field[i32, D2]
var T field[i32, D1]
func F() {
	for i := range X {
		x := X[i]
		Y[i][0] = T[i32(clamp(x, 0, 14.99))]
		Y[i][1] = T[i32(min(max(x*2, 0), 31)*0.5)]
		if x >= 0 && x < 16 { Y[i][2] = T[i32(x)] }
		if !(x < 0) && !(x >= 16) { Y[i][3] = T[i32(x)] }
		if x < 16 && 0 <= x { Y[i][4] = T[i32(floor(x))] }
		Y[i][5] = T[15-i32(abs(clamp(x, -15, 15)))]
		Y[i][6] = T[i32(clamp(x, 0, 14.5)+1.25)]
		if x > -1 { if x < 15.5 { Y[i][7] = T[i32(x)] } }
	}
}
func Outside() {
	for i := range X {
		if !(X[i] < 0) { Y[i][0] = T[i32(X[i])] }
	}
}
func Edge() {
	for i := range X { Y[i][0] = T[i32(clamp(X[i], 0, 16))] }
}`, func(r *runtest.Run, src string) {
		var h struct {
			X                ti.Field[float32]
			Y, T             ti.Field[int32]
			F, Outside, Edge func() error
		}
		inf, nan := math.Inf(1), math.NaN()
		xs := []float64{nan, inf, -inf, 0, math.Copysign(0, -1), 14.99, 15, 15.49, 15.999999, 16, 17, 1e9, 1e30, -0.5, -1, -15, -16, -1e30, 3.7, 7, 0.1, 12.25, 13.75}
		r.Place(ti.Shape{len(xs)}, &h.X)
		r.Place(ti.Shape{len(xs), 8}, &h.Y)
		r.Place(ti.Shape{16}, &h.T)
		r.Load(src, &h)
		for i := range 16 {
			h.T.Set(int32(100+i), i)
		}
		for i, x := range xs {
			h.X.Set(float32(x), i)
		}
		runtest.OK(r, h.F())
		limited := func(x, lo, hi float64) float64 { // NaN stays
			if x < lo {
				return lo
			}
			if x > hi {
				return hi
			}
			return x
		}
		at := func(x float64) int32 {
			if x != x {
				return 100
			}
			return 100 + int32(x)
		}
		want := make([][8]int32, len(xs))
		for i, x := range xs {
			x = float64(float32(x))
			w := &want[i]
			w[0], w[1] = at(limited(x, 0, 14.99)), at(limited(x*2, 0, 31)/2)
			if x >= 0 && x < 16 {
				w[2], w[4] = at(x), at(math.Floor(x))
			}
			if !(x < 0) && !(x >= 16) {
				w[3] = at(x)
			}
			w[5] = 115
			if x == x {
				w[5] = 115 - int32(math.Abs(limited(x, -15, 15)))
			}
			w[6] = at(limited(x, 0, 14.5) + 1.25)
			if x > -1 && x < 15.5 {
				w[7] = at(x)
			}
		}
		runtest.EqAll(r, &h.Y, func(i ti.Index) int32 { return want[i[0]][i[1]] })
		if r.Unchecked {
			return // what happens is not defined
		}
		for name, f := range map[string]func() error{"Outside": h.Outside, "Edge": h.Edge} {
			if err := f(); !errors.Is(err, ti.ErrRange) {
				r.Errorf("%s: %v", name, err)
			}
		}
	}},
}
