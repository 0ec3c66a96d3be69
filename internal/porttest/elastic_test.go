package porttest

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

type mpm99 struct {
	X, V          ti.Field[ti.Vec2]
	C, F          ti.Field[ti.Mat2]
	Material      ti.Field[int32]
	Jp            ti.Field[float32]
	GridV         ti.Field[ti.Vec2]
	GridM         ti.Field[float32]
	N             int
	Dt            float32
	Init, Substep func()
}

func newMPM99(t *testing.T, rt *ti.Runtime, particles, n int) *mpm99 {
	sim := &mpm99{N: n, Dt: 1e-4}
	rt.NewTree().Dense(ti.I, particles).Place(&sim.X, &sim.V, &sim.C, &sim.F, &sim.Material, &sim.Jp)
	rt.NewTree().Dense(ti.IJ, sim.N/8).Dense(ti.IJ, 8).Place(&sim.GridV, &sim.GridM)
	load(t, rt, "mpm99", sim)
	sim.Init()
	return sim
}

// TestMPM99 checks the laws that hold before the blocks touch anything: gravity
// alone changes the momentum, and each material takes a deformation in its own way.
func TestMPM99(t *testing.T) {
	const particles, n, steps = 180, 64, 12
	run(t, all, func(t *testing.T, rt *ti.Runtime) {
		sim := newMPM99(t, rt, particles, n)
		x := elements(t, &sim.X)
		for p := range x { // above the floor, so that no wall acts
			x[p][1] += 0.02
		}
		if err := sim.X.CopyFrom(x); err != nil {
			t.Fatal(err)
		}
		stretched := ti.Mat2{{1.1, 0.05}, {-0.02, 0.9}}
		sim.F.Fill(stretched)
		sim.Substep() // nothing moves yet: the materials respond to the stretch alone
		checkMaterials(t, sim, stretched)
		for range steps - 1 {
			sim.Substep()
		}
		sum := momentum(elements(t, &sim.V))
		near(t, "the mean velocity to the right", sum[0]/particles, 0, 1e-4)
		near(t, "the mean velocity upwards", sum[1]/particles, -50*steps*float64(sim.Dt), 1e-4)
		mass := 0.0
		for _, m := range elements(t, &sim.GridM) {
			mass += float64(m)
		}
		near(t, "the mass of the grid, in particles", mass*4*n*n, particles, 1e-4)
	})
}

// checkMaterials checks how water, jelly and snow take a deformation.
func checkMaterials(t *testing.T, sim *mpm99, stretched ti.Mat2) {
	t.Helper()
	lo, hi := singular(stretched)
	jp, f := elements(t, &sim.Jp), elements(t, &sim.F)
	for p, m := range elements(t, &sim.Material) {
		if want := p / (len(f) / 3); int(m) != want {
			t.Fatalf("particle %d is of material %d; want %d", p, m, want)
		}
		l, h := singular(f[p])
		switch plastic := 1.0; m {
		case 0: // water forgets shear
			r := float32(math.Sqrt(lo * hi))
			nearAll(t, "the deformation of water", append(f[p][0][:], f[p][1][:]...), []float32{r, 0, 0, r}, 1e-5)
			near(t, "the plastic volume ratio of water", float64(jp[p]), plastic, 0)
		case 1: // jelly remembers
			nearAll(t, "the deformation of jelly", append(f[p][0][:], f[p][1][:]...), append(stretched[0][:], stretched[1][:]...), 1e-5)
			near(t, "the plastic volume ratio of jelly", float64(jp[p]), plastic, 0)
		case 2: // snow yields
			near(t, "the smaller stretch of snow", l, 1-2.5e-2, 1e-5)
			near(t, "the larger stretch of snow", h, 1+4.5e-3, 1e-5)
			plastic = lo * hi / ((1 - 2.5e-2) * (1 + 4.5e-3))
			near(t, "the plastic volume ratio of snow", float64(jp[p]), plastic, 1e-5)
		}
	}
}

// TestMPM99Rest lets the blocks fall and come to lie: nothing leaves the box, no
// volume turns inside out.
func TestMPM99Rest(t *testing.T) {
	run(t, []string{"llvm3"}, func(t *testing.T, rt *ti.Runtime) {
		sim := newMPM99(t, rt, 600, 32)
		for range 4000 {
			sim.Substep()
		}
		f := elements(t, &sim.F)
		for p, x := range elements(t, &sim.X) {
			if !(x[0] > 0.05 && x[0] < 0.95 && x[1] > 0.05 && x[1] < 0.95) {
				t.Fatalf("particle %d is at %v, in a wall", p, x)
			}
			if d := f[p][0][0]*f[p][1][1] - f[p][0][1]*f[p][1][0]; !(d > 0) {
				t.Fatalf("particle %d has the volume ratio %v", p, d)
			}
		}
	})
}

