package program

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// widePrograms use int and float where they have 64 bits.
var widePrograms = []program{
	{"arithmetic", `
func Run(n int, x float) (int, float, int, float) {
	k := 1
	y := 0.1
	k = k<<40 + n
	sum := 0
	total := 0.0
	for i := range n {
		sum += i * i
		total += 1.0 / (i + 1)
	}
	return k, y + x, sum, total
}`, func(r *runtest.Run, src string) {
		var h struct {
			Run func(int, float64) (int, float64, int, float64, error)
		}
		r.Load(src, &h)
		k, y, sum, total, err := h.Run(3_000, 0.2)
		runtest.OK(r, err)
		runtest.Eq(r, "k", k, 1<<40+3000)
		runtest.Eq(r, "y", y, 0.1+0.2)
		runtest.Eq(r, "sum", sum, 2999*3000*5999/6)
		if want := math.Log(3000) + 0.5772156649015329 + 1.0/6000; !(math.Abs(total-want) <= 1e-8) {
			r.Errorf("the harmonic number is %v, want %v", total, want)
		}
	}},
	{"loops far out", `
var X field[i64]
func Run(lo int) int {
	n := 0
	for i := range span(lo, lo + 100) {
		X[i - lo] = i
		n += i / 1000
	}
	for i := range serial(span(lo, lo + 3)) { n += i - lo }
	return n
}
func Product(lo int) int {
	n := 0
	for p := range ndrange(span(lo, lo + 3), 2) { n += p.x - lo + 10*p.y }
	return n
}
func While() int {
	i := 1
	for i < 1<<50 { i *= 3 }
	return i
}`, func(r *runtest.Run, src string) {
		var x ti.Field[int64]
		r.Place(ti.Shape{100}, &x)
		h := struct {
			X       *ti.Field[int64]
			Run     func(int) (int, error)
			Product func(int) (int, error)
			While   func() (int, error)
		}{X: &x}
		r.Load(src, &h)
		const lo = 1 << 33
		n, err := h.Run(lo)
		runtest.OK(r, err)
		want := 3
		for i := range 100 {
			runtest.Eq(r, fmt.Sprint("X", i), x.At(i), int64(lo+i))
			want += (lo + i) / 1000
		}
		runtest.Eq(r, "n", n, want)
		p, err := h.Product(lo)
		runtest.OK(r, err)
		runtest.Eq(r, "product", p, 2*(0+1+2)+30)
		w, err := h.While()
		runtest.OK(r, err)
		runtest.Eq(r, "while", w, 1853020188851841)
	}},
	{"fields and shapes", `
var (
	X field[f64, D2]
	V field[[2]f32, D1]
	N field[int, D1]
)
func Run() (int, int, float) {
	for i, j := range X { X[i][j] = i + 0.1*j }
	for p := range X { X[p] += p.x * p.y }
	for i := range V { V[i] = [2]f32{1.5, f32(i) / 4} * f32(0.1) }
	for i := range N { N[i] = i << 35; N[i] |= i }
	s := 0.0
	for i := range static(2) { s += X.shape[i] }
	return X.shape.x, len(N), s
}
func Swap(v [2]int, w [3]float) ([2]int, [3]float) { return v.yx, w * 2 }
func Slices(x []int, y []float) {
	for i := range x { x[i] += 1 << 33; y[i] = sqrt(i) }
}`, func(r *runtest.Run, src string) {
		var x ti.Field[float64]
		var v ti.Field[ti.Vec2]
		var n ti.Field[int64]
		r.Place(ti.Shape{12, 6}, &x)
		r.Place(ti.Shape{20}, &v, &n)
		h := struct {
			X      *ti.Field[float64]
			V      *ti.Field[ti.Vec2]
			N      *ti.Field[int64]
			Run    func() (int64, int, float64, error)
			Swap   func([2]int64, [3]float64) ([2]int64, [3]float64, error)
			Slices func([]int64, []float64) error
		}{X: &x, V: &v, N: &n}
		r.Load(src, &h)
		rows, size, s, err := h.Run()
		runtest.OK(r, err)
		runtest.Eq(r, "shape", fmt.Sprint(rows, size, s), "12 20 18")
		runtest.EqAll(r, &x, func(i ti.Index) float64 { return float64(i[0]) + 0.1*float64(i[1]) + float64(i[0]*i[1]) })
		runtest.EqAll(r, &v, func(i ti.Index) ti.Vec2 {
			tenth := float32(0.1)
			return ti.Vec2{1.5 * tenth, float32(i[0]) / 4 * tenth}
		})
		runtest.EqAll(r, &n, func(i ti.Index) int64 { return int64(i[0])<<35 | int64(i[0]) })
		a, b, err := h.Swap([2]int64{1, 1 << 40}, [3]float64{1, 0.1, -2})
		runtest.OK(r, err)
		runtest.Eq(r, "swap", fmt.Sprint(a, b), "[1099511627776 1] [2 0.2 -4]")
		is, fs := []int64{1, 2, 3}, make([]float64, 3)
		runtest.OK(r, h.Slices(is, fs))
		runtest.Eq(r, "slices", fmt.Sprint(is, fs[:2], fs[2] == math.Sqrt(2)), fmt.Sprint([]int64{1<<33 + 1, 1<<33 + 2, 1<<33 + 3}, []float64{0, 1}, true))
	}},
	{"constants", `
const (
	Big   = 1 << 40
	Third = 1.0 / 3
)
var K int
func Run(a bool) (int, float, int, float, float) {
	t := [3]int{Big, 2, 3}
	n := int(0)
	switch K {
	case 5_000_000_000: n = 7
	default: n = 8
	}
	return t[n-7] + i64(a), Third, n, pi, ifelse(a, 0.1, 2)
}`, func(r *runtest.Run, src string) {
		h := struct {
			K   int64
			Run func(bool) (int, float64, int, float64, float64, error)
		}{K: 5_000_000_000}
		r.Load(src, &h)
		big, third, n, pi, x, err := h.Run(true)
		runtest.OK(r, err)
		if big != 1<<40+1 || third != 1.0/3 || n != 7 || pi != math.Pi || x != 0.1 {
			r.Error(big, third, n, pi, x)
		}
	}},
	{"atomics and random numbers", `
var (
	N field[int, D1]
	S field[float, D0]
)
func Run() (int, float, int) {
	top := 0
	mean := 0.0
	odd := 0
	for i := range 4000 {
		N[i % 4] += i << 32
		S += 0.5
		top = max(top, i * 1_000_000)
		mean += random(float)
		odd |= random(int) & 1
	}
	return top, mean / 4000, odd
}`, func(r *runtest.Run, src string) {
		var n ti.Field[int64]
		var s ti.Field[float64]
		r.Place(ti.Shape{4}, &n)
		r.Place(nil, &s)
		h := struct {
			N   *ti.Field[int64]
			S   *ti.Field[float64]
			Run func() (int, float64, int, error)
		}{N: &n, S: &s}
		r.Load(src, &h)
		top, mean, odd, err := h.Run()
		runtest.OK(r, err)
		if top != 3_999_000_000 || mean < 0.48 || mean > 0.52 || odd != 1 || s.At() != 2000 {
			r.Error(top, mean, odd, s.At())
		}
		for i := range 4 {
			runtest.Eq(r, fmt.Sprint("N", i), n.At(i), int64(1000*i+4*999*1000/2)<<32)
		}
	}},
	{"an index that is out of range", `
var X field[f32, D1]
func Run(n int) int {
	for i := range span(n, n + 2) { X[i] = 1 }
	return n
}`, func(r *runtest.Run, src string) {
		if r.Unchecked {
			return
		}
		var x ti.Field[float32]
		r.Place(ti.Shape{12}, &x)
		h := struct {
			X   *ti.Field[float32]
			Run func(int) (int, error)
		}{X: &x}
		r.Load(src, &h)
		_, err := h.Run(1 << 34)
		var e *ti.RuntimeError
		if !errors.As(err, &e) || !errors.Is(err, ti.ErrRange) || e.Count != 2 || !regexp.MustCompile(`\[1717986918[45]\]`).MatchString(err.Error()) {
			r.Errorf("got %v", err)
		}
	}},
}

