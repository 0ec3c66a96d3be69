package quanttest

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

const particlesSource = `
package particles

var (
	X, V field[vec3]
	F    field[f32]
	K, L field[f32] // are given the numbers of F
	G    field[vec3]
	M    field[i32]
	Fast field[i32]
)

func Move(dt f32) {
	for p := range X {
		x := X[p]
		i := i32(x.x*8) + 16
		v := V[p] + dt*G[i]
		if v.x > 0.5 {
			Fast[0] += 1
		}
		for k := range p % 4 {
			M[(i+k)%32] += 1
		}
		X[p], V[p] = x+dt*v, v
		F[p], K[p], L[p] = v.y, v.y, v.y
	}
}
`

// TestRangesOfParticles counts what loops store that go one iteration at a time: with checks of indices, atomics and loops inside.
func TestRangesOfParticles(t *testing.T) {
	run := func(arch ti.Arch) []ti.RangeReport {
		rt := newRuntime(t, ti.Config{Arch: arch, Threads: 2, StrictMath: true})
		var s struct {
			X, V, G ti.Field[ti.Vec3]
			F, K, L ti.Field[float32]
			M, Fast ti.Field[int32]
			Move    func(dt float32) error
		}
		const n = 64*64 + 30
		rt.NewTree().Dense(ti.I, n).BitStruct(64).Place(&s.X, ti.QuantFixed(20, 2))
		rt.NewTree().Dense(ti.I, n).BitStruct(32).PlaceShared(ti.QuantFloat(5, 9), &s.V)
		rt.NewTree().Dense(ti.I, n).BitStruct(16).Place(&s.K, ti.QuantFixed(16, 1))
		rt.NewTree().Dense(ti.I, n).BitStruct(8).Place(&s.L, ti.QuantFixed(8, 0.5))
		rt.Place(ti.Shape{n}, &s.F)
		rt.Place(ti.Shape{1}, &s.Fast)
		rt.Place(ti.Shape{32}, &s.G, &s.M)
		if err := rt.Load(particlesSource, &s); err != nil {
			t.Fatal(err)
		}
		for i := range 32 {
			s.G.Set(ti.Vec3{float32(i) - 16, float32(math.Ldexp(1, -i)), 1e-3}, i)
		}
		s.G.Set(ti.Vec3{float32(math.NaN()), 1, float32(math.Inf(1))}, 5)
		for i := range n {
			a := float32(math.Sin(float64(i)))
			s.X.Set(ti.Vec3{a * 1.9, a * a, float32(i%9) / 9}, i)
			s.V.Set(ti.Vec3{-a, float32(math.Ldexp(float64(a), -i%20)), 0}, i)
		}
		reports, err := rt.Ranges(func() error { return s.Move(0.1) }, ti.RangeOptions{}, &s.X, &s.V, &s.F, &s.K, &s.L)
		if err != nil {
			t.Fatal(err)
		}
		return reports
	}
	want, got := run(ti.Oracle), run(ti.CPU)
	for i, w := range want {
		sameCounts(t, "particles", got[i], w, 1e-6)
	}
}
