// Command quantsmoke lets smoke rise that is stored in several forms, and compares how it fades.
package main

import (
	_ "embed"
	"fmt"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed quantsmoke.ti
var source string

type smokeField = ti.Field[ti.Vec3]

// Flow is the host of quantsmoke.ti.
type Flow struct {
	V, VNew            ti.Field[ti.Vec2]
	P, PNew, Div, Curl ti.Field[float32]
	Image              smokeField
	Size               int
	Dt                 float32
	Carry              func(smoke, next *smokeField, time float32) error
	Move               func(smoke *smokeField) error
	Sweep, Project     func() error
	Total              func(smoke *smokeField) (float32, error)
	Paint              func(smoke *smokeField, panel int32) error
	smokes             []*smoke
}

// A smoke is stored in a form of its own.
type smoke struct {
	name   string
	fields [2]smokeField // now, and the next step
	total  float32
	bytes  int64 // of a cell of one field
	place  func(cell *ti.Node, f *smokeField)
}

// smokes are the forms that are compared: all but the first take 32 bits a cell.
func smokes() []*smoke {
	word := func(q ti.Quant) func(cell *ti.Node, f *smokeField) {
		return func(cell *ti.Node, f *smokeField) { cell.BitStruct(32).Place(f, q) }
	}
	return []*smoke{
		{name: "f32", place: func(cell *ti.Node, f *smokeField) { cell.Place(f) }},
		{name: "shared float(5,9)", place: func(cell *ti.Node, f *smokeField) {
			cell.BitStruct(32).PlaceShared(ti.QuantFloat(5, 9).Unsigned(), f)
		}},
		{name: "fixed10", place: word(ti.QuantFixed(10, 1))},
		{name: "float(5,5)", place: word(ti.QuantFloat(5, 5))},
		{name: "fixed10 stochastic", place: word(ti.QuantFixed(10, 1).Stochastic())},
	}
}

func main() {
	demo.Main("quantsmoke", func(d *demo.Demo) (demo.Result, error) {
		result, _, err := run(d, d.Short(128, 1024), d.Short(120, 300))
		return result, err
	})
}

// every is how many steps a picture shows.
const every = 4

// sweeps is the number of double sweeps for the pressure in a step.
const sweeps = 10

func run(d *demo.Demo, size, frames int) (result demo.Result, flow *Flow, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, nil, err
	}
	defer rt.Close()
	flow = &Flow{Size: size, Dt: 0.1, smokes: smokes()}
	flow.place(rt, min(size, 160))
	if err := rt.Load(source, flow); err != nil {
		return result, nil, err
	}
	film := d.Film("quantsmoke.gif", picture.Config{XY: true})
	for frame := range d.Steps(frames, "frames") {
		if err := d.Run(rt, func() error { return flow.step(float32(frame) * flow.Dt) }); err != nil {
			return result, nil, err
		}
		if frame%every != 0 {
			continue
		}
		for i, s := range flow.smokes {
			if err := flow.Paint(&s.fields[0], int32(i)); err != nil {
				return result, nil, err
			}
		}
		film.Add(&flow.Image)
	}
	if err := flow.totals(); err != nil {
		return result, nil, err
	}
	result, err = film.Finish(demo.Result{
		Work:   fmt.Sprintf("%d frames of %d×%d cells; density %s", frames, size, size, flow.compared()),
		Amount: float64(frames) * float64(size) * float64(size) * float64(len(flow.smokes)),
		Unit:   "cell",
	})
	return result, flow, err
}

// place places all fields, those of the picture for panels of a width.
func (f *Flow) place(rt *ti.Runtime, panel int) {
	rt.Place(ti.Shape{f.Size, f.Size}, &f.V, &f.VNew, &f.P, &f.PNew, &f.Div, &f.Curl)
	rt.Place(ti.Shape{panel * len(f.smokes), panel}, &f.Image)
	for _, s := range f.smokes {
		for i := range s.fields {
			s.place(rt.NewTree().Dense(ti.IJ, f.Size, f.Size), &s.fields[i])
		}
	}
}

// step advances by Dt. The flow is that of the plain smoke; the others are carried by it.
func (f *Flow) step(time float32) error {
	if err := f.Move(&f.smokes[0].fields[0]); err != nil {
		return err
	}
	for range sweeps {
		if err := f.Sweep(); err != nil {
			return err
		}
	}
	if err := f.Project(); err != nil {
		return err
	}
	for _, s := range f.smokes {
		if err := f.Carry(&s.fields[0], &s.fields[1], time); err != nil {
			return err
		}
	}
	return nil
}

// totals measures how much smoke there is in each form.
func (f *Flow) totals() (err error) {
	for _, s := range f.smokes {
		if s.total, err = f.Total(&s.fields[0]); err != nil {
			return err
		}
		s.bytes = s.fields[0].Tree().Bytes() / int64(f.Size*f.Size)
	}
	return nil
}

// compared lists the forms with how much smoke there is in each.
func (f *Flow) compared() string {
	text := fmt.Sprintf("%.0f in f32", f.smokes[0].total)
	for _, s := range f.smokes[1:] {
		text += fmt.Sprintf(", %+.1f %% in %s", 100*f.excess(s), s.name)
	}
	return text
}

// excess is by how much there is more smoke than in f32.
func (f *Flow) excess(s *smoke) float64 {
	plain := float64(f.smokes[0].total)
	return (float64(s.total) - plain) / plain
}
