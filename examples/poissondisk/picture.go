package main

import (
	"image"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/picture"
)

// picture puts four panels together: random points, the points that keep their distance, the spectra of both side by
// side, and the window.
func (sam samples) picture(window image.Image) image.Image {
	r := window.Bounds()
	return picture.Sheet(2, 8, drawPoints(r, sam.random), drawPoints(r, sam.points), sam.drawSpectra(r), window)
}

// drawPoints draws smooth discs.
func drawPoints(r image.Rectangle, points []ti.Vec2) image.Image {
	const radius = 1.5
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
	panel := image.NewGray(r)
	for i, v := range dark {
		panel.Pix[i] = 245 - 48*uint8(min(v*steps, steps-1))
	}
	return panel
}

// drawSpectra draws the spectrum of the random points on the left and that of the others on the right.
func (sam samples) drawSpectra(r image.Rectangle) image.Image {
	palette := picture.Gradient(16, 0x08081c, 0x3b2a7a, 0xc04a6a, 0xf8b060, 0xfffbe0)
	panel := image.NewPaletted(r, palette)
	for y := range r.Dy() {
		for x := range r.Dx() {
			k := y*sam.frequencies/r.Dy()*sam.frequencies + x*sam.frequencies/r.Dx()
			power := sam.white[k]
			if x >= r.Dx()/2 {
				power = sam.power[k]
			}
			panel.SetColorIndex(x, y, uint8(min(power/4*float32(len(palette)), float32(len(palette)-1))))
		}
	}
	return panel
}
