package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

const size = 32

// mouldOf loads a mould of some particles, not yet scattered.
func mouldOf(t *testing.T, particles int) *Physarum {
	t.Helper()
	rt := demotest.Runtime(t)
	mould := new(Physarum)
	rt.Place(ti.Shape{2, size, size}, &mould.Grid)
	rt.Place(ti.Shape{particles}, &mould.Position, &mould.Heading)
	demotest.Check(t, rt.Load(source, mould))
	return mould
}

// TestTrail checks that a step moves each particle by two cells and leaves as much
// trail as there are particles, of which a twentieth evaporates.
func TestTrail(t *testing.T) {
	const particles = 100
	mould := mouldOf(t, particles)
	mould.Init()
	trail := 0.0
	for i := range 6 {
		before := demotest.Elements(t, &mould.Position)
		mould.Step(i % 2)
		for k, p := range demotest.Elements(t, &mould.Position) {
			way := math.Hypot(float64(p[0]-before[k][0]), float64(p[1]-before[k][1]))
			demotest.Near(t, "the way of a particle", way, 2, 1e-5)
		}
		trail = 0.95 * (trail + particles)
		sum := 0.0
		for _, v := range demotest.Elements(t, &mould.Grid)[(1-i%2)*size*size:][:size*size] {
			sum += float64(v)
		}
		demotest.Near(t, "the trail", sum, trail, 1e-5)
	}
}

// TestTurn puts a trail to the left, the right, both sides or in front of a particle
// that heads along the first axis.
func TestTurn(t *testing.T) {
	at := func(angle float64) [2]int {
		return [2]int{int(10.5 + 4*math.Cos(angle)), int(10.5 + 4*math.Sin(angle))}
	}
	left, ahead, right := at(-0.2*math.Pi), at(0), at(0.2*math.Pi)
	for _, c := range []struct {
		name   string
		trails map[[2]int]float32
		turns  []float64 // in units of the angle by which it turns
	}{
		{"left", map[[2]int]float32{left: 2, ahead: 1}, []float64{-1}},
		{"right", map[[2]int]float32{right: 2, ahead: 1}, []float64{1}},
		{"ahead", map[[2]int]float32{left: 1, ahead: 2, right: 1}, []float64{0}},
		{"nothing ahead", map[[2]int]float32{left: 1}, []float64{0}},
		{"both", map[[2]int]float32{left: 1, right: 2}, []float64{-1, 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			mould := mouldOf(t, 40)
			mould.Position.Fill(ti.Vec2{10.5, 10.5})
			for p, v := range c.trails {
				mould.Grid.Set(v, 0, p[0], p[1])
			}
			mould.Step(0)
			seen := map[float64]bool{}
			for _, a := range demotest.Elements(t, &mould.Heading) {
				seen[math.Round(float64(a)/(0.1*math.Pi)*1e4)/1e4] = true
			}
			if len(seen) != len(c.turns) {
				t.Errorf("it turns by %v; want %v", seen, c.turns)
			}
			for _, a := range c.turns {
				if !seen[a] {
					t.Errorf("it turns by %v; want %v", seen, c.turns)
				}
			}
		})
	}
}

func TestScene(t *testing.T) {
	result, err := demotest.New(t).Play("physarum", 2, grow)
	demotest.Check(t, err)
	demotest.GIF(t, result.File, 2)
}
