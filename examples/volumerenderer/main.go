// Command volumerenderer finds what is in a cube of fog by pictures of it.
package main

import (
	_ "embed"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/bunny"
	"github.com/gotaichi/ti/examples/internal/demo"
)

//go:embed volumerenderer.ti
var source string

// Fog is the host of volumerenderer.ti.
type Fog struct {
	Density, Truth, Image, Photo ti.Field[float32]
	Loss, Mean, Square, Pixels   ti.Field[float32]
	Views, N                     int
	Take, Render, Compare        func(view int)
	Adam                         func(rate float32, n int)
	Voxelise                     func(triangles []ti.Mat3)
	Paint                        func(k, view int)
}

const (
	cells, pixels = 64, 256
	learnt        = 7 // views; one more is not learnt from
)

func main() {
	demo.Main("volumerenderer", func(d *demo.Demo) (demo.Result, error) {
		return d.Play("volumerenderer", d.Short(5, 100), train)
	})
}

// newFog is a cube of n cells along an edge, with a bunny in it of which there are photographs of some pixels.
func newFog(rt *ti.Runtime, n, pixels int) (*Fog, error) {
	f := &Fog{N: n, Views: learnt + 1}
	rt.Place(ti.Shape{n, n, n}, ti.WithGrad(&f.Density)...)
	rt.Place(ti.Shape{n, n, n}, &f.Truth, &f.Mean, &f.Square)
	rt.Place(ti.Shape{learnt + 1, pixels, pixels}, ti.WithGrad(&f.Image)...)
	rt.Place(ti.Shape{learnt + 1, pixels, pixels}, &f.Photo)
	rt.Place(ti.Shape{4 * pixels, 2 * pixels}, &f.Pixels)
	rt.Place(nil, ti.WithGrad(&f.Loss)...)
	if err := rt.Load(source, f); err != nil {
		return nil, err
	}
	body, err := bunny.Triangles(0.14)
	if err != nil {
		return nil, err
	}
	f.Voxelise(body)
	for v := range learnt + 1 {
		f.Take(v)
	}
	return f, nil
}

// look renders all views that are learnt from.
func (f *Fog) look() error {
	f.Loss.Fill(0)
	for v := range learnt {
		f.Render(v)
		f.Compare(v)
	}
	return nil
}

// unseen is how far the image of the view that is not learnt from is off.
func (f *Fog) unseen() float32 {
	f.Loss.Fill(0)
	f.Render(learnt)
	f.Compare(learnt)
	return f.Loss.At()
}

func train(m *demo.Movie) {
	f, err := newFog(m.Runtime, cells, pixels)
	m.Check(err)
	m.Say("an empty cube is off by %.5f in the view that is not learnt from", f.unseen())
	for i := range m.Frames() {
		m.Check(m.Tape(&f.Loss, f.look))
		f.Adam(0.05, i+1)
		if i%10 == 9 {
			others := f.Loss.At() / learnt
			m.Say("after %d iterations, off by %.5f there, and by %.5f in the others", i+1, f.unseen(), others)
		}
	}
	for k, v := range []int{0, 1, 3, learnt} {
		f.Render(v)
		f.Paint(k, v)
	}
	m.Save(&f.Pixels)
}
