// Command stablefluid lets smoke rise in a box.
package main

import (
	_ "embed"
	"fmt"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed stablefluid.ti
var source string

// Fluid is the host of stablefluid.ti.
type Fluid struct {
	V, VNew         ti.Field[ti.Vec2]
	Smoke, SmokeNew ti.Field[float32]
	P, PNew         ti.Field[float32]
	Div, Curl       ti.Field[float32]
	Width, Height   int
	Dt              float32

	Advect                              func(time float32) error
	Confine, Divergence, Sweep, Project func() error
	Pull                                func(place, velocity ti.Vec2, radius, smoke float32) error
	Totals                              func() (smoke, height, divergence float32, err error)
}

func main() {
	demo.Main("stablefluid", func(d *demo.Demo) (demo.Result, error) {
		result, _, err := run(d, 192, 288, 110)
		return result, err
	})
}

// Each frame is some steps; each step solves for the pressure with twice as many sweeps.
const (
	steps  = 2
	sweeps = 20
)

// totals are what the test looks at: all smoke, its mean height, the mean square of the divergence before and
// after the last projection.
type totals struct{ smoke, height, before, after float32 }

func run(d *demo.Demo, width, height, frames int) (result demo.Result, sum totals, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, sum, err
	}
	defer rt.Close()
	fluid := Fluid{Width: width, Height: height, Dt: 0.05}
	rt.Place(ti.Shape{width, height}, &fluid.V, &fluid.VNew, &fluid.Smoke, &fluid.SmokeNew, &fluid.P, &fluid.PNew,
		&fluid.Div, &fluid.Curl)
	if err := rt.Load(source, &fluid); err != nil {
		return result, sum, err
	}

	palette := picture.Gradient(64, 0x0b1020, 0x3a3f55, 0x8b8fa0, 0xe8e4dc, 0xfff8ee)
	if w, err := d.Window("Smoke", 2*width, 2*height, picture.Config{Map: palette, XY: true}); err != nil || w != nil {
		if err == nil {
			defer w.Close()
			result, err = fluid.show(d, rt, w)
		}
		return result, sum, err
	}
	film := d.Film("stablefluid.gif", picture.Config{Map: palette, XY: true})
	for frame := range d.Steps(frames, "frames") {
		err := d.Run(rt, func() error {
			for step := range steps {
				if err := fluid.step(float32(frame*steps+step) * fluid.Dt); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return result, sum, err
		}
		film.Add(&fluid.Smoke)
	}
	if sum, err = fluid.totals(); err != nil {
		return result, sum, err
	}
	result, err = film.Finish(demo.Result{
		Work:   fmt.Sprintf("%d steps of %d×%d cells, %d pressure sweeps each", frames*steps, width, height, 2*sweeps),
		Amount: float64(frames) * steps * 2 * sweeps * float64(width) * float64(height),
		Unit:   "cell",
	})
	return result, sum, err
}

// step advances by Dt.
func (f *Fluid) step(time float32) error {
	if err := f.Advect(time); err != nil {
		return err
	}
	if err := f.Confine(); err != nil {
		return err
	}
	if err := f.Divergence(); err != nil {
		return err
	}
	for range sweeps {
		if err := f.Sweep(); err != nil {
			return err
		}
	}
	return f.Project()
}

// totals measures the flow, and how much the projection reduced its divergence.
func (f *Fluid) totals() (totals, error) {
	var t totals
	var err error
	if t.smoke, t.height, t.before, err = f.Totals(); err != nil {
		return t, err
	}
	if err = f.Divergence(); err != nil {
		return t, err
	}
	_, _, t.after, err = f.Totals()
	return t, err
}
