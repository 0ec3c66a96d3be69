// Command quantmpm lets cubes of jelly fall on each other, with particles in 40 bytes that take 68 as plain numbers.
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

//go:embed quantmpm.ti
var source string

// Summary is that of quantmpm.ti.
type Summary struct {
	Center, Momentum ti.DVec3
	Volume           float64
	Broken           int32
}

// Material is the host of quantmpm.ti.
type Material struct {
	X, V        ti.Field[ti.Vec3]
	F, C        ti.Field[ti.Mat3]
	Kind, Hue   ti.Field[int32]
	J           ti.Field[float32]
	Image       ti.Field[int32]
	N           int
	Fluid       bool
	Dt, Gravity float32

	Fill    func(blocks ti.IVec3, low, step, velocity ti.Vec3) error
	Clear   func(v *ti.Field[ti.Vec3], m *ti.Field[float32]) error
	Scatter func(v *ti.Field[ti.Vec3], m *ti.Field[float32]) error
	Step    func(v0, v1 *ti.Field[ti.Vec3], m1 *ti.Field[float32]) error
	Gather  func(v *ti.Field[ti.Vec3]) error
	Bring   func(v *ti.Field[ti.Vec3], m *ti.Field[float32]) error
	Move    func(v *ti.Field[ti.Vec3], m *ti.Field[float32]) error
	Survey  func() (Summary, error)
	Draw    func() error

	from, to *grid
	two      bool // kernels of a step
}

// A grid has velocities and masses, in blocks of 4×4×4 nodes.
type grid struct {
	v ti.Field[ti.Vec3]
	m ti.Field[float32]
}

// A packing says in how many bits numbers are stored.
type packing struct {
	particles bool // in words: positions and deformations in fixed point, velocities with a shared exponent
	grid      bool // in fixed point of 32 bits, so that sums are the same in any order
	volume    int  // bits of the volume ratio of water; 0 for a plain number
	two       bool // kernels of a step, between which particles keep how the velocity varies around them
}

var packed = packing{particles: true}

const (
	block    = 8 * 8 * 8 * 8 // particles of one: eight around each of its nodes
	substeps = 32            // of a frame
	shades   = 63            // of a hue
)

func main() {
	demo.Main("quantmpm", func(d *demo.Demo) (demo.Result, error) {
		rt, err := ti.New(ti.Config{})
		if err != nil {
			return demo.Result{}, err
		}
		defer rt.Close()
		return fall(d, rt, d.Short(32, 64), d.Short(8, 28))
	})
}

// fall makes a film of three cubes of packed jelly on a grid of n nodes along an edge, beside the same cubes of plain jelly.
func fall(d *demo.Demo, rt *ti.Runtime, n, frames int) (demo.Result, error) {
	edge := n / 32 // of a cube, in blocks
	cubes := ti.IVec3{int32(edge), int32(edge), int32(edge)}
	particles := 3 * edge * edge * edge * block
	var worlds [2]*Material
	for i, p := range []packing{packed, {}} {
		m := newMaterial(rt, n, particles, false, p)
		rt.Place(ti.Shape{360, 360}, &m.Image)
		if err := rt.Load(source, m); err != nil {
			return demo.Result{}, err
		}
		if err := m.drop(cubes, ti.Vec3{0.26, 0.12, 0.4}, ti.Vec3{0.11, 0.28, -0.05}, ti.Vec3{0, -2, 0}); err != nil {
			return demo.Result{}, err
		}
		worlds[i] = m
	}
	film := d.Film("quantmpm.gif", picture.Config{Map: palette()})
	film.Sheet("quantmpm.png", 2, frames/8, frames/3, frames*2/3, frames-1)
	for range d.Steps(frames, "frames") {
		for _, m := range worlds {
			if err := d.Run(rt, func() error { return m.advance(substeps) }); err != nil {
				return demo.Result{}, err
			}
		}
		if err := worlds[0].Draw(); err != nil {
			return demo.Result{}, err
		}
		film.Add(&worlds[0].Image)
	}
	apart, err := distance(worlds[0], worlds[1])
	if err != nil {
		return demo.Result{}, err
	}
	d.Say("%d bytes a particle packed, %d plain; their centres are %.1g of an edge of the domain apart in the end",
		worlds[0].bytes()/int64(particles), worlds[1].bytes()/int64(particles), apart)
	return film.Finish(demo.Result{
		Work:   fmt.Sprintf("%d substeps of %d particles, packed and plain", frames*substeps, particles),
		Amount: 2 * float64(frames) * substeps * float64(particles),
		Unit:   "particle",
	})
}

// distance is how far the centres of two materials are apart.
func distance(a, b *Material) (float64, error) {
	s, err := a.Survey()
	if err != nil {
		return 0, err
	}
	t, err := b.Survey()
	if err != nil {
		return 0, err
	}
	d := s.Center
	for i := range d {
		d[i] -= t.Center[i]
	}
	return math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2]), nil
}

