package main

import (
	"image"

	"github.com/gotaichi/ti/picture"
)

const gap = 8 // between the panels, in pixels

// picture puts four panels together: both frames, the flow that was found, and the true one.
func (k *Kernels) picture(before, after *Colors, flow, truth *Vectors) (image.Image, error) {
	const most = 22 // pixels: the strongest colour
	var panels []image.Image
	add := func(f *Colors) error {
		img, err := picture.Image(f)
		if err != nil {
			return err
		}
		panels = append(panels, img.Copy())
		return nil
	}
	for _, f := range []*Colors{before, after} {
		if err := add(f); err != nil {
			return nil, err
		}
	}
	for _, f := range []*Vectors{flow, truth} {
		if err := k.Paint(before, f, most); err != nil { // which is not needed any more
			return nil, err
		}
		if err := add(before); err != nil {
			return nil, err
		}
	}
	return picture.Sheet(2, gap, panels...), nil
}
