package porttest

import (
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// TestLifeBits runs Life on cells of one bit, and the same source without its hint, which demands bits, on plain cells in
// blocks of the same size: both visit the same cells, so that all generations are equal.
func TestLifeBits(t *testing.T) {
	type life struct {
		Step  func(cur, next *ti.Field[int32])
		Count func(cur *ti.Field[int32]) int64
		Soup  func(cur *ti.Field[int32], lo, hi ti.IVec2)
	}
	run(t, some(all), func(t *testing.T, rt *ti.Runtime) {
		grid := func(packed bool) *ti.Field[int32] {
			f := new(ti.Field[int32])
			block := rt.NewTree().Pointer(ti.IJ, 4)
			if packed {
				block.Dense(ti.IJ, 16, 2).BitArray(8, ti.J, 8).Place(f, ti.QuantInt(1).Unsigned())
			} else {
				block.Dense(ti.IJ, 16).Place(f)
			}
			return f
		}
		var l, p life
		load(t, rt, "lifebits", &l)
		text, err := fs.ReadFile(sources, "testdata/lifebits/lifebits.ti")
		if err != nil {
			t.Fatal(err)
		}
		if err := rt.Load(strings.Replace(string(text), ", bitVectorize(32)", "", 1), &p); err != nil {
			t.Fatal(err)
		}
		cur, next, plain, plainNext := grid(true), grid(true), grid(false), grid(false)
		lo, hi := ti.IVec2{18, 17}, ti.IVec2{46, 45}
		l.Soup(cur, lo, hi)
		for idx, v := range cur.All() {
			plain.Set(v, idx[0], idx[1])
		}
		for gen := range 5 {
			l.Step(cur, next)
			cur, next = next, cur
			p.Step(plain, plainNext)
			plain, plainNext = plainNext, plain
			if got, want := elements(t, cur), elements(t, plain); !slices.Equal(got, want) || !slices.Contains(want, 1) {
				t.Fatalf("generation %d differs, or is dead", gen+1)
			}
			if got, want := l.Count(cur), p.Count(plain); got != want {
				t.Fatalf("%d cells live, not %d", got, want)
			}
		}
	})
}

// TestQuantFluid runs the smoke on packed voxels and on plain ones: they stay as near to each other as
// the forms allow.
func TestQuantFluid(t *testing.T) {
	type smoke struct {
		V, Vnext, Vaux       ti.Field[ti.Vec3]
		Dye, DyeNext, DyeAux ti.Field[ti.Vec3]
		Pressure, Div        ti.Field[float32]
		Category             ti.Field[uint8]
		Dt, Decay            float32

		AdvectV, AdvectDye, Divergence, Reflect func()
	}
	run(t, some(long), func(t *testing.T, rt *ti.Runtime) {
		made := func(packed bool) *smoke {
			s := &smoke{Dt: 0.3, Decay: 0.99}
			voxel := rt.NewTree().Pointer(ti.IJK, 2).Pointer(ti.IJK, 3).Dense(ti.IJK, 4)
			for _, v := range []ti.AnyField{&s.V, &s.Vnext, &s.Vaux} {
				if packed {
					voxel.BitStruct(64).Place(v, ti.QuantFixed(21, 8))
				} else {
					voxel.Place(v)
				}
			}
			for _, d := range []ti.AnyField{&s.Dye, &s.DyeNext, &s.DyeAux} {
				if packed {
					voxel.BitStruct(32).PlaceShared(ti.QuantFloat(5, 9).Unsigned(), d)
				} else {
					voxel.Place(d)
				}
			}
			if packed {
				voxel.BitStruct(8).Place(&s.Category, ti.QuantInt(2).Unsigned())
			} else {
				voxel.Place(&s.Category)
			}
			voxel.Place(&s.Pressure, &s.Div)
			load(t, rt, "quantfluid", s)
			for i := range 6 {
				for j := range 6 {
					s.V.Set(ti.Vec3{0.5, 1, 0.1 * float32(i)}, 9+i, 9+j, 11)
					s.Category.Set(1, 9+i, 9+j, 11)
				}
			}
			s.Category.Set(2, 10, 10, 11)
			return s
		}
		a, b := made(true), made(false)
		for range 3 {
			for _, s := range []*smoke{a, b} {
				s.AdvectV()
				s.AdvectDye()
				s.Divergence()
				s.Reflect()
			}
		}
		if n := a.V.Node().Count(); n != b.V.Node().Count() || n == 0 {
			t.Fatalf("%d voxels are active, not %d", n, b.V.Node().Count())
		}
		dye, speed := float32(0), float32(0)
		for idx, want := range b.Dye.All() {
			got := a.Dye.At(idx[0], idx[1], idx[2])
			v, w := a.V.At(idx[0], idx[1], idx[2]), b.V.At(idx[0], idx[1], idx[2])
			for d := range 3 {
				dye, speed = max(dye, want[d]), max(speed, w[d])
				if math.Abs(float64(got[d]-want[d])) > 0.01 || math.Abs(float64(v[d]-w[d])) > 1e-3 {
					t.Fatalf("voxel %v has %v and %v, not %v and %v", idx[:3], got, v, want, w)
				}
			}
		}
		if dye < 0.5 || speed < 0.1 {
			t.Errorf("the smoke is gone: dye %v, speed %v", dye, speed)
		}
	})
}

// TestQuantMPM runs particles in packed and in plain form.
func TestQuantMPM(t *testing.T) {
	type mpm struct {
		X, V   ti.Field[ti.Vec3]
		C      ti.Field[ti.Mat3]
		J      ti.Field[float32]
		N      int
		Dt     float32
		Bound  int
		G2P2G  func(v0, v1 *ti.Field[ti.Vec3], m1 *ti.Field[float32])
		GridOp func(v *ti.Field[ti.Vec3], m *ti.Field[float32])
	}
	type grid struct {
		block *ti.Node
		v     ti.Field[ti.Vec3]
		m     ti.Field[float32]
	}
	const particles = 27
	run(t, some(long), func(t *testing.T, rt *ti.Runtime) {
		made := func(packed bool) *mpm {
			s := &mpm{N: 32, Dt: 2e-4, Bound: 3}
			p := rt.NewTree().Dense(ti.I, particles)
			if packed {
				p.BitStruct(64).Place(&s.X, ti.QuantFixed(21, 1).Unsigned())
				p.BitStruct(64).PlaceShared(ti.QuantFloat(6, 19), &s.V)
				p.BitStruct(16).Place(&s.J, ti.QuantFixed(16, 2).Unsigned())
			} else {
				p.Place(&s.X, &s.V, &s.J)
			}
			p.Place(&s.C)
			load(t, rt, "quantmpm", s)
			for p := range particles {
				s.X.Set(ti.Vec3{0.4 + 0.02*float32(p%3), 0.4 + 0.02*float32(p/3%3), 0.4 + 0.02*float32(p/9)}, p)
				s.J.Set(1, p)
			}
			var gs [2]*grid
			for i := range gs {
				g := &grid{block: rt.NewTree().Pointer(ti.IJK, s.N/4)}
				g.block.Dense(ti.IJK, 4).Place(&g.v, &g.m)
				gs[i] = g
			}
			a, b := gs[0], gs[1]
			for range 10 {
				s.G2P2G(&a.v, &b.v, &b.m)
				s.GridOp(&b.v, &b.m)
				a.block.Clear()
				a, b = b, a
			}
			return s
		}
		got, want := made(true), made(false)
		fell := false
		for p := range particles {
			x, y, v, w := got.X.At(p), want.X.At(p), got.V.At(p), want.V.At(p)
			for d := range 3 {
				if math.Abs(float64(x[d]-y[d])) > 1e-5 || math.Abs(float64(v[d]-w[d])) > 2e-3 {
					t.Fatalf("particle %d is at %v with %v, not at %v with %v", p, x, v, y, w)
				}
			}
			fell = fell || w[1] < -5e-3
			if j := got.J.At(p) - want.J.At(p); j > 1e-3 || j < -1e-3 {
				t.Fatalf("particle %d has %v of its volume, not %v", p, got.J.At(p), want.J.At(p))
			}
		}
		if !fell {
			t.Error("nothing falls")
		}
	})
}
