package program

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/runtest"
)

// Accumulation of which each thread may have a copy of its own, beside accesses to
// components chosen at run time, which reach into several trees in some layouts.
var privates = []program{
	{"a component chosen at run time of what is accumulated", `
var At, C, X field[i32]
var Y, W field[ivec3]
func F() {
	for i := range X {
		k := At[i]
		Y[k].y += X[i]
		Y[k][C[i]] = 7
	}
	for i := range X {
		W[At[i]&3][C[i]] += X[i]
	}
	for i := range X {
		W[At[i]&3].z += 1
		W[At[i]&3][C[i]] += 2
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			At, C, X ti.Field[int32]
			Y, W     ti.Field[ti.IVec3]
			F        func() error
		}
		const n = 6007
		r.Place(ti.Shape{n}, &h.At, &h.C, &h.X)
		for _, f := range []ti.AnyField{&h.Y, &h.W} {
			for _, m := range ti.Members(f) {
				r.Place(ti.Shape{n}, m) // flat: in a tree of its own
			}
		}
		r.Load(src, &h)
		var sums [4]ti.IVec3
		for i := range n {
			at := i * 1000 % n
			h.At.Set(int32(at), i)
			h.C.Set(int32(i%3), i)
			h.X.Set(int32(i), i)
			h.Y.Set(ti.IVec3{100, 100, 100}, i)
			sums[at&3][i%3] += int32(i) + 2
			sums[at&3][2]++
		}
		runtest.OK(r, h.F())
		for i := range n {
			want := ti.IVec3{100, 100 + int32(i), 100}
			want[i%3] = 7
			runtest.Eq(r, "Y", h.Y.At(i*1000%n), want)
		}
		for i, want := range sums {
			runtest.Eq(r, "W", h.W.At(i), want)
		}
	}},
	{"neighbouring components of what is accumulated", `
var At field[i32]
var P field[vec3]
var M, K field[f32]
var D field[dvec2]
var C, E field[u32]
func F() {
	for i := range At {
		k := At[i]
		v := f32(i&7) - 2
		P[k] += vec3(1, v, i&3)
		M[k] += v
		K[k] -= 1
		C[k] += 3
		E[k] += u32(i & 1)
		D[k+1] += dvec2(v, f64(i&15))
		D[k] += dvec2(2, v)
	}
}`, func(r *runtest.Run, src string) {
		var h struct {
			At   ti.Field[int32]
			P    ti.Field[ti.Vec3]
			M, K ti.Field[float32]
			D    ti.Field[ti.DVec2]
			C, E ti.Field[uint32]
			F    func() error
		}
		const n, places = 5003, 64
		r.Place(ti.Shape{n}, &h.At)
		cell := r.RT.NewTree().Dense(ti.I, places)
		cell.Place(&h.P, &h.M, &h.K)
		r.RT.NewTree().Dense(ti.I, places).Place(&h.C, &h.E)
		r.RT.NewTree().Dense(ti.I, places).Place(&h.D)
		r.Load(src, &h)
		var p [places]ti.Vec3
		var m, k [places]float32
		var d [places]ti.DVec2
		var c, e [places]uint32
		for i := range n {
			at, v := i*7%(places-1), float32(i&7)-2
			h.At.Set(int32(at), i)
			p[at] = ti.Vec3{p[at][0] + 1, p[at][1] + v, p[at][2] + float32(i&3)}
			m[at] += v
			k[at]--
			c[at] += 3
			e[at] += uint32(i & 1)
			d[at+1] = ti.DVec2{d[at+1][0] + float64(v), d[at+1][1] + float64(i&15)}
			d[at] = ti.DVec2{d[at][0] + 2, d[at][1] + float64(v)}
		}
		runtest.OK(r, h.F())
		for i := range places {
			runtest.Eq(r, "P", h.P.At(i), p[i])
			runtest.Eq(r, "M", h.M.At(i), m[i])
			runtest.Eq(r, "K", h.K.At(i), k[i])
			runtest.Eq(r, "C", h.C.At(i), c[i])
			runtest.Eq(r, "E", h.E.At(i), e[i])
			runtest.Eq(r, "D", h.D.At(i), d[i])
		}
	}},
}