// singular returns the singular values of a matrix.
func singular(m ti.Mat2) (lo, hi float64) {
	a, b, c, d := float64(m[0][0]), float64(m[0][1]), float64(m[1][0]), float64(m[1][1])
	p, q := math.Hypot(a+d, c-b)/2, math.Hypot(a-d, c+b)/2
	return math.Abs(p - q), p + q
}

// mpm3d has element types that fix the dimension: the source serves both.
type mpm3d[Vec, Mat any] struct {
	Dim                    int
	X, V                   ti.Field[Vec]
	C, F                   ti.Field[Mat]
	GridV                  ti.Field[Vec]
	GridM                  ti.Field[float32]
	N                      int
	Dt                     float32
	Init, P2G, GridOp, G2P func()
}

func (s *mpm3d[Vec, Mat]) step() {
	var zero Vec
	s.GridV.Fill(zero)
	s.GridM.Fill(0)
	s.P2G()
	s.GridOp()
	s.G2P()
}

func newMPM3D[Vec, Mat any](t *testing.T, rt *ti.Runtime, dim, n int, axes ti.Axes) *mpm3d[Vec, Mat] {
	s := &mpm3d[Vec, Mat]{Dim: dim, N: n, Dt: 5e-5}
	rt.Place(ti.Shape{100}, &s.X, &s.V, &s.C, &s.F)
	rt.NewTree().Dense(axes, s.N/4).Dense(axes, 4).Place(&s.GridV, &s.GridM)
	load(t, rt, "mpm3d", s)
	s.Init()
	return s
}

// TestMPM3D runs one source in two and in three dimensions: a block that starts to
// rotate keeps its momentum and angular momentum but for gravity, and a stretched
// one pulls itself together.
func TestMPM3D(t *testing.T) {
	const steps = 6
	run(t, all, func(t *testing.T, rt *ti.Runtime) {
		flat := newMPM3D[ti.Vec2, ti.Mat2](t, rt, 2, 32, ti.IJ)
		for p, x := range elements(t, &flat.X) {
			flat.V.Set(ti.Vec2{-(x[1] - 0.35), x[0] - 0.35}, p)
			flat.C.Set(ti.Mat2{{0, -1}, {1, 0}}, p)
		}
		spin := func() (v [2]float64, l float64) {
			x, u, c := elements(t, &flat.X), elements(t, &flat.V), elements(t, &flat.C)
			for p := range x { // the affine part turns too: a quarter of a cell squared
				l += float64(x[p][0]*u[p][1]-x[p][1]*u[p][0]) + float64(c[p][1][0]-c[p][0][1])/4/32/32
			}
			return momentum(u), l
		}
		v0, l0 := spin()
		for range steps {
			flat.step()
		}
		v1, l1 := spin()
		fall := 9.8 * steps * float64(flat.Dt) * 100
		nearAll(t, "the momentum in 2-D", v1[:], []float64{v0[0], v0[1] - fall}, 1e-3)
		x := momentum(elements(t, &flat.X))
		near(t, "the angular momentum in 2-D", l1, l0-fall*x[0]/100, 1e-2)

		solid := newMPM3D[ti.Vec3, ti.Mat3](t, rt, 3, 32, ti.IJK)
		solid.F.Fill(ti.Mat3{{1.01, 0, 0}, {0, 1, 0}, {0, 0, 1}})
		wide := width(elements(t, &solid.X))
		for range steps {
			solid.step()
		}
		var sum [3]float64
		for _, v := range elements(t, &solid.V) {
			for d := range 3 {
				sum[d] += float64(v[d])
			}
		}
		nearAll(t, "the momentum in 3-D", sum[:], []float64{0, -fall, 0}, 1e-3)
		if now := width(elements(t, &solid.X)); now >= wide {
			t.Errorf("the stretched block went from a width of %v to %v; want it to shrink", wide, now)
		}
	})
}

// width is the standard deviation of the first components.
func width(x []ti.Vec3) float64 {
	mean, square := 0.0, 0.0
	for _, v := range x {
		mean += float64(v[0]) / float64(len(x))
		square += float64(v[0]) * float64(v[0]) / float64(len(x))
	}
	return math.Sqrt(square - mean*mean)
}
