// Command imagefilter smooths a photograph with a bilateral filter and finds its edges.
package main

import (
	_ "embed"
	"fmt"
	"image"
	"image/color"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/photo"
	"github.com/gotaichi/ti/examples/internal/show"
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
	show.Main("imagefilter", func(s *show.Show) (show.Result, error) {
		img, err := photo.Chelsea()
		if err != nil {
			return show.Result{}, err
		}
		result, _, err := run(s, img, 10)
		return result, err
	})
}

// run filters a picture several times over, to have something to time, and returns the three panels.
func run(s *show.Show, img image.Image, passes int) (result show.Result, panels *image.NRGBA, err error) {
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
	pixels := photo.Pixels(img, img.Bounds())
	if err := filter.Input.CopyFrom(pixels); err != nil {
		return result, nil, err
	}
	for range s.Steps(passes, "passes") {
		err := s.Run(rt, func() error {
			if err := filter.Filter(); err != nil {
				return err
			}
			return filter.FindEdges()
		})
		if err != nil {
			return result, nil, err
		}
	}

	panels = image.NewNRGBA(image.Rect(0, 0, 3*width, height))
	draw(panels, 0, width, pixels)
	if err := filter.Smooth.CopyTo(pixels); err != nil {
		return result, nil, err
	}
	draw(panels, 1, width, pixels)
	edges := make([]float32, width*height)
	if err := filter.Edges.CopyTo(edges); err != nil {
		return result, nil, err
	}
	for i, e := range edges {
		pixels[i] = ti.Vec3{1 - e, 1 - e, 1 - e}
	}
	draw(panels, 2, width, pixels)
	file, err := s.SavePNG("imagefilter.png", panels)
	window := 2*filter.Radius + 1
	return show.Result{
		Work:   fmt.Sprintf("%d passes over %d×%d pixels, %d×%d neighbours", passes, width, height, window, window),
		Amount: float64(passes) * float64(width) * float64(height) * float64(window*window),
		Unit:   "neighbour",
		File:   file,
	}, panels, err
}

// draw paints pixels into one of the panels side by side.
func draw(panels *image.NRGBA, panel, width int, pixels []ti.Vec3) {
	for i, p := range pixels {
		panels.SetNRGBA(panel*width+i%width, i/width, color.NRGBA{
			show.Shade(p[0], 256), show.Shade(p[1], 256), show.Shade(p[2], 256), 255,
		})
	}
}
