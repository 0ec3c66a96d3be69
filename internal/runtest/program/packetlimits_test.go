package program

import (
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// Programs with loops over ranges whose limits differ between iterations, which become packets.
var packetLimits = []program{
	{"loops over ranges of each iteration's own", `
var (
	Start, End field[i32]
	X          field[vec2]
	Near       field[vec3]
	Last       field[i32]
)

// Around sums up what lies within reach, of the particles from Start to End; the range may be empty.
func Around(reach f32) {
	for i := range Near {
		s, n, last := vec2(0), 0, -1
		for j := range span(Start[i], End[i]) {
			r := X[i] - X[j]
			d := length(r)
			if d < reach && d > 0 {
				s += (1 - d/reach) * (1 - d/reach) / d * r
				n++
				last = j
			}
		}
		Near[i] = vec3(s, n)
		Last[i] = last
	}
}

// First looks for the first one within reach, and leaves.
func First(reach f32) {
	for i := range Near {
		at, best := -1, f32(0)
		for j := range span(Start[i], End[i]) {
			r := X[j] - X[i]
			d := sqrt(r.x*r.x + 2*r.y*r.y + abs(r.x*r.y))
			best = max(best, d*d/(1+d))
			if d < reach && j != i {
				at = j
				break
			}
		}
		Near[i] = vec3(best, 0, 0)
		Last[i] = at
	}
}

// Pairs has a loop of its own limits in another.
func Pairs() {
	for i := range Near {
		s := f32(0)
		for j := range span(Start[i], End[i]) {
			for k := range span(j, min(j+i%3, End[i])) {
				a, b := X[j].x*X[k].y, X[j].y-X[k].x
				s += a*b/(1+a*a+b*b) + sqrt(abs(a))*b
			}
		}
		Near[i] = vec3(0, s, 0)
	}
}`, func(r *runtest.Run, src string) {
		const n = 203
		var h struct {
			Start, End, Last ti.Field[int32]
			X                ti.Field[ti.Vec2]
			Near             ti.Field[ti.Vec3]
			Around, First    func(float32) error
			Pairs            func() error
		}
		r.Place(ti.Shape{n}, &h.Start, &h.End, &h.Last, &h.X, &h.Near)
		r.Load(src, &h)
		var x [n][2]float64
		var lo, hi [n]int32
		for i := range n {
			lo[i] = int32(i * 31 % 190)
			hi[i] = min(lo[i]+int32(i*i%23)-4, n) // some are empty, and some end before they begin
			x[i] = [2]float64{float64(i*13%29) / 8, float64(i*7%31) / 8}
			h.Start.Set(lo[i], i)
			h.End.Set(hi[i], i)
			h.X.Set(ti.Vec2{float32(x[i][0]), float32(x[i][1])}, i)
		}
		near := func(what string, i int, got float32, want float64) {
			if !(math.Abs(float64(got)-want) <= 1e-4*(1+math.Abs(want))) {
				r.Errorf("%s, %d: %v, want %v", what, i, got, want)
			}
		}
		const reach = 1.3
		runtest.OK(r, h.Around(reach))
		for i := range n {
			s, count, last := [2]float64{}, 0, int32(-1)
			for j := lo[i]; j < hi[i]; j++ {
				rx, ry := x[i][0]-x[j][0], x[i][1]-x[j][1]
				if d := math.Hypot(rx, ry); d < float64(float32(reach)) && d > 0 {
					f := (1 - d/reach) * (1 - d/reach) / d
					s[0], s[1] = s[0]+f*rx, s[1]+f*ry
					count, last = count+1, j
				}
			}
			got := h.Near.At(i)
			near("Around", i, got[0], s[0])
			near("Around", i, got[1], s[1])
			if int(got[2]) != count || h.Last.At(i) != last {
				r.Errorf("Around, %d: %v and %d, want %d and %d", i, got[2], h.Last.At(i), count, last)
			}
		}
		runtest.OK(r, h.First(0.9))
		for i := range n {
			at, best := int32(-1), 0.0
			for j := lo[i]; j < hi[i]; j++ {
				rx, ry := x[j][0]-x[i][0], x[j][1]-x[i][1]
				d := math.Sqrt(rx*rx + 2*ry*ry + math.Abs(rx*ry))
				best = max(best, d*d/(1+d))
				if d < 0.9 && int(j) != i {
					at = j
					break
				}
			}
			near("First", i, h.Near.At(i)[0], best)
			if h.Last.At(i) != at {
				r.Errorf("First, %d: %d, want %d", i, h.Last.At(i), at)
			}
		}
		runtest.OK(r, h.Pairs())
		for i := range n {
			s := 0.0
			for j := lo[i]; j < hi[i]; j++ {
				for k := j; k < min(j+int32(i%3), hi[i]); k++ {
					a, b := x[j][0]*x[k][1], x[j][1]-x[k][0]
					s += a*b/(1+a*a+b*b) + math.Sqrt(math.Abs(a))*b
				}
			}
			near("Pairs", i, h.Near.At(i)[1], s)
		}
	}},
}
