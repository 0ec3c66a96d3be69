// Command pbf lets two columns of water fall towards each other over a bump. Colours are dyes.
package main

import (
	_ "embed"
	"fmt"
	"image/color"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed pbf.ti
var source string

// Particle is that of pbf.ti.
type Particle struct {
	X, Old, V ti.Vec2
	Cell      ti.IVec2
	Dye       float32
}

// Fluid is the host of pbf.ti.
type Fluid struct {
	P, Sorted   ti.Field[Particle]
	Rank, Start ti.Field[int32]
	Lambda      ti.Field[float32]
	Shift       ti.Field[ti.Vec2]
	Image       ti.Field[int32]
	Cells       ti.IVec2
	Dt          float32

	Init                               func(wide int32) error
	Predict, Relax, Finish, Sort, Draw func() error

	Survey func() (center, velocity ti.Vec2, excess float32, low, top ti.Vec2, err error)
}

const (
	substeps   = 4 // of a frame, of a sixtieth of a second
	iterations = 3 // of a substep

	dyes, edge, shades = 7, 8, 35 // as in pbf.ti
)

func main() {
	demo.Main("pbf", func(d *demo.Demo) (demo.Result, error) {
		rt, fluid, err := build(5000, 46, ti.IVec2{64, 32}, ti.Shape{240, 480})
		if err != nil {
			return demo.Result{}, err
		}
		defer rt.Close()
		return run(d, rt, fluid, d.Short(50, 120))
	})
}

// build places and fills a box of so many cells; the columns are so many particles wide.
func build(particles, wide int, cells ti.IVec2, size ti.Shape) (*ti.Runtime, *Fluid, error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return nil, nil, err
	}
	fluid := &Fluid{Cells: cells, Dt: 1.0 / 60 / substeps}
	rt.Place(ti.Shape{particles}, &fluid.P, &fluid.Sorted, &fluid.Rank, &fluid.Lambda, &fluid.Shift)
	rt.Place(ti.Shape{int(cells[0]*cells[1]) + 1}, &fluid.Start)
	rt.Place(size, &fluid.Image)
	if err := rt.Load(source, fluid); err != nil {
		rt.Close()
		return nil, nil, err
	}
	return rt, fluid, fluid.Init(int32(wide))
}

// substep advances by Dt.
func (f *Fluid) substep() error {
	if err := f.Predict(); err != nil {
		return err
	}
	for range iterations {
		if err := f.Relax(); err != nil {
			return err
		}
	}
	return f.Finish()
}

// frame advances by a frame and paints it.
func (f *Fluid) frame() error {
	for range substeps {
		if err := f.substep(); err != nil {
			return err
		}
	}
	return f.Draw()
}

// run makes a film, and a picture of two of its frames, one above the other.
func run(d *demo.Demo, rt *ti.Runtime, fluid *Fluid, frames int) (demo.Result, error) {
	film := d.Film("pbf.gif", picture.Config{Map: palette(), FPS: 100.0 / 3})
	film.Sheet("pbf.png", 1, frames*3/20, frames*3/10)
	for range d.Steps(frames, "frames") {
		if err := d.Run(rt, fluid.frame); err != nil {
			return demo.Result{}, err
		}
		film.Add(&fluid.Image)
	}
	particles := fluid.P.Shape()[0]
	return film.Finish(demo.Result{
		Work:   fmt.Sprintf("%d substeps of %d particles", frames*substeps, particles),
		Amount: float64(frames) * substeps * float64(particles),
		Unit:   "particle",
	})
}

// palette has a background, for each dye the shades from there over its colour to white, and those of the bump.
func palette() color.Palette {
	const ground = picture.RGB(0xf1e9db)
	p := color.Palette{ground}
	for _, c := range picture.Gradient(dyes, 0x0c6b80, 0x5a6fb0, 0xd9547a, 0xf08232) {
		dye := picture.RGBOf(c)
		p = append(p, picture.Gradient(edge, ground, dye)...)
		p = append(p, picture.Gradient(shades-edge, dye, picture.RGBOf(picture.Gradient(5, dye, 0xffffff)[3]))...)
	}
	return append(p, picture.Gradient(8, ground, 0x4a4e5c)...)
}
