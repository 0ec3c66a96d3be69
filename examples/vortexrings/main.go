// Command vortexrings lets two vortex rings leap through each other.
package main

import (
	_ "embed"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
)

//go:embed vortexrings.ti
var source string

// Rings is the host of vortexrings.ti.
type Rings struct {
	Pos, NewPos, Tracer ti.Field[ti.Vec2]
	Vort                ti.Field[float32]
	Init, Step          func()
}

func main() { demo.Play("vortexrings", 90, leap) }

func leap(m *demo.Movie) {
	var rings Rings
	m.Place(ti.Shape{4}, &rings.Pos, &rings.NewPos, &rings.Vort)
	m.Place(ti.Shape{200000}, &rings.Tracer)
	m.Load(source, &rings)
	for i, y := range []float32{1, -1, 0.3, -0.3} {
		rings.Pos.Set(ti.Vec2{0, y}, i)
		rings.Vort.Set(float32(1-i%2*2), i)
	}
	rings.Init()
	for range m.Frames() {
		for range 4 {
			rings.Step()
		}
		m.Points(&rings.Tracer, 720, ti.Vec2{-1, -2.5}, ti.Vec2{11, 2.5})
	}
}
