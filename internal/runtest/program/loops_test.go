package program

import (
	"errors"
	"math"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

var loops = []program{
	{"loops over fields", `
var (
	X field[f32, D2]
	Y field[vec2, D2]
	Z field[i32]
)
func Run() {
	for i, j := range X { X[i][j] = f32(10*i + j) }
	for p := range Y { Y[p] = vec2(p) + X[p] }
	for i := range Z { Z[i] = i*i }
	for p := range X { Y[p].y += p.x; Y[p][0] *= 2 }
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[float32]
			Y   ti.Field[ti.Vec2]
			Z   ti.Field[int32]
			Run func() error
		}
		r.Place(ti.Shape{8, 12}, &h.X, &h.Y)
		r.Place(ti.Shape{37}, &h.Z)
		r.Load(src, &h)
		runtest.OK(r, h.Run())
		runtest.EqAll(r, &h.X, func(i ti.Index) float32 { return float32(10*i[0] + i[1]) })
		runtest.EqAll(r, &h.Y, func(i ti.Index) ti.Vec2 {
			x := float32(10*i[0] + i[1])
			return ti.Vec2{2 * (float32(i[0]) + x), float32(i[1]) + x + float32(i[0])}
		})
		runtest.EqAll(r, &h.Z, func(i ti.Index) int32 { return int32(i[0] * i[0]) })
	}},
	{"loops that differ in numbers", `
var X, Y field[f32]
func Run() {
	for i := range X { X[i] = f32(i)*0.5 + 1 }
	for i := range X { X[i] = X[i]*3 + 4 }
	for i := range Y { Y[i] = 7 }
	for i := range Y { Y[i] = 9 }
	for i := range X { X[i] = X[i]*2 + 5 }
	for i := range Y { Y[i] = (X[i]+2)*4 + 1 }
	for i := range X { if X[i] < 20 { X[i] = 3 } }
	for i := range X { if X[i] < 30 { X[i] = 8 } }
}`, func(r *runtest.Run, src string) {
		var h struct {
			X, Y ti.Field[float32]
			Run  func() error
		}
		r.Place(ti.Shape{100}, &h.X, &h.Y)
		r.Load(src, &h)
		runtest.OK(r, h.Run())
		x := func(i ti.Index) float32 { return ((float32(i[0])*0.5+1)*3+4)*2 + 5 }
		runtest.EqAll(r, &h.X, func(i ti.Index) float32 {
			if x(i) < 30 {
				return 8
			}
			return x(i)
		})
		runtest.EqAll(r, &h.Y, func(i ti.Index) float32 { return (x(i)+2)*4 + 1 })
	}},
	{"a loop several times", `
var X, Y field[i32]
func Run(limit i32) (a, b i32) {
	for i := range X { X[i] = 2*X[i] + Y[i] }
	for i := range X { X[i] = 2*X[i] + Y[i] }
	for i := range Y { assert(Y[i] < limit) }
	for i := range X { X[i] = 2*X[i] + Y[i] }
	for i := range X { a += X[i] }
	for i := range Y { b += Y[i] }
	for i := range Y { assert(Y[i] < limit) }
	for i := range Y { Y[i]++ }
	for i := range Y { assert(Y[i] < limit) }
	return a, b
}`, func(r *runtest.Run, src string) {
		var h struct {
			X, Y ti.Field[int32]
			Run  func(limit int32) (int32, int32, error)
		}
		r.Place(ti.Shape{100}, &h.X, &h.Y)
		r.Load(src, &h)
		for i := range 100 {
			h.X.Set(int32(i), i)
			h.Y.Set(int32(3*i), i)
		}
		a, b, err := h.Run(1000)
		runtest.OK(r, err)
		runtest.Eq(r, "a", a, 8*4950+7*3*4950)
		runtest.Eq(r, "b", b, 3*4950)
		_, _, err = h.Run(299)
		// The last of the three loops fails, in the line of its own.
		e, is := errors.AsType[*ti.RuntimeError](err)
		if !is || !errors.Is(err, ti.ErrAssert) || e.Pos.Line != lineOf(src, "Y[i]++")+1 {
			r.Errorf("%v, and Y[i]++ is in line %d", err, lineOf(src, "Y[i]++"))
		}
		runtest.EqAll(r, &h.Y, func(i ti.Index) int32 { return int32(3*i[0] + 2) })
	}},
	{"axes of one cell", `
var (
	One         field[i32, D1]
	Row, Column field[i32, D2]
	Dot         field[ivec3, D3]
)
func Run() (sum i32) {
	for i := range One { One[i] = 7 + i }
	for i, j := range Row { Row[i][j] = 100*i + j + 1 }
	for p := range Column { Column[p] = 10*p.x + p.y + 1; sum += Column[p] }
	for p := range Dot { Dot[p] += p + 1 }
	return
}`, func(r *runtest.Run, src string) {
		var h struct {
			One, Row, Column ti.Field[int32]
			Dot              ti.Field[[3]int32]
			Run              func() (int32, error)
		}
		r.Place(ti.Shape{1}, &h.One)
		r.Place(ti.Shape{1, 5}, &h.Row)
		r.Place(ti.Shape{5, 1}, &h.Column)
		r.RT.NewTree().Origin(ti.IJK, -4, 0, 6).Dense(ti.IJK, 1).Place(&h.Dot)
		r.Load(src, &h)
		sum, err := h.Run()
		runtest.OK(r, err)
		runtest.Eq(r, "the sum", sum, 105)
		runtest.EqAll(r, &h.One, func(i ti.Index) int32 { return 7 })
		runtest.EqAll(r, &h.Row, func(i ti.Index) int32 { return int32(i[1] + 1) })
		runtest.EqAll(r, &h.Column, func(i ti.Index) int32 { return int32(10*i[0] + 1) })
		runtest.EqAll(r, &h.Dot, func(i ti.Index) [3]int32 { return [3]int32{-3, 1, 7} })
	}},
	{"loops over ranges", `
var X field[i32, D2]
func Run(n i32) {
	for i := range n { X[0][i] = i + 1 }
	for i := range span(2, n-1) { X[1][i] = 2*i }
	for i, j := range ndrange(span(2, 4), n) { X[i][j] = i*100 + j }
	for p := range ndrange(span(ivec2(4, 1), X.shape-1)) { X[p] = p.x - p.y }
	for i := range span(n, 3) { X[7][i] = 1 }
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[int32]
			Run func(n int32) error
		}
		r.Place(ti.Shape{8, 9}, &h.X)
		r.Load(src, &h)
		runtest.OK(r, h.Run(9))
		runtest.EqAll(r, &h.X, func(i ti.Index) int32 {
			switch a, b := i[0], i[1]; {
			case a == 0:
				return int32(b + 1)
			case a == 1 && b >= 2 && b < 8:
				return int32(2 * b)
			case a == 2 || a == 3:
				return int32(a*100 + b)
			case a >= 4 && a < 7 && b >= 1 && b < 8:
				return int32(a - b)
			}
			return 0
		})
	}},
	{"serial and nested loops", `
var X field[i32, D2]
var S field[i32, D0]
func Run() {
	for i := range serial(len(X)) {
		for j := range X.shape[1] {
			if i == 0 { X[i][j] = j; continue }
			X[i][j] = X[i-1][j] + 1
			if j == 5 && i > 2 { break }
		}
	}
	for p := range serial(X) { S = S*3 + X[p] }
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[int32]
			S   ti.Field[int32]
			Run func() error
		}
		r.Place(ti.Shape{6, 8}, &h.X)
		r.Place(nil, &h.S)
		r.Load(src, &h)
		runtest.OK(r, h.Run())
		var x [6][8]int32
		var s int32
		for i := range 6 {
			for j := range 8 {
				if i == 0 {
					x[i][j] = int32(j)
					continue
				}
				x[i][j] = x[i-1][j] + 1
				if j == 5 && i > 2 {
					break
				}
			}
		}
		for i := range 6 {
			for j := range 8 {
				s = s*3 + x[i][j]
			}
		}
		runtest.EqAll(r, &h.X, func(i ti.Index) int32 { return x[i[0]][i[1]] })
		runtest.Eq(r, "S", h.S.At(), s)
	}},
	{"divergent loops", `
var X, N field[i32]
func collatz(n i32) i32 {
	steps := 0
	for n > 1 {
		if n%2 == 0 { n /= 2 } else { n = 3*n + 1 }
		steps++
		if steps > 200 { return -1 }
	}
	return steps
}
func Run() {
	for i := range X {
		if i%5 == 4 { N[i] = -7; continue }
		X[i] = collatz(i)
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			X, N ti.Field[int32]
			Run  func() error
		}
		r.Place(ti.Shape{300}, &h.X, &h.N)
		r.Load(src, &h)
		runtest.OK(r, h.Run())
		runtest.EqAll(r, &h.X, func(i ti.Index) int32 {
			n, steps := i[0], int32(0)
			if n%5 == 4 {
				return 0
			}
			for ; n > 1; steps++ {
				if n%2 == 0 {
					n /= 2
				} else {
					n = 3*n + 1
				}
			}
			return steps
		})
		runtest.EqAll(r, &h.N, func(i ti.Index) int32 { return runtest.IfElse[int32](i[0]%5 == 4, -7, 0) })
	}},
	{"stencil", `
var X, Y field[f32, D2]
func Init() { for i, j := range X { X[i][j] = f32((i*7 + j*3) % 11) } }
func Blur() {
	n, m := X.shape[0], X.shape[1]
	for i, j := range ndrange(span(1, n-1), span(1, m-1)) {
		Y[i][j] = (X[i-1][j] + X[i+1][j] + X[i][j-1] + X[i][j+1] + 4*X[i][j]) / 8
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			X, Y       ti.Field[float32]
			Init, Blur func() error
		}
		r.Place(ti.Shape{21, 33}, &h.X, &h.Y)
		r.Load(src, &h)
		runtest.OK(r, h.Init())
		runtest.OK(r, h.Blur())
		x := func(i, j int) float32 { return float32((i*7 + j*3) % 11) }
		runtest.EqAll(r, &h.Y, func(p ti.Index) float32 {
			i, j := p[0], p[1]
			if i < 1 || i > 19 || j < 1 || j > 31 {
				return 0
			}
			return (x(i-1, j) + x(i+1, j) + x(i, j-1) + x(i, j+1) + 4*x(i, j)) / 8
		})
	}},
	{"ranges with other types", `
var X field[i64]
func Run(n i64, m u8) {
	for i := range n { X[i] = i << 33 }
	for i := range span(u8(250), m) { X[i-245] += i64(i) }
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[int64]
			Run func(n int64, m uint8) error
		}
		r.Place(ti.Shape{20}, &h.X)
		r.Load(src, &h)
		runtest.OK(r, h.Run(20, 255))
		runtest.EqAll(r, &h.X, func(i ti.Index) int64 {
			x := int64(i[0]) << 33
			if i[0] >= 5 && i[0] < 10 {
				x += int64(i[0] + 245)
			}
			return x
		})
	}},
	{"loops over vectors and hints", `
var X field[i32]
func Run() {
	for i := range config(X, threads(2), blockDim(64)) { X[i] = 1 }
	for i := range X {
		v := ivec4(i, 2, 3, 4)
		for k, e := range v { X[i] = X[i]*2 + k*e }
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[int32]
			Run func() error
		}
		r.Place(ti.Shape{50}, &h.X)
		r.Load(src, &h)
		runtest.OK(r, h.Run())
		runtest.EqAll(r, &h.X, func(i ti.Index) int32 {
			x := int32(1)
			for k, e := range []int32{int32(i[0]), 2, 3, 4} {
				x = x*2 + int32(k)*e
			}
			return x
		})
	}},
	{"three and four axes", `
var X field[i32, D3]
var Y field[f64, D4]
func Run() {
	for p := range X { X[p] = p.x*100 + p.y*10 + p.z }
	for p := range Y { Y[p] = X[p.xyz] + f64(0.5)*p.w }
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[int32]
			Y   ti.Field[float64]
			Run func() error
		}
		r.Place(ti.Shape{4, 6, 5}, &h.X)
		r.Place(ti.Shape{4, 6, 5, 3}, &h.Y)
		r.Load(src, &h)
		runtest.OK(r, h.Run())
		runtest.EqAll(r, &h.X, func(i ti.Index) int32 { return int32(i[0]*100 + i[1]*10 + i[2]) })
		runtest.EqAll(r, &h.Y, func(i ti.Index) float64 { return float64(i[0]*100+i[1]*10+i[2]) + 0.5*float64(i[3]) })
	}},
}

