package picture

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
	"reflect"
	"sync"

	"github.com/gotaichi/ti"
)

// A Film takes frames and encodes them in the background, while the program computes the next ones. It
// holds a few frames at a time; who adds more waits until there is room.
//
// A Film may be used by several goroutines at once; the frames are then in the order of the calls. Its
// errors stay: after the first one, Add and Close return it, so that a program may look at that of
// Close alone.
type Film struct {
	config Config
	path   string
	frames chan image.Image
	done   chan struct{} // closed when the encoder has ended

	adding sync.Mutex // held while a frame is added, so that frames have an order
	size   image.Point
	like   image.Image // a frame whose type and colours the others get
	closed bool

	mu    sync.Mutex
	first error
}

// ErrClosed is the cause of the error of a frame that is added to a film after Close.
var ErrClosed = errors.New("the film is closed")

// waiting is how many frames wait for the encoder. With the one that is encoded and the one
// that is added, a film holds two more.
const waiting = 2

// An encoder writes the frames of a film, all of one size and type.
type encoder interface {
	add(img image.Image) error
	close() error // ends the file; also after an error of add
}

// encoders maps endings of names to what writes such files. They are made with the first frame.
var encoders = map[string]func(c Config, path string, first image.Image) (encoder, error){
	".gif":  newGIF,
	".png":  newAPNG,
	".apng": newAPNG,
	".mp4":  newFFmpeg,
	".webm": newFFmpeg,
}

// NewFilm starts a film in a file whose name ends in .gif, .png or .apng (an animated PNG), .mp4 or
// .webm. The latter two are encoded by a program, ffmpeg, which has to be installed. A file of that name is
// replaced.
//
// A GIF has the colours of Map exactly. Frames of other colours keep them if these are 256 at
// most, and are else dithered; an animated PNG keeps all. GIF and video drop opacity. Films play again and again,
// but for videos.
//
// NewFilm fails if the ending is another one, ffmpeg is missing, or the file cannot be written.
func (c Config) NewFilm(path string) (*Film, error) {
	if encoders[ending(path)] == nil {
		return nil, fmt.Errorf("cannot write the film %s: its name has to end in .gif, .png, .apng, .mp4 or .webm", path)
	}
	if err := c.ready(path); err != nil {
		return nil, unfilmed(path, err)
	}
	f := &Film{config: c, path: path, frames: make(chan image.Image, waiting), done: make(chan struct{})}
	go f.encode()
	return f, nil
}

