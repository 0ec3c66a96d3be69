// Command nbody lets two galaxies of 2,048 bodies meet; every body attracts every other.
package main

import (
	_ "embed"
	"fmt"
	"image"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed nbody.ti
var source string

// NBody is the host of nbody.ti.
type NBody struct {
	Pos, Vel, Acc ti.Field[ti.Vec3]
	Mass          ti.Field[float32]
	Image         ti.Field[float32]
	Dt            float32

	Init, Accelerate, Drift func() error
	Kick                    func(part float32) error
	Energy                  func() (kinetic, potential float64, err error)
	Draw                    func(fade float32) error
}

func main() {
	demo.Main("nbody", func(d *demo.Demo) (demo.Result, error) {
		result, _, err := run(d, 4096, d.Short(40, 100))
		return result, err
	})
}

// run returns, besides the result, by which part the energy has changed.
func run(d *demo.Demo, bodies, frames int) (result demo.Result, drift float64, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, 0, err
	}
	defer rt.Close()
	const width, height, steps = 400, 300, 7
	sim := NBody{Dt: 0.004}
	rt.Place(ti.Shape{bodies}, &sim.Pos, &sim.Vel, &sim.Acc, &sim.Mass)
	rt.Place(ti.Shape{height, width}, &sim.Image)
	if err := rt.Load(source, &sim); err != nil {
		return result, 0, err
	}
	if err := sim.begin(); err != nil {
		return result, 0, err
	}
	if w, err := d.Window("Galaxies", 800, 600, picture.Config{}); err != nil || w != nil {
		if err == nil {
			defer w.Close()
			result, err = sim.show(d, rt, w, steps)
		}
		return result, 0, err
	}
	before, err := sim.energy()
	if err != nil {
		return result, 0, err
	}

	palette := picture.Gradient(48, 0x020210, 0x203080, 0x8080e0, 0xffe8c0, 0xffffff)
	film := d.Film("nbody.gif", picture.Config{FPS: 20})
	light := make([]float32, width*height)
	img := image.NewPaletted(image.Rect(0, 0, width, height), palette)
	for range d.Steps(frames, "frames") {
		if err := d.Run(rt, func() error { return sim.advance(steps) }); err != nil {
			return result, 0, err
		}
		if err := sim.Image.CopyTo(light); err != nil {
			return result, 0, err
		}
		for i, v := range light {
			img.Pix[i] = uint8(min(float32(math.Log1p(float64(v)))/2.5, 0.999) * float32(len(palette)))
		}
		film.AddImage(img)
	}
	after, err := sim.energy()
	if err != nil {
		return result, 0, err
	}
	drift = math.Abs(after/before - 1)
	result, err = film.Finish(demo.Result{
		Work:   fmt.Sprintf("%d steps of %d bodies, energy kept to %.2g%%", frames*steps, bodies, 100*drift),
		Amount: float64(frames) * steps * float64(bodies) * float64(bodies),
		Unit:   "pair",
	})
	return result, drift, err
}

// begin puts the galaxies where they begin.
func (sim *NBody) begin() error {
	if err := sim.Init(); err != nil {
		return err
	}
	return sim.Accelerate()
}

// advance makes steps and draws the last one.
func (sim *NBody) advance(steps int) error {
	if err := sim.leap(steps); err != nil {
		return err
	}
	return sim.Draw(0.6)
}

// leap makes steps of the leapfrog method.
func (sim *NBody) leap(steps int) error {
	for range steps {
		if err := sim.Kick(0.5); err != nil {
			return err
		}
		if err := sim.Drift(); err != nil {
			return err
		}
		if err := sim.Accelerate(); err != nil {
			return err
		}
		if err := sim.Kick(0.5); err != nil {
			return err
		}
	}
	return nil
}

// energy returns the whole energy.
func (sim *NBody) energy() (float64, error) {
	kinetic, potential, err := sim.Energy()
	return kinetic + potential, err
}
