// Package photo has a photograph for the examples to work on.
package photo

import (
	"bytes"
	_ "embed"
	"fmt"
	"image"
	"image/png"

	"github.com/gotaichi/ti"
)

//go:embed chelsea.png
var chelsea []byte

// Chelsea is a cat, 451 by 300 pixels: a photograph by Stéfan van der Walt (CC0).
func Chelsea() (image.Image, error) {
	img, err := png.Decode(bytes.NewReader(chelsea))
	if err != nil {
		return nil, fmt.Errorf("cannot read the photograph: %w", err)
	}
	return img, nil
}

// Pixels returns the part of a picture in r, row by row, red, green and blue from 0 to 1.
func Pixels(img image.Image, r image.Rectangle) []ti.Vec3 {
	pixels := make([]ti.Vec3, 0, r.Dx()*r.Dy())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			red, green, blue, _ := img.At(x, y).RGBA()
			pixels = append(pixels, ti.Vec3{float32(red) / 0xffff, float32(green) / 0xffff, float32(blue) / 0xffff})
		}
	}
	return pixels
}
