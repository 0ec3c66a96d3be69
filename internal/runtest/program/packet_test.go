package program

import (
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// Programs whose innermost loop becomes one of packets: conditions and trip
// counts differ between neighbouring iterations. The extents are no multiples of
// a packet.
var packets = []program{
	{"divergent while", `
var N field[i32, D2]
func F() {
	for i, j := range N {
		v := i*31 + j + 1
		n := 0
		for v != 1 {
			if v%2 == 0 {
				v /= 2
			} else {
				v = 3*v + 1
			}
			n++
		}
		N[i][j] = n
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			N ti.Field[int32]
			F func() error
		}
		r.Place(ti.Shape{6, 77}, &h.N)
		r.Load(src, &h)
		runtest.OK(r, h.F())
		runtest.EqAll(r, &h.N, func(i ti.Index) int32 { return collatz(int32(i[0]*31 + i[1] + 1)) })
	}},
	{"divergent loops in loops", `
var (
	X field[f32, D2]
	N field[i32, D2]
)
func F() {
	for i, j := range X {
		x := f32(0)
		n := 0
		for k := range 20 {
			if x > f32(j)*0.25 { break }
			y := k
			for y < i+j {
				y = 2*y + 1
				n++
				if n > 40 { break }
			}
			if (i+k)%3 == 0 {
				x += f32(y)
			} else {
				x += 0.5
			}
		}
		if n > 2 { X[i][j] = x }
		N[i][j] = n
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			X ti.Field[float32]
			N ti.Field[int32]
			F func() error
		}
		r.Place(ti.Shape{5, 83}, &h.X, &h.N)
		r.Load(src, &h)
		runtest.OK(r, h.F())
		runtest.EqAll(r, &h.N, func(i ti.Index) int32 { n, _ := nested(i[0], i[1]); return int32(n) })
		runtest.EqAll(r, &h.X, func(i ti.Index) float32 {
			n, x := nested(i[0], i[1])
			if n > 2 {
				return x
			}
			return 0
		})
	}},
	{"a break that all lanes take together", `
var X, Y field[f32]
func F(n i32, q f32) {
	for i := range X {
		x, v := X[i], q
		for k := range 6 {
			if k == n {
				v = 2*x
				break
			}
			v++
		}
		Y[i] = v
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			X, Y ti.Field[float32]
			F    func(int32, float32) error
		}
		r.Place(ti.Shape{70}, &h.X, &h.Y)
		r.Load(src, &h)
		for i := range 70 {
			h.X.Set(float32(i), i)
		}
		runtest.OK(r, h.F(3, 1))
		runtest.EqAll(r, &h.Y, func(i ti.Index) float32 { return float32(2 * i[0]) })
		runtest.OK(r, h.F(8, 1))
		runtest.EqAll(r, &h.Y, func(ti.Index) float32 { return 7 })
	}},
	{"reciprocal roots in packets", `
var X, A, B, C field[f32]
func F(n i32) {
	for i := range X {
		x, k := X[i], 0
		for k < i%3 + n { k++ }
		if k > 0 {
			A[i] = 1 / sqrt(x)
			B[i] = -3 / sqrt(x)
			C[i] = rsqrt(x)
		}
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			X, A, B, C ti.Field[float32]
			F          func(int32) error
		}
		inf := float32(math.Inf(1))
		xs := []float32{0, float32(math.Copysign(0, -1)), inf, -inf, float32(math.NaN()), -1, 0x1p-149, -0x1p-149, 0x1p-127, 0x1p-126, math.MaxFloat32, 1, 4}
		for x := float32(1.5e-44); x < 1e38; x *= 5.37 {
			xs = append(xs, x)
		}
		r.Place(ti.Shape{len(xs)}, &h.X, &h.A, &h.B, &h.C)
		r.Load(src, &h)
		for i, x := range xs {
			h.X.Set(x, i)
		}
		runtest.OK(r, h.F(1))
		for i, x := range xs {
			for _, c := range []struct {
				got  float32
				over float64
			}{{h.A.At(i), 1}, {h.B.At(i), -3}, {h.C.At(i), 1}} {
				want := c.over / math.Sqrt(float64(x))
				if near := math.Abs(float64(c.got)/want-1) < 0x1p-22; !near && float64(c.got) != want && (want == want || c.got == c.got) {
					r.Errorf("%v/sqrt(%x) is %x, want %x", c.over, x, c.got, want)
				}
			}
		}
	}},
	{"early returns in packets", `
var X field[f32]
func step(x f32, n i32) f32 {
	for k := range n {
		if x > 30 { return x + f32(k) }
		x = 2*x + 1
	}
	return -x
}
func F(n i32) {
	for i := range X {
		X[i] = step(f32(i), n) + step(-f32(i), 3)
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			X ti.Field[float32]
			F func(int32) error
		}
		r.Place(ti.Shape{131}, &h.X)
		r.Load(src, &h)
		runtest.OK(r, h.F(7))
		runtest.EqAll(r, &h.X, func(i ti.Index) float32 { return stepped(float32(i[0]), 7) + stepped(-float32(i[0]), 3) })
	}},
	{"uniform loop over elements of vectors", `
var (
	P, Q field[vec3]
)
func F() {
	for i := range P {
		s := vec3(0)
		for j := range P {
			d := P[j] - P[i]
			if d.x > 0 { s += d }
		}
		if s.x > 3 { Q[i] = s }
	}
}`, func(r *runtest.Run, src string) {
		const n = 45
		var h struct {
			P, Q ti.Field[ti.Vec3]
			F    func() error
		}
		r.Place(ti.Shape{n}, &h.P, &h.Q)
		r.Load(src, &h)
		at := func(i int) ti.Vec3 { return ti.Vec3{float32(i % 7), float32(i), float32(-i % 5)} }
		for i := range n {
			h.P.Set(at(i), i)
		}
		runtest.OK(r, h.F())
		runtest.EqAll(r, &h.Q, func(i ti.Index) (s ti.Vec3) {
			for j := range n {
				if p, q := at(j), at(i[0]); p[0] > q[0] {
					for c := range 3 {
						s[c] += p[c] - q[c]
					}
				}
			}
			if s[0] <= 3 {
				return ti.Vec3{}
			}
			return s
		})
	}},
	{"products of matrices in packets", `
var A, B field[mat4]
func F() {
	for i := range A {
		B[i] = A[i] * A[i]
	}
}`, func(r *runtest.Run, src string) {
		const n = 53
		var h struct {
			A, B ti.Field[ti.Mat4]
			F    func() error
		}
		r.Place(ti.Shape{n}, &h.A, &h.B)
		r.Load(src, &h)
		at := func(i int) (m ti.Mat4) {
			for p := range 4 {
				for q := range 4 {
					m[p][q] = float32((i + 4*p + 3*q) % 11)
				}
			}
			return m
		}
		for i := range n {
			h.A.Set(at(i), i)
		}
		runtest.OK(r, h.F())
		runtest.EqAll(r, &h.B, func(i ti.Index) (c ti.Mat4) {
			a := at(i[0])
			for p := range 4 {
				for q := range 4 {
					for k := range 4 {
						c[p][q] += a[p][k] * a[k][q]
					}
				}
			}
			return c
		})
	}},
}

func collatz(v int32) (n int32) {
	for ; v != 1; n++ {
		if v%2 == 0 {
			v /= 2
		} else {
			v = 3*v + 1
		}
	}
	return n
}

func nested(i, j int) (n int, x float32) {
	for k := range 20 {
		if x > float32(j)*0.25 {
			break
		}
		y := k
		for y < i+j {
			y = 2*y + 1
			if n++; n > 40 {
				break
			}
		}
		if (i+k)%3 == 0 {
			x += float32(y)
		} else {
			x += 0.5
		}
	}
	return n, x
}

func stepped(x float32, n int) float32 {
	for k := range n {
		if x > 30 {
			return x + float32(k)
		}
		x = 2*x + 1
	}
	return -x
}
