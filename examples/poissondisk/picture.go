package main

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/show"
)

// picture puts four panels together: random points, the points that keep their distance, the spectra of both side by
// side, and the window.
func picture(sam samples, glass []ti.Vec3, height, width int) image.Image {
	const gap = 8
	all := image.NewNRGBA(image.Rect(0, 0, 2*width+gap, 2*height+gap))
	draw.Draw(all, all.Bounds(), image.White, image.Point{}, draw.Src)
	panel := func(column, row int) *image.NRGBA {
		left, top := column*(width+gap), row*(height+gap)
		return all.SubImage(image.Rect(left, top, left+width, top+height)).(*image.NRGBA)
	}
	drawPoints(panel(0, 0), sam.random)
	drawPoints(panel(1, 0), sam.points)
	drawSpectra(panel(0, 1), sam)
	window := panel(1, 1)
	for i, c := range glass {
		window.SetNRGBA(window.Rect.Min.X+i%width, window.Rect.Min.Y+i/width, color.NRGBA{
			show.Shade(c[0], 256), show.Shade(c[1], 256), show.Shade(c[2], 256), 255,
		})
	}
	return all
}

// drawPoints draws smooth discs.
func drawPoints(panel *image.NRGBA, points []ti.Vec2) {
	const radius = 1.5
	r := panel.Rect
	dark := make([]float32, r.Dx()*r.Dy())
	for _, p := range points {
		for y := int(p[0] - radius - 1); y <= int(p[0]+radius+1); y++ {
			for x := int(p[1] - radius - 1); x <= int(p[1]+radius+1); x++ {
				if y >= 0 && y < r.Dy() && x >= 0 && x < r.Dx() {
					d := math.Hypot(float64(y)+0.5-float64(p[0]), float64(x)+0.5-float64(p[1]))
					dark[y*r.Dx()+x] += float32(min(max(radius+0.5-d, 0), 1))
				}
			}
		}
	}
	const steps = 6 // of grey, which keep the file small
	for i, v := range dark {
		grey := 245 - 48*show.Shade(v, steps)
		panel.SetNRGBA(r.Min.X+i%r.Dx(), r.Min.Y+i/r.Dx(), color.NRGBA{grey, grey, grey, 255})
	}
}

// drawSpectra draws the spectrum of the random points on the left and that of the others on the right.
func drawSpectra(panel *image.NRGBA, sam samples) {
	r := panel.Rect
	palette := show.Gradient(16, show.RGB(0x08081c), show.RGB(0x3b2a7a), show.RGB(0xc04a6a), show.RGB(0xf8b060),
		show.RGB(0xfffbe0))
	for y := range r.Dy() {
		for x := range r.Dx() {
			k := y*sam.frequencies/r.Dy()*sam.frequencies + x*sam.frequencies/r.Dx()
			power := sam.white[k]
			if x >= r.Dx()/2 {
				power = sam.power[k]
			}
			panel.Set(r.Min.X+x, r.Min.Y+y, palette[show.Shade(power/4, len(palette))])
		}
	}
}