var reductions = []program{
	{"reductions of every kind", `
var X field[i32]
func Run() (sum i32, low, high i32, bits u32, parity u32, every bool, some bool, mean f32, count i64) {
	low, high = 1 << 30, -1 << 30
	mask, all := u32(0xffffffff), true
	for i := range X {
		v := X[i]
		sum += v
		low = min(low, v)
		high = max(high, v, 3)
		bits |= u32(v)
		mask &= u32(v) | 0xf0
		parity ^= u32(v)
		all = all && v > -1000
		some = some || v == 17
		mean += f32(v) / len(X)
		if v%2 == 0 { count++ }
	}
	every = all && mask == 0xf0
	return
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[int32]
			Run func() (sum, low, high int32, bits, parity uint32, every, some bool, mean float32, count int64, err error)
		}
		const n = 1000
		r.Place(ti.Shape{n}, &h.X)
		r.Load(src, &h)
		var sum, low, high int32 = 0, 1 << 30, -1 << 30
		var bits, parity uint32
		mask, mean, count := ^uint32(0), 0.0, int64(0)
		some := false
		for i := range n {
			v := int32((i*7919)%613 - 300)
			h.X.Set(v, i)
			sum, low, high = sum+v, min(low, v), max(high, v)
			bits, parity, mask = bits|uint32(v), parity^uint32(v), mask&(uint32(v)|0xf0)
			mean += float64(v) / n
			some = some || v == 17
			if v%2 == 0 {
				count++
			}
		}
		s, l, hi, b, p, e, so, m, c, err := h.Run()
		runtest.OK(r, err)
		runtest.Eq(r, "sum", s, sum)
		runtest.Eq(r, "low", l, low)
		runtest.Eq(r, "high", hi, high)
		runtest.Eq(r, "bits", b, bits)
		runtest.Eq(r, "parity", p, parity)
		runtest.Eq(r, "every", e, mask == 0xf0)
		runtest.Eq(r, "some", so, some)
		runtest.Eq(r, "count", c, count)
		if !(math.Abs(float64(m)-mean) <= 1e-3) {
			r.Errorf("mean is %v, want %v", m, mean)
		}
	}},
	{"reductions into vectors and arrays", `
var X field[vec2]
func Run() (total vec2, hist [4]i32, m mat2) {
	product := 1.0
	low := vec2(inf)
	var bins [4]i32
	for i := range X {
		total += X[i]
		low = min(low, X[i])
		bins[i%4] += 1
		bins[0]++
		m[1] += X[i]
		if i < 3 { product *= 2 }
	}
	hist = bins
	m[0] = vec2(product, low.x)
	return
}`, func(r *runtest.Run, src string) {
		var h struct {
			X   ti.Field[ti.Vec2]
			Run func() (ti.Vec2, [4]int32, ti.Mat2, error)
		}
		r.Place(ti.Shape{36}, &h.X)
		r.Load(src, &h)
		for i := range 36 {
			h.X.Set(ti.Vec2{float32(i), 0.5}, i)
		}
		total, hist, m, err := h.Run()
		runtest.OK(r, err)
		runtest.Eq(r, "total", total, ti.Vec2{630, 18})
		runtest.Eq(r, "hist", hist, [4]int32{45, 9, 9, 9})
		runtest.Eq(r, "m", m, ti.Mat2{{8, 0}, {630, 18}})
	}},
	{"atomics on fields", `
var (
	H field[i32]
	F field[f32]
	D field[f64]
	V field[vec2]
	B field[bool]
	S field[u64, D0]
)
func Run(n i32) {
	for i := range n {
		H[i%7] += i
		H[7] -= 1
		H[8] |= 1 << (i % 5)
		H[9] ^= i
		H[10] = max(H[10], i*37%101)
		H[11] = min(H[11], -i)
		H[12]++
		H[13] &= i | 1
		F[i%3] += 0.5
		F[3] = max(F[3], i)
		F[4] = min(F[4], -0.25*i)
		D[i%2] += 1
		V[i%4].y += 1
		V[i%4] += vec2(2, 0)
		B[i%3] = B[i%3] || i == 4
		B[3] = B[3] && i < 1000
		S += u64(i)
	}
	for range 3 { F[5] *= 2; F[6] /= 2 }
}`, func(r *runtest.Run, src string) {
		var h struct {
			H   ti.Field[int32]
			F   ti.Field[float32]
			D   ti.Field[float64]
			V   ti.Field[ti.Vec2]
			B   ti.Field[bool]
			S   ti.Field[uint64]
			Run func(n int32) error
		}
		r.Place(ti.Shape{14}, &h.H)
		r.Place(ti.Shape{8}, &h.F, &h.B)
		r.Place(ti.Shape{4}, &h.D, &h.V)
		r.Place(nil, &h.S)
		r.Load(src, &h)
		h.B.Set(true, 3)
		h.F.Set(1, 5)
		h.F.Set(1, 6)
		h.H.Set(-1, 13)
		const n = 500
		runtest.OK(r, h.Run(n))
		var want [14]int32
		want[13] = -1
		for i := range int32(n) {
			want[i%7] += i
			want[7]--
			want[8] |= 1 << (i % 5)
			want[9] ^= i
			want[10] = max(want[10], i*37%101)
			want[11] = min(want[11], -i)
			want[12]++
			want[13] &= i | 1
		}
		runtest.EqAll(r, &h.H, func(i ti.Index) int32 { return want[i[0]] })
		runtest.EqAll(r, &h.F, func(i ti.Index) float32 { return [8]float32{83.5, 83.5, 83, 499, -124.75, 8, 0.125}[i[0]] })
		runtest.EqAll(r, &h.D, func(i ti.Index) float64 { return [4]float64{250, 250}[i[0]] })
		runtest.EqAll(r, &h.V, func(i ti.Index) ti.Vec2 { return ti.Vec2{250, 125} })
		runtest.EqAll(r, &h.B, func(i ti.Index) bool { return i[0] == 1 || i[0] == 3 })
		runtest.Eq(r, "S", h.S.At(), n*(n-1)/2)
	}},
	{"atomics with the old value", `
var (
	N field[i32, D0]
	Slot, Count field[i32]
	M field[u32]
)
func Run(n i32) i32 {
	for i := range n {
		s := atomicAdd(&N, 1)
		Slot[s] = i
	}
	for i := range n { atomicAdd(&Count[Slot[i]], 1) }
	m := 0
	for i := range n { m = max(m, Slot[i]) }
	for range serial(1) {
		M[0] = u32(atomicMax(&M[1], 5))
		M[2] = atomicXchg(&M[1], 9) + atomicCAS(&M[1], 9, 11)
		M[3] = atomicCAS(&M[1], 9, 12) + atomicSub(&M[1], 1) + atomicMin(&M[1], 3) + atomicAnd(&M[1], 2) + atomicOr(&M[1], 4) + atomicXor(&M[1], 1)
	}
	return m
}`, func(r *runtest.Run, src string) {
		var h struct {
			N           ti.Field[int32]
			Slot, Count ti.Field[int32]
			M           ti.Field[uint32]
			Run         func(n int32) (int32, error)
		}
		r.Place(nil, &h.N)
		r.Place(ti.Shape{256}, &h.Slot, &h.Count)
		r.Place(ti.Shape{4}, &h.M)
		r.Load(src, &h)
		m, err := h.Run(256)
		runtest.OK(r, err)
		runtest.Eq(r, "m", m, 255)
		runtest.Eq(r, "N", h.N.At(), 256)
		runtest.EqAll(r, &h.Count, func(ti.Index) int32 { return 1 })
		runtest.EqAll(r, &h.M, func(i ti.Index) uint32 { return [4]uint32{0, 7, 5 + 9, 11 + 11 + 10 + 3 + 2 + 6}[i[0]] })
	}},
}

// lineOf is the line of a source in which text is.
func lineOf(source, text string) int {
	before, _, _ := strings.Cut(source, text)
	return 1 + strings.Count(before, "\n")
}
