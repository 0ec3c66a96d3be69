// Command sparseconv runs a layer of a convolutional network on the surface of a bunny.
package main

import (
	_ "embed"
	"fmt"
	"image/color"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/bunny"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed sparseconv.ti
var source string

const channels = 16

// Feature is that of sparseconv.ti.
type Feature = [channels]float32

// Layer is the host of sparseconv.ti.
type Layer struct {
	Normal           ti.Field[ti.Vec3]
	In, Out, Weights ti.Field[Feature]
	Image            ti.Field[float32]
	Channels         int

	voxels *ti.Node

	Cover                        func(triangles []ti.Mat3) error
	Light, Weigh, Convolve, Draw func() error
}

func main() {
	demo.Main("sparseconv", func(d *demo.Demo) (demo.Result, error) {
		rt, layer, err := build(256, 600)
		if err != nil {
			return demo.Result{}, err
		}
		defer rt.Close()
		return run(d, rt, layer)
	})
}

// build makes a layer for n×n×n voxels, and gives it a bunny.
func build(n, size int) (*ti.Runtime, *Layer, error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return nil, nil, err
	}
	l := &Layer{Channels: channels}
	l.place(rt, n, size)
	if err := l.fill(rt); err != nil {
		rt.Close()
		return nil, nil, err
	}
	return rt, l, nil
}

// place lays the layer out: memory is there for blocks of voxels near the surface, and a bit says which of these
// voxels are on it.
func (l *Layer) place(rt *ti.Runtime, n, size int) {
	const block = 4
	l.voxels = rt.NewTree().Pointer(ti.IJK, n/block).Bitmasked(ti.IJK, block)
	l.voxels.Place(&l.Normal, &l.In, &l.Out)
	rt.Place(ti.Shape{3, 3, 3, channels}, &l.Weights)
	rt.Place(ti.Shape{size, size}, &l.Image)
}

// fill computes the features and the weights.
func (l *Layer) fill(rt *ti.Runtime) error {
	if err := rt.Load(source, l); err != nil {
		return err
	}
	triangles, err := bunny.Triangles(0.05)
	if err != nil {
		return err
	}
	if err := l.Cover(triangles); err != nil {
		return err
	}
	if err := l.Light(); err != nil {
		return err
	}
	return l.Weigh()
}

// run returns the picture of the layer's output, and how fast it was.
func run(d *demo.Demo, rt *ti.Runtime, l *Layer) (result demo.Result, err error) {
	const times = 5
	for range d.Steps(times, "times") {
		if err := d.Run(rt, l.Convolve); err != nil {
			return result, err
		}
	}
	if err := l.Draw(); err != nil {
		return result, err
	}
	top := 0.0
	for _, v := range l.Image.All() {
		top = max(top, float64(v))
	}
	palette := append(color.Palette{picture.RGB(0x10141c)},
		picture.Gradient(127, 0x1d2c4a, 0x3f6f9f, 0xe0b060, 0xfff4d0)...)
	file := d.Path("sparseconv.png")
	colours := picture.Config{Map: palette, Low: -top / 127, High: top} // the first one is of pixels without a voxel
	voxels := l.voxels.Count()
	return demo.Result{
		Work:   fmt.Sprintf("%d channels to %d on %d of %v voxels, %d times", channels, channels, voxels, l.Normal.Shape(), times),
		Amount: times * float64(voxels),
		Unit:   "voxel",
		File:   file,
	}, colours.Save(file, &l.Image)
}
