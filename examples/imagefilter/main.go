// Command imagefilter smooths a photograph with a bilateral filter and finds its edges.
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

//go:embed imagefilter.ti
var source string

// Filter is the host of imagefilter.ti.
type Filter struct {
	Input, Smooth          ti.Field[ti.Vec3]
	Edges                  ti.Field[float32]
	Radius                 int
	SigmaSpace, SigmaColor float32

	Filter, FindEdges func() error
}

func main() {
	demo.Main("imagefilter", func(d *demo.Demo) (demo.Result, error) {
		img, err := photo.Chelsea()
		if err != nil {
			return demo.Result{}, err
		}
		result, _, err := run(d, img, 10)
		return result, err
	})
}

// run filters a picture several times over, to have something to time, and returns the three panels.
func run(d *demo.Demo, img image.Image, passes int) (result demo.Result, panels image.Image, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, nil, err
	}
	defer rt.Close()
	width, height := img.Bounds().Dx(), img.Bounds().Dy()
	filter := Filter{Radius: 7, SigmaSpace: 3.5, SigmaColor: 0.12}
	rt.Place(ti.Shape{height, width}, &filter.Input, &filter.Smooth, &filter.Edges)
	if err := rt.Load(source, &filter); err != nil {
		return result, nil, err
	}
	if err := picture.Copy(&filter.Input, img); err != nil {
		return result, nil, err
	}
	for range d.Steps(passes, "passes") {
		err := d.Run(rt, func() error {
			if err := filter.Filter(); err != nil {
				return err
			}
			return filter.FindEdges()
		})
		if err != nil {
			return result, nil, err
		}
	}

	panels, err = filter.panels()
	if err != nil {
		return result, nil, err
	}
	file := d.Path("imagefilter.png")
	window := 2*filter.Radius + 1
	return demo.Result{
		Work:   fmt.Sprintf("%d passes over %d×%d pixels, %d×%d neighbours", passes, width, height, window, window),
		Amount: float64(passes) * float64(width) * float64(height) * float64(window*window),
		Unit:   "neighbour",
		File:   file,
	}, panels, picture.SaveImage(file, panels)
}

// panels puts the photograph, the smooth one and the edges, dark on white, side by side.
func (f *Filter) panels() (image.Image, error) {
	input, err := picture.Image(&f.Input)
	if err != nil {
		return nil, err
	}
	smooth, err := picture.Image(&f.Smooth)
	if err != nil {
		return nil, err
	}
	edges, err := picture.Config{Map: picture.Gradient(256, 0xffffff, 0)}.Image(&f.Edges)
	if err != nil {
		return nil, err
	}
	return picture.Sheet(3, 0, input, smooth, edges), nil
}
