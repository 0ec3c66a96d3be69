package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/memory"
	"github.com/gotaichi/ti/internal/pixels"
)

// Save writes a picture of a field to a file whose name ends in .png, .jpg, .jpeg or .gif. A file of
// that name is replaced.
func (c Config) Save(path string, f ti.AnyField) error {
	v, err := c.Image(f)
	if err != nil {
		return err
	}
	return c.SaveImage(path, v)
}

// SaveImage writes a picture to a file, as [Config.Save] does.
func (c Config) SaveImage(path string, img image.Image) error {
	if err := hasPixels(img); err != nil {
		return unwritten(path, err)
	}
	var encode func(w io.Writer, img image.Image) error
	switch ending(path) {
	case ".png":
		encode = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode
	case ".jpg", ".jpeg":
		encode = c.encodeJPEG
	case ".gif":
		encode = encodeGIF
	default:
		return fmt.Errorf("cannot write the picture %s: its name has to end in .png, .jpg or .gif", path)
	}
	return writeFile(path, func(f *os.File) error { return encode(f, plain(img)) })
}

func (c Config) encodeJPEG(w io.Writer, img image.Image) error {
	quality := 92
	if c.Quality != 0 {
		quality = min(max(c.Quality, 1), 100)
	}
	return jpeg.Encode(w, img, &jpeg.Options{Quality: quality})
}

// plain returns a picture of the type that encoders know.
func plain(img image.Image) image.Image {
	if v, ok := img.(*View); ok {
		return v.Copy()
	}
	return img
}

// hasPixels reports a picture that has none, or more than fit into memory.
func hasPixels(img image.Image) error {
	if img == nil || img.Bounds().Empty() {
		return errors.New("it has no pixels")
	}
	b := img.Bounds()
	if need, most := 4*float64(b.Dx())*float64(b.Dy()), memory.Room(); need > float64(most) {
		return fmt.Errorf("its %d×%d pixels would take %s, and there is room for %s", b.Dx(), b.Dy(), memory.Text(int64(min(need, 1<<62))), memory.Text(most))
	}
	return nil
}

func ending(path string) string { return strings.ToLower(filepath.Ext(path)) }

// writeFile writes a file; what could not be written whole is removed again.
func writeFile(path string, write func(*os.File) error) error {
	f, err := os.Create(path)
	if err != nil {
		return unwritten(path, err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		os.Remove(path) // its error says nothing that err does not
		return unwritten(path, err)
	}
	return nil
}

// unwritten is explain for pictures.
func unwritten(path string, err error) error { return explain("picture", path, err) }

// explain adds to the failure to write a file what can be done about it.
func explain(what, path string, err error) error {
	remedy := ""
	switch {
	case errors.Is(err, syscall.ENOSPC):
		remedy = "; free some space on the disk, or choose another folder"
	case errors.Is(err, fs.ErrPermission):
		remedy = "; make the folder writable, or choose another"
	case errors.Is(err, fs.ErrNotExist):
		remedy = "; make the folder first"
	}
	var failed *fs.PathError
	if errors.As(err, &failed) && strings.HasPrefix(err.Error(), failed.Error()) { // which names the path again
		err = failed.Err
	}
	return fmt.Errorf("cannot write the %s %s: %w%s", what, path, err, remedy)
}

// Load reads a PNG, JPEG or GIF (its first frame) into a field, which has to have the picture's shape; [Config.Shape]
// tells it before the field is placed. Into a field of numbers it puts the brightness
// of colours, 0.299 of red, 0.587 of green and 0.114 of blue; into one of 3 numbers the colours
// without their opacity.
//
// It fails for a file that is no picture, that is damaged, or whose pixels would not fit into memory,
// and for a field of another shape or that cannot hold colours, and then leaves the field as it was.
func (c Config) Load(path string, f ti.AnyField) error {
	if _, err := c.target(f); err != nil { // before the work is done
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("cannot read the picture: %w", err)
	}
	defer file.Close()
	img, err := pixels.Decode(file, int(f.Elem().Size()), memory.Room())
	if err == nil {
		err = c.Copy(f, img)
	}
	if err != nil {
		return fmt.Errorf("cannot load %s: %w", path, err)
	}
	return nil
}

// Copy stores a picture in a field, as [Config.Load] does: it is for pictures from elsewhere, such as
// embedded files.
func (c Config) Copy(f ti.AnyField, img image.Image) error {
	v, err := c.target(f)
	if err != nil {
		return err
	}
	if img == nil {
		return errors.New("a nil picture")
	}
	if b := img.Bounds(); b.Dx() != v.width || b.Dy() != v.height {
		return fmt.Errorf("the picture has %d×%d pixels, and %s has the shape %v; a field for it has the shape %v",
			b.Dx(), b.Dy(), f.Name(), f.Shape(), c.shape(b.Dx(), b.Dy()))
	}
	data := v.format.Elements(img)
	if c.XY {
		data = v.turned(data)
	}
	_, err = f.ReadFrom(bytes.NewReader(data))
	return err
}

// target returns a view of a field that a picture can be stored in.
func (c Config) target(f ti.AnyField) (*View, error) {
	c.Map = nil // colours are not looked for in it
	v, err := c.describe(f)
	if err == nil && len(c.At) > 0 {
		err = fmt.Errorf("a picture is loaded into a field of two axes, and %s has %d", f.Name(), len(f.Shape()))
	}
	return v, err
}

// turned returns elements that lie row by row in the order of the field.
func (v *View) turned(rows []byte) []byte {
	out, size := make([]byte, len(rows)), v.format.Size()
	v.data = out
	v.each(func(i int, e []byte) { copy(e[:size], rows[i*size:]) })
	return out
}

// Shape returns the shape of a field for the picture in a file, {height, width} or with XY
// {width, height}. It reads the beginning of the file alone.
//
//	shape, err := picture.Shape("cat.png")
//	rt.Place(shape, &s.Photo)
//	err = picture.Load("cat.png", &s.Photo)
func (c Config) Shape(path string) (ti.Shape, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the picture: %w", err)
	}
	defer file.Close()
	width, height, err := pixels.Size(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the picture %s: %w", path, err)
	}
	return c.shape(width, height), nil
}

func (c Config) shape(width, height int) ti.Shape {
	if c.XY {
		return ti.Shape{width, height}
	}
	return ti.Shape{height, width}
}
