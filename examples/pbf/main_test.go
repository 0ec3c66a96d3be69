package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

const particles = 1200

var cells = ti.IVec2{32, 20} // a box of 88×55

// TestFluid lets the columns fall and come to rest. The fluid stays in the box, is never much denser than at rest, and
// in the end fills what it should.
func TestFluid(t *testing.T) {
	rt, fluid, err := build(particles, 22, cells, ti.Shape{55, 88})
	demotest.Check(t, err)
	defer rt.Close()
	const frames = 16
	result, err := run(demotest.New(t), rt, fluid, frames)
	demotest.Check(t, err)
	demotest.GIF(t, result.File, frames)

	var center, velocity ti.Vec2
	for second := range 4 {
		var excess float32
		var low, top ti.Vec2
		center, velocity, excess, low, top, err = fluid.Survey()
		demotest.Check(t, err)
		if !(excess < 0.04) {
			t.Errorf("after %d seconds the density is %v too high in the mean; want at most 0.04", second, excess)
		}
		if !(low[0] >= 0 && low[1] >= 0 && top[0] <= 88 && top[1] <= 55) {
			t.Errorf("after %d seconds the particles are from %v to %v; want them in the box", second, low, top)
		}
		for range 60 * substeps {
			demotest.Check(t, fluid.substep())
		}
	}
	if speed := math.Hypot(float64(velocity[0]), float64(velocity[1])); !(speed < 10) {
		t.Errorf("in the end the fluid moves by %v a second; want it about at rest", speed)
	}
	const bump = math.Pi * 14 * 14 / 2
	const level = (particles + bump) / 88
	const height = (88*level*level/2 - bump*4*14/(3*math.Pi)) / particles // of the centre
	if !(math.Abs(float64(center[1])/height-1) <= 0.05) {
		t.Errorf("in the end the centre is %v high; want %v as for a fluid of constant density", center[1], height)
	}
	if !(math.Abs(float64(center[0])-44) <= 3) {
		t.Errorf("in the end the centre is at %v of 88; want it about in the middle", center[0])
	}
}

// TestSort checks that the particles of a cell lie side by side where Start says, and that none is lost.
func TestSort(t *testing.T) {
	rt, fluid, err := build(particles, 22, cells, ti.Shape{55, 88})
	demotest.Check(t, err)
	defer rt.Close()
	count := func(all []Particle) map[ti.Vec2]int {
		places := map[ti.Vec2]int{}
		for _, p := range all {
			places[p.X]++
		}
		return places
	}
	p := make([]Particle, particles)
	start := make([]int32, cells[0]*cells[1]+1)
	demotest.Check(t, fluid.P.CopyTo(p))
	before := count(p)
	demotest.Check(t, fluid.Sort())
	demotest.Check(t, fluid.P.CopyTo(p))
	demotest.Check(t, fluid.Start.CopyTo(start))
	after := count(p)
	if len(after) != len(before) {
		t.Errorf("the particles were at %d places before, and are at %d; want the same", len(before), len(after))
	}
	for x, n := range before {
		if after[x] != n {
			t.Fatalf("of the %d particles at %v, there are %d after sorting", n, x, after[x])
		}
	}
	if end := start[len(start)-1]; end != particles {
		t.Errorf("the last cell ends at %d; want %d", end, particles)
	}
	for c := range len(start) - 1 {
		for _, q := range p[start[c]:start[c+1]] {
			x, y := int32(q.X[0]/2.75), int32(q.X[1]/2.75)
			if q.Cell != (ti.IVec2{x, y}) || y*cells[0]+x != int32(c) {
				t.Fatalf("cell %d has a particle at %v, of cell %v", c, q.X, q.Cell)
			}
		}
	}
}
