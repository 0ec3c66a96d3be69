package picture

import (
	"image"
	"image/color"

	"github.com/gotaichi/ti"
)

// Config says how fields are shown. The zero value is what the functions of the package use.
type Config struct {
	// XY means that the first axis of a field runs to the right and the second one up. Without it
	// the first one runs down and the second one to the right.
	XY bool

	// Map has the colours of scalars. Floats from Low to High are spread over them evenly;
	// integers are indices. Nil means shades of grey. See [Grey], [Viridis], [Diverging] and
	// [Gradient]. GIF has room for 256 colours, and its films are smaller with 255.
	Map color.Palette

	// Low and High are the floats that have the first and the last colour. If both are 0, they
	// are 0 and 1.
	Low, High float64

	// At are indices of the axes before the last two: a field of shape {2, 512, 512} is a
	// picture with At: []int{0}, and another with []int{1}.
	At []int

	// FPS is how many frames of a film are shown in a second; 0 means 25. GIF counts in
	// hundredths of a second, so most programs show at most 50.
	FPS float64

	// Quality is that of JPEG, from 1 to 100; 0 means 92.
	Quality int
}

// Image returns a picture of a field: [Config.Image] of the zero Config.
func Image(f ti.AnyField) (*View, error) { return Config{}.Image(f) }

// Save writes a picture of a field to a file: [Config.Save] of the zero Config.
func Save(path string, f ti.AnyField) error { return Config{}.Save(path, f) }

// SaveImage writes a picture to a file: [Config.SaveImage] of the zero Config.
func SaveImage(path string, img image.Image) error { return Config{}.SaveImage(path, img) }

// Load reads a picture from a file into a field: [Config.Load] of the zero Config.
func Load(path string, f ti.AnyField) error { return Config{}.Load(path, f) }

// Copy stores a picture in a field: [Config.Copy] of the zero Config.
func Copy(f ti.AnyField, img image.Image) error { return Config{}.Copy(f, img) }

// Shape returns the shape of a field for the picture in a file: [Config.Shape] of the zero Config.
func Shape(path string) (ti.Shape, error) { return Config{}.Shape(path) }

// NewFilm starts a film in a file: [Config.NewFilm] of the zero Config.
func NewFilm(path string) (*Film, error) { return Config{}.NewFilm(path) }

// limits returns Low and High.
func (c Config) limits() (low, high float64) {
	if c.Low == 0 && c.High == 0 {
		return 0, 1
	}
	return c.Low, c.High
}

// fps returns FPS.
func (c Config) fps() float64 {
	if c.FPS > 0 {
		return c.FPS
	}
	return 25
}
