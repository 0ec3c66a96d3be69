package scene

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/raster"
	"github.com/gotaichi/ti/internal/shapes"
	"github.com/gotaichi/ti/picture"
)

// A shape is a line with points, lines or triangles.
type shape struct {
	number        int
	word, field   string
	radius        string         // an expression, or a field; "" for none
	colour, index string         // fields, or six digits; "" for none
	scale         picture.Config // the colours of a field of numbers
}

// shape takes a line with a shape.
func (p *parser) shape(word, rest string) error {
	parts := strings.Fields(rest)
	s := shape{number: p.at, word: word, field: parts[0]}
	for _, option := range parts[1:] {
		if err := s.option(option); err != nil {
			return err
		}
	}
	p.scene.shapes = append(p.scene.shapes, s)
	return ordered(&s.scale)
}

// shapeOptions are those that each kind of shape has; all have a colour.
var shapeOptions = map[string]string{
	"points":    "radius=, colour=, low=, high=, map= and colours=",
	"lines":     "radius=, colour=, index=, low=, high=, map= and colours=",
	"triangles": "colour=, index=, low=, high=, map= and colours=",
}

func (s *shape) option(option string) error {
	name, value, has := strings.Cut(option, "=")
	to := map[string]*string{"radius": &s.radius, "colour": &s.colour, "index": &s.index}[name]
	switch {
	case to != nil && strings.Contains(shapeOptions[s.word], name+"=") && has:
		if value == "" {
			return fmt.Errorf("nothing stands behind %s=", name)
		}
		*to = value
		return nil
	case to == nil:
		if is, err := scaleOption(&s.scale, name, value); is || err != nil {
			return err
		}
	}
	return fmt.Errorf("%s has no option %q; there are %s", s.word, option, shapeOptions[s.word])
}

// A drawing is a shape with its fields.
type drawing struct {
	shape
	at   ti.AnyField
	look shapes.Style // of which the radius changes from frame to frame
}

var shapeKinds = map[string]raster.Kind{"points": raster.Points, "lines": raster.Lines, "triangles": raster.Triangles}

// drawing finds the fields of a shape, and reports those that do not fit.
func (p *Player) drawing(s shape) (d drawing, err error) {
	d = drawing{shape: s, look: shapes.Style{Kind: shapeKinds[s.word], Picture: s.scale}}
	if d.at, err = p.field(s.field); err != nil {
		return d, err
	}
	if s.radius != "" {
		if d.look.Radii, _ = p.field(s.radius); d.look.Radii == nil {
			if _, err := p.runner.Number(s.radius); err != nil {
				return d, fmt.Errorf("radius=%s: %w", s.radius, err)
			}
		}
	}
	if s.colour != "" {
		if d.look.Colors, err = p.field(s.colour); err != nil {
			rgb, wrong := colour(s.colour)
			if wrong != nil {
				return d, fmt.Errorf("colour=%s: %w; a colour for all is written with six digits, as 05030f", s.colour, err)
			}
			d.look.Color = rgb
		}
	}
	if s.index != "" {
		if d.look.Index, err = p.field(s.index); err != nil {
			return d, fmt.Errorf("index=%s: %w", s.index, err)
		}
	}
	_, err = shapes.Read(d.at, d.look)
	return d, err
}

// field is the field of a name, or a member of one.
func (p *Player) field(name string) (ti.AnyField, error) {
	f, err := p.session.Field(name)
	if err != nil {
		return nil, err
	}
	if f.Elem().Kind() == reflect.Struct {
		return nil, fmt.Errorf("%s has structs; name a member, such as %s", name, ti.Members(f.AnyField)[0].Name())
	}
	return f.AnyField, nil
}

// draw draws what the scene shows.
func (p *Player) draw(w *gui.Window) error {
	img, err := p.image()
	if err != nil {
		return Errors{{p.scene.show.number, err.Error()}}
	}
	if img != nil {
		if err := w.ShowImage(img.Copy()); err != nil {
			return err
		}
	}
	for i := range p.shapes {
		d := &p.shapes[i]
		if err := p.drawShape(w, d); errors.Is(err, gui.ErrClosed) {
			return err
		} else if err != nil {
			text := err.Error()
			for _, method := range []string{"Points", "Lines", "Triangles"} {
				text = strings.TrimPrefix(text, "gui: "+method+": ")
			}
			return Errors{{d.number, fmt.Sprintf("%s %s: %s", d.word, d.field, text)}}
		}
	}
	return nil
}

func (p *Player) drawShape(w *gui.Window, d *drawing) error {
	look := d.look
	if d.radius != "" && look.Radii == nil {
		x, err := p.runner.Number(d.radius)
		if err != nil {
			return fmt.Errorf("radius=%s: %w", d.radius, err)
		}
		look.Radius = float32(x)
	}
	switch look.Kind {
	case raster.Points:
		return w.Points(d.at, gui.Points{Radius: look.Radius, Radii: look.Radii, Color: look.Color, Colors: look.Colors, Scale: &d.scale})
	case raster.Lines:
		return w.Lines(d.at, gui.Lines{Radius: look.Radius, Radii: look.Radii, Color: look.Color, Colors: look.Colors, Index: look.Index, Scale: &d.scale})
	}
	return w.Triangles(d.at, gui.Triangles{Color: look.Color, Colors: look.Colors, Index: look.Index, Scale: &d.scale})
}
