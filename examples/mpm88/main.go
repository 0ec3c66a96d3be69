// Command mpm88 simulates a fluid: a dam breaks while a drop falls. Colours are speeds.
package main

import (
	_ "embed"
	"fmt"
	"image/color"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed mpm88.ti
var source string

// Fluid is the host of mpm88.ti.
type Fluid struct {
	X, V  ti.Field[ti.Vec2]
	C     ti.Field[ti.Mat2]
	J     ti.Field[float32]
	GridV ti.Field[ti.Vec2]
	GridM ti.Field[float32]
	Image ti.Field[int32]
	N     int
	Dt    float32

	Init, Substep, Draw func() error
	Means               func() (velocity ti.Vec2, volume float32, err error)
}

func main() {
	demo.Main("mpm88", func(d *demo.Demo) (demo.Result, error) {
		result, _, err := run(d, 18000, 128, 320, d.Short(50, 120))
		return result, err
	})
}

// state is what the test looks at: means over the particles.
type state struct {
	velocity ti.Vec2
	volume   float32
}

func run(d *demo.Demo, particles, grid, size, frames int) (result demo.Result, end state, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, end, err
	}
	defer rt.Close()
	fluid := Fluid{N: grid, Dt: 2e-4}
	rt.NewTree().Dense(ti.I, particles).Place(&fluid.X, &fluid.V, &fluid.C, &fluid.J) // an array of structures
	rt.NewTree().Dense(ti.IJ, grid).Place(&fluid.GridV, &fluid.GridM)
	rt.Place(ti.Shape{size, size}, &fluid.Image)
	if err := rt.Load(source, &fluid); err != nil {
		return result, end, err
	}
	if err := fluid.Init(); err != nil {
		return result, end, err
	}

	const substeps = 50
	palette := append(color.Palette{picture.RGB(0x10202c)},
		picture.Gradient(63, 0x1060a0, 0x30a0d8, 0xa0e0f0, 0xffffff)...)
	if w, err := d.Window("Fluid", 512, 512, picture.Config{Map: palette[1:], XY: true, High: 4}); err != nil || w != nil {
		if err == nil {
			defer w.Close()
			result, err = fluid.show(d, rt, w, substeps)
		}
		return result, end, err
	}
	film := d.Film("mpm88.gif", picture.Config{Map: palette})
	for range d.Steps(frames, "frames") {
		err := d.Run(rt, func() error {
			for range substeps {
				if err := fluid.Substep(); err != nil {
					return err
				}
			}
			return fluid.Draw()
		})
		if err != nil {
			return result, end, err
		}
		film.Add(&fluid.Image)
	}
	if end.velocity, end.volume, err = fluid.Means(); err != nil {
		return result, end, err
	}
	result, err = film.Finish(demo.Result{
		Work:   fmt.Sprintf("%d substeps of %d particles", frames*substeps, particles),
		Amount: float64(frames) * substeps * float64(particles),
		Unit:   "particle",
	})
	return result, end, err
}
