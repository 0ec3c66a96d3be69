package main

import (
	"image"
	"image/color"
	"testing"

	"github.com/gotaichi/ti/examples/internal/showtest"
)

// TestStep checks that a picture of two flat halves stays as it is, and that its only edge is found.
func TestStep(t *testing.T) {
	const width, height = 32, 20
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		v := uint8(20)
		if i%width >= width/2 {
			v = 220
		}
		img.SetNRGBA(i%width, i/width, color.NRGBA{v, v, v, 255})
	}
	_, panels, err := run(showtest.New(t), img, 1)
	showtest.Check(t, err)
	for i := range width * height {
		x, y := i%width, i/width
		was, is := int(panels.NRGBAAt(x, y).R), int(panels.NRGBAAt(width+x, y).R)
		if is < was-1 || is > was+1 {
			t.Fatalf("pixel %d, %d was %d and is %d", x, y, was, is)
		}
		edge := panels.NRGBAAt(2*width+x, y).R < 128
		if want := x == width/2-1 || x == width/2; edge != want {
			t.Fatalf("pixel %d, %d: edge is %v; want %v", x, y, edge, want)
		}
	}
}
