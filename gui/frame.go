package gui

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"sync"
)

// A frame is a picture as pages get it. It does not change.
type frame struct {
	number uint32
	img    image.Image // an *image.Gray, *image.Paletted, *image.NRGBA, or *image.RGBA that is opaque

	once  sync.Once // of small
	small []byte    // as JPEG, with its head
}

// How the pixels of a message are written.
const (
	pixelsGrey = iota
	pixelsIndex
	pixelsRGBA
	pixelsJPEG
)

// mostPixels is the largest picture that a page is sent: canvases of browsers have limits, and a frame must fit the memory of a page several times.
const mostPixels = 1 << 26

// frameOf makes a frame of a picture.
func frameOf(img image.Image) (*frame, error) {
	if img == nil {
		return nil, fmt.Errorf("gui: there is no picture")
	}
	size := img.Bounds().Size()
	if size.X <= 0 || size.Y <= 0 || size.X > mostPixels/size.Y {
		return nil, fmt.Errorf("gui: a picture of %d×%d pixels; it has at least one, and at most %d", size.X, size.Y, mostPixels)
	}
	switch p := img.(type) {
	case *image.Gray, *image.NRGBA:
	case *image.Paletted:
		if len(p.Palette) > 256 {
			img = straight(img)
		}
	case *image.RGBA:
		if !p.Opaque() {
			img = straight(img)
		}
	default:
		img = straight(img)
	}
	return &frame{img: img}, nil
}

// straight is a picture whose opacity is not multiplied in, as pages have it.
func straight(img image.Image) *image.NRGBA {
	p := image.NewNRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(p, p.Rect, img, img.Bounds().Min, draw.Src)
	return p
}

// headBytes is the size of what precedes the pixels of a message: the format, the number, width and height, and how many colours a palette has.
const headBytes = 5 * 4

// head begins a message.
func (f *frame) head(format uint32, room int) []byte {
	size := f.img.Bounds().Size()
	b := make([]byte, 0, headBytes+room)
	for _, v := range []uint32{format, f.number, uint32(size.X), uint32(size.Y), uint32(len(f.palette()))} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

func (f *frame) palette() color.Palette {
	if p, is := f.img.(*image.Paletted); is {
		return p.Palette
	}
	return nil
}

// raw is the message with all pixels.
func (f *frame) raw() []byte {
	size := f.img.Bounds().Size()
	switch p := f.img.(type) {
	case *image.Gray:
		return appendRows(f.head(pixelsGrey, size.X*size.Y), p.Pix, p.Stride, size.X, size.Y)
	case *image.Paletted:
		b := f.head(pixelsIndex, 4*len(p.Palette)+size.X*size.Y)
		for _, c := range p.Palette {
			n := color.NRGBAModel.Convert(c).(color.NRGBA)
			b = append(b, n.R, n.G, n.B, n.A)
		}
		return appendRows(b, p.Pix, p.Stride, size.X, size.Y)
	case *image.NRGBA:
		return appendRows(f.head(pixelsRGBA, 4*size.X*size.Y), p.Pix, p.Stride, 4*size.X, size.Y)
	}
	p := f.img.(*image.RGBA)
	return appendRows(f.head(pixelsRGBA, 4*size.X*size.Y), p.Pix, p.Stride, 4*size.X, size.Y)
}

// rawBytes is about how long the message with all pixels is.
func (f *frame) rawBytes() int {
	size, each := f.img.Bounds().Size(), 4
	switch f.img.(type) {
	case *image.Gray, *image.Paletted:
		each = 1
	}
	return headBytes + size.X*size.Y*each
}

// appendRows appends rows of n bytes, which are stride bytes from each other.
func appendRows(b, pix []byte, stride, n, rows int) []byte {
	if stride == n {
		return append(b, pix[:n*rows]...)
	}
	for y := range rows {
		b = append(b, pix[y*stride:][:n]...)
	}
	return b
}

// jpegQuality is that of pictures for slow lines.
const jpegQuality = 80

// compressed is the message with a JPEG.
func (f *frame) compressed() []byte {
	f.once.Do(func() {
		var b bytes.Buffer
		b.Write(f.head(pixelsJPEG, 0))
		if jpeg.Encode(&b, f.img, &jpeg.Options{Quality: jpegQuality}) == nil {
			f.small = b.Bytes()
		}
	})
	if f.small == nil { // it has more pixels along an axis than JPEG can
		return f.raw()
	}
	return f.small
}
