// Command mpm99 lets a cube of jelly and balls of snow fall into water. Colours are materials.
package main

import (
	_ "embed"
	"fmt"
	"image/color"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed mpm99.ti
var source string

// Particle, Node and Summary are those of mpm99.ti.
type (
	Particle struct {
		X, V     ti.Vec2
		C, F     ti.Mat2
		Plastic  float32
		Material int32
	}
	Node struct {
		V ti.Vec2
		M float32
	}
	Summary struct {
		Count, Broken            int32
		Center, Spread, Velocity ti.Vec2
		Low, Top                 ti.Vec2
		Volume                   float32
	}
)

// Materials of mpm99.ti.
const (
	water = iota
	jelly
	snow
)

// World is the host of mpm99.ti.
type World struct {
	P     ti.Field[Particle]
	Grid  ti.Field[Node]
	Image ti.Field[int32]
	N     int
	Dt    float32

	Init, Substep, Draw func() error
	Survey              func(material int32) (Summary, error)
	Totals              func() (mass float32, momentum ti.Vec2, err error)
}

const (
	substeps = 20 // of a frame
	shades   = 63 // of a material
)

func main() {
	demo.Main("mpm99", func(d *demo.Demo) (demo.Result, error) {
		rt, world, err := build(16000, 128, 320)
		if err != nil {
			return demo.Result{}, err
		}
		defer rt.Close()
		return run(d, rt, world, d.Short(60, 150))
	})
}

// build places and fills a world.
func build(particles, grid, size int) (*ti.Runtime, *World, error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return nil, nil, err
	}
	world := &World{N: grid, Dt: 0.0128 / float32(grid)}
	rt.Place(ti.Shape{particles}, &world.P)
	rt.Place(ti.Shape{grid, grid}, &world.Grid)
	rt.Place(ti.Shape{size, size}, &world.Image)
	if err := rt.Load(source, world); err != nil {
		rt.Close()
		return nil, nil, err
	}
	return rt, world, world.Init()
}

// run makes a film, and a picture of three of its frames.
func run(d *demo.Demo, rt *ti.Runtime, world *World, frames int) (demo.Result, error) {
	film := d.Film("mpm99.gif", picture.Config{Map: palette()})
	last := frames - 1
	film.Sheet("mpm99.png", 3, last/8, last*3/8, last*7/8)
	for range d.Steps(frames, "frames") {
		if err := d.Run(rt, func() error { return world.advance(substeps) }); err != nil {
			return demo.Result{}, err
		}
		film.Add(&world.Image)
	}
	particles := world.P.Shape()[0]
	return film.Finish(demo.Result{
		Work:   fmt.Sprintf("%d substeps of %d particles", frames*substeps, particles),
		Amount: float64(frames) * substeps * float64(particles),
		Unit:   "particle",
	})
}

// advance makes so many substeps and a picture.
func (w *World) advance(steps int) error {
	for range steps {
		if err := w.Substep(); err != nil {
			return err
		}
	}
	return w.Draw()
}

// palette has a background and shades of water, jelly and snow.
func palette() color.Palette {
	p := color.Palette{picture.RGB(0x151b24)}
	p = append(p, picture.Gradient(shades, 0x1b5f9e, 0x2e9bd6, 0xb4ecfa)...)
	p = append(p, picture.Gradient(shades, 0xd8434e, 0xf08a4b, 0xffd166)...)
	return append(p, picture.Gradient(shades, 0x9fb3cc, 0xdfe8f2, 0xffffff)...)
}
