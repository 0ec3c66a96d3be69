// Command optflow finds how each pixel of a photograph moves from one frame to the next.
package main

import (
	_ "embed"
	"fmt"
	"image"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/examples/internal/photo"
	"github.com/gotaichi/ti/picture"
)

//go:embed optflow.ti
var source string

// Kernels is the host of optflow.ti. They take the fields that they work on, so that those of a pyramid need no
// names in the source.
type Kernels struct {
	Stiffness float32

	Shrink    func(half, whole *Scalars) error
	Prolong   func(whole, half *Vectors) error
	Move      func(moved, picture ti.AnyField, flow *Vectors) error
	Linearize func(first, moved *Scalars, flow *Vectors, slope *Colors) error
	Relax     func(next, flow *Vectors, slope *Colors) error
	Median    func(next, flow *Vectors) error
	Truth     func(flow *Vectors) error
	Compare   func(flow, truth *Vectors) (miss, way float32, err error)
	Paint     func(picture *Colors, flow *Vectors, most float32) error
}

type (
	Scalars = ti.Field[float32]
	Vectors = ti.Field[ti.Vec2]
	Colors  = ti.Field[ti.Vec3]
)

func main() {
	demo.Main("optflow", func(d *demo.Demo) (demo.Result, error) {
		img, err := photo.Chelsea()
		if err != nil {
			return demo.Result{}, err
		}
		result, _, err := run(d, img)
		return result, err
	})
}

// found is what came out: the mean distance of the flow from the true one, and the mean length of that, in pixels.
type found struct{ miss, way float32 }

// run makes a picture the second frame, finds the flow from a first one that it also makes, and paints both frames,
// the flow, and the true one.
func run(d *demo.Demo, img image.Image) (result demo.Result, f found, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, f, err
	}
	defer rt.Close()
	k := Kernels{Stiffness: 0.03}
	if err := rt.Load(source, &k); err != nil {
		return result, f, err
	}
	width, height := img.Bounds().Dx(), img.Bounds().Dy()
	pyramid := newPyramid(rt, height, width)
	var truth Vectors
	var before, after Colors
	rt.Place(ti.Shape{height, width}, &truth, &before, &after)
	pixels := photo.Pixels(img, img.Bounds())
	if err := after.CopyFrom(pixels); err != nil {
		return result, f, err
	}
	if err := pyramid[0].second.CopyFrom(brightness(pixels)); err != nil {
		return result, f, err
	}
	if err := k.Truth(&truth); err != nil {
		return result, f, err
	}
	if err := k.Move(&before, &after, &truth); err != nil {
		return result, f, err
	}
	if err := k.Move(&pyramid[0].first, &pyramid[0].second, &truth); err != nil {
		return result, f, err
	}

	if err := d.Run(rt, func() error { return k.find(d, pyramid) }); err != nil {
		return result, f, err
	}
	flow := &pyramid[0].flow
	if f.miss, f.way, err = k.Compare(flow, &truth); err != nil {
		return result, f, err
	}
	all, err := k.picture(&before, &after, flow, &truth)
	if err != nil {
		return result, f, err
	}
	file := d.Path("optflow.jpg")
	return demo.Result{
		Work: fmt.Sprintf("%d×%d vectors of %.3g pixels on average, right to %.2g", width, height,
			f.way, f.miss),
		Amount: work(pyramid),
		Unit:   "vector",
		File:   file,
	}, f, picture.SaveImage(file, all)
}

// brightness returns that of each pixel.
func brightness(pixels []ti.Vec3) []float32 {
	all := make([]float32, len(pixels))
	for i, c := range pixels {
		all[i] = 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
	}
	return all
}
