package program

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// metaprogramming: templates, generic functions, functions as arguments, bundles.
var metaprogramming = []program{
	{"templates over fields of any rank and type", `
var A, B field[f32, D1]
var P, Q field[vec2, D2]
var C, D field[f32, D0]
func Copy(dst, src template) {
	staticAssert(len(dst.shape) == len(src.shape), "ranks %d and %d differ", len(dst.shape), len(src.shape))
	for i := range dst { dst[i] = src[i] }
}
func Laplace(dst, src template) {
	for i := range dst {
		p := vec(i)
		var s dst.dtype
		for d := range static(len(src.shape)) {
			e := p - p
			e[d] = 1
			s += at(src, p+e) + at(src, p-e) - 2*src[p]
		}
		dst[i] = s
	}
}
func at[T any, I any](x field[T], p I) T { return x[clamp(p, 0, x.shape-1)] }
func Run() {
	for i := range A { A[i] = f32(i * i) }
	for i, j := range P { P[i][j] = vec2(i*i, j*j*3) }
	Copy(B, A)
	Copy(Q, P)
	Laplace(A, B)
	Laplace(P, Q)
	C = 5
	Copy(D, C)
	Laplace(C, D)
	for p := range ndrange(D.shape) { D[p] += sum(p) + product(p) }
}`, func(r *runtest.Run, src string) {
		var h struct {
			A, B ti.Field[float32]
			P, Q ti.Field[ti.Vec2]
			C, D ti.Field[float32]
			Run  func() error
		}
		r.Place(nil, &h.C, &h.D)
		r.Place(ti.Shape{20}, &h.A, &h.B)
		r.Place(ti.Shape{6, 5}, &h.P, &h.Q)
		r.Load(src, &h)
		runtest.OK(r, h.Run())
		if c, d := h.C.At(), h.D.At(); c != 0 || d != 6 { // no axes, so no second difference
			r.Errorf("fields of rank 0 hold %v and %v, want 0 and 6", c, d)
		}
		line := func(i, n int) float32 { // the second difference of squares, the border repeated
			lo, hi := max(i-1, 0), min(i+1, n-1)
			return float32(lo*lo + hi*hi - 2*i*i)
		}
		runtest.EqAll(r, &h.A, func(i ti.Index) float32 { return line(i[0], 20) })
		runtest.EqAll(r, &h.P, func(i ti.Index) ti.Vec2 { return ti.Vec2{line(i[0], 6), 3 * line(i[1], 5)} })
	}},
	{"generic functions", `
var X field[i64]
var V field[vec3]
func largest[T any](q field[T], a, b i32) T { return max(q[a], q[b]) }
func total[T number](a []T) T {
	var s T
	for _, v := range a { s += v }
	return s
}
func pair[A, B any](a A, b B) (B, A) { return b, a }
func first[T any](a [3]T) T { return a[0] }
func convert[To, From any](v From) To { return To(v) }
func size[T any]() i32 {
	if static(T == f64) { return 8 }
	if static(T == vec3 || T == ivec3) { return 12 }
	return 4
}
func Run(a []f64) (x i64, v vec3, s f64, n i32, f f32, k i32) {
	for i := range X { X[i] = i64(i) * 10 }
	for i := range V { V[i] = vec3(i, -i, 1) }
	x = largest(X, 2, 5)
	v = largest(V, 1, 2)
	s = total(a)
	f, n = pair(n+7, 1.5)
	n += i32(first(vec3(3, 2, 1))) + convert[i32](2.75)
	k = size[f64]()*100 + size[vec3]()*10 + size[i8]()
	return
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[int64]
			V   ti.Field[ti.Vec3]
			Run func(a []float64) (int64, ti.Vec3, float64, int32, float32, int32, error)
		}
		r.Place(ti.Shape{8}, &h.X)
		r.Place(ti.Shape{5}, &h.V)
		r.Load(src, &h)
		x, v, s, n, f, k, err := h.Run([]float64{1, 2.5, -8})
		runtest.OK(r, err)
		runtest.Eq(r, "x", x, 50)
		runtest.Eq(r, "v", v, ti.Vec3{2, -1, 1})
		runtest.Eq(r, "s", s, -4.5)
		runtest.Eq(r, "n", n, 7+3+2)
		runtest.Eq(r, "f", f, 1.5)
		runtest.Eq(r, "k", k, 8*100+12*10+4)
	}},
	{"functions as arguments", `
var X, Y field[f32]
const Scale = 3
func Map(x field[f32], f func(f32) f32) {
	for i := range x { x[i] = f(x[i]) }
}
func Apply(x template, f template) {
	for i := range x { x[i] = f(x[i]) }
}
func twice[T any](v T, f func(T) T) T { return f(f(v)) }
func fold(a [4]f32, start f32, f func(f32, f32) f32) f32 {
	for _, v := range a { start = f(start, v) }
	return start
}
func half[T any](v T) T { return v / 2 }
func inc(v f32) f32 { return v + 1 }
func Run(k f32) {
	for i := range X { X[i] = f32(i) }
	Map(X, inc)
	Map(X, sqrt)
	Map(X, half)
	Apply(X, half)
	Map(X, func(v f32) f32 { return k*v + Scale })
	for i := range Y {
		w := [4]f32{1, k, X[i], 2}
		b := f32(i)
		Y[i] = fold(w, 0, func(s, v f32) f32 { return s + b*v }) + fold(w, w[0], max) + twice(b, func(v f32) f32 {
			return twice(v, func(u f32) f32 { return u + w[i%4] })
		})
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			X, Y ti.Field[float32]
			Run  func(k float32) error
		}
		r.Place(ti.Shape{30}, &h.X)
		r.Place(ti.Shape{16}, &h.Y)
		r.Load(src, &h)
		runtest.OK(r, h.Run(2))
		root := func(i int) float32 {
			x := [30]float32{1, 1.4142135, 1.7320508, 2, 2.236068, 2.4494898, 2.6457512, 2.828427, 3, 3.1622777, 3.3166249, 3.4641016, 3.6055512, 3.7416575, 3.8729835, 4}
			return 2*(x[i]/4) + 3
		}
		for i := range 16 {
			x := root(i)
			w := [4]float32{1, 2, x, 2}
			b := float32(i)
			want := b*w[0] + b*w[1] + b*w[2] + b*w[3] + max(1, 2, x) + b + 4*w[i%4]
			runtest.Eq(r, "X", h.X.At(i), x)
			runtest.Eq(r, "Y", h.Y.At(i), want)
		}
	}},
	scalarCase("compile-time recursion and constants", `
func power(x i32, n template) i32 {
	if static(n == 0) { return 1 }
	if static(n%2 == 1) {
		return x * power(x, n-1)
	} else {
		y := power(x, n/2)
		return y * y
	}
}
func dot3(v template, x i32) (s i32) {
	for i := range static(v.n) { s += v[i] * x }
	return
}
func unroll[T integer](count template, start T, f func(T) T) T {
	for range static(count) { start = f(start) }
	return start
}
func F(a, b i32) i32 {
	return power(a, 5) + dot3(ivec3(1, 2, 3), b) + unroll(2*2-1, a, func(v i32) i32 { return v + b })
}`, ints, ints, func(a, b int32) int32 { return a*a*a*a*a + 6*b + a + 3*b }),
	scalarCase("generic struct types", `
type Pair[T, U any] struct { A T; B U }
type Box[T number] [2]T
func swap[T, U any](p Pair[T, U]) Pair[U, T] { return Pair[U, T]{p.B, p.A} }
func total[T number](b Box[T]) T { return b[0] + b[1] }
func F(a, b i32) i32 {
	p := swap(Pair[i32, vec2]{A: a, B: vec2(b, 2)})
	q := Pair[i32, Pair[i64, Box[i32]]]{a, {i64(b), {a, b}}}
	if static(p.A.n == 2) { p.B += total[i32](q.B.B) }
	return p.B + i32(p.A.x) + i32(q.B.A)
}`, ints, ints, func(a, b int32) int32 { return 2*a + 3*b }),
	{"what function literals see", `
type Wave struct { K, Phase f32 }
var X field[f32]
var S field[f32, D0]
//ti:noinline
func poly[T real](x T, f func(T) T) T {
	r := f(x)
	for range 2 { r = r*x + f(r) }
	return r
}
func Fill(q template, f template) {
	for i := range q { q[i] = f(i) }
}
func Run(a []f32, w Wave, n i32) (total f32, d f64) {
	Fill(X, func(i i32) f32 { return a[i%len(a)]*w.K + w.Phase })
	table := [3]f32{1, 2, 3}
	table[n%3] = 7
	for i := range X {
		p := vec2(i, n)
		X[i] += poly(f32(1), func(v f32) f32 { return v + table[i%3] + sum(p) })
		total += X[i]
	}
	d = poly(f64(n), func(v f64) f64 { return v - f64(w.K) })
	S += total
	return
}`, func(r *runtest.Run, src string) {
		type wave struct{ K, Phase float32 }
		var h struct {
			X   ti.Field[float32]
			S   ti.Field[float32]
			Run func(a []float32, w wave, n int32) (float32, float64, error)
		}
		r.Place(ti.Shape{12}, &h.X)
		r.Place(ti.Shape{}, &h.S)
		r.Load(src, &h)
		a := []float32{1, 2, 3, 4, 5}
		total, d, err := h.Run(a, wave{2, 0.5}, 4)
		runtest.OK(r, err)
		sum := float32(0)
		for i := range 12 {
			c := [3]float32{1, 7, 3}[i%3] + float32(i) + 4
			p := 1 + c
			for range 2 {
				p = p + p + c
			}
			want := a[i%5]*2 + 0.5 + p
			sum += want
			runtest.Eq(r, "X", h.X.At(i), want)
		}
		runtest.Eq(r, "total", total, sum)
		runtest.Eq(r, "S", h.S.At(), sum)
		e := float64(4 - 2)
		for range 2 {
			e = e*4 + e - 2
		}
		runtest.Eq(r, "d", d, e)
	}},
	{"slices as template arguments", `
var X field[f32]
func fill(dst, src template) {
	for i := range serial(dst) { add(dst, i, src[i%len(src)]) }
}
func add(dst template, i i32, v dst.dtype) { dst[i] += v }
func Scale(a template, by template) {
	for i := range a { a[i] *= by }
}
func Run(a, b []f32) f32 {
	fill(a, b)
	fill(X, a)
	Scale(X, 2)
	Scale(a, len(X.shape)+2)
	s := 0.0
	for i := range a { s += a[i] }
	return s
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[float32]
			Run func(a, b []float32) (float32, error)
		}
		r.Place(ti.Shape{6}, &h.X)
		r.Load(src, &h)
		a := []float32{1, 2, 3, 4}
		s, err := h.Run(a, []float32{10, 20, 30})
		runtest.OK(r, err)
		runtest.Eq(r, "a", [4]float32(a), [4]float32{33, 66, 99, 42})
		runtest.Eq(r, "s", s, 240)
		runtest.EqAll(r, &h.X, func(i ti.Index) float32 { return 2 * []float32{11, 22, 33, 14}[i[0]%4] })
	}},
	{"bundles", `
type Level struct {
	X      field[f32]
	Weight f32
	Side   [2]i32
}
type System struct {
	Levels [2]Level
	Extra  field[i32, D0]
}
var Pyramid [3]field[f32]
var S System
func down(level template) {
	for i := range serial(Pyramid[level]) {
		s := 0.0
		for k := range static(2) { s += Pyramid[level-1][2*i+k] }
		Pyramid[level][i] = s
	}
}
func scale(l Level, by f32) {
	for i := range serial(l.X) { l.X[i] *= by * l.Weight }
}
func Run() (n, sides i32) {
	for i := range Pyramid[0] { Pyramid[0][i] = f32(i) }
	down(1)
	down(2)
	for k, l := range static(S.Levels) {
		for i := range l.X { l.X[i] = f32(i + k) + l.Weight }
		sides += l.Side[0] * l.Side.y
	}
	scale(S.Levels[0], 2)
	scale(S.Levels[len(S.Levels)-1], 3)
	for _, p := range static(Pyramid) { n += len(p) }
	S.Extra = n
	return n, sides
}`, func(r *runtest.Run, src string) {
		type level struct {
			X      ti.Field[float32]
			Weight float32
			Side   [2]int32
		}
		var h struct {
			Pyramid [3]ti.Field[float32]
			S       struct {
				Levels [2]level
				Extra  ti.Field[int32]
			}
			Run func() (int32, int32, error)
		}
		for l := range h.Pyramid {
			r.Place(ti.Shape{16 >> l}, &h.Pyramid[l])
		}
		for l := range h.S.Levels {
			r.Place(ti.Shape{5}, &h.S.Levels[l].X)
			h.S.Levels[l].Weight = float32(l + 1)
			h.S.Levels[l].Side = [2]int32{int32(l) + 2, 5}
		}
		r.Place(ti.Shape{}, &h.S.Extra)
		r.Load(src, &h)
		n, sides, err := h.Run()
		runtest.OK(r, err)
		runtest.Eq(r, "n", n, 28)
		runtest.Eq(r, "sides", sides, 25)
		runtest.Eq(r, "Extra", h.S.Extra.At(), 28)
		runtest.EqAll(r, &h.Pyramid[2], func(i ti.Index) float32 { return float32(16*i[0] + 6) })
		for l := range h.S.Levels {
			runtest.EqAll(r, &h.S.Levels[l].X, func(i ti.Index) float32 {
				w := float32(l + 1)
				return (float32(i[0]+l) + w) * float32(l+2) * w
			})
		}
	}},
}

// A template is instantiated once for equal arguments, and anew for others.
func TestMetaErrors(t *testing.T) {
	rt, err := ti.New(ti.Config{Arch: ti.Oracle})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	var h struct{ F func() float32 }
	err = rt.Load(`package p
func F() f32 { return g(1) }
func g(n template) f32 { return h(vec2(n)) }
func h[T any](v T) f32 { return v.z }
`, &h)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"vec2 has no member z", "instantiated at meta_test.go:", ":33\n", ":23"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in\n%s", want, err)
		}
	}
}
