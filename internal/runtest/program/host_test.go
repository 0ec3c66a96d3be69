package program

import (
	"errors"
	"fmt"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

var parameters = []program{
	{"parameters and results of all types", `
func All(a i8, b u16, c i64, d f32, e f64, f bool, v vec3, m mat2, w [2]bool) (i8, u16, i64, f32, f64, bool, vec3, mat2, [2]bool) {
	return a + 1, b + 1, c * 2, d / 2, e * e, !f, v.zyx, transpose(m), !w
}
func Named() (x i32, y vec2) {
	y.x = 2
	x--
	return
}`, func(r *runtest.Run, src string) {
		var h struct {
			All func(int8, uint16, int64, float32, float64, bool, ti.Vec3, ti.Mat2, [2]bool) (
				int8, uint16, int64, float32, float64, bool, ti.Vec3, ti.Mat2, [2]bool, error)
			Named func() (int32, ti.Vec2, error)
		}
		r.Load(src, &h)
		a, b, c, d, e, f, v, m, w, err := h.All(127, 65535, -1<<40, 3, 1e200, true, ti.Vec3{1, 2, 3}, ti.Mat2{{1, 2}, {3, 4}}, [2]bool{true, false})
		runtest.OK(r, err)
		got := fmt.Sprint(a, b, c, d, e, f, v, m, w)
		want := fmt.Sprint(int8(-128), uint16(0), int64(-1<<41), float32(1.5), math.Inf(1), false, ti.Vec3{3, 2, 1}, ti.Mat2{{1, 3}, {2, 4}}, [2]bool{false, true})
		runtest.Eq(r, "All", got, want)
		x, y, err := h.Named()
		runtest.OK(r, err)
		runtest.Eq(r, "x", x, -1)
		runtest.Eq(r, "y", y, ti.Vec2{2, 0})
	}},
	{"slices", `
func Scale(x []f32, s f32) { for i := range x { x[i] *= s } }
func Sum(x []f32) f32 {
	t := f32(0)
	for i, v := range x { t += v + 0*i }
	return t
}
func Lengths(v []vec3, out []f64) i32 {
	for i := range len(v) { out[i] = f64(length(v[i])); v[i].y = 7 }
	return len(v)
}
func Bytes(b []u8, w []i64, f []bool) {
	for i := range b { b[i] = b[i]*2 + 1; w[i] = i64(i) << 40; f[i] = i%3 == 0 }
}`, func(r *runtest.Run, src string) {
		var h struct {
			Scale   func(x []float32, s float32) error
			Sum     func(x []float32) (float32, error)
			Lengths func(v []ti.Vec3, out []float64) (int32, error)
			Bytes   func(b []uint8, w []int64, f []bool) error
		}
		r.Load(src, &h)
		x := make([]float32, 101)
		for i := range x {
			x[i] = float32(i)
		}
		runtest.OK(r, h.Scale(x, 2))
		runtest.Eq(r, "x[100]", x[100], 200)
		s, err := h.Sum(x)
		runtest.OK(r, err)
		runtest.Eq(r, "sum", s, 10100)
		s, err = h.Sum(nil)
		runtest.OK(r, err)
		runtest.Eq(r, "sum of nothing", s, 0)
		v, out := make([]ti.Vec3, 9), make([]float64, 9)
		for i := range v {
			v[i] = ti.Vec3{3 * float32(i), 0, 4 * float32(i)}
		}
		n, err := h.Lengths(v, out)
		runtest.OK(r, err)
		runtest.Eq(r, "n", n, 9)
		for i := range v {
			runtest.Eq(r, "length", out[i], 5*float64(i))
			runtest.Eq(r, "v", v[i], ti.Vec3{3 * float32(i), 7, 4 * float32(i)})
		}
		b, w, f := []uint8{0, 1, 200, 4}, make([]int64, 4), make([]bool, 4)
		runtest.OK(r, h.Bytes(b, w, f))
		runtest.Eq(r, "bytes", fmt.Sprint(b, w, f), fmt.Sprint([]uint8{1, 3, 145, 9}, []int64{0, 1 << 40, 2 << 40, 3 << 40}, []bool{true, false, false, true}))
	}},
	{"host constants", `
var (
	N i32
	Dt f32
	G vec2
	T [3]i32
	On bool
	X field[f32]
)
const Half = 1.0 / N
func Run() {
	for i := range X {
		X[i] = i*Half + Dt*G.y + T[i%3]
		if static(On) { X[i] = -X[i] }
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			N   int
			Dt  float32
			G   ti.Vec2
			T   [3]int32
			On  bool
			X   ti.Field[float32]
			Run func() error
		}
		h.N, h.Dt, h.G, h.T = 4, 0.5, ti.Vec2{0, -2}, [3]int32{10, 20, 30}
		r.Place(ti.Shape{12}, &h.X)
		r.Load(src, &h)
		check := func() {
			runtest.OK(r, h.Run())
			runtest.EqAll(r, &h.X, func(i ti.Index) float32 {
				x := float32(i[0])/float32(h.N) + h.Dt*h.G[1] + float32(h.T[i[0]%3])
				return runtest.IfElse(h.On, -x, x)
			})
		}
		check()
		h.N, h.Dt = 8, 2
		check()
		h.On, h.T[1] = true, -5
		check()
		h.N, h.Dt, h.On, h.T[1] = 4, 0.5, false, 20
		check()
	}},
}

var randoms = []program{
	{"random numbers", `
var (
	X field[f32, D2]
	V field[vec2]
	I field[u32]
	D field[f64]
	N field[f32]
)
func Run() f32 {
	a := random()
	for p := range X { X[p] = random() }
	for i := range V {
		V[i] = random(vec2)
		I[i] = random(u32)
		D[i] = random(f64)
		for k := range i % 3 { I[i] += random(u32) * u32(k+1) }
	}
	for i := range N { N[i] = randn(f32) }
	return a + random()
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[float32]
			V   ti.Field[ti.Vec2]
			I   ti.Field[uint32]
			D   ti.Field[float64]
			N   ti.Field[float32]
			Run func() (float32, error)
		}
		// A runtime of its own: the numbers depend on how many launches came before.
		own := *r
		own.RT, own.Out = r.NewRuntime(r)
		defer own.RT.Close()
		own.Trees = nil
		own.Place(ti.Shape{16, 12}, &h.X)
		own.Place(ti.Shape{60}, &h.V, &h.I, &h.D)
		own.Place(ti.Shape{2000}, &h.N)
		own.Load(src, &h)
		a, err := h.Run()
		runtest.OK(r, err)
		sum := fmt.Sprint(a)
		mean, square := 0.0, 0.0
		for i := range 16 {
			for j := range 12 {
				x := h.X.At(i, j)
				if x < 0 || x >= 1 {
					r.Errorf("%v is not between 0 and 1", x)
				}
				sum += fmt.Sprint(" ", x)
			}
		}
		for i := range 60 {
			sum += fmt.Sprint(" ", h.V.At(i), h.I.At(i), h.D.At(i))
		}
		for _, x := range h.N.All() {
			mean += float64(x) / 2000
			square += float64(x) * float64(x) / 2000
		}
		if math.Abs(mean) > 0.1 || math.Abs(square-1) > 0.15 {
			r.Errorf("the normal numbers have mean %v and square %v", mean, square)
		}
		if a2, err := h.Run(); err != nil || a2 == a {
			r.Errorf("the next launch draws the same: %v, %v", a2, err)
		}
		if first := firstRandoms; first == "" {
			firstRandoms = sum
		} else if sum != first {
			r.Errorf("the numbers differ from those of the first variant:\n%.300s\n%.300s", sum, first)
		}
	}},
}

