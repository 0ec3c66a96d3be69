package program

import (
	"fmt"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// halfPrograms use half-precision numbers as storage, arguments and accumulators.
var halfPrograms = []program{
	{"f16 arguments and results", `
func All(a f16, v [3]f16, m [2][2]f16) (f16, [3]f16, [2][2]f16, f32) { return a + 1, v * a, transpose(m), f32(a) }
func One(a f16) f16 { return a * 2 }`, func(r *runtest.Run, src string) {
		type H = ti.Float16
		var h struct {
			All func(H, [3]H, [2][2]H) (H, [3]H, [2][2]H, float32, error)
			One func(H) (H, error)
		}
		r.Load(src, &h)
		a, v, m, f, err := h.All(runtest.Half(0.1), [3]H{runtest.Half(1), runtest.Half(2), runtest.Half(-3)}, [2][2]H{{runtest.Half(1), runtest.Half(2)}, {runtest.Half(3), runtest.Half(4)}})
		runtest.OK(r, err)
		x := runtest.Float64(runtest.Half(0.1))
		runtest.Eq(r, "a+1", a, runtest.Half(x+1))
		runtest.Eq(r, "v*a", v, [3]H{runtest.Half(x), runtest.Half(2 * x), runtest.Half(-3 * x)})
		runtest.Eq(r, "transpose", m, [2][2]H{{runtest.Half(1), runtest.Half(3)}, {runtest.Half(2), runtest.Half(4)}})
		runtest.Eq(r, "f32(a)", f, float32(x))
		b, err := h.One(runtest.Half(40000))
		runtest.OK(r, err)
		runtest.Eq(r, "2*40000", fmt.Sprint(b), "+Inf")
	}},
	{"f16 slices and host constants", `
var (
	K f16
	W [2]f16
)
const Third f16 = 1.0 / 3
func Scale(x []f16, v [][2]f16) {
	for i := range x { x[i] = x[i]*K + Third }
	for i := range v { v[i] = v[i] * W }
}`, func(r *runtest.Run, src string) {
		type H = ti.Float16
		h := struct {
			K     H
			W     [2]H
			Scale func([]H, [][2]H) error
		}{K: runtest.Half(0.3), W: [2]H{runtest.Half(2), runtest.Half(0.1)}}
		r.Load(src, &h)
		x, v := make([]H, 100), make([][2]H, 5)
		for i := range x {
			x[i] = runtest.Half(float64(i) / 8)
		}
		for i := range v {
			v[i] = [2]H{runtest.Half(float64(i)), runtest.Half(float64(i))}
		}
		runtest.OK(r, h.Scale(x, v))
		for i, got := range x {
			product := runtest.Float64(runtest.Half(float64(i) / 8 * runtest.Float64(runtest.Half(0.3))))
			runtest.Eq(r, fmt.Sprint("x", i), got, runtest.Half(product+runtest.Float64(runtest.Half(1.0/3))))
		}
		for i, got := range v {
			runtest.Eq(r, fmt.Sprint("v", i), got, [2]H{runtest.Half(2 * float64(i)), runtest.Half(float64(i) * runtest.Float64(runtest.Half(0.1)))})
		}
	}},
	{"f16 atomics", `
var (
	X       field[f16]
	H       field[f16]
	Sum, Lo field[f16, D0]
	Prod    field[f16, D0]
)
func Run() (f16, f16) {
	s := f16(0)
	hi := f16(-inf)
	for i := range X {
		H[i%4] += X[i]
		Sum += X[i]
		Lo = min(Lo, X[i] - 10)
		s += 0.5
		hi = max(hi, X[i])
		if i%30 == 0 { Prod *= 2 }
	}
	return s, hi
}
func Old() f16 {
	for i := range span(0, 3) { atomicXchg(&H[i], f16(i) + 0.25) }
	for range serial(1) {
		H[0] += f16(atomicCAS(&H[1], 1.25, 9))
		H[2] -= 1
	}
	return H[0]
}`, func(r *runtest.Run, src string) {
		type H = ti.Float16
		var x, hist, sum, lo, prod ti.Field[H]
		const n = 120
		r.Place(ti.Shape{n}, &x)
		r.Place(ti.Shape{4}, &hist)
		r.Place(nil, &sum, &lo, &prod)
		h := struct {
			X, H, Sum, Lo, Prod *ti.Field[H]
			Run                 func() (H, H, error)
			Old                 func() (H, error)
		}{X: &x, H: &hist, Sum: &sum, Lo: &lo, Prod: &prod}
		r.Load(src, &h)
		want, total := [4]float64{}, 0.0
		for i := range n { // sums stay below 2048, so that all are exact
			v := float64(i%16) / 2
			x.Set(runtest.Half(v), i)
			want[i%4] += v
			total += v
		}
		prod.Set(runtest.Half(1))
		s, hi, err := h.Run()
		runtest.OK(r, err)
		runtest.Eq(r, "s", s, runtest.Half(60))
		runtest.Eq(r, "hi", hi, runtest.Half(7.5))
		runtest.Eq(r, "sum", sum.At(), runtest.Half(total))
		runtest.Eq(r, "lo", lo.At(), runtest.Half(-10))
		runtest.Eq(r, "prod", prod.At(), runtest.Half(16))
		for i, w := range want {
			runtest.Eq(r, fmt.Sprint("H", i), hist.At(i), runtest.Half(w))
		}
		first, err := h.Old()
		runtest.OK(r, err)
		runtest.Eq(r, "first", first, runtest.Half(0.25+1.25))
		runtest.Eq(r, "swapped", hist.At(1), runtest.Half(9))
		runtest.Eq(r, "less", hist.At(2), runtest.Half(1.25))
	}},
	{"f16 in loops with conditions", `
var (
	X, Y field[f16]
	V    field[[3]f16]
)
func Run() {
	for i := range X {
		x := X[i]
		n := 0
		for x > 1 && n < 40 {
			x = x*0.75 + ifelse(n%3 == 0, f16(0.125), f16(-0.125))
			n++
		}
		Y[i] = x + n
		V[i] = [3]f16{x, f16(n), X[i]}
	}
}`, func(r *runtest.Run, src string) {
		var x, y ti.Field[ti.Float16]
		var v ti.Field[[3]ti.Float16]
		const n = 100
		r.Place(ti.Shape{n}, &x, &y, &v)
		p := r.Load(src, ti.Bindings{"X": &x, "Y": &y, "V": &v})
		for i := range n {
			x.Set(runtest.Half(float64(i*i)/4), i)
		}
		r.Launch(p, "Run")
		for i := range n {
			c, steps := runtest.Float64(runtest.Half(float64(i*i)/4)), 0
			for c > 1 && steps < 40 {
				d := -0.125
				if steps%3 == 0 {
					d = 0.125
				}
				c = runtest.Float64(runtest.Half(runtest.Float64(runtest.Half(c*0.75)) + d))
				steps++
			}
			runtest.Eq(r, fmt.Sprint("Y", i), y.At(i), runtest.Half(c+float64(steps)))
			runtest.Eq(r, fmt.Sprint("V", i), v.At(i), [3]ti.Float16{runtest.Half(c), runtest.Half(float64(steps)), x.At(i)})
		}
	}},
	{"f16 random", `
func Mean(n i32) (f32, f32, f32) {
	s, t, top := f32(0), f32(0), f32(0)
	for range n {
		u := random(f16)
		s += f32(u)
		g := f32(randn(f16))
		t += g * g
		top = max(top, f32(u))
	}
	return s / n, t / n, top
}`, func(r *runtest.Run, src string) {
		var h struct {
			Mean func(int32) (float32, float32, float32, error)
		}
		r.Load(src, &h)
		mean, square, top, err := h.Mean(4000)
		runtest.OK(r, err)
		if mean < 0.47 || mean > 0.53 || square < 0.9 || square > 1.1 || top >= 1 || top < 0.99 {
			r.Errorf("mean %v, mean square %v, greatest %v", mean, square, top)
		}
	}},
}
