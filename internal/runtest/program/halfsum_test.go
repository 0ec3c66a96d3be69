package program

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// halfSums are sums and products of halves over parallel loops. They are computed in f32
// and rounded once, so the result is the same on every back end and number of threads.
var halfSums = []program{
	{"f16 sums gather in f32", `
type pair struct {
	a f16
	n i32
	b f16
}
var (
	S    field[f16, D0]
	V    field[[3]f16, D0]
	E    field[f16, D1]
	Keep field[f16, D0]
)
func square(x f16) f16 { return x * x }
func Variable(n i32) f16 {
	s := f16(0)
	for range n { s += 1.12 }
	return s
}
func Start() (s f16) {
	s = 2048
	for range 1000 { s++ }
	for i := range 1000 { if i < 600 { s -= 2 } }
	return
}
func Vector() [2]f16 {
	v := [2]f16{f16(0), f16(5)}
	for range 1000 { v += [2]f16{f16(1.12), f16(-0.5)} }
	for range 100 { v.y -= 1 }
	return v
}
func Members() (f16, i32, f16) {
	var p pair
	for i := range 3000 { p.a += 1; p.n += i; p.b -= square(0.5) }
	return p.a, p.n, p.b
}
func Inner() f16 {
	s := f16(0)
	for i := range 10 { for range 100*i { s += 1 } }
	return s
}
func Product() f16 {
	p := f16(1)
	for range 100 { p *= 1.01 }
	return p
}
func Fields(n i32) {
	for range n {
		S += 1.12
		V += [3]f16{f16(1.12), f16(0), f16(-1.12)}
		E[2] -= 1.12
		E[3] += 1.12
	}
}
func Over() f16 {
	s := f16(0)
	for i := range E { s += E[i] }
	return s
}
func Several() (f16, f16) {
	s, t := f16(0), f16(0)
	for range 1000 { s += 1.12; t += 2 }
	for range 1000 { s += 1.12; Keep = max(Keep, 3) }
	return s, t
}
func Serial(n i32) f16 {
	s := f16(0)
	for range serial(n) { s += 1 }
	return s
}
func Own(n i32) f16 {
	for i := range E {
		t := f16(0)
		for range n { t += 1 }
		E[i] = t
	}
	return E[0]
}`, func(r *runtest.Run, src string) {
		type H = ti.Float16
		var s, keep, e ti.Field[H]
		var v ti.Field[[3]H]
		r.Place(nil, &s, &v, &keep)
		r.Place(ti.Shape{5}, &e)
		h := struct {
			S, Keep, E *ti.Field[H]
			V          *ti.Field[[3]H]

			Variable, Serial, Own       func(int32) (H, error)
			Start, Inner, Product, Over func() (H, error)
			Vector                      func() ([2]H, error)
			Members                     func() (H, int32, H, error)
			Several                     func() (H, H, error)
			Fields                      func(int32) error
		}{S: &s, Keep: &keep, E: &e, V: &v}
		r.Load(src, &h)
		exact := func(what string, got H, want float64) {
			r.Helper()
			if got != runtest.Half(want) {
				r.Errorf("%s is %v, want %v", what, got, runtest.Half(want))
			}
		}
		one := func(what string, want float64) func(H, error) {
			return func(got H, err error) {
				r.Helper()
				runtest.OK(r, err)
				exact(what, got, want)
			}
		}
		step := runtest.Float64(runtest.Half(1.12))
		one("1000 × 1.12", 1120)(h.Variable(1000))
		one("no sum", 0)(h.Variable(0))
		one("1 × 1.12", step)(h.Variable(1))
		one("overflow", math.Inf(1))(h.Variable(100000))
		one("start", 2048+1000-1200)(h.Start())
		one("inner", 4500)(h.Inner())
		one("product", math.Pow(runtest.Float64(runtest.Half(1.01)), 100))(h.Product())
		vec, err := h.Vector()
		runtest.OK(r, err)
		exact("v.x", vec[0], 1120)
		exact("v.y", vec[1], 5-500-100)
		a, n, b, err := h.Members()
		runtest.OK(r, err)
		exact("a", a, 3000)
		runtest.Eq(r, "n", n, 3000*2999/2)
		exact("b", b, -750)
		s.Set(runtest.Half(1))
		runtest.OK(r, h.Fields(1000))
		exact("S", s.At(), 1000*step+1)
		for i, want := range []float64{1000 * step, 0, -1000 * step} {
			exact(fmt.Sprint("V", i), v.At()[i], want)
		}
		inSparse := r.Layout.Sparse() // each step is rounded there, and E shares a tree
		for i, want := range []float64{0, 0, -1000 * step, 1000 * step, 0} {
			if !inSparse {
				exact(fmt.Sprint("E", i), e.At(i), want)
			}
		}
		runtest.OK(r, h.Fields(0))
		exact("S of nothing more", s.At(), 1000*step+1)
		if !inSparse {
			one("over E", 0)(h.Over())
		}
		x, y, err := h.Several()
		runtest.OK(r, err)
		exact("s", x, runtest.Float64(runtest.Half(1000*step))+1000*step)
		exact("t", y, 2000)
		exact("Keep", keep.At(), 3)
		one("serial", 2048)(h.Serial(3000)) // each step is rounded
		one("of an iteration", 2048)(h.Own(3000))
	}},
	{"f16 sums at constant indices out of range", `
var E field[f16, D1]
func Beyond(n i32) {
	for range n { E[0] += 1.12; E[7] += 1.12; E[4] -= 1.12 }
}`, func(r *runtest.Run, src string) {
		if r.Unchecked || r.Layout.Sparse() {
			return
		}
		var e ti.Field[ti.Float16]
		r.Place(ti.Shape{5}, &e)
		h := struct {
			E      *ti.Field[ti.Float16]
			Beyond func(int32) error
		}{E: &e}
		r.Load(src, &h)
		runtest.OK(r, h.Beyond(0))
		if err := h.Beyond(1000); !errors.Is(err, ti.ErrRange) || !strings.Contains(err.Error(), "index [7]") {
			r.Errorf("the error is %v", err)
		}
		runtest.Eq(r, "E0", e.At(0), runtest.Half(1000*runtest.Float64(runtest.Half(1.12))))
		runtest.Eq(r, "E4", e.At(4), runtest.Half(-1000*runtest.Float64(runtest.Half(1.12))))
	}},
	{"f16 sums whose NaN is found", `
func Sum(n i32) f16 {
	s := f16(0)
	for i := range n { s += ifelse(i == 70, f16(-inf), f16(1.12)); s += ifelse(i == 71, f16(inf), f16(0)) }
	return s
}`, func(r *runtest.Run, src string) {
		var h struct {
			Sum func(int32) (ti.Float16, error)
		}
		r.Load(src, &h)
		got, err := h.Sum(60)
		runtest.OK(r, err)
		runtest.Eq(r, "60 × 1.12", got, runtest.Half(60*runtest.Float64(runtest.Half(1.12))))
		got, err = h.Sum(100)
		runtest.OK(r, err)
		runtest.Eq(r, "inf - inf", fmt.Sprint(got), "NaN")
	}},
}
