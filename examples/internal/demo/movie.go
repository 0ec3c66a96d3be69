package demo

import (
	"errors"
	"fmt"
	"image"
	"iter"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/picture"
)

// A Movie runs an example that is a scene: a function that places fields, loads its
// kernels and shows a field in each frame. It is a runtime, too. What fails ends
// the scene, so that it needs no code for that.
type Movie struct {
	*ti.Runtime
	picture.Config // how fields are shown; x to the right and y up, in 64 shades of grey at first

	demo  *Demo
	name  string
	count int    // of frames
	film  *Film  // nil before the first frame
	file  string // of a picture, "" if the scene makes a film
	next  func() // shows the frame, after its kernels were timed
	live  Result // of a window, if the scene has shown one
}

// Play is the main function of an example that is a scene of so many frames; in its short
// form the first two fifths of them.
func Play(name string, frames int, scene func(*Movie)) {
	Main(name, func(d *Demo) (Result, error) { return d.Play(name, d.Short(frames*2/5, frames), scene) })
}

// Play runs a scene, which makes a film or a picture.
func (d *Demo) Play(name string, frames int, scene func(*Movie)) (result Result, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, err
	}
	defer rt.Close()
	m := &Movie{Runtime: rt, Config: picture.Config{XY: true, Map: picture.Grey(64)}, demo: d, name: name, count: frames}
	err = m.run(scene)
	if m.live.Unit != "" {
		return m.live, err
	}
	result = Result{Work: fmt.Sprintf("%d frames", frames), Amount: float64(frames), Unit: "frame", File: m.file}
	if m.film != nil {
		m.film.fail(err)
		return m.film.Finish(result)
	}
	if err == nil && m.file == "" {
		err = errors.New("the scene has shown nothing")
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

// Check ends the scene for an error.
func (m *Movie) Check(err error) { check(err) }

// Say prints a message on a line of its own.
func (m *Movie) Say(format string, args ...any) { m.demo.Say(format, args...) }

// Load is [ti.Runtime.Load].
func (m *Movie) Load(source string, host any) { check(m.Runtime.Load(source, host)) }

// Count is the number of frames.
func (m *Movie) Count() int { return m.count }

// Window opens a window, if the example was asked for one; nil if not. It shows what Loop has it show.
func (m *Movie) Window(title string, width, height int) *gui.Window {
	w, err := m.demo.Window(title, width, height, m.Config)
	check(err)
	return w
}

// Loop is [Demo.Loop], and closes the window.
func (m *Movie) Loop(w *gui.Window, compute, show func() error) {
	defer w.Close()
	var err error
	m.live, err = m.demo.Loop(m.Runtime, w, 1, "frame", compute, show)
	check(err)
}

// Frames counts the frames. Their kernels are timed, showing them is not.
func (m *Movie) Frames() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range m.demo.Steps(m.count, "frames") {
			more := false
			check(m.demo.Run(m.Runtime, func() error {
				more = yield(i)
				return nil
			}))
			if m.next != nil {
				m.next()
				m.next = nil
			}
			if !more {
				return
			}
		}
	}
}

// Show makes a field the frame of the film; at are indices of the axes before the last two.
func (m *Movie) Show(f ti.AnyField, at ...int) {
	m.next = func() {
		m.At = at
		img, err := m.Image(f)
		check(err)
		m.add(img)
	}
}

// Points makes points the frame, in the window from lo to hi, y upwards, in a picture
// of the given width. Pixels with more of them are brighter.
func (m *Movie) Points(f *ti.Field[ti.Vec2], width int, lo, hi ti.Vec2) {
	scale := float64(width) / float64(hi[0]-lo[0])
	img := image.NewPaletted(image.Rect(0, 0, width, int(math.Round(scale*float64(hi[1]-lo[1])))), m.Map)
	m.next = func() {
		counts := make(map[image.Point]float64)
		for _, p := range f.All() {
			counts[image.Pt(int(math.Floor(scale*float64(p[0]-lo[0]))), int(math.Floor(scale*float64(hi[1]-p[1]))))]++
		}
		for at, n := range counts {
			if at.In(img.Rect) {
				img.Pix[img.PixOffset(at.X, at.Y)] = uint8(min(0.3+0.05*n, 0.999) * float64(len(m.Map)))
			}
		}
		m.add(img)
	}
}

func (m *Movie) add(img image.Image) {
	if m.film == nil {
		m.film = m.demo.Film(m.name+".gif", m.Config)
	}
	m.film.AddImage(img)
}

// Save writes a picture of a field.
func (m *Movie) Save(f ti.AnyField) {
	m.file = m.demo.Path(m.name + ".png")
	check(m.Config.Save(m.file, f))
}