func TestWidePrograms(t *testing.T) {
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	for _, p := range widePrograms {
		t.Run(p.name, func(t *testing.T) {
			runtest.RunIn(t, rts, runtest.WideVariants, func(r *runtest.Run) { p.run(r, "package p\n"+p.src) })
		})
	}
}

// TestGoInts passes Go's int where the language's has 32 bits, and named types.
func TestGoInts(t *testing.T) {
	type (
		celsius float32
		count   int
		flags   uint8
		point   [2]float64
	)
	rts := &runtest.Runtimes{}
	defer rts.Close(t)
	src := `package p
func Int(a int, b i32) (int, i32) { return a + 1, b - 1 }
func Named(c f32, n int, f u8, p dvec2) (f32, int, u8, dvec2) { return c + 0.5, n * 2, f | 128, p.yx }
func All(a i8, b i16, c i32, d i64, e u8, f u16, g u32, h u64, x f32, y f64, z f16, t bool) (i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, f16, bool) {
	return -a, -b, -c, -d, ^e, ^f, ^g, ^h, -x, -y, -z, !t
}
`
	runtest.RunAll(t, rts, func(r *runtest.Run) {
		var h struct {
			Int   func(int, int32) (int, int32, error)
			Named func(celsius, count, flags, point) (celsius, count, flags, point, error)
			All   func(int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, ti.Float16, bool) (
				int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, ti.Float16, bool, error)
		}
		r.Load(src, &h)
		for _, n := range []int{0, -1, math.MaxInt32 - 1, math.MinInt32 + 1} {
			a, b, err := h.Int(n, int32(n))
			runtest.OK(r, err)
			runtest.Eq(r, fmt.Sprint("Int ", n), fmt.Sprint(a, b), fmt.Sprint(n+1, int32(n)-1))
		}
		for _, n := range []int{math.MaxInt32 + 1, math.MinInt32 - 1, math.MaxInt64} {
			if _, _, err := h.Int(n, 0); !errors.Is(err, ti.ErrArgs) {
				r.Errorf("Int(%d) gives %v", n, err)
			}
		}
		c, n, f, p, err := h.Named(36.5, 21, 3, point{1, 2})
		runtest.OK(r, err)
		runtest.Eq(r, "Named", fmt.Sprint(c, n, f, p), "37 42 131 [2 1]")
		if _, _, _, _, err := h.Named(0, 1<<40, 0, point{}); !errors.Is(err, ti.ErrArgs) {
			r.Errorf("a count of 1<<40 gives %v", err)
		}
		i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, f16, b, err := h.All(-127, 5, -6, math.MaxInt64, 1, 2, 3, 4, 1.5, -2.5, ti.ToFloat16(0.5), true)
		runtest.OK(r, err)
		runtest.Eq(r, "All", fmt.Sprint(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64, f16, b),
			fmt.Sprint(127, -5, 6, -math.MaxInt64, ^uint8(1), ^uint16(2), ^uint32(3), ^uint64(4), -1.5, 2.5, ti.ToFloat16(-0.5), false))
	})
}
