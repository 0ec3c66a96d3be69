package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

const particles, grid = 4000, 64

// TestMaterials lets the world come to rest and looks at what has become of each material.
func TestMaterials(t *testing.T) {
	rt, world, err := build(particles, grid, 96)
	demotest.Check(t, err)
	defer rt.Close()
	var before, after [3]Summary
	survey(t, world, &before)
	const frames = 90
	result, err := run(demotest.New(t), rt, world, frames)
	demotest.Check(t, err)
	demotest.GIF(t, result.File, frames)
	survey(t, world, &after)

	for m, s := range after {
		if s.Count != before[m].Count || s.Broken != 0 {
			t.Errorf("material %d has %d particles, %d of them broken; want %d and none", m, s.Count, s.Broken, before[m].Count)
		}
		for axis := range 2 { // the wall is three nodes wide
			if !(s.Low[axis] > 1.0/grid && s.Top[axis] < 1-1.0/grid) {
				t.Errorf("material %d fills %v to %v; want it inside the box", m, s.Low, s.Top)
			}
		}
		if !(math.Abs(float64(s.Volume)-1) < 0.1) {
			t.Errorf("material %d has the volume %v of that at the start; want about 1", m, s.Volume)
		}
		if !(s.Center[1] < before[m].Center[1]) {
			t.Errorf("the centre of material %d went from height %v to %v; want it lower", m, before[m].Center[1], s.Center[1])
		}
	}
	if w := after[water]; w.Spread[0] < 3*before[water].Spread[0] || w.Spread[1] > before[water].Spread[1]/2 {
		t.Errorf("the water spread from %v to %v; want it flat and wide", before[water].Spread, w.Spread)
	}
	size := func(s Summary) float32 { return s.Spread[0] + s.Spread[1] } // the same after a turn
	if got, want := size(after[jelly]), size(before[jelly]); !(math.Abs(float64(got/want)-1) <= 0.15) {
		t.Errorf("the jelly's size is %v; want about %v as at the start", got, want)
	}
}

// TestFall checks mass and momentum while only the water touches the walls: the rest falls freely, and the grid has
// what the particles have.
func TestFall(t *testing.T) {
	rt, world, err := build(particles, grid, 96)
	demotest.Check(t, err)
	defer rt.Close()
	var before, after [3]Summary
	survey(t, world, &before)
	const steps = 100
	demotest.Check(t, world.advance(steps))
	survey(t, world, &after)
	time := steps * float64(world.Dt)
	for axis, want := range [2]float64{0, -50 * time} { // for jelly and snow together: they may collide
		gain, count := 0.0, 0.0
		for m := jelly; m <= snow; m++ {
			gain += float64(after[m].Velocity[axis]-before[m].Velocity[axis]) * float64(after[m].Count)
			count += float64(after[m].Count)
		}
		if !(math.Abs(gain/count-want) <= 1e-3) {
			t.Errorf("jelly and snow gained the velocity %v along axis %d in %v; want %v", gain/count, axis, time, want)
		}
	}
	mass, momentum, err := world.Totals()
	demotest.Check(t, err)
	const ofParticle = 1.0 / (grid * grid * 4)
	if !(math.Abs(float64(mass)/(particles*ofParticle)-1) <= 1e-4) {
		t.Errorf("the grid has mass %v; want %v", mass, particles*ofParticle)
	}
	var want ti.Vec2
	for _, s := range after {
		for axis := range want {
			want[axis] += s.Velocity[axis] * float32(s.Count) * ofParticle
		}
	}
	for axis := range want {
		if !(math.Abs(float64(momentum[axis]-want[axis])) <= 1e-3*float64(mass)) {
			t.Errorf("the grid has the momentum %v; want that of the particles, %v", momentum, want)
			break
		}
	}
}

// TestFirmSnow lets a lone particle of firmly pressed snow swell a little: it must not swell and shrink in turns,
// more with each step, which is what happens where a time step is too long for how firm it is.
func TestFirmSnow(t *testing.T) {
	rt, world, err := build(1, grid, 96)
	demotest.Check(t, err)
	defer rt.Close()
	p := []Particle{{
		X: ti.Vec2{0.503, 0.7}, C: ti.Mat2{{1, 0}, {0, 1}}, F: ti.Mat2{{1, 0}, {0, 1}},
		Plastic: 0.5, Material: snow,
	}}
	demotest.Check(t, world.P.CopyFrom(p))
	for step := range 400 {
		demotest.Check(t, world.Substep())
		demotest.Check(t, world.P.CopyTo(p))
		if swells := math.Abs(float64(p[0].C[0][0])); !(swells < 3) {
			t.Fatalf("after %d steps the snow swells at a rate of %v; want it to stay below 3, from 1", step+1, swells)
		}
	}
}

// survey asks for the summaries of all materials.
func survey(t *testing.T, world *World, all *[3]Summary) {
	t.Helper()
	for m := range all {
		var err error
		all[m], err = world.Survey(int32(m))
		demotest.Check(t, err)
	}
}
