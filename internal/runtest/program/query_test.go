package program

import (
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

var queries = []program{
	{"what is known of a field", `
type Cell = [3]f32
var X field[Cell, D2]
var Y field[f64]
func Run() (rank, cells, first i32, s f64, last ivec2) {
	var sums [len(X.shape)]i32
	for i := range static(len(X.shape)) { sums[i] = X.shape[i] }
	var t Y.dtype
	t = Y[1] + 1
	if static(Y.dtype == f64) { t *= 2 }
	cells = sums[0] * sums[1]
	return len(sums), cells, len(X), t, X.shape - 1
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[ti.Vec3]
			Y   ti.Field[float64]
			Run func() (rank, cells, first int32, s float64, last ti.IVec2, err error)
		}
		r.Place(ti.Shape{6, 10}, &h.X)
		r.Place(ti.Shape{4}, &h.Y)
		r.Load(src, &h)
		h.Y.Set(20, 1)
		rank, cells, first, s, last, err := h.Run()
		runtest.OK(r, err)
		runtest.Eq(r, "rank", rank, 2)
		runtest.Eq(r, "cells", cells, 60)
		runtest.Eq(r, "first", first, 6)
		runtest.Eq(r, "s", s, 42)
		runtest.Eq(r, "last", last, ti.IVec2{5, 9})
	}},
	{"what gradients do not pass, and text at compile time", `
var X field[vec2, D1]
func Run() {
	staticPrint("X has", len(X.shape), "axis of", X.dtype)
	for i := range X {
		X[i] = stopGrad(vec2(i, 1)) * stopGrad(2)
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[ti.Vec2]
			Run func() error
		}
		r.Place(ti.Shape{12}, &h.X)
		r.Load(src, &h)
		runtest.OK(r, h.Run())
		runtest.EqAll(r, &h.X, func(i ti.Index) ti.Vec2 { return ti.Vec2{2 * float32(i[0]), 2} })
		if text := r.Out.String(); !strings.HasSuffix(text, "X has 1 axis of vec2\n") || strings.Count(text, "\n") != 1 {
			r.Errorf("printed %q", text)
		}
	}},
	{"promises about indices", `
var X, Y field[i32]
func Run() {
	for i := range X {
		j := assumeInRange(i*2-i, i, 0, 1)
		X[loopUnique(j)] += 3
		Y[j] = X[j] + i
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			X, Y ti.Field[int32]
			Run  func() error
		}
		r.Place(ti.Shape{40}, &h.X, &h.Y)
		r.Load(src, &h)
		runtest.OK(r, h.Run())
		runtest.EqAll(r, &h.Y, func(i ti.Index) int32 { return int32(3 + i[0]) })
	}},
	{"promises that iterations have indices of their own", `
var X field[vec2, D1]
var P, N field[i32]
var T field[i32, D2]
var M field[i32, D1]
//ti:noinline
func mirrored(i, n i32) i32 {
	return loopUnique(n - 1 - i)
}
func Scatter() {
	for i := range P {
		p := loopUnique(P[i])
		X[p] += vec2(1, 2)
		if p%3 == 0 {
			X[p].y *= 3
		}
	}
}
func Vectors() {
	for i := range P {
		p := loopUnique(ivec2(P[i]/7, P[i]%7))
		T[p] += i
		T[p.x][p.y] *= 2
	}
	for i := range P {
		p := loopUnique(ivec3(P[i]/7, P[i]%7, 5))
		T[p.xy] += 1
		M[p.x] += i // two iterations of one row
	}
}
func Rows() {
	for i := range 13 {
		for k := range 7 {
			N[loopUnique(P[7*i+k])] += i + k
		}
	}
}
func Called() {
	for i := range N {
		N[loopUnique(mirrored(i, len(N)))] -= 1
	}
	N[loopUnique(5)] += 100
	for v := range N {
		N[loopUnique(vec(v)).x] += loopUnique(2)
	}
}
func Slice(a []i64) {
	for i := range P {
		a[loopUnique(i64(P[i]))] += i64(i)
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			X                     ti.Field[ti.Vec2]
			P, N, T, M            ti.Field[int32]
			Scatter, Rows, Called func() error
			Vectors               func() error
			Slice                 func(a []int64) error
		}
		const n = 91
		r.Place(ti.Shape{n}, &h.X, &h.P, &h.N)
		r.Place(ti.Shape{n / 7, 7}, &h.T)
		r.Place(ti.Shape{n / 7}, &h.M)
		r.Load(src, &h)
		for i := range n {
			h.P.Set(int32(i*37%n), i)
		}
		for range 3 {
			runtest.OK(r, h.Scatter())
		}
		runtest.EqAll(r, &h.X, func(i ti.Index) ti.Vec2 {
			if i[0]%3 == 0 {
				return ti.Vec2{3, ((2*3+2)*3 + 2) * 3}
			}
			return ti.Vec2{3, 6}
		})
		runtest.OK(r, h.Rows())
		runtest.OK(r, h.Called())
		a := make([]int64, n)
		runtest.OK(r, h.Slice(a))
		at := map[int]int{}
		for i := range n {
			at[i*37%n] = i
		}
		runtest.EqAll(r, &h.N, func(ix ti.Index) int32 {
			i := at[ix[0]]
			want := int32(i/7 + i%7 - 1 + 2)
			if ix[0] == 5 {
				want += 100
			}
			return want
		})
		runtest.OK(r, h.Vectors())
		runtest.EqAll(r, &h.T, func(ix ti.Index) int32 { return int32(2*at[ix[0]*7+ix[1]] + 1) })
		runtest.EqAll(r, &h.M, func(ix ti.Index) int32 {
			sum := 0
			for k := range 7 {
				sum += at[ix[0]*7+k]
			}
			return int32(sum)
		})
		for p, v := range a {
			if v != int64(at[p]) {
				r.Errorf("a[%d] is %d, want %d", p, v, at[p])
			}
		}
	}},
	{"a promise with components that is not kept", `
var X field[i32]
func Run(lo, hi i32) (s i32, v ivec2) {
	for i := range X {
		s += assumeInRange(i*i%7, i, lo, hi)
		X[assumeInRange(39-i, i, -2, 3)] += 1
	}
	v = assumeInRange(ivec2(3, 9), ivec2(X.shape.x), ivec2(-50, -4), 0)
	v += ivec2(i32(assumeInRange(u32(3), u32(5), -2, 3)), i32(assumeInRange(i64(9), 7, -1, 2)))
	return
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[int32]
			Run func(lo, hi int32) (int32, ti.IVec2, error)
		}
		r.Place(ti.Shape{40}, &h.X)
		r.Load(src, &h)
		s, v, err := h.Run(-40, 7)
		want := int32(0)
		for i := range int32(40) {
			want += i * i % 7
		}
		// What is not kept comes to the nearest number; debug mode fails.
		if wantFailure(r, err, ti.ErrAssert, "assumeInRange: 39 is 39 away from the base, and the promise is at least -2 and less than 3", 7); err == nil {
			runtest.Eq(r, "s", s, want)
			runtest.Eq(r, "v", v, ti.IVec2{3 + 3, 36 + 8})
		}
	}},
	{"vectors of one and of ten", `
var V field[[10]f32]
var U field[[1]i32]
func Run() {
	for i := range V {
		v := V[i]
		for k := range static(v.n) { v[k] = f32(k * i) }
		V[i] = v + sum(v)
		U[i] = vec(i) * 2
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			V   ti.Field[[10]float32]
			U   ti.Field[[1]int32]
			Run func() error
		}
		r.Place(ti.Shape{20}, &h.V, &h.U)
		r.Load(src, &h)
		runtest.OK(r, h.Run())
		for i := range 20 {
			for k := range 10 {
				runtest.Eq(r, "V", h.V.At(i)[k], float32(i*k+45*i))
			}
			runtest.Eq(r, "U", h.U.At(i)[0], int32(2*i))
		}
	}},
	{"a field read and written through two kernels", `
var X field[i32]
func shift(i, by i32) i32 { return X[clamp(i+by, 0, len(X)-1)] }
func Step(by i32) i32 {
	total := 0
	for i := range serial(X) {
		X[i] = shift(i, by) + 1
		total += X[i]
	}
	return total
}
func Run(n i32) (total i32) {
	for i := range X { X[i] = i }
	for range serial(n) { total += step(2) }
	return
}
func step(by i32) i32 { return Step(by) }`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[int32]
			Run func(n int32) (int32, error)
		}
		r.Place(ti.Shape{12}, &h.X)
		r.Load(src, &h)
		got, err := h.Run(3)
		runtest.OK(r, err)
		var x [12]int32
		for i := range x {
			x[i] = int32(i)
		}
		want := int32(0)
		for range 3 {
			for i := range x {
				x[i] = x[min(i+2, 11)] + 1
				want += x[i]
			}
		}
		runtest.Eq(r, "total", got, want)
		runtest.EqAll(r, &h.X, func(i ti.Index) int32 { return x[i[0]] })
	}},
}
