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
}
