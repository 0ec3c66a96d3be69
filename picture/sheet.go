package picture

import (
	"image"
	"image/color"
	"image/draw"
)

// Sheet puts pictures side by side, in rows of the given number of columns, with white gaps of
// so many pixels between them. Each has a place of the size of the largest one. The sheet is paletted if all
// pictures are, with one palette, and there are no gaps; so it stays a small file.
func Sheet(columns, gap int, pictures ...image.Image) image.Image {
	columns, gap = max(columns, 1), max(gap, 0)
	var place image.Point
	all := make([]image.Image, len(pictures))
	for i, p := range pictures {
		all[i] = plain(p)
		s := p.Bounds().Size()
		place = image.Pt(max(place.X, s.X), max(place.Y, s.Y))
	}
	columns = max(min(columns, len(all)), 1)
	rows := (len(all) + columns - 1) / columns
	step := place.Add(image.Pt(gap, gap))
	size := image.Rect(0, 0, max(columns*step.X-gap, 0), max(rows*step.Y-gap, 0))
	sheet := blank(size, gap, all)
	for i, p := range all {
		corner := image.Pt(i%columns*step.X, i/columns*step.Y)
		draw.Draw(sheet, image.Rectangle{Max: place}.Add(corner), p, p.Bounds().Min, draw.Src)
	}
	return sheet
}

// blank returns the sheet before there are pictures on it.
func blank(size image.Rectangle, gap int, all []image.Image) draw.Image {
	if colours := commonPalette(all); colours != nil && gap == 0 {
		return image.NewPaletted(size, colours)
	}
	sheet := image.NewNRGBA(size)
	if gap > 0 {
		draw.Draw(sheet, size, image.White, image.Point{}, draw.Src)
	}
	return sheet
}

// commonPalette returns the palette that all pictures have, nil if there is none.
func commonPalette(all []image.Image) (colours color.Palette) {
	for _, p := range all {
		paletted, ok := p.(*image.Paletted)
		if !ok || colours != nil && !samePalette(colours, paletted.Palette) {
			return nil
		}
		colours = paletted.Palette
	}
	return colours
}
