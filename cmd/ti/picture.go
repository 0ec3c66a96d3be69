package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	_ "image/gif"
	_ "image/jpeg"
	"image/png"
	"io"
	"os"

	"github.com/gotaichi/ti/internal/layout"
)

// readImage reads a picture as rows of pixels for a field of the given element:
// a number is the brightness, three are red, green and blue, four have the
// opacity behind them. Floats go from 0 to 1, integers from 0 to 255.
func readImage(name string, kind layout.Kind, elem []int) (*tensor, error) {
	channels, err := channelsOf(kind, elem)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := decodeImage(f, kind, elem, channels, room())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

const (
	// mostPixels bounds the pixels that a byte of a file can stand for. A byte of PNG is at
	// most 1,032 bytes of picture, which are 8,256 pixels of one bit; GIF and JPEG pack less.
	mostPixels = 1 << 14

	// mostHead bounds the bytes before the size of a picture, such as those of a colour profile.
	mostHead = 16 << 20
)

// decodeImage reads a picture that takes at most that many bytes.
func decodeImage(r io.Reader, kind layout.Kind, elem []int, channels int, most int64) (*tensor, error) {
	var start bytes.Buffer
	head, _, err := image.DecodeConfig(io.TeeReader(io.LimitReader(r, mostHead), &start))
	if err != nil {
		return nil, fmt.Errorf("%w; pictures are PNG, JPEG or GIF", err)
	}
	data, err := readAll(io.MultiReader(&start, r), most)
	if err != nil {
		return nil, err
	}
	pixels := numbers(head.Width, head.Height)
	switch need := pixels * float64(8+channels*int(kind.Size())); {
	case pixels > mostPixels*float64(len(data)):
		return nil, fmt.Errorf("it claims to have %d×%d pixels, more than there can be in %d bytes; it is damaged", head.Width, head.Height, len(data))
	case need > float64(most):
		return nil, fmt.Errorf("its %d×%d pixels would take %s, and there is room for %s; make it smaller", head.Width, head.Height, bytesText(int64(min(need, 1<<62))), bytesText(most))
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("%w; pictures are PNG, JPEG or GIF", err)
	}
	b := img.Bounds()
	t := newTensor(kind, append([]int{b.Dy(), b.Dx()}, elem...))
	scale := 1.0
	if kind == layout.U8 {
		scale = 255
	}
	i := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.NRGBA64Model.Convert(img.At(x, y)).(color.NRGBA64)
			v := [4]float64{float64(c.R) / 65535, float64(c.G) / 65535, float64(c.B) / 65535, float64(c.A) / 65535}
			if channels == 1 {
				v[0] = 0.299*v[0] + 0.587*v[1] + 0.114*v[2]
			}
			for _, s := range v[:channels] {
				t.setFloat(i, s*scale)
				i++
			}
		}
	}
	return t, nil
}

// channelsOf returns how many numbers a pixel has.
func channelsOf(kind layout.Kind, elem []int) (int, error) {
	channels := 1
	if len(elem) == 1 {
		channels = elem[0]
	}
	switch kind {
	case layout.F16, layout.F32, layout.F64, layout.U8, layout.Bool:
	default:
		channels = 0
	}
	if len(elem) > 1 || channels != 1 && channels != 3 && channels != 4 {
		return 0, fmt.Errorf("a picture needs elements of f16, f32, f64, u8 or bool, or vectors of 3 or 4 of these; other fields go with .npy files")
	}
	return channels, nil
}

// canBePicture says why a field is no picture, if it is none.
func canBePicture(kind layout.Kind, rank int, elem []int) error {
	if rank != 2 {
		return fmt.Errorf("a picture needs a field of rank 2, not %d; save it as .npy", rank)
	}
	_, err := channelsOf(kind, elem)
	return err
}

// encodePNG writes a field of rank 2 as a picture; floats are clamped to 0…1.
func encodePNG(w io.Writer, t *tensor, rank int) error {
	if err := canBePicture(t.kind, rank, t.shape[rank:]); err != nil {
		return err
	}
	channels, err := channelsOf(t.kind, t.shape[2:])
	if err != nil {
		return err
	}
	height, width := t.shape[0], t.shape[1]
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	scale := 255.0
	if t.kind == layout.U8 {
		scale = 1
	}
	for p := range width * height {
		v := [4]float64{0, 0, 0, 255}
		for c := range channels {
			v[c] = min(max(t.float(p*channels+c)*scale, 0), 255)
			if v[c] != v[c] {
				v[c] = 0
			}
		}
		if channels == 1 {
			v[1], v[2] = v[0], v[0]
		}
		for c := range 4 {
			img.Pix[4*p+c] = uint8(v[c] + 0.5)
		}
	}
	return png.Encode(w, img)
}
