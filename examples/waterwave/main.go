// Command waterwave lets drops fall into a basin.
package main

import (
	_ "embed"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
)

//go:embed waterwave.ti
var source string

// Water is the host of waterwave.ti.
type Water struct {
	Pixels, Background, Height, Velocity ti.Field[float32]
	Reset, Update, Paint                 func()
	CreateWave                           func(amplitude float32, at ti.Vec2)
}

func main() { demo.Play("waterwave", 240, rain) }

func rain(m *demo.Movie) {
	var water Water
	m.Place(ti.Shape{512, 512}, &water.Pixels, &water.Background, &water.Height, &water.Velocity)
	m.Load(source, &water)
	water.Reset()
	for i := range m.Frames() {
		if i%30 == 0 {
			water.CreateWave(3, ti.Vec2{float32(120 + 3*i), float32(400 - 2*i)})
		}
		water.Update()
		water.Paint()
		m.Show(&water.Pixels)
	}
}
