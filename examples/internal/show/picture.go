package show

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// SavePNG writes a picture and returns its path.
func (s *Show) SavePNG(file string, img image.Image) (string, error) {
	return s.save(file, func(w io.Writer) error {
		return (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(w, img)
	})
}

// SaveJPEG writes a picture that has photographs in it, and returns its path.
func (s *Show) SaveJPEG(file string, img image.Image) (string, error) {
	return s.save(file, func(w io.Writer) error { return jpeg.Encode(w, img, &jpeg.Options{Quality: 92}) })
}

// save writes a file; what could not be written whole is removed again.
func (s *Show) save(file string, write func(io.Writer) error) (string, error) {
	path := s.Path(file)
	if err := os.MkdirAll(s.out, 0o777); err != nil {
		return "", explain(path, err)
	}
	f, err := os.Create(path)
	if err != nil {
		return "", explain(path, err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		os.Remove(path) // its error says nothing that err does not
		return "", explain(path, err)
	}
	return path, nil
}

// writable reports early what would prevent save from writing.
func (s *Show) writable() error {
	const probe = ".writable"
	if _, err := s.save(probe, func(w io.Writer) error { return nil }); err != nil {
		return err
	}
	return os.Remove(s.Path(probe))
}

// explain adds to the failure to write a file what can be done about it.
func explain(path string, err error) error {
	remedy := "choose another folder with -out"
	switch {
	case errors.Is(err, syscall.ENOSPC):
		remedy = "free some space on the disk, or " + remedy
	case errors.Is(err, fs.ErrPermission):
		remedy = "make the folder writable, or " + remedy
	}
	var failed *fs.PathError
	if errors.As(err, &failed) { // which names the path again
		err = failed.Err
	}
	return fmt.Errorf("cannot write the picture %s: %w; %s", path, err, remedy)
}

// Gradient returns n colours that run through the given ones at equal distances.
func Gradient(n int, stops ...color.RGBA) color.Palette {
	p := make(color.Palette, n)
	for i := range p {
		at := float64(i) / float64(max(n-1, 1)) * float64(len(stops)-1)
		k := min(int(at), len(stops)-2)
		f := at - float64(k)
		mix := func(a, b uint8) uint8 { return uint8(float64(a)*(1-f) + float64(b)*f + 0.5) }
		a, b := stops[k], stops[k+1]
		p[i] = color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
	}
	return p
}

// RGB returns the colour 0xRRGGBB.
func RGB(hex uint32) color.RGBA {
	return color.RGBA{uint8(hex >> 16), uint8(hex >> 8), uint8(hex), 255}
}

// Shade returns the index of a palette of n colours for a value from 0 to 1; what lies outside is clamped, and NaN
// is 0.
func Shade(v float32, n int) uint8 {
	if !(v > 0) {
		return 0
	}
	return uint8(min(int(min(v, 1)*float32(n)), n-1))
}
