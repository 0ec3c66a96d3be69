// Command mpm3d lets a cube of jelly stand in the way of water, and a ball of it fall in.
package main

import (
	_ "embed"
	"fmt"
	"image/color"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed mpm3d.ti
var source string

// Particle, Node and Summary are those of mpm3d.ti.
type (
	Particle struct {
		X, V     ti.Vec3
		C, F     ti.Mat3
		Material int32
	}
	Node struct {
		V ti.Vec3
		M float32
	}
	Summary struct {
		Count, Broken    int32
		Center, Low, Top ti.Vec3
		Volume           float32
	}
)

// Materials of mpm3d.ti.
const (
	water = iota
	jelly
)

// World is the host of mpm3d.ti.
type World struct {
	P, Q        ti.Field[Particle]
	Next        ti.Field[int32]
	Grid        ti.Field[Node]
	List, Image ti.Field[int32]
	Blocks      *ti.Node
	N           int
	Dt, Gravity float32

	Init, Sort, Arrange, Deform, Scatter, Move, Gather, Draw func() error

	Survey      func(material int32) (Summary, error)
	OfParticles func() (momentum ti.DVec3, err error)
	OfGrid      func() (mass float64, momentum ti.DVec3, err error)
}

const (
	substeps = 16 // of a frame
	shades   = 63 // of a material
)

func main() {
	demo.Main("mpm3d", func(d *demo.Demo) (demo.Result, error) {
		rt, world, err := build(32, room(32), 360)
		if err != nil {
			return demo.Result{}, err
		}
		defer rt.Close()
		if err := world.Init(); err != nil {
			return demo.Result{}, err
		}
		return run(d, rt, world, d.Short(5, 50))
	})
}

// room is the number of particles, eight around a node, for the volume of the bodies that Init makes.
func room(n int) int {
	const dam, cube, ball = 0.4 * 0.34 * 0.84, 0.24 * 0.24 * 0.24, 4.0 / 3 * math.Pi * 0.14 * 0.14 * 0.14
	return int((dam + cube + ball) * 8 * float64(n*n*n))
}

// build places a world on a grid of n nodes along an edge.
func build(n, particles, size int) (*ti.Runtime, *World, error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return nil, nil, err
	}
	w := &World{N: n, Dt: 0.0128 / float32(n), Gravity: 50}
	w.place(rt, particles, size)
	if err := rt.Load(source, w); err != nil {
		rt.Close()
		return nil, nil, err
	}
	return rt, w, nil
}

// place lays the world out: blocks of 4×4×4 nodes where particles are, and with each block the list of its particles.
func (w *World) place(rt *ti.Runtime, particles, size int) {
	const block = 4
	rt.Place(ti.Shape{particles}, &w.P, &w.Q)
	rt.Place(nil, &w.Next)
	w.Blocks = rt.NewTree().Pointer(ti.IJK, w.N/block)
	w.Blocks.Dense(ti.IJK, block).Place(&w.Grid)
	w.Blocks.Dynamic(ti.L, particles).Chunk(128).Place(&w.List)
	rt.Place(ti.Shape{size, size}, &w.Image)
}

// run makes a film, and a picture of four of its frames, or shows a window.
func run(d *demo.Demo, rt *ti.Runtime, w *World, frames int) (demo.Result, error) {
	materials := picture.Config{Map: color.Palette{picture.RGB(0x2e9bd6), picture.RGB(0xf08a4b)}}
	if win, err := d.Window("Water and jelly", 800, 600, materials); err != nil || win != nil {
		if err != nil {
			return demo.Result{}, err
		}
		defer win.Close()
		return w.show(d, rt, win)
	}
	film := d.Film("mpm3d.gif", picture.Config{Map: palette()})
	last := frames - 1
	film.Sheet("mpm3d.png", 2, last/6, last/3, last/2, last)
	for range d.Steps(frames, "frames") {
		if err := d.Run(rt, func() error { return w.advance(substeps) }); err != nil {
			return demo.Result{}, err
		}
		if err := w.Draw(); err != nil {
			return demo.Result{}, err
		}
		film.Add(&w.Image)
	}
	particles := w.P.Shape()[0]
	return film.Finish(demo.Result{
		Work:   fmt.Sprintf("%d substeps of %d particles", frames*substeps, particles),
		Amount: float64(frames) * substeps * float64(particles),
		Unit:   "particle",
	})
}

// advance makes so many substeps. The grid is made anew in each of them; particles lie in its order at the beginning,
// and do not come far from it within a frame.
func (w *World) advance(steps int) error {
	for step := range steps {
		w.Blocks.Clear()
		if err := w.Sort(); err != nil {
			return err
		}
		if step == 0 {
			if err := w.Arrange(); err != nil {
				return err
			}
		}
		for _, kernel := range []func() error{w.Deform, w.Scatter, w.Move, w.Gather} {
			if err := kernel(); err != nil {
				return err
			}
		}
	}
	return nil
}

// palette has a background and shades of water and jelly.
func palette() color.Palette {
	p := color.Palette{picture.RGB(0x151b24)}
	p = append(p, picture.Gradient(shades, 0x0a2440, 0x1b5f9e, 0x2e9bd6, 0xc4f0fa)...)
	return append(p, picture.Gradient(shades, 0x3a1018, 0xd8434e, 0xf08a4b, 0xffd166)...)
}
