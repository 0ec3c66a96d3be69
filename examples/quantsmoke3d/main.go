// Command quantsmoke3d lets two jets of smoke meet in a domain of which little is active, in cells of 70 bytes that take
// 110 as plain numbers.
package main

import (
	"embed"
	"flag"
	"fmt"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed *.ti
var sources embed.FS

type (
	numbers = ti.Field[float32]
	vectors = ti.Field[ti.Vec3]
)

// Smoke is the host of quantsmoke3d.ti and pressure.ti.
type Smoke struct {
	U, Mirror, Ahead, Carried vectors
	Dye, DyeAhead, DyeCarried vectors
	Image                     vectors
	X, P                      numbers
	L                         [5]Level
	Block                     *ti.Node
	Busy                      ti.Field[bool]
	N                         int
	Adapt, Coarsen            func() error
	Advect                    func(velocity, dye, next *vectors) error
	Diverge                   func() (float64, error)
	Precondition, Curvature   func() (float64, error)
	Turn                      func(beta float32) error
	Advance                   func(alpha float32) (float64, error)
	Reflect, Project          func() error
	Survey                    func() (Summary, error)
	Leak                      func(q *vectors) (float64, error)
	Paint                     func() error

	solves, iterations int
	diverged           float64 // sum of the squares of the divergence before the last solve
}

// Level is that of pressure.ti.
type Level struct {
	Inside               *ti.Node
	R, Z, Left, Diagonal numbers
	Finest               bool
}

// Summary is that of quantsmoke3d.ti.
type Summary struct {
	Dye            ti.DVec3
	Height, Energy float64
	Fastest        float32
}

func main() {
	plain := flag.Bool("plain", false, "store plain numbers")
	cells := flag.Int("cells", 0, "cells along an edge of the domain, a multiple of 8; otherwise 256, or 64 with -short")
	frames := flag.Int("frames", 0, "frames; otherwise 110, or 24 with -short")
	demo.Main("quantsmoke3d", func(d *demo.Demo) (demo.Result, error) {
		n, count := *cells, *frames
		if n == 0 {
			n = d.Short(64, 256)
		}
		if count == 0 {
			count = d.Short(24, 110)
		}
		if n < 0 || n%edge != 0 || count < 0 {
			return demo.Result{}, fmt.Errorf("there are no %d frames of %d cells; want a multiple of %d cells", count, n, edge)
		}
		return run(d, n, count, *plain)
	})
}

// run makes a film of the smoke in a domain of n³ cells.
func run(d *demo.Demo, n, frames int, plain bool) (result demo.Result, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, err
	}
	defer rt.Close()
	s, err := newSmoke(rt, n, plain)
	if err != nil {
		return result, err
	}
	film := d.Film("quantsmoke3d.gif", picture.Config{XY: true})
	film.Sheet("quantsmoke3d.png", 3, frames/3, frames*2/3, frames-1)
	total := 0.0
	var took time.Duration
	for range d.Steps(frames, "frames") {
		start := time.Now()
		if err := d.Run(rt, s.frame); err != nil {
			return result, err
		}
		took = time.Since(start)
		total += float64(s.cells())
		if err := s.Paint(); err != nil {
			return result, err
		}
		film.Add(&s.Image)
	}
	d.Say("%d cells of %d³ are active and take %.1f bytes each; the last frame took %.2f s; %.1f iterations a solve",
		s.cells(), n, float64(s.bytes())/float64(s.cells()), took.Seconds(), float64(s.iterations)/float64(s.solves))
	return film.Finish(demo.Result{
		Work:   fmt.Sprintf("%d frames of %d³ cells", frames, n),
		Amount: total,
		Unit:   "cell",
	})
}

// edge is that of a block.
const edge = 8

// newSmoke places smoke in a domain of n³ cells, around which there is room for zeros. Only active blocks take memory.
func newSmoke(rt *ti.Runtime, n int, plain bool) (*Smoke, error) {
	s := &Smoke{N: n}
	s.Block = blocks(rt, n)
	cells := func() *ti.Node { return s.Block.Dense(ti.IJK, edge) }
	velocity := func(f *vectors) { cells().BitStruct(64).Place(f, ti.QuantFixed(21, 8)) }
	dye := func(f *vectors) { cells().BitStruct(32).PlaceShared(ti.QuantFloat(5, 9).Unsigned(), f) }
	if plain {
		velocity = func(f *vectors) { cells().Place(f) }
		dye = velocity
	}
	for _, f := range []*vectors{&s.U, &s.Mirror, &s.Ahead, &s.Carried} {
		velocity(f)
	}
	for _, f := range []*vectors{&s.Dye, &s.DyeAhead, &s.DyeCarried} {
		dye(f)
	}
	fine := &s.L[0]
	for _, f := range []*numbers{&s.X, &s.P, &fine.R, &fine.Z, &fine.Left} {
		fine.Inside = cells().Place(f)
	}
	fine.Finest = true
	rt.Place(ti.Shape{1, 1, 1}, &fine.Diagonal) // nothing reads it
	for l := 1; l < len(s.L); l++ {
		v := &s.L[l]
		block := blocks(rt, n>>l)
		for _, f := range []*numbers{&v.R, &v.Z, &v.Left, &v.Diagonal} {
			block.Dense(ti.IJK, edge).Place(f)
		}
		v.Inside = block.Bitmasked(ti.IJK, edge)
	}
	rt.NewTree().Origin(ti.IJK, -1).Dense(ti.IJK, n/edge+2).Place(&s.Busy)
	rt.Place(ti.Shape{256, 256}, &s.Image)
	_, err := rt.Compile(ti.Files(sources, "*.ti"), s)
	return s, err
}

// blocks returns the pointers to blocks for n³ cells and those around them.
func blocks(rt *ti.Runtime, n int) *ti.Node {
	return rt.NewTree().Origin(ti.IJK, -edge).Pointer(ti.IJK, (n+edge-1)/edge+2)
}

// cells is how many are active.
func (s *Smoke) cells() int { return s.Block.Count() * edge * edge * edge }

// bytes is the memory of all that is active, that of the multigrid included.
func (s *Smoke) bytes() (bytes int64) {
	for l := range s.L {
		bytes += s.L[l].R.Tree().Bytes()
	}
	return bytes
}

// frame advances by a frame: half of it to where the flow is reflected, and half from there.
func (s *Smoke) frame() error {
	return inOrder(
		s.Adapt, s.coarsen,
		func() error { return s.Advect(&s.U, &s.Dye, &s.DyeCarried) }, s.solve, s.Reflect,
		func() error { return s.Advect(&s.Mirror, &s.DyeCarried, &s.Dye) }, s.solve, s.Project,
	)
}

// inOrder runs steps until one fails.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// coarsen makes the coarser lattices anew for the blocks that are active.
func (s *Smoke) coarsen() error {
	for l := 1; l < len(s.L); l++ {
		s.L[l].R.Tree().Clear()
	}
	return s.Coarsen()
}
