// Command sdf renders a still life of distance functions: solids cut, blended, twisted and repeated.
package main

import (
	_ "embed"
	"fmt"
	"image"
	"image/color"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/show"
)

//go:embed sdf.ti
var source string

// Scene is the host of sdf.ti.
type Scene struct {
	Image     ti.Field[ti.Vec3]
	Render    func() error
	Distances func(points []ti.Vec3, away []float32) error
}

func main() {
	show.Main("sdf", func(s *show.Show) (show.Result, error) {
		result, _, err := run(s, 360, 640)
		return result, err
	})
}

// run returns, besides the result, the colours of the pixels.
func run(s *show.Show, rows, cols int) (result show.Result, colors []ti.Vec3, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, nil, err
	}
	defer rt.Close()
	var scene Scene
	rt.Place(ti.Shape{rows, cols}, &scene.Image)
	if err := rt.Load(source, &scene); err != nil {
		return result, nil, err
	}
	if err := s.Run(rt, scene.Render); err != nil {
		return result, nil, err
	}
	colors = make([]ti.Vec3, rows*cols)
	if err := scene.Image.CopyTo(colors); err != nil {
		return result, nil, err
	}
	img := image.NewNRGBA(image.Rect(0, 0, cols, rows))
	for i, c := range colors {
		img.SetNRGBA(i%cols, i/cols, color.NRGBA{byteOf(c[0]), byteOf(c[1]), byteOf(c[2]), 255})
	}
	file, err := s.SavePNG("sdf.png", img)
	return show.Result{
		Work:   fmt.Sprintf("%d×%d pixels of 4 rays", cols, rows),
		Amount: float64(rows) * float64(cols) * 4,
		Unit:   "ray",
		File:   file,
	}, colors, err
}

// byteOf turns a value from 0 to 1 into that of a pixel.
func byteOf(v float32) uint8 { return uint8(255*min(max(v, 0), 1) + 0.5) }
