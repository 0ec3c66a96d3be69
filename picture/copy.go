package picture

import (
	"fmt"
	"image"
	"image/color"
	"unsafe"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/pixels"
)

// Copy returns a copy that stays as it is, of a type that image/png and other encoders know
// well: an [image.Gray] of brightness, an [image.Paletted] if there is a Map of at most 256
// colours, an [image.NRGBA] of colours with opacity and an [image.RGBA] of those without.
func (v *View) Copy() image.Image {
	r, n := v.Bounds(), v.width
	switch {
	case v.grey():
		img := image.NewGray(r)
		v.rows(func(y int, row []byte) { pixels.Levels(img.Pix[y*n:][:n], v.format.Kind, row) })
		return img
	case v.colours != nil && len(v.colours) <= 256:
		img, x := image.NewPaletted(r, v.colours), make([]float64, n)
		v.rows(func(y int, row []byte) {
			pixels.Numbers(x, v.format.Kind, row)
			out := img.Pix[y*n:][:n]
			for i, x := range x {
				out[i] = uint8(v.shadeOf(x))
			}
		})
		return img
	}
	pix := make([]uint8, 4*n*v.height)
	paint := v.painter(n)
	v.rows(func(y int, row []byte) { paint(pix[4*y*n:][:4*n], row) })
	if v.colours == nil && v.format.Channels == 3 {
		return &image.RGBA{Pix: pix, Stride: 4 * n, Rect: r}
	}
	return &image.NRGBA{Pix: pix, Stride: 4 * n, Rect: r}
}

// Colors returns the colours that the elements of a field would have in a picture. The field may have any number of axes; the colours are in row-major order. Config.At
// and XY do not count.
func (c Config) Colors(f ti.AnyField) ([]color.NRGBA, error) {
	v, dims, err := c.elementsOf(f)
	if err == nil && f.Node() == nil {
		err = noPicture(f, fmt.Errorf("it is not placed"))
	}
	if err == nil {
		err = c.color(v, dims)
	}
	if err == nil {
		v.data, _, err = elements(f)
	}
	if err != nil {
		return nil, err
	}
	out := make([]color.NRGBA, len(v.data)/v.format.Size())
	if len(out) > 0 {
		v.painter(len(out))(unsafe.Slice((*uint8)(unsafe.Pointer(&out[0])), 4*len(out)), v.data) // a color.NRGBA is four bytes
	}
	return out, nil
}

// painter returns a function that stores the colours of n elements, four bytes for each.
func (v *View) painter(n int) func(pix []uint8, row []byte) {
	f := v.format
	switch {
	case v.colours != nil:
		all, x := make([]color.NRGBA, len(v.colours)), make([]float64, n)
		for k, c := range v.colours {
			all[k] = color.NRGBAModel.Convert(c).(color.NRGBA)
		}
		return func(pix []uint8, row []byte) {
			pixels.Numbers(x, f.Kind, row)
			for i, x := range x {
				c := all[v.shadeOf(x)]
				pix[4*i], pix[4*i+1], pix[4*i+2], pix[4*i+3] = c.R, c.G, c.B, c.A
			}
		}
	case f.Packed():
		return func(pix []uint8, row []byte) { copy(pix, row) }
	case f.Channels == 4:
		return func(pix []uint8, row []byte) { pixels.Levels(pix, f.Kind, row) }
	}
	levels := make([]uint8, n*f.Channels)
	return func(pix []uint8, row []byte) {
		pixels.Levels(levels, f.Kind, row)
		for i := range n {
			c := levels[i*f.Channels:][:f.Channels]
			pix[4*i], pix[4*i+1], pix[4*i+2], pix[4*i+3] = c[0], c[len(c)/2], c[len(c)-1], 255 // one number is all three
		}
	}
}

// band is how many rows are gathered at once where elements of a row do not follow each other: they lie in one line of a cache.
const band = 16

// rows calls f for the rows of the picture, from the top, with the elements of each, which follow each other.
func (v *View) rows(f func(y int, row []byte)) {
	n := v.width * v.format.Size()
	if v.right == v.format.Size() {
		for y := range v.height {
			f(y, v.data[v.first+y*v.down:][:n])
		}
		return
	}
	buf := make([]byte, band*n)
	for top := 0; top < v.height; top += band {
		rows := min(band, v.height-top)
		v.gather(buf, top, rows)
		for k := range rows {
			f(top+k, buf[k*n:][:n])
		}
	}
}

// gather copies the elements of some rows, which follow each other in columns.
func (v *View) gather(buf []byte, top, rows int) {
	size := v.format.Size()
	for x := range v.width {
		at := v.first + x*v.right + top*v.down
		to := x * size
		for range rows {
			if size == 4 {
				*(*[4]byte)(buf[to:]) = [4]byte(v.data[at:])
			} else {
				copy(buf[to:to+size], v.data[at:])
			}
			at += v.down
			to += v.width * size
		}
	}
}

// each calls f for the pixels, row by row, with the element of each.
func (v *View) each(f func(i int, e []byte)) {
	i := 0
	for y := range v.height {
		at := v.first + y*v.down
		for range v.width {
			f(i, v.data[at:])
			at += v.right
			i++
		}
	}
}
