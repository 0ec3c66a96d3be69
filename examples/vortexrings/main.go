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
	Pos, NewPos *ti.Field[ti.Vec2]
	Tracer      ti.Field[ti.Vec2]
	Vort        ti.Field[float32]
	Init, Step  func()
}

func main() { demo.Play("vortexrings", 90, leap) }

func leap(m *demo.Movie) {
	rings := Rings{Pos: ti.NewField[ti.Vec2](m.Runtime, 4), NewPos: ti.NewField[ti.Vec2](m.Runtime, 4)}
	m.Place(ti.Shape{4}, &rings.Vort)
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
			rings.Pos, rings.NewPos = rings.NewPos, rings.Pos
		}
		m.Points(&rings.Tracer, 720, ti.Vec2{-1, -2.5}, ti.Vec2{11, 2.5})
	}
}
