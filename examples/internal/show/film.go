package show

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"io"

	"github.com/gotaichi/ti"
)

// A Film collects the frames of an animation. A frame stores only what changed since the one before.
type Film struct {
	palette     color.Palette
	transparent uint8
	size        image.Rectangle
	delay       int
	last        *image.Paletted
	movie       gif.GIF
}

// NewFilm returns an empty film for frames of the given size, shown for delay hundredths of a second each. The
// palette has at most 255 colours.
func NewFilm(width, height, delay int, palette color.Palette) *Film {
	size := image.Rect(0, 0, width, height)
	all := append(append(color.Palette(nil), palette...), color.RGBA{})
	return &Film{palette: all, transparent: uint8(len(palette)), size: size, delay: delay,
		movie: gif.GIF{Config: image.Config{ColorModel: all, Width: width, Height: height}}}
}

// Add appends a frame, given as indices into the palette, row by row.
func (f *Film) Add(pix []uint8) error {
	if len(pix) != f.size.Dx()*f.size.Dy() {
		return fmt.Errorf("a frame of %d pixels does not fit a film of %v", len(pix), f.size.Size())
	}
	frame := &image.Paletted{Pix: bytes.Clone(pix), Stride: f.size.Dx(), Rect: f.size, Palette: f.palette}
	stored := frame
	if f.last != nil {
		stored = f.difference(frame)
	}
	f.last = frame
	f.movie.Image = append(f.movie.Image, stored)
	f.movie.Delay = append(f.movie.Delay, f.delay)
	f.movie.Disposal = append(f.movie.Disposal, gif.DisposalNone)
	return nil
}

// AddPainted is [Film.Add] for what a kernel has painted: a field of indices into the palette.
func (f *Film) AddPainted(painted *ti.Field[int32]) error {
	indices, err := values(painted)
	if err != nil {
		return err
	}
	pix := make([]uint8, len(indices))
	for i, v := range indices {
		pix[i] = uint8(v)
	}
	return f.Add(pix)
}

// difference returns the part of a frame that differs from the last one, unchanged pixels transparent where that
// compresses better.
func (f *Film) difference(frame *image.Paletted) *image.Paletted {
	changed := image.Rectangle{}
	count := 0
	for i, v := range frame.Pix {
		if v != f.last.Pix[i] {
			x, y := i%frame.Stride, i/frame.Stride
			changed = changed.Union(image.Rect(x, y, x+1, y+1))
			count++
		}
	}
	if changed.Empty() {
		changed = image.Rect(0, 0, 1, 1) // a GIF frame is not empty
	}
	d := image.NewPaletted(changed, f.palette)
	sparse := count*4 < changed.Dx()*changed.Dy()
	for y := changed.Min.Y; y < changed.Max.Y; y++ {
		for x := changed.Min.X; x < changed.Max.X; x++ {
			v := frame.ColorIndexAt(x, y)
			if sparse && v == f.last.ColorIndexAt(x, y) {
				v = f.transparent
			}
			d.SetColorIndex(x, y, v)
		}
	}
	return d
}

// Sheet returns a picture of some frames, counted from 0, in rows of so many.
func (f *Film) Sheet(perRow int, frames ...int) image.Image {
	w, h := f.size.Dx(), f.size.Dy()
	sheet := image.NewPaletted(image.Rect(0, 0, perRow*w, (len(frames)+perRow-1)/perRow*h), f.palette)
	screen := image.NewPaletted(f.size, f.palette)
	for i, part := range f.movie.Image {
		for y := part.Rect.Min.Y; y < part.Rect.Max.Y; y++ {
			for x := part.Rect.Min.X; x < part.Rect.Max.X; x++ {
				if v := part.ColorIndexAt(x, y); v != f.transparent {
					screen.SetColorIndex(x, y, v)
				}
			}
		}
		for k, frame := range frames {
			if frame != i {
				continue
			}
			for y := range h {
				at := sheet.PixOffset(k%perRow*w, k/perRow*h+y)
				copy(sheet.Pix[at:at+w], screen.Pix[y*screen.Stride:])
			}
		}
	}
	return sheet
}

// SaveGIF writes a film and returns its path.
func (s *Show) SaveGIF(file string, f *Film) (string, error) {
	if len(f.movie.Image) == 0 {
		return "", fmt.Errorf("the film %s has no frames", file)
	}
	return s.save(file, func(w io.Writer) error { return gif.EncodeAll(w, &f.movie) })
}
