package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

// ringsOf loads vortices at the given places, of strength 1 and -1 in turn, and
// tracers.
func ringsOf(t *testing.T, vortices, tracers []ti.Vec2) *Rings {
	t.Helper()
	rt := demotest.Runtime(t)
	rings := &Rings{Pos: ti.NewField[ti.Vec2](rt, len(vortices)), NewPos: ti.NewField[ti.Vec2](rt, len(vortices))}
	rt.Place(ti.Shape{len(vortices)}, &rings.Vort)
	rt.Place(ti.Shape{len(tracers)}, &rings.Tracer)
	demotest.Check(t, rt.Load(source, rings))
	for i, p := range vortices {
		rings.Pos.Set(p, i)
		rings.Vort.Set(float32(1-i%2*2), i)
	}
	for i, p := range tracers {
		rings.Tracer.Set(p, i)
	}
	return rings
}

func (r *Rings) step() {
	r.Step()
	r.Pos, r.NewPos = r.NewPos, r.Pos
}

// TestPair checks the speed of a single ring, which is known: 1/(2π) by the distance.
func TestPair(t *testing.T) {
	rings := ringsOf(t, []ti.Vec2{{0, 0.25}, {0, -0.25}}, []ti.Vec2{{9, 0}})
	for range 20 {
		rings.step()
	}
	for i, p := range demotest.Elements(t, rings.Pos) {
		demotest.Near(t, "the way of a vortex", float64(p[0]), 2/(math.Pi), 1e-4)
		demotest.Near(t, "the height of a vortex", float64(p[1]), []float64{0.25, -0.25}[i], 1e-4)
	}
}

// TestLeap checks what the flow of two rings conserves: its mirror symmetry and, but
// for the error of the first-order steps of the vortices, its impulse; and that the
// inner ring comes out ahead.
func TestLeap(t *testing.T) {
	rings := ringsOf(t, []ti.Vec2{{0, 1}, {0, -1}, {0, 0.3}, {0, -0.3}}, []ti.Vec2{{0.2, 0}, {0.3, 0.4}, {0.3, -0.4}})
	for range 40 {
		rings.step()
	}
	p, q := demotest.Elements(t, rings.Pos), demotest.Elements(t, &rings.Tracer)
	for _, pair := range [][2]ti.Vec2{{p[0], p[1]}, {p[2], p[3]}, {q[1], q[2]}} {
		demotest.Near(t, "x, mirrored", float64(pair[0][0]), float64(pair[1][0]), 1e-3)
		demotest.Near(t, "y, mirrored", float64(pair[0][1]), -float64(pair[1][1]), 1e-3)
	}
	demotest.Near(t, "a tracer on the axis", float64(q[0][1]), 0, 1e-3)
	demotest.Near(t, "the impulse", float64(p[0][1]-p[1][1]+p[2][1]-p[3][1]), 2.6, 1e-3)
	if p[2][0] < p[0][0]+0.3 {
		t.Errorf("the inner ring is at %v, the outer one at %v; want it ahead", p[2][0], p[0][0])
	}
}

// TestCircle lets a tracer circle one vortex, fixed as it is alone, at a known speed.
func TestCircle(t *testing.T) {
	rings := ringsOf(t, []ti.Vec2{{0, 0}}, []ti.Vec2{{0.5, 0}})
	for range 30 {
		rings.step()
	}
	angle := 3 / (2 * math.Pi * 0.25) // time by 2πr²
	q := rings.Tracer.At(0)
	demotest.Near(t, "x", float64(q[0]), 0.5*math.Cos(angle), 1e-4)
	demotest.Near(t, "y", float64(q[1]), 0.5*math.Sin(angle), 1e-4)
}

func TestScene(t *testing.T) {
	result, err := demotest.New(t).Play("vortexrings", 2, leap)
	demotest.Check(t, err)
	demotest.GIF(t, result.File, 2)
}
