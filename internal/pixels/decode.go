package pixels

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	_ "image/gif" // the formats that are read
	_ "image/jpeg"
	_ "image/png"
	"io"

	"github.com/gotaichi/ti/internal/memory"
)

const (
	// mostPixels bounds the pixels that a byte of a file can stand for. A byte of PNG is at
	// most 1,032 bytes of picture, which are 8,256 pixels of one bit; GIF and JPEG pack less.
	mostPixels = 1 << 14

	// mostHead bounds the bytes before the size of a picture, such as those of a colour profile.
	mostHead = 16 << 20

	// decoded is the most bytes of a pixel of a decoded picture.
	decoded = 8
)

// Size reads the size of a picture, and no more than it needs for that.
func Size(r io.Reader) (width, height int, err error) {
	head, _, err := image.DecodeConfig(io.LimitReader(r, mostHead))
	if err != nil {
		return 0, 0, unknown(err)
	}
	return head.Width, head.Height, nil
}

// Decode reads a picture of which the file, and the pixels together with elements of size
// bytes each, take at most that many bytes.
func Decode(r io.Reader, size int, most int64) (image.Image, error) {
	var start bytes.Buffer
	width, height, err := Size(io.TeeReader(r, &start))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(io.MultiReader(&start, r), most+1))
	if err != nil {
		return nil, err
	}
	pixels := float64(width) * float64(height)
	switch need := pixels * float64(decoded+size); {
	case int64(len(data)) > most:
		return nil, fmt.Errorf("it has more than %s", memory.Text(most))
	case pixels > mostPixels*float64(len(data)):
		return nil, fmt.Errorf("it claims to have %d×%d pixels, more than there can be in %d bytes; it is damaged", width, height, len(data))
	case need > float64(most):
		return nil, fmt.Errorf("its %d×%d pixels would take %s, and there is room for %s; make it smaller", width, height, memory.Text(int64(min(need, 1<<62))), memory.Text(most))
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, unknown(err)
	}
	return img, nil
}

func unknown(err error) error { return fmt.Errorf("%w; pictures are PNG, JPEG or GIF", err) }

// Elements returns the pixels of a picture as elements, row by row from the top.
func (f Format) Elements(img image.Image) []byte {
	b := img.Bounds()
	data := make([]byte, b.Dx()*b.Dy()*f.Size())
	at := data
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			f.element(at, straight(img.At(x, y)))
			at = at[f.Size():]
		}
	}
	return data
}

// straight returns a colour that is not multiplied by its opacity.
func straight(c color.Color) color.NRGBA64 {
	if c, ok := c.(color.NRGBA); ok { // the conversion would multiply and divide
		return color.NRGBA64{uint16(c.R) * 0x101, uint16(c.G) * 0x101, uint16(c.B) * 0x101, uint16(c.A) * 0x101}
	}
	return color.NRGBA64Model.Convert(c).(color.NRGBA64)
}

// element stores a colour at the beginning of b.
func (f Format) element(b []byte, c color.NRGBA64) {
	if f.Packed() {
		b[0], b[1], b[2], b[3] = uint8(c.R>>8), uint8(c.G>>8), uint8(c.B>>8), uint8(c.A>>8)
		return
	}
	v := [4]float64{float64(c.R) / 65535, float64(c.G) / 65535, float64(c.B) / 65535, float64(c.A) / 65535}
	if f.Channels == 1 {
		v[0] = 0.299*v[0] + 0.587*v[1] + 0.114*v[2]
	}
	size := f.Kind.Size()
	for i, s := range v[:f.Channels] {
		f.put(b[i*size:], s)
	}
}
