package porttest

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

type nbody struct {
	Pos, Vel, Force ti.Field[ti.Vec2]
	Center          ti.Field[ti.Vec2]
	Dt              float32

	Init, Step func()
	Energy     func() (kinetic, potential float64)
}

// TestNBody checks the ring, one step and the energy against Go, and the momentum
// after many steps, of two lengths.
func TestNBody(t *testing.T) {
	const n = 60
	run(t, all, func(t *testing.T, rt *ti.Runtime) {
		sim := nbody{Dt: 1e-5}
		rt.Place(ti.Shape{n}, &sim.Pos, &sim.Vel, &sim.Force)
		rt.Place(nil, &sim.Center)
		load(t, rt, "nbody", &sim)
		sim.Init()
		pos, vel := elements(t, &sim.Pos), elements(t, &sim.Vel)
		for i, p := range pos {
			x, y := p[0]-0.5, p[1]-0.5
			if r := math.Hypot(float64(x), float64(y)); r < 0.16-1e-6 || r > 0.4+1e-6 {
				t.Fatalf("body %d is %v from the centre", i, r)
			}
			nearAll(t, "the velocity of a body", vel[i][:], []float32{-120 * y, 120 * x}, 1e-4)
		}
		kinetic, potential := sim.Energy()
		wantK, wantU := energy(pos, vel)
		near(t, "the kinetic energy", kinetic, wantK, 1e-5)
		near(t, "the potential energy", potential, wantU, 1e-5)

		sim.Step()
		want := forces(pos)
		for i, f := range elements(t, &sim.Force) {
			nearAll(t, "a force", f[:], want[i][:], 1e-3)
		}
		before := momentum(elements(t, &sim.Vel))
		for range 5 {
			sim.Step()
		}
		sim.Dt /= 2
		for range 5 {
			sim.Step()
		}
		after := momentum(elements(t, &sim.Vel))
		nearAll(t, "the momentum", after[:], before[:], 2e-3)

		x0 := elements(t, &sim.Pos)
		sim.Step() // by the new Dt
		x1, v := elements(t, &sim.Pos), elements(t, &sim.Vel)
		for i := range x1 {
			near(t, "a step", float64(x1[i][0]-x0[i][0]), float64(sim.Dt*v[i][0]), 1e-6)
		}
	})
}

func forces(pos []ti.Vec2) [][2]float64 {
	f := make([][2]float64, len(pos))
	for i, p := range pos {
		for j, q := range pos {
			if i == j {
				continue
			}
			dx, dy := float64(p[0])-float64(q[0]), float64(p[1])-float64(q[1])
			r := math.Hypot(dx, dy) + 1e-5
			f[i][0] -= dx / (r * r * r)
			f[i][1] -= dy / (r * r * r)
		}
	}
	return f
}

func energy(pos, vel []ti.Vec2) (kinetic, potential float64) {
	for i, p := range pos {
		x, y := float64(vel[i][0]), float64(vel[i][1])
		kinetic += 0.5 * (x*x + y*y)
		for _, q := range pos[:i] {
			potential -= 1 / (math.Hypot(float64(p[0])-float64(q[0]), float64(p[1])-float64(q[1])) + 1e-5)
		}
	}
	return kinetic, potential
}

// momentum sums vectors.
func momentum(v []ti.Vec2) (sum [2]float64) {
	for _, e := range v {
		sum[0] += float64(e[0])
		sum[1] += float64(e[1])
	}
	return sum
}
