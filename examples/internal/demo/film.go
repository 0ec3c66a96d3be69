package demo

import (
	"image"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/page"
	"github.com/gotaichi/ti/picture"
)

// A Film is the film of an example, some of whose frames may also be put on a sheet. Its
// errors stay until Finish, so that the example need not look at each.
type Film struct {
	demo   *Demo
	config picture.Config
	file   string
	film   *picture.Film
	err    error // the first one, of anything but film
	frames int

	sheet   string // no sheet if empty
	columns int
	shown   []int // frames of the sheet
	stills  []image.Image
}

// Film starts a film in a file of that name.
func (d *Demo) Film(file string, c picture.Config) *Film {
	f := &Film{demo: d, config: c, file: d.Path(file)}
	if page.Open() {
		f.file = "the page"
		return f
	}
	f.film, f.err = c.NewFilm(f.file)
	return f
}

// Sheet makes a picture of some frames, counted from 0, in rows of so many.
func (f *Film) Sheet(file string, columns int, frames ...int) {
	f.sheet, f.columns, f.shown = file, columns, frames
}

// Add appends a frame: what the field shows now.
func (f *Film) Add(field ti.AnyField) {
	img, err := f.config.Image(field)
	if err != nil {
		f.fail(err)
		return
	}
	f.AddImage(img)
}

// AddImage is Add for pictures.
func (f *Film) AddImage(img image.Image) {
	if f.err != nil {
		return
	}
	if f.film == nil {
		f.fail(page.Draw(img))
		return
	}
	f.film.AddImage(img) // Finish returns the failure
	for _, k := range f.shown {
		if k == f.frames {
			f.stills = append(f.stills, picture.Sheet(1, 0, img)) // which is a copy
		}
	}
	f.frames++
}

func (f *Film) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

// Finish ends the film, writes the sheet, and returns the result with the name of the film.
func (f *Film) Finish(r Result) (Result, error) {
	if f.film != nil {
		if err := f.film.Close(); err != nil {
			f.fail(err)
		}
	}
	if f.err == nil && f.sheet != "" && f.film != nil {
		f.fail(picture.SaveImage(f.demo.Path(f.sheet), picture.Sheet(f.columns, 0, f.stills...)))
	}
	r.File = f.file
	return r, f.err
}