// palette has a background and shades of jelly in each hue.
func palette() color.Palette {
	p := color.Palette{picture.RGB(0x161a22)}
	for _, hue := range [][]picture.RGB{{0x1b1030, 0x7a2a6b, 0xe0574f, 0xffd98a}, {0x0c1a2a, 0x14566b, 0x3aa99a, 0xd8f2b0}, {0x14183a, 0x34409a, 0x6a86e0, 0xd0e6ff}} {
		p = append(p, picture.Gradient(shades, hue...)...)
	}
	return p
}

// newMaterial places so many particles of jelly or water in a unit cube of n nodes along an edge.
func newMaterial(rt *ti.Runtime, n, particles int, fluid bool, p packing) *Material {
	m := &Material{N: n, Fluid: fluid, two: p.two, Dt: 0.0128 / float32(n), Gravity: 50}
	jelly, water := particles, 1 // of the material that there is none of, a place is bound to be there
	if fluid {
		jelly, water = 1, particles
	}
	p.place(rt, m, particles, jelly, water)
	m.from, m.to = p.newGrid(rt, n), p.newGrid(rt, n)
	return m
}

// place lays particles out.
func (p packing) place(rt *ti.Runtime, m *Material, particles, jelly, water int) {
	kept := 1
	if p.two {
		kept = particles
	}
	if !p.particles {
		rt.Place(ti.Shape{particles}, &m.X, &m.V)
		rt.Place(ti.Shape{jelly}, &m.F, &m.Kind, &m.Hue)
		rt.Place(ti.Shape{kept}, &m.C)
	} else {
		particle := rt.NewTree().Dense(ti.I, particles)
		particle.BitStruct(64).Place(&m.X, ti.QuantFixed(21, 1).Unsigned())
		particle.BitStruct(64).PlaceShared(ti.QuantFloat(6, 19), &m.V)
		deformed, varying := rt.NewTree().Dense(ti.I, jelly), rt.NewTree().Dense(ti.I, kept)
		rows, around := ti.Members(&m.F), ti.Members(&m.C)
		for row, rest := range []ti.AnyField{&m.Kind, &m.Hue, nil} {
			word := deformed.BitStruct(64)
			for _, component := range rows[3*row : 3*row+3] {
				word.Place(component, ti.QuantFixed(19, 4))
			}
			if rest != nil {
				word.Place(rest, ti.QuantInt(7).Unsigned())
			}
			varying.BitStruct(64).PlaceShared(ti.QuantFloat(6, 19), around[3*row:3*row+3]...)
		}
	}
	if p.volume == 0 {
		rt.Place(ti.Shape{water}, &m.J)
	} else {
		rt.NewTree().Dense(ti.I, water).BitStruct(32).Place(&m.J, ti.QuantFixed(p.volume, 2).Unsigned())
	}
}

// newGrid places a grid.
func (p packing) newGrid(rt *ti.Runtime, n int) *grid {
	const edge = 4
	g, node := new(grid), rt.NewTree().Dense(ti.IJK, n/edge).Dense(ti.IJK, edge)
	if p.grid { // masses are small numbers of particles, momenta these times velocities
		for _, v := range ti.Members(&g.v) {
			node.BitStruct(32).Place(v, ti.QuantFixed(32, 1024))
		}
		node.BitStruct(32).Place(&g.m, ti.QuantFixed(32, 1024))
		return g
	}
	node.Place(&g.v, &g.m)
	return g
}

// bytes is the memory of the particles.
func (m *Material) bytes() (all int64) {
	trees := map[*ti.Tree]bool{m.X.Tree(): true, m.V.Tree(): true, m.J.Tree(): m.Fluid, m.C.Tree(): m.two,
		m.F.Tree(): !m.Fluid, m.Kind.Tree(): !m.Fluid, m.Hue.Tree(): !m.Fluid}
	for tree, counts := range trees {
		if counts {
			all += tree.Bytes()
		}
	}
	return all
}

// drop lays the particles out as boxes of so many blocks along each axis, side by side or above each other.
func (m *Material) drop(blocks ti.IVec3, low, step, velocity ti.Vec3) error {
	if err := m.Fill(blocks, low, step, velocity); err != nil {
		return err
	}
	if err := m.Scatter(&m.from.v, &m.from.m); err != nil {
		return err
	}
	return m.Move(&m.from.v, &m.from.m)
}

// move moves the particles by one grid and brings them to the other.
func (m *Material) move() error {
	if !m.two {
		return m.Step(&m.from.v, &m.to.v, &m.to.m)
	}
	if err := m.Gather(&m.from.v); err != nil {
		return err
	}
	return m.Bring(&m.to.v, &m.to.m)
}

// advance makes so many steps.
func (m *Material) advance(steps int) error {
	for range steps {
		if err := m.Clear(&m.to.v, &m.to.m); err != nil {
			return err
		}
		if err := m.move(); err != nil {
			return err
		}
		if err := m.Move(&m.to.v, &m.to.m); err != nil {
			return err
		}
		m.from, m.to = m.to, m.from
	}
	return nil
}
