// Command karman lets a fluid flow past a cylinder, and draws its vorticity and its speed.
package main

import (
	_ "embed"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed karman.ti
var source string

// Channel is the host of karman.ti.
type Channel struct {
	Rho, Image       ti.Field[float32]
	Vel              ti.Field[ti.Vec2]
	Old, New         ti.Field[[9]float32]
	Niu, Radius      float32
	Fixed            [4]bool
	Wall             [4]ti.Vec2
	Center           ti.Vec2
	Init, Step, Draw func()
}

func main() { demo.Play("karman", 200, flow) }

func flow(m *demo.Movie) {
	const width, height = 401, 101
	channel := Channel{Niu: 0.008, Radius: 10, Center: ti.Vec2{80, 50},
		Fixed: [4]bool{true, true, false, true}, Wall: [4]ti.Vec2{{0.1, 0}}}
	m.Place(ti.Shape{width, height}, &channel.Rho, &channel.Vel, &channel.Old, &channel.New)
	m.Place(ti.Shape{width, 2 * height}, &channel.Image)
	m.Load(source, &channel)
	m.Map = append(picture.Gradient(64, 0xffff00, 0xf37d04, 0, 0x2df987, 0x00ffff), picture.Gradient(64, 0x0d0887, 0x9c179e, 0xed7953, 0xf0f921)...)
	channel.Init()
	for range m.Frames() {
		for range 50 {
			channel.Step()
		}
		channel.Draw()
		m.Show(&channel.Image)
	}
}
