package main

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

const grid = 24

// cloud returns particles of both materials in the middle of the cube, that move at random.
func cloud(count int) []Particle {
	random := rand.New(rand.NewPCG(3, 4))
	particles := make([]Particle, count)
	for i := range particles {
		p := &particles[i]
		p.Material = int32(i % 2)
		for a := range 3 {
			p.X[a] = 0.35 + 0.3*random.Float32()
			p.V[a] = 4*random.Float32() - 2 + float32(a)
			p.F[a][a] = 1
			for b := range 3 {
				p.C[a][b] = 20*random.Float32() - 10
				p.F[a][b] += 0.1*random.Float32() - 0.05
			}
		}
	}
	return particles
}

// TestConserved checks that the grid has the mass and the momentum of the particles, and that momentum stays, where
// no wall is near and nothing falls: to the rounding of sums of single numbers.
func TestConserved(t *testing.T) {
	const count = 4000
	rt, world, err := build(grid, count, 16)
	demotest.Check(t, err)
	defer rt.Close()
	world.Gravity = 0
	particles := cloud(count)
	demotest.Check(t, world.P.CopyFrom(particles))
	ofOne := math.Pow(grid, -3) / 8
	scale := 0.0 // what momentum is small against
	for _, p := range particles {
		for _, v := range p.V {
			scale += ofOne * math.Abs(float64(v)) / 3
		}
	}
	want, err := world.OfParticles()
	demotest.Check(t, err)
	for step := range 40 {
		demotest.Check(t, world.advance(1))
		mass, onGrid, err := world.OfGrid()
		demotest.Check(t, err)
		if !(math.Abs(mass/(count*ofOne)-1) <= 1e-6) {
			t.Fatalf("step %d: the grid has the mass %v; want %v", step, mass, count*ofOne)
		}
		got, err := world.OfParticles()
		demotest.Check(t, err)
		for a := range want {
			if math.Abs(onGrid[a]-want[a]) > 3e-6*scale || math.Abs(got[a]-want[a]) > 3e-6*scale {
				t.Fatalf("step %d: the momentum is %v on the grid and %v of the particles; want %v within %v", step, onGrid, got, want, 3e-6*scale)
			}
		}
	}
}

// TestRest lets the bodies come to rest and looks at what has become of each material.
func TestRest(t *testing.T) {
	rt, world, err := build(grid, room(grid), 96)
	demotest.Check(t, err)
	defer rt.Close()
	demotest.Check(t, world.Init())
	before := survey(t, world)
	const frames = 25
	result, err := run(demotest.New(t), rt, world, frames)
	demotest.Check(t, err)
	demotest.GIF(t, result.File, frames)
	for m, s := range survey(t, world) {
		if s.Count != before[m].Count || s.Broken != 0 {
			t.Errorf("material %d has %d particles, %d of them broken; want %d and none", m, s.Count, s.Broken, before[m].Count)
		}
		for axis := range 3 { // the wall is three nodes wide
			if !(s.Low[axis] > 1.0/grid && s.Top[axis] < 1-1.0/grid) {
				t.Errorf("material %d fills %v to %v; want it inside the box", m, s.Low, s.Top)
			}
		}
		if !(math.Abs(float64(s.Volume)-1) < 0.1) {
			t.Errorf("material %d has the volume %v of that at the start; want about 1", m, s.Volume)
		}
		if !(s.Center[1] < before[m].Center[1]-0.02) {
			t.Errorf("the centre of material %d went from height %v to %v; want it lower", m, before[m].Center[1], s.Center[1])
		}
		if !(s.Center[0] > before[m].Center[0]) {
			t.Errorf("the centre of material %d went from %v to %v; want it pushed on by the water", m, before[m].Center[0], s.Center[0])
		}
	}
}

// TestFall checks that jelly which nothing touches falls by g/2 t².
func TestFall(t *testing.T) {
	rt, world, err := build(grid, 500, 16)
	demotest.Check(t, err)
	defer rt.Close()
	particles := cloud(500)
	for i := range particles {
		p := &particles[i]
		*p = Particle{X: p.X, F: ti.Mat3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, Material: jelly}
	}
	demotest.Check(t, world.P.CopyFrom(particles))
	before := survey(t, world)[jelly].Center
	const steps = 100
	demotest.Check(t, world.advance(steps))
	after := survey(t, world)[jelly].Center
	time := steps * float64(world.Dt)
	for axis, want := range [3]float64{0, -25 * time * time * (1 + 1.0/steps), 0} {
		if got := float64(after[axis] - before[axis]); !(math.Abs(got-want) <= 1e-4) {
			t.Errorf("along axis %d the jelly moved by %v in %v; want %v", axis, got, time, want)
		}
	}
}

// survey asks for the summaries of both materials.
func survey(t *testing.T, world *World) (all [2]Summary) {
	t.Helper()
	for m := range all {
		var err error
		all[m], err = world.Survey(int32(m))
		demotest.Check(t, err)
	}
	return all
}

// TestMemory checks that a world of more than two million particles has room in a gigabyte.
func TestMemory(t *testing.T) {
	const n = 124
	rt, world, err := build(n, room(n), 16)
	demotest.Check(t, err)
	defer rt.Close()
	demotest.Check(t, world.Init())
	demotest.Check(t, world.Sort())
	demotest.Check(t, world.Deform())
	demotest.Check(t, world.Scatter())
	mass, _, err := world.OfGrid()
	demotest.Check(t, err)
	demotest.Near(t, "the mass on the grid", mass*8*n*n*n, float64(room(n)), 1e-5)
	if bytes := world.P.Tree().Bytes() + world.Grid.Tree().Bytes(); room(n) < 2e6 || bytes > 1e9 {
		t.Errorf("%d particles have %d bytes; want 2,000,000 or more in 1,000,000,000", room(n), bytes)
	}
}

// TestWindow: particles of both materials are drawn in space, fall, and are seen from elsewhere after a drag.
func TestWindow(t *testing.T) {
	frames := demotest.Record(t, `{"frame":2,"kind":"press","x":0.5,"y":0.5}
{"frame":2,"kind":"move","x":0.2,"y":0.5}
{"frame":3,"kind":"close"}`, func(d *demo.Demo) (demo.Result, error) {
		rt, world, err := build(grid, room(grid), 16)
		demotest.Check(t, err)
		defer rt.Close()
		demotest.Check(t, world.Init())
		return run(d, rt, world, 1)
	})
	if len(frames) != 3 {
		t.Fatalf("there are %d frames", len(frames))
	}
	var blue, red int
	for y := range 600 {
		for x := range 800 {
			r, _, b, _ := frames[0].At(x, y).RGBA()
			if b > r && b > 0x4000 {
				blue++
			} else if r > b && r > 0x4000 {
				red++
			}
		}
	}
	if blue < 1000 || red < 1000 {
		t.Errorf("there are %d pixels of water and %d of jelly", blue, red)
	}
	fall, turn := demotest.Differ(frames[0], frames[1]), demotest.Differ(frames[1], frames[2])
	if fall == 0 || turn <= fall {
		t.Errorf("%d pixels change when bodies fall, and %d when they are turned", fall, turn)
	}
}
