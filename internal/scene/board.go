package scene

import (
	"math"
	"slices"

	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/script"
)

// A board is the controls of a scene in a window.
type board struct {
	values  []value
	buttons map[int]*gui.Button // by the number of the step
	plots   map[int]*gui.Plot
	mouse   [2]float32 // in the last frame
	held    bool       // the button, then
}

// A value is a control that is a variable.
type value struct {
	name  string
	now   func() float64
	whole bool
}

// board adds the controls to a window.
func (p *Player) board(w *gui.Window) *board {
	b := &board{buttons: map[int]*gui.Button{}, plots: map[int]*gui.Plot{}}
	for _, c := range p.scene.controls {
		b.values = append(b.values, c.add(w))
	}
	for i, st := range p.steps {
		switch st.word {
		case "button":
			b.buttons[i] = w.Button(st.name)
		case "plot":
			b.plots[i] = w.Plot(st.name)
		}
	}
	return b
}

// add adds a control to a window.
func (c *control) add(w *gui.Window) value {
	switch c.kind {
	case "checkbox":
		box := w.Checkbox(c.name, c.at != 0)
		return value{c.name, func() float64 {
			if box.Value() {
				return 1
			}
			return 0
		}, true}
	case "choice":
		choice := w.Choice(c.name, slices.Clone(c.options)...)
		return value{c.name, func() float64 { return float64(choice.Value()) }, true}
	}
	slider := w.Slider(c.name, c.at, c.low, c.high)
	if c.whole {
		return value{c.name, func() float64 { return math.Round(float64(slider.Value())) }, true}
	}
	return value{c.name, func() float64 { return float64(slider.Value()) }, false}
}

// set gives the variables of a frame their values.
func (b *board) set(r *script.Runner, frame int, m gui.Mouse) {
	r.Set("frame", float64(frame), true)
	r.Set("mousex", float64(m.Pos[0]), false)
	r.Set("mousey", float64(m.Pos[1]), false)
	if !b.held { // a finger comes down somewhere else
		b.mouse = m.Pos
	}
	r.Set("mousedx", float64(m.Pos[0]-b.mouse[0]), false)
	r.Set("mousedy", float64(m.Pos[1]-b.mouse[1]), false)
	b.mouse, b.held = m.Pos, m.Left
	for _, v := range b.values {
		r.Set(v.name, v.now(), v.whole)
	}
}