// ready reports early what would prevent a film from being written.
func (c Config) ready(path string) error {
	if e := ending(path); e == ".mp4" || e == ".webm" {
		if _, err := findFFmpeg(e); err != nil {
			return err
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return f.Close()
}

// Add appends a frame: what the field shows now. The field may change as soon as Add has returned.
//
// It fails for a field that is no picture, a frame of another size than the first one, after
// Close, and after a failure to encode or write.
func (f *Film) Add(field ti.AnyField) error {
	v, err := f.config.Image(field)
	if err != nil {
		return f.fail(err)
	}
	return f.AddImage(v)
}

// AddImage is [Film.Add] for any picture. Frames get the type of the first one: after one of a palette, the
// colours of others become the nearest of that palette; after one without opacity, opacity is dropped.
func (f *Film) AddImage(img image.Image) error {
	f.adding.Lock()
	defer f.adding.Unlock()
	switch {
	case f.closed:
		return f.fail(unfilmed(f.path, ErrClosed))
	case f.err() != nil:
		return f.err()
	}
	if err := hasPixels(img); err != nil {
		return f.fail(unfilmed(f.path, fmt.Errorf("a frame is no picture: %w", err)))
	}
	size := img.Bounds().Size()
	if f.like != nil && size != f.size {
		return f.fail(unfilmed(f.path, fmt.Errorf("a frame has %d×%d pixels, and the first one %d×%d", size.X, size.Y, f.size.X, f.size.Y)))
	}
	frame := alike(f.like, img)
	if f.like == nil {
		f.like, f.size = frame, size
	}
	f.frames <- frame
	return f.err()
}

// Close writes what is left and ends the film. It returns the first error of the film; the file is
// removed if there was one, or if the film has no frames. A second Close does nothing more.
func (f *Film) Close() error {
	f.adding.Lock()
	defer f.adding.Unlock()
	if !f.closed {
		f.closed = true
		if f.like == nil {
			f.fail(unfilmed(f.path, errors.New("it has no frames")))
		}
		close(f.frames)
		<-f.done
	}
	return f.err()
}

// encode runs in the background until there are no more frames.
func (f *Film) encode() {
	defer close(f.done)
	var e encoder
	for img := range f.frames {
		if f.err() != nil {
			continue // whoever adds frames must not wait for ever
		}
		var err error
		if e == nil {
			e, err = encoders[ending(f.path)](f.config, f.path, img)
		}
		if err == nil {
			err = e.add(img)
		}
		if err != nil {
			f.fail(unfilmed(f.path, err))
		}
	}
	if e != nil {
		if err := e.close(); err != nil {
			f.fail(unfilmed(f.path, err))
		}
	}
	if f.err() != nil {
		os.Remove(f.path) // the error is that of the film
	}
}

func (f *Film) err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.first
}

// fail keeps the first error, and returns this one.
func (f *Film) fail(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.first == nil && !errors.Is(err, ErrClosed) { // Close has told what there was to tell
		f.first = err
	}
	return err
}

// unfilmed is unwritten for films.
func unfilmed(path string, err error) error { return explain("film", path, err) }

// alike returns a copy of a picture that begins at 0, 0 and has the type and the palette of
// another one, or if that is nil, a type that encoders know.
func alike(like, img image.Image) image.Image {
	v, view := img.(*View)
	if view {
		img = v.Copy()
	}
	if p, ok := img.(*image.RGBA); like == nil && (!ok || p.Opaque()) {
		like = img
	}
	if view && sameType(like, img) {
		return img
	}
	r := image.Rectangle{Max: img.Bounds().Size()}
	switch like := like.(type) {
	case *image.Paletted:
		out := image.NewPaletted(r, like.Palette)
		if img, ok := img.(*image.Paletted); ok && sameType(like, img) {
			for y := range r.Dy() { // as it is; draw would look for the nearest colours
				copy(out.Pix[y*out.Stride:], img.Pix[y*img.Stride:][:r.Dx()])
			}
			return out
		}
		draw.Draw(out, r, img, img.Bounds().Min, draw.Src)
		return out
	case *image.Gray:
		out := image.NewGray(r)
		draw.Draw(out, r, img, img.Bounds().Min, draw.Src)
		return out
	case *image.RGBA:
		out := image.NewRGBA(r)
		if p, ok := img.(interface{ Opaque() bool }); ok && p.Opaque() {
			draw.Draw(out, r, img, img.Bounds().Min, draw.Src)
			return out
		}
		out.Pix = withoutOpacity(img).Pix
		return out
	}
	return straight(img)
}

// withoutOpacity returns an opaque copy of a picture, with colours as they were before they
// were multiplied by their opacity.
func withoutOpacity(img image.Image) *image.NRGBA {
	out := straight(img)
	for i := 3; i < len(out.Pix); i += 4 {
		out.Pix[i] = 255
	}
	return out
}

// straight returns a copy of a picture, from 0, 0, whose colours are not multiplied by their opacity.
func straight(img image.Image) *image.NRGBA {
	out := image.NewNRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out
}

// sameType reports whether two pictures have one type and, if that is it, one palette.
func sameType(a, b image.Image) bool {
	if p, ok := a.(*image.Paletted); ok {
		q, ok := b.(*image.Paletted)
		return ok && samePalette(p.Palette, q.Palette)
	}
	return reflect.TypeOf(a) == reflect.TypeOf(b)
}

// samePalette reports whether two palettes have the same colours.
func samePalette(a, b color.Palette) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		r, g, bl, al := a[i].RGBA()
		if r2, g2, bl2, al2 := b[i].RGBA(); r != r2 || g != g2 || bl != bl2 || al != al2 {
			return false
		}
	}
	return true
}
