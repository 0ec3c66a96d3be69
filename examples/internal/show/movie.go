package show

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"iter"
	"math"

	"github.com/gotaichi/ti"
)

// A Movie runs an example that is a scene: a function that places fields, loads its
// kernels and draws a picture in each frame. It is a runtime, too. What fails ends
// the scene, so that it needs no code for that.
type Movie struct {
	*ti.Runtime
	Palette color.Palette // of Image and Points, from 0 to 1; grey at first

	show    *Show
	frames  int
	film    *Film
	still   image.Image // of Picture
	pending func()      // draws the frame, after its kernels were timed
}

// Play is the main function of an example that is a scene of so many frames; in its short
// form the first two fifths of them.
func Play(name string, frames int, scene func(*Movie)) {
	Main(name, func(s *Show) (Result, error) { return s.Play(name, s.Short(frames*2/5, frames), scene) })
}

// Play runs a scene and writes its film, or its picture.
func (s *Show) Play(name string, frames int, scene func(*Movie)) (result Result, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, err
	}
	defer rt.Close()
	m := &Movie{Runtime: rt, Palette: Gradient(64, RGB(0), RGB(0xffffff)), show: s, frames: frames}
	if err := m.run(scene); err != nil {
		return result, err
	}
	result = Result{Work: fmt.Sprintf("%d frames", frames), Amount: float64(frames), Unit: "frame"}
	switch {
	case m.film != nil:
		result.File, err = s.SaveGIF(name+".gif", m.film)
	case m.still != nil:
		result.File, err = s.SavePNG(name+".png", m.still)
	default:
		err = errors.New("the scene has drawn nothing")
	}
	return result, err
}

// failure is what a scene panics with when the movie ends it.
type failure struct{ error }

// run runs a scene up to its end or a failure: of the movie, or of a kernel function
// without an error result.
func (m *Movie) run(scene func(*Movie)) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.error
		case *ti.RuntimeError:
			err = r
		case ti.SourceErrors:
			err = r
		default:
			panic(r)
		}
	}()
	scene(m)
	return m.Sync()
}

func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Load is [ti.Runtime.Load].
func (m *Movie) Load(source string, host any) { check(m.Runtime.Load(source, host)) }

// Frames counts the frames. Their kernels are timed, drawing is not.
func (m *Movie) Frames() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range m.show.Steps(m.frames, "frames") {
			more := false
			check(m.show.Run(m.Runtime, func() error {
				more = yield(i)
				return nil
			}))
			if m.pending != nil {
				m.pending()
				m.pending = nil
			}
			if !more {
				return
			}
		}
	}
}

// Image draws a frame from a field with axes x, to the right, and y, upwards. Of a
// field with an axis before those, it draws the first picture.
func (m *Movie) Image(f *ti.Field[float32]) {
	w, h := sides(f)
	brightness := copyOf(f)
	m.pending = func() {
		pix := make([]uint8, w*h)
		for k := range pix {
			pix[(h-1-k%h)*w+k/h] = Shade(brightness[k], len(m.Palette))
		}
		m.add(w, h, pix)
	}
}

// Points draws a frame of points in the window from lo to hi, y upwards, in a picture
// of the given width. Pixels with more of them are brighter.
func (m *Movie) Points(f *ti.Field[ti.Vec2], width int, lo, hi ti.Vec2) {
	places := copyOf(f)
	scale := float64(width) / float64(hi[0]-lo[0])
	height := int(math.Round(scale * float64(hi[1]-lo[1])))
	m.pending = func() {
		counts := make([]float32, width*height)
		for _, p := range places {
			x, y := math.Floor(scale*float64(p[0]-lo[0])), math.Floor(scale*float64(hi[1]-p[1]))
			if x >= 0 && x < float64(width) && y >= 0 && y < float64(height) {
				counts[int(y)*width+int(x)]++
			}
		}
		pix := make([]uint8, width*height)
		for k, n := range counts {
			if n > 0 {
				pix[k] = Shade(0.3+0.05*n, len(m.Palette))
			}
		}
		m.add(width, height, pix)
	}
}

// Picture keeps the colours of a field, with axes as in Image, each component from
// 0 to 1. The last picture is what the example shows.
func (m *Movie) Picture(f *ti.Field[ti.Vec3]) {
	w, h := sides(f)
	colors := copyOf(f)
	m.pending = func() {
		img := image.NewRGBA(image.Rect(0, 0, w, h))
		for k, c := range colors {
			img.SetRGBA(k/h, h-1-k%h, color.RGBA{Shade(c[0], 256), Shade(c[1], 256), Shade(c[2], 256), 255})
		}
		m.still = img
	}
}

// sides returns the extents of the last two axes of a field.
func sides(f ti.AnyField) (w, h int) {
	shape := f.Shape()
	if len(shape) < 2 {
		check(fmt.Errorf("a picture needs two axes, and %s has %d; is it not placed?", f.Name(), len(shape)))
	}
	return shape[len(shape)-2], shape[len(shape)-1]
}

func copyOf[T any](f *ti.Field[T]) []T {
	v, err := values(f)
	check(err)
	return v
}

// values returns the elements of a field, row by row.
func values[T any](f *ti.Field[T]) ([]T, error) {
	n := 1
	for _, s := range f.Shape() {
		n *= s
	}
	v := make([]T, n)
	return v, f.CopyTo(v)
}

func (m *Movie) add(w, h int, pix []uint8) {
	if m.film == nil {
		m.film = NewFilm(w, h, 4, m.Palette)
	}
	check(m.film.Add(pix))
}
