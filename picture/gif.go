package picture

import (
	"bufio"
	"bytes"
	"compress/lzw"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/color/palette"
	"image/draw"
	"io"
	"math"
	"os"
)

// gifFilm writes an animated GIF frame by frame; the encoder of image/gif wants all frames at
// once. A frame stores only what changed since the one before.
type gifFilm struct {
	file   *os.File
	w      *bufio.Writer
	shared color.Palette // of frames that bring none; nil if each does
	last   *image.Paletted
	fps    float64
	n      int // frames so far
}

// newGIF is the encoder of .gif.
func newGIF(c Config, path string, first image.Image) (encoder, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	g := &gifFilm{file: file, w: bufio.NewWriter(file), fps: c.fps()}
	return g, g.begin(first)
}

// encodeGIF writes a GIF of one frame.
func encodeGIF(w io.Writer, img image.Image) error {
	g := &gifFilm{w: bufio.NewWriter(w), fps: 25}
	img = alike(nil, img)
	return errors.Join(g.begin(img), g.add(img), g.end())
}

// begin writes the header, with the palette that frames share if the first one has one.
func (g *gifFilm) begin(first image.Image) error {
	size := first.Bounds().Size()
	if size.X > math.MaxUint16 || size.Y > math.MaxUint16 {
		return errors.New("a GIF has at most 65535 pixels along a side; write another format")
	}
	switch first.(type) {
	case *image.Paletted, *image.Gray:
		g.shared = indexed(first).Palette
	}
	b := binary.LittleEndian.AppendUint16([]byte("GIF89a"), uint16(size.X))
	b = binary.LittleEndian.AppendUint16(b, uint16(size.Y))
	if g.shared == nil {
		b = append(b, 0x70, 0, 0)
	} else {
		b = append(b, uint8(0xf0|bits(g.shared)-1), 0, 0)
		b = table(b, g.shared)
	}
	b = append(b, "\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"...) // plays for ever
	_, err := g.w.Write(b)
	return err
}

// bits returns how many bits an index of a palette takes, with one to spare that stands for
// transparent pixels, if there is room.
func bits(p color.Palette) int {
	n := 1
	for n < 8 && 1<<n <= len(p) {
		n++
	}
	return n
}

// table appends a palette as a table of colours.
func table(b []byte, p color.Palette) []byte {
	for i := range 1 << bits(p) {
		var c color.NRGBA
		if i < len(p) {
			c = color.NRGBAModel.Convert(p[i]).(color.NRGBA)
		}
		b = append(b, c.R, c.G, c.B)
	}
	return b
}

// add writes a frame.
func (g *gifFilm) add(img image.Image) error {
	frame := indexed(img)
	stored, transparent := frame, -1
	if g.last != nil && samePalette(frame.Palette, g.last.Palette) {
		stored, transparent = difference(frame, g.last)
	}
	g.last = frame
	if err := g.head(stored, transparent); err != nil {
		return err
	}
	return g.pixels(stored, max(bits(frame.Palette), 2))
}

// head writes what precedes the pixels of a frame.
func (g *gifFilm) head(p *image.Paletted, transparent int) error {
	le := binary.LittleEndian
	b := le.AppendUint16([]byte{0x21, 0xf9, 4, 1 << 2}, g.delay())
	if transparent >= 0 {
		b[3] |= 1
	}
	b = append(b, uint8(max(transparent, 0)), 0, 0x2c)
	for _, v := range []int{p.Rect.Min.X, p.Rect.Min.Y, p.Rect.Dx(), p.Rect.Dy()} {
		b = le.AppendUint16(b, uint16(v))
	}
	if g.shared != nil && samePalette(p.Palette, g.shared) {
		b = append(b, 0)
	} else {
		b = table(append(b, uint8(0x80|bits(p.Palette)-1)), p.Palette)
	}
	_, err := g.w.Write(b)
	return err
}

// delay returns how long the next frame is shown, in hundredths of a second. The rounding of
// one is made good by the next.
func (g *gifFilm) delay() uint16 {
	at := func(n int) float64 { return math.Round(100 * float64(n) / g.fps) }
	g.n++
	return uint16(min(max(at(g.n)-at(g.n-1), 1), math.MaxUint16))
}

// pixels writes the indices of a frame, in blocks of up to 255 bytes.
func (g *gifFilm) pixels(p *image.Paletted, bits int) error {
	var packed bytes.Buffer
	z := lzw.NewWriter(&packed, lzw.LSB, bits)
	for y := range p.Rect.Dy() {
		if _, err := z.Write(p.Pix[y*p.Stride:][:p.Rect.Dx()]); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	out := []byte{uint8(bits)}
	for packed.Len() > 0 {
		block := packed.Next(255)
		out = append(append(out, uint8(len(block))), block...)
	}
	_, err := g.w.Write(append(out, 0))
	return err
}

// end writes the trailer.
func (g *gifFilm) end() error {
	return errors.Join(g.w.WriteByte(0x3b), g.w.Flush())
}

func (g *gifFilm) close() error { return errors.Join(g.end(), g.file.Close()) }

// difference returns the part of a frame that differs from the last one, and an index that
// stands for pixels which stay as they are, or -1 if all of the part is stored.
func difference(frame, last *image.Paletted) (part *image.Paletted, transparent int) {
	changed, count := image.Rectangle{}, 0
	for y := range frame.Rect.Dy() {
		row, old := frame.Pix[y*frame.Stride:][:frame.Rect.Dx()], last.Pix[y*last.Stride:]
		for x, v := range row {
			if v != old[x] {
				changed = changed.Union(image.Rect(x, y, x+1, y+1))
				count++
			}
		}
	}
	if changed.Empty() {
		changed = image.Rect(0, 0, 1, 1) // a frame of a GIF is not empty
	}
	part = image.NewPaletted(changed, frame.Palette)
	draw.Draw(part, changed, frame, changed.Min, draw.Src)
	n := len(frame.Palette)
	if n > 255 || count*4 >= changed.Dx()*changed.Dy() { // few transparent pixels compress worse than none
		return part, -1
	}
	for y := changed.Min.Y; y < changed.Max.Y; y++ {
		for x := changed.Min.X; x < changed.Max.X; x++ {
			if i := part.PixOffset(x, y); part.Pix[i] == last.Pix[last.PixOffset(x, y)] {
				part.Pix[i] = uint8(n)
			}
		}
	}
	return part, n
}

// indexed returns a frame as indices of at most 256 colours: exactly if it has no more.
func indexed(img image.Image) *image.Paletted {
	switch img := img.(type) {
	case *image.Paletted:
		return img
	case *image.Gray:
		return &image.Paletted{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect, Palette: Grey(256)}
	}
	r := img.Bounds()
	exact := &image.Paletted{Pix: make([]uint8, r.Dx()*r.Dy()), Stride: r.Dx(), Rect: r}
	index := map[color.RGBA]uint8{}
	for i := range exact.Pix {
		c := color.NRGBAModel.Convert(img.At(r.Min.X+i%r.Dx(), r.Min.Y+i/r.Dx())).(color.NRGBA)
		opaque := color.RGBA{c.R, c.G, c.B, 255}
		k, ok := index[opaque]
		if !ok {
			if len(index) == 256 {
				dithered := image.NewPaletted(r, palette.Plan9)
				draw.FloydSteinberg.Draw(dithered, r, withoutOpacity(img), image.Point{})
				return dithered
			}
			k = uint8(len(index))
			index[opaque] = k
			exact.Palette = append(exact.Palette, opaque)
		}
		exact.Pix[i] = k
	}
	return exact
}
