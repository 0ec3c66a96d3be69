package main

import (
	"image"
	"image/color"
	"testing"

	"github.com/gotaichi/ti/examples/internal/demotest"
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
	_, panels, err := run(demotest.New(t), img, 1)
	demotest.Check(t, err)
	red := func(x, y int) int {
		r, _, _, _ := panels.At(x, y).RGBA()
		return int(r >> 8)
	}
	for i := range width * height {
		x, y := i%width, i/width
		was, is := red(x, y), red(width+x, y)
		if is < was-1 || is > was+1 {
			t.Fatalf("pixel %d, %d was %d and is %d", x, y, was, is)
		}
		edge := red(2*width+x, y) < 128
		if want := x == width/2-1 || x == width/2; edge != want {
			t.Fatalf("pixel %d, %d: edge is %v; want %v", x, y, edge, want)
		}
	}
}
