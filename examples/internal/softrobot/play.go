package softrobot

import (
	"image/color"
	"slices"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

const shades = 12 // of a colour, as in paint.ti

// palette has the colours of paint.ti: of what is behind all, of water, tissue, muscles that pull or push, and ground.
func palette() color.Palette {
	return append(color.Palette{picture.RGB(0x101418)}, slices.Concat(
		picture.Gradient(shades, 0x081c30, 0x2f8fd0, 0xd8f4ff), picture.Gradient(shades, 0x2c2620, 0xe8dcc8),
		picture.Gradient(shades, 0x380c10, 0xf0504a), picture.Gradient(shades, 0x10203c, 0x5a9cf0),
		picture.Gradient(2, 0x30363c, 0x282e34))...)
}

// Play trains a robot for a number of iterations, and shows in so many pictures how it moves then.
func Play[V ti.Vec2 | ti.Vec3, G ti.Vec3 | ti.Vec4, M ti.Mat2 | ti.Mat3](d *demo.Demo, name string, scene Scene[V], iterations, shown int) (demo.Result, error) {
	return d.Play(name, iterations+shown, func(m *demo.Movie) {
		m.Map, m.FPS = palette(), float64(shown)/2.56
		r, err := New[V, G, M](m.Runtime, scene)
		m.Check(err)
		m.Check(r.Walk())
		untrained, length := r.Gone(), scene.Pace[0]
		for i := range m.Frames() {
			if i < iterations {
				m.Check(r.Train(length))
				length *= scene.Pace[1]
				m.Say("iteration %d: the robot comes %.3f further than untrained", i, r.Gone()-untrained)
				continue
			}
			if i == iterations {
				m.Check(r.Walk())
				m.Say("after %d iterations with %d particles it comes %.3f far, %.3f further than untrained",
					i, r.Rest.Shape()[0], r.Gone(), r.Gone()-untrained)
			}
			r.Show((i-iterations)*scene.Steps/shown, scene.Steps/shown)
			m.Show(&r.Image)
		}
	})
}