// firstRandoms is what the first variant drew.
var firstRandoms string

var layouts = []program{
	{"origins", `
var X field[i32, D2]
var S field[i32]
func Run() i32 {
	for i, j := range X { X[i][j] = 100*i + j }
	for i := range S { S[i] = X[i][i] }
	sum := 0
	for p := range X { sum += X[p] - X[p-p] }
	return sum
}
func Inner() i32 {
	sum := 0
	for n := range 3 {
		for i := range S { sum += n * S[i] }
		for i, j := range X { sum += X[i][j] }
	}
	return sum
}`, func(r *runtest.Run, src string) {
		var h struct {
			X, S       ti.Field[int32]
			Run, Inner func() (int32, error)
		}
		r.PlaceAt([]int{-4, -8}, ti.Shape{8, 20}, &h.X)
		r.PlaceAt([]int{-4}, ti.Shape{8}, &h.S)
		r.Load(src, &h)
		sum, err := h.Run()
		runtest.OK(r, err)
		want := int32(0)
		for i := -4; i < 4; i++ {
			runtest.Eq(r, "S", h.S.At(i), int32(101*i))
			for j := -8; j < 12; j++ {
				runtest.Eq(r, "X", h.X.At(i, j), int32(100*i+j))
				want += int32(100*i + j)
			}
		}
		runtest.Eq(r, "sum", sum, want)
		sum, err = h.Inner()
		runtest.OK(r, err)
		runtest.Eq(r, "sum of loops in a loop", sum, 3*101*-4+3*want)
	}},
	{"odd sizes", `
var A, B, C field[i32, D3]
func Run() {
	for p := range A { A[p] = p.x + 10*p.y + 100*p.z }
	for p := range ndrange(A.shape) { i, j, k := p; B[i][j][k] = A[i][j][k] * 2 }
	for p := range C { C[p] = B[p] - A[p] }
}`, func(r *runtest.Run, src string) {
		var h struct {
			A, B, C ti.Field[int32]
			Run     func() error
		}
		r.Place(ti.Shape{7, 9, 10}, &h.A, &h.B, &h.C)
		r.Load(src, &h)
		runtest.OK(r, h.Run())
		runtest.EqAll(r, &h.C, func(i ti.Index) int32 { return int32(i[0] + 10*i[1] + 100*i[2]) })
	}},
	{"elements of all types", `
var (
	A field[i8]; B field[u16]; C field[i64]; D field[bool]; E field[f64]; F field[mat3]; G field[[5]i16]; H field[u8]
)
func Run() {
	for i := range A {
		A[i] = i8(i) - 5; B[i] = u16(i) * 1000; C[i] = i64(i) << 40; D[i] = i%2 == 0; E[i] = f64(i) / 8
		F[i] = mat3(i); F[i][1][2] = 5
		for k := range static(5) { G[i][k] = i16(i * k) }
		H[i] = u8(i) * 100
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			A   ti.Field[int8]
			B   ti.Field[uint16]
			C   ti.Field[int64]
			D   ti.Field[bool]
			E   ti.Field[float64]
			F   ti.Field[ti.Mat3]
			G   ti.Field[[5]int16]
			H   ti.Field[uint8]
			Run func() error
		}
		r.Place(ti.Shape{30}, &h.A, &h.B, &h.C, &h.D, &h.E, &h.F, &h.G, &h.H)
		r.Load(src, &h)
		runtest.OK(r, h.Run())
		for i := range 30 {
			f := float32(i)
			got := fmt.Sprint(h.A.At(i), h.B.At(i), h.C.At(i), h.D.At(i), h.E.At(i), h.F.At(i), h.G.At(i), h.H.At(i))
			want := fmt.Sprint(int8(i-5), uint16(i*1000), int64(i)<<40, i%2 == 0, float64(i)/8,
				ti.Mat3{{f, 0, 0}, {0, f, 5}, {0, 0, f}}, [5]int16{0, int16(i), int16(2 * i), int16(3 * i), int16(4 * i)}, uint8(i*100))
			runtest.Eq(r, "element", got, want)
		}
	}},
	{"components at run time", `
var V field[vec4]
var M field[[2][3]i32]
func Run() {
	for i := range V { V[i][i%4] = f32(i); for k := range 4 { V[i][k] += 1 } }
	for i := range M { M[i][i%2][i%3] = i; M[i][1-i%2] += ivec3(1, 2, 3) }
}`, func(r *runtest.Run, src string) {
		var h struct {
			V   ti.Field[ti.Vec4]
			M   ti.Field[[2][3]int32]
			Run func() error
		}
		r.Place(ti.Shape{24}, &h.V, &h.M)
		r.Load(src, &h)
		runtest.OK(r, h.Run())
		for i := range 24 {
			v := ti.Vec4{1, 1, 1, 1}
			v[i%4] += float32(i)
			runtest.Eq(r, "V", h.V.At(i), v)
			var m [2][3]int32
			m[i%2][i%3] = int32(i)
			for k := range 3 {
				m[1-i%2][k] += int32(k + 1)
			}
			runtest.Eq(r, "M", h.M.At(i), m)
		}
	}},
}

var composed = []program{
	{"kernels compose", `
var X, Y field[i32]
var N i32
func Fill(v i32) { for i := range X { X[i] = v + i } }
func Double() {
	for i := range X { Y[i] = 2 * X[i] }
}
func Total() (sum i32) {
	for i := range Y { sum += Y[i] }
	return
}
func Maybe(stop bool) i32 {
	Fill(1)
	if stop { return -1 }
	Double()
	t := Total()
	for i := range Y { Y[i] += t }
	return t
}
func Outer() i32 {
	a := Maybe(true)
	b := Maybe(false)
	return 1000*a + b
}`, func(r *runtest.Run, src string) {
		var h struct {
			X, Y  ti.Field[int32]
			N     int32
			Maybe func(bool) (int32, error)
			Outer func() (int32, error)
		}
		r.Place(ti.Shape{10}, &h.X, &h.Y)
		r.Load(src, &h)
		a, err := h.Maybe(true)
		runtest.OK(r, err)
		runtest.Eq(r, "Maybe(true)", a, -1)
		runtest.EqAll(r, &h.Y, func(ti.Index) int32 { return 0 })
		a, err = h.Maybe(false)
		runtest.OK(r, err)
		runtest.Eq(r, "Maybe(false)", a, 110)
		runtest.EqAll(r, &h.Y, func(i ti.Index) int32 { return int32(2*(i[0]+1)) + 110 })
		a, err = h.Outer()
		runtest.OK(r, err)
		runtest.Eq(r, "Outer", a, -890)
	}},
	{"arguments behind an early departure", `
var X field[i32]
func bump(p *i32, by i32) i32 {
	*p += by
	return *p
}
func Fill(v i32) i32 {
	for i := range 6 { X[i] += v }
	return v + 1
}
func Run(n i32) (t, u i32, v [2]i32) {
	k := 0
	for j := range static(3) {
		if n > j + 1 { continue }
		u = Fill(bump(&t, 1))
		w := Fill(X[n])
		k += w
		for i := range bump(&k, 2) & 3 { X[i] += 10 }
		v[k & 1] = Fill(bump(&k, 1))
		if k & 7 == 3 { break }
	}
	v[1] += k
	if n > 5 { return }
	Fill(bump(&t, 100))
	v[0], u = Fill(bump(&u, 1)), Fill(bump(&u, 3)) + bump(&t, 1)
	return
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[int32]
			Run func(n int32) (int32, int32, ti.IVec2, error)
		}
		r.Place(ti.Shape{6}, &h.X)
		r.Load(src, &h)
		var x [6]int32
		fill := func(v int32) int32 {
			for i := range x {
				x[i] += v
			}
			return v + 1
		}
		bump := func(p *int32, by int32) int32 {
			*p += by
			return *p
		}
		run := func(n int32) (t, u int32, v ti.IVec2) {
			k := int32(0)
			for j := range int32(3) {
				if n > j+1 {
					continue
				}
				u = fill(bump(&t, 1))
				k += fill(x[n])
				for i := range bump(&k, 2) & 3 {
					x[i] += 10
				}
				at := k & 1
				v[at] = fill(bump(&k, 1))
				if k&7 == 3 {
					break
				}
			}
			v[1] += k
			if n > 5 {
				return
			}
			fill(bump(&t, 100))
			a := fill(bump(&u, 1))
			b := fill(bump(&u, 3))
			v[0], u = a, b+bump(&t, 1)
			return
		}
		for _, n := range []int32{0, 2, 3, 5, 70, 1} { // X[70] is behind a departure
			wantT, wantU, wantV := run(n)
			t, u, v, err := h.Run(n)
			runtest.OK(r, err)
			runtest.Eq(r, fmt.Sprint("t of ", n), t, wantT)
			runtest.Eq(r, fmt.Sprint("u of ", n), u, wantU)
			runtest.Eq(r, fmt.Sprint("v of ", n), v, wantV)
			runtest.EqAll(r, &h.X, func(i ti.Index) int32 { return x[i[0]] })
		}
	}},
	{"serial code between loops", `
var X field[i32]
var Best field[ivec2, D0]
func Run(n i32) (low, high i32) {
	var cuts [4]i32
	for i := range serial(4) { cuts[i] = i * n / 4 }
	for i := range span(cuts[1], cuts[3]) { X[i] = 5 }
	s := 0
	for i := range X { s += X[i] }
	if s > 10 {
		low = s
		for i := range 3 { high += i }
	}
	Best = ivec2(s, cuts[2])
	for i := range span(s/10, n) { X[i] = Best.x + cuts[i%4] }
	return
}`, func(r *runtest.Run, src string) {
		var h struct {
			X    ti.Field[int32]
			Best ti.Field[ti.IVec2]
			Run  func(n int32) (int32, int32, error)
		}
		r.Place(ti.Shape{16}, &h.X)
		r.Place(nil, &h.Best)
		r.Load(src, &h)
		low, high, err := h.Run(16)
		runtest.OK(r, err)
		runtest.Eq(r, "low", low, 40)
		runtest.Eq(r, "high", high, 3)
		runtest.Eq(r, "Best", h.Best.At(), ti.IVec2{40, 8})
		runtest.EqAll(r, &h.X, func(i ti.Index) int32 { return runtest.IfElse(i[0] < 4, 0, 40+int32(i[0]%4)*4) })
	}},
}

