package porttest

import (
	"testing"

	"github.com/gotaichi/ti"
)

type mpm88 struct {
	X, V          ti.Field[ti.Vec2]
	C             ti.Field[ti.Mat2]
	J             ti.Field[float32]
	GridV         ti.Field[ti.Vec2]
	GridM         ti.Field[float32]
	N             int
	Dt            float32
	Init, Substep func()
}

// TestMPM88 compares some steps with the same method in Go, then lets the block
// fall to the floor.
func TestMPM88(t *testing.T) {
	const n, particles = 32, 150
	run(t, all, func(t *testing.T, rt *ti.Runtime) {
		sim := mpm88{N: n, Dt: 2e-4}
		rt.Place(ti.Shape{particles}, &sim.X, &sim.V, &sim.C, &sim.J)
		rt.Place(ti.Shape{n, n}, &sim.GridV, &sim.GridM)
		load(t, rt, "mpm88", &sim)
		sim.Init()
		want := startLiquid(n, elements(t, &sim.X))
		for range 5 {
			sim.Substep()
			want.substep(float64(sim.Dt))
		}
		x, v, c, j := elements(t, &sim.X), elements(t, &sim.V), elements(t, &sim.C), elements(t, &sim.J)
		for p, w := range want.particles {
			nearAll(t, "a position", x[p][:], w.x[:], 1e-5)
			nearAll(t, "a velocity", v[p][:], w.v[:], 1e-4)
			nearAll(t, "an affine velocity", []float32{c[p][0][0], c[p][0][1], c[p][1][0], c[p][1][1]}, w.c[:], 5e-3)
			near(t, "a volume ratio", float64(j[p]), w.j, 1e-4)
		}
	})
	t.Run("floor", func(t *testing.T) {
		run(t, native, func(t *testing.T, rt *ti.Runtime) {
			sim := mpm88{N: n, Dt: 5e-4}
			rt.Place(ti.Shape{particles}, &sim.X, &sim.V, &sim.C, &sim.J)
			rt.Place(ti.Shape{n, n}, &sim.GridV, &sim.GridM)
			load(t, rt, "mpm88", &sim)
			sim.Init()
			for range 3000 {
				sim.Substep()
			}
			mass := 0.0
			for _, m := range elements(t, &sim.GridM) {
				mass += float64(m)
			}
			near(t, "the mass of the grid, in particles", mass*4*n*n, particles, 1e-4)
			height := 0.0
			for _, x := range elements(t, &sim.X) {
				if !(x[0] > 1.5/n && x[0] < 1-1.5/n && x[1] > 1.5/n && x[1] < 1) {
					t.Fatalf("a particle is at %v, in a wall", x)
				}
				height += float64(x[1]) / particles
			}
			if height > 0.25 { // it began with a mean of 0.4
				t.Errorf("the mean height is %v; want the liquid to lie on the floor", height)
			}
		})
	})
}

// liquid is the reference: the same method in float64.
type liquid struct {
	n         int
	particles []liquidParticle
}

type liquidParticle struct {
	x, v [2]float64
	c    [4]float64
	j    float64
}

func startLiquid(n int, x []ti.Vec2) *liquid {
	l := &liquid{n: n}
	for _, x := range x {
		l.particles = append(l.particles, liquidParticle{x: [2]float64{float64(x[0]), float64(x[1])}, v: [2]float64{0, -1}, j: 1})
	}
	return l
}

// stencil calls f for the nine nodes around x with weight and offset in cells.
func (l *liquid) stencil(x [2]float64, f func(node int, weight, dx, dy float64)) {
	var base [2]int
	var w [3][2]float64
	var fx [2]float64
	for d := range 2 {
		s := x[d] * float64(l.n)
		base[d] = int(s - 0.5)
		r := s - float64(base[d])
		fx[d] = r
		w[0][d], w[1][d], w[2][d] = 0.5*(1.5-r)*(1.5-r), 0.75-(r-1)*(r-1), 0.5*(r-0.5)*(r-0.5)
	}
	for i := range 3 {
		for j := range 3 {
			f((base[0]+i)*l.n+base[1]+j, w[i][0]*w[j][1], float64(i)-fx[0], float64(j)-fx[1])
		}
	}
}

func (l *liquid) substep(dt float64) {
	h := 1 / float64(l.n)
	volume := h * h / 4
	gv, gm := make([][2]float64, l.n*l.n), make([]float64, l.n*l.n)
	for _, p := range l.particles {
		stress := -4 * dt * 400 * volume * (p.j - 1) / (h * h)
		a := [4]float64{stress + volume*p.c[0], volume * p.c[1], volume * p.c[2], stress + volume*p.c[3]}
		l.stencil(p.x, func(g int, w, dx, dy float64) {
			gv[g][0] += w * (volume*p.v[0] + (a[0]*dx+a[1]*dy)*h)
			gv[g][1] += w * (volume*p.v[1] + (a[2]*dx+a[3]*dy)*h)
			gm[g] += w * volume
		})
	}
	for g, m := range gm {
		if m == 0 {
			continue
		}
		gv[g] = [2]float64{gv[g][0] / m, gv[g][1]/m - dt*9.8}
		for d, i := range [2]int{g / l.n, g % l.n} {
			if i < 3 && gv[g][d] < 0 || i > l.n-3 && gv[g][d] > 0 {
				gv[g][d] = 0
			}
		}
	}
	for i := range l.particles {
		p := &l.particles[i]
		var v [2]float64
		var c [4]float64
		l.stencil(p.x, func(g int, w, dx, dy float64) {
			for d := range 2 {
				v[d] += w * gv[g][d]
				c[2*d] += 4 * w * gv[g][d] * dx / h
				c[2*d+1] += 4 * w * gv[g][d] * dy / h
			}
		})
		p.v, p.c = v, c
		p.x[0] += dt * v[0]
		p.x[1] += dt * v[1]
		p.j *= 1 + dt*(c[0]+c[3])
	}
}
