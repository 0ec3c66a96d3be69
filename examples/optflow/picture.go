package main

import (
	"image"
	"image/color"
	"image/draw"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/show"
)

const gap = 8 // between the panels, in pixels

// picture puts four panels together: both frames, the flow that was found, and the true one.
func (k *Kernels) picture(before, after *Colors, flow, truth *Vectors) (image.Image, error) {
	const most = 22 // pixels: the strongest colour
	height, width := before.Shape()[0], before.Shape()[1]
	all := image.NewNRGBA(image.Rect(0, 0, 2*width+gap, 2*height+gap))
	draw.Draw(all, all.Bounds(), image.White, image.Point{}, draw.Src)
	if err := panel(all, 0, 0, before); err != nil {
		return nil, err
	}
	if err := panel(all, 1, 0, after); err != nil {
		return nil, err
	}
	for i, f := range []*Vectors{flow, truth} {
		if err := k.Paint(before, f, most); err != nil { // which is not needed any more
			return nil, err
		}
		if err := panel(all, i, 1, before); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// panel draws a field.
func panel(all *image.NRGBA, column, row int, field *Colors) error {
	height, width := field.Shape()[0], field.Shape()[1]
	pixels := make([]ti.Vec3, height*width)
	if err := field.CopyTo(pixels); err != nil {
		return err
	}
	for i, c := range pixels {
		all.SetNRGBA(column*(width+gap)+i%width, row*(height+gap)+i/width, color.NRGBA{
			show.Shade(c[0], 256), show.Shade(c[1], 256), show.Shade(c[2], 256), 255,
		})
	}
	return nil
}