var failures = []program{
	{"a component of an element that does not exist", `
var V field[vec3, D2]
func Read(i, j, k i32) f32 { return V[i][j][k] }`, func(r *runtest.Run, src string) {
		if r.Unchecked {
			return // undefined
		}
		var h struct {
			V    ti.Field[ti.Vec3]
			Read func(i, j, k int32) (float32, error)
		}
		r.PlaceAt([]int{-4, 0}, ti.Shape{6, 4}, &h.V)
		r.Load(src, &h)
		for _, c := range []struct {
			index       []int32
			want, shape []int
		}{
			{[]int32{2, 1, 0}, []int{2, 1}, []int{6, 4}},
			{[]int32{-4, 4, 7}, []int{-4, 4}, []int{6, 4}},
			{[]int32{-4, 3, 3}, []int{-4, 3, 3}, []int{6, 4, 3}},
		} {
			_, err := h.Read(c.index[0], c.index[1], c.index[2])
			wantRange(r, err, "V", 1, c.want, 4)
			var e *ti.RuntimeError
			if errors.As(err, &e) {
				runtest.Eq(r, "the shape", fmt.Sprint(e.Shape), fmt.Sprint(c.shape))
			}
		}
	}},
	{"index out of range", `
var X field[i32, D2]
var Y field[i32]
func Write(n i32) {
	for i := range n { X[i][3] = i }
}
func Read(i i32) i32 { return Y[i] + X[0][i] }
func Vector(k i32) (f32, i32) {
	v := vec3(1, 2, 3)
	v[k] = 9
	return v[k], i32(v.x)
}`, func(r *runtest.Run, src string) {
		if r.Unchecked {
			return // undefined
		}
		var h struct {
			X      ti.Field[int32]
			Y      ti.Field[int32]
			Write  func(n int32) error
			Read   func(i int32) (int32, error)
			Vector func(k int32) (float32, int32, error)
		}
		r.Place(ti.Shape{6, 4}, &h.X)
		r.Place(ti.Shape{5}, &h.Y)
		r.Load(src, &h)
		h.Y.Fill(7)
		wantRange(r, h.Write(9), "X", 3, nil, 6)
		runtest.EqAll(r, &h.X, func(i ti.Index) int32 { return runtest.IfElse(i[1] == 3, int32(i[0]), 0) })
		runtest.OK(r, h.Write(6))
		_, err := h.Read(-1)
		wantRange(r, err, "Y", 2, []int{-1}, 8)
		_, err = h.Read(4)
		wantRange(r, err, "X", 1, []int{0, 4}, 8)
		_, _, err = h.Vector(3)
		wantRange(r, err, "v", 0, []int{3}, 0)
		x, y, err := h.Vector(0)
		runtest.OK(r, err)
		runtest.Eq(r, "x", x, 9)
		runtest.Eq(r, "y", y, 9)
		_, err = h.Read(1 << 30)
		wantRange(r, err, "Y", 2, []int{1 << 30}, 8)
	}},
	{"slice out of range", `
func Copy(to, from []f32) { for i := range to { to[i] = from[i] } }
func Far(x []i64, i i64) i64 { return x[i] }`, func(r *runtest.Run, src string) {
		if r.Unchecked {
			return
		}
		var h struct {
			Copy func(to, from []float32) error
			Far  func(x []int64, i int64) (int64, error)
		}
		r.Load(src, &h)
		to, from := make([]float32, 8), []float32{1, 2, 3}
		to[7] = 5
		wantRange(r, h.Copy(to, from), "from", 5, nil, 3)
		runtest.Eq(r, "to", fmt.Sprint(to), "[1 2 3 0 0 0 0 0]")
		_, err := h.Far([]int64{1}, math.MinInt64)
		wantRange(r, err, "x", 1, []int{math.MinInt64}, 4)
		_, err = h.Far([]int64{1}, 1<<61)
		wantRange(r, err, "x", 1, []int{1 << 61}, 4)
		v, err := h.Far([]int64{1}, 0)
		runtest.OK(r, err)
		runtest.Eq(r, "v", v, 1)
	}},
}
