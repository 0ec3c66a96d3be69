package gui

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"slices"
	"sync"

	"github.com/gotaichi/ti/internal/raster"
	"github.com/gotaichi/ti/internal/shapes"
)

// A frame is what pages draw at once: a picture, and shapes over it. It does not change once it is shown.
type frame struct {
	number        uint32
	width, height int            // of the picture, or of the window where there is none
	img           image.Image    // nil, an *image.Gray, *image.Paletted, *image.NRGBA, or *image.RGBA that is opaque
	shapes        []raster.Shape // in the order of their calls

	once  sync.Once // of small
	small []byte    // the picture as JPEG, with its head
}

// How the pixels of a message are written.
const (
	pixelsGrey = iota
	pixelsIndex
	pixelsRGBA
	pixelsJPEG
	drawing // a message with a picture, which may be empty, and shapes
)

// mostPixels is the largest picture that a page is sent: canvases of browsers have limits, and a frame must fit the memory of a page several times. Shapes of a
// frame have at most four times as many bytes.
const mostPixels = shapes.Most / 4

// sendable is a picture of a type that frames have.
func sendable(img image.Image) (image.Image, error) {
	if img == nil {
		return nil, fmt.Errorf("gui: there is no picture")
	}
	size := img.Bounds().Size()
	if size.X <= 0 || size.Y <= 0 || size.X > mostPixels/size.Y {
		return nil, fmt.Errorf("gui: a picture of %d×%d pixels; it has at least one, and at most %d", size.X, size.Y, mostPixels)
	}
	switch p := img.(type) {
	case *image.Gray, *image.NRGBA:
		return img, nil
	case *image.Paletted:
		if len(p.Palette) <= 256 {
			return img, nil
		}
	case *image.RGBA:
		if p.Opaque() {
			return img, nil
		}
	}
	return straight(img), nil
}

// straight is a picture whose opacity is not multiplied in, as pages have it.
func straight(img image.Image) *image.NRGBA {
	p := image.NewNRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(p, p.Rect, img, img.Bounds().Min, draw.Src)
	return p
}

// headBytes is the size of what begins a message: the format, the number, width and height, and how many colours a palette has, or how many bytes the picture
// of a drawing.
const headBytes = 5 * 4

// appendHead appends the head of a message.
func (f *frame) appendHead(b []byte, format uint32, more int) []byte {
	for _, v := range []uint32{format, f.number, uint32(f.width), uint32(f.height), uint32(more)} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// raw is the message with all pixels, in the room of b if that is enough.
func (f *frame) raw(b []byte) []byte {
	b = slices.Grow(b[:0], f.rawBytes())
	if len(f.shapes) == 0 {
		return f.appendPicture(b)
	}
	return f.appendDrawing(b, f.appendPicture)
}

// appendPicture appends the message of the picture alone.
func (f *frame) appendPicture(b []byte) []byte {
	switch p := f.img.(type) {
	case *image.Gray:
		return appendRows(f.appendHead(b, pixelsGrey, 0), p.Pix, p.Stride, f.width, f.height)
	case *image.Paletted:
		b = f.appendHead(b, pixelsIndex, len(p.Palette))
		for _, c := range p.Palette {
			n := color.NRGBAModel.Convert(c).(color.NRGBA)
			b = append(b, n.R, n.G, n.B, n.A)
		}
		return appendRows(b, p.Pix, p.Stride, f.width, f.height)
	case *image.NRGBA:
		return appendRows(f.appendHead(b, pixelsRGBA, 0), p.Pix, p.Stride, 4*f.width, f.height)
	case *image.RGBA:
		return appendRows(f.appendHead(b, pixelsRGBA, 0), p.Pix, p.Stride, 4*f.width, f.height)
	}
	return b // there is none
}

// appendDrawing appends a message with a picture and the shapes.
func (f *frame) appendDrawing(b []byte, picture func([]byte) []byte) []byte {
	start := len(b)
	b = picture(f.appendHead(b, drawing, 0))
	binary.LittleEndian.PutUint32(b[start+headBytes-4:], uint32(len(b)-start-headBytes))
	for (len(b)-start)%4 != 0 { // numbers lie at multiples of four
		b = append(b, 0)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(f.shapes)))
	for i := range f.shapes {
		b = appendShape(b, &f.shapes[i])
	}
	return b
}

// rawBytes is about how long the message with all pixels is.
func (f *frame) rawBytes() int {
	n := headBytes
	switch p := f.img.(type) {
	case nil:
	case *image.Paletted:
		n += 4*len(p.Palette) + f.width*f.height
	case *image.Gray:
		n += f.width * f.height
	default:
		n += 4 * f.width * f.height
	}
	for i := range f.shapes {
		n += shapeBytes(&f.shapes[i])
	}
	return n + headBytes + 2*4
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
		if f.img == nil {
			return
		}
		b := bytes.NewBuffer(f.appendHead(nil, pixelsJPEG, 0))
		if jpeg.Encode(b, f.img, &jpeg.Options{Quality: jpegQuality}) == nil {
			f.small = b.Bytes()
		}
	})
	switch {
	case f.small == nil: // there is no picture, or it has more pixels along an axis than JPEG can
		return f.raw(nil)
	case len(f.shapes) == 0:
		return f.small
	}
	return f.appendDrawing(nil, func(b []byte) []byte { return append(b, f.small...) })
}
