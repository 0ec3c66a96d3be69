package gui

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// A message is what pages are told, and what a page that comes later is told again.
type message struct {
	Hello  *hello     `json:"hello,omitempty"`
	Widget *widgetSay `json:"widget,omitempty"`
	Add    *added     `json:"add,omitempty"`
	Camera *cameraSay `json:"camera,omitempty"`
	End    string     `json:"end,omitempty"` // the window was closed
}

type hello struct {
	Title  string `json:"title"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
	Back   string `json:"back,omitempty"` // the background, as #rrggbb; black without it
}

// A widgetSay is a widget as pages have it. One with a known number replaces what that has been.
type widgetSay struct {
	Number  int          `json:"number"`
	Kind    string       `json:"kind"`
	Label   string       `json:"label"`
	Value   any          `json:"value,omitempty"`
	Low     float64      `json:"low,omitempty"`
	High    float64      `json:"high,omitempty"`
	Options []string     `json:"options,omitempty"`
	Points  [][2]float64 `json:"points,omitempty"`
}

// added are new points of a plot.
type added struct {
	Number int          `json:"number"`
	Points [][2]float64 `json:"points"`
}

// A widget is something beside the picture. It is called with the window locked.
type widget interface {
	say() *widgetSay
	hear(e event)
}

// label is what all widgets have.
type label struct {
	w      *Window
	number int
	text   string
}

// add makes a widget known.
func (w *Window) add(text string, of func(l label) widget) {
	w.mu.Lock()
	defer w.mu.Unlock()
	added := of(label{w, len(w.widgets), text})
	w.widgets = append(w.widgets, added)
	w.screen.tell(message{Widget: added.say()})
}

// state is all that a page has to be told that begins to look.
func (w *Window) state() []message {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := []message{{Hello: &hello{w.title, w.width, w.height, w.config.background()}}}
	if w.camera != nil {
		all = append(all, w.cameraMessage())
	}
	for _, one := range w.widgets {
		all = append(all, message{Widget: one.say()})
	}
	return all
}

// A value is what a widget is at in this frame.
type value[T any] struct {
	label
	now  T
	make func(*value[T]) *widgetSay
	ok   func(T) (T, bool) // what people may set it to
}

func (v *value[T]) say() *widgetSay {
	s := v.make(v)
	s.Number, s.Label, s.Value = v.number, v.text, v.now
	return s
}

func (v *value[T]) hear(e event) {
	var now T
	if json.Unmarshal(e.Value, &now) != nil {
		return
	}
	if now, ok := v.ok(now); ok {
		v.now = now
		v.w.screen.tell(message{Widget: v.say()}) // to the other pages
	}
}

func (v *value[T]) get() T {
	v.w.mu.Lock()
	defer v.w.mu.Unlock()
	return v.now
}

func (v *value[T]) set(to T) {
	v.w.mu.Lock()
	defer v.w.mu.Unlock()
	v.now = to
	v.w.screen.tell(message{Widget: v.say()})
}

// A Slider is a number that people choose.
type Slider struct{ v *value[float64] }

// Slider adds a slider from low to high, which is at value at first.
func (w *Window) Slider(text string, at, low, high float64) *Slider {
	s := &Slider{}
	within := func(x float64) (float64, bool) { return min(max(x, low), high), !math.IsNaN(x) }
	if !(low < high) || math.IsInf(high-low, 0) || math.IsNaN(at) {
		_ = w.fail(fmt.Errorf("gui: the slider %q goes from %v to %v and is at %v; it needs two numbers, the second one larger, and one between", text, low, high, at))
		low, high, at = 0, 1, 0
	}
	at, _ = within(at)
	w.add(text, func(l label) widget {
		s.v = &value[float64]{label: l, now: at, ok: within, make: func(*value[float64]) *widgetSay { return &widgetSay{Kind: "slider", Low: low, High: high} }}
		return s.v
	})
	return s
}

// Value is what the slider is at in this frame.
func (s *Slider) Value() float32 { return float32(s.v.get()) }

// Set moves the slider.
func (s *Slider) Set(x float32) {
	if to, ok := s.v.ok(float64(x)); ok {
		s.v.set(to)
	}
}

// A Checkbox is on or off.
type Checkbox struct{ v *value[bool] }

// Checkbox adds a box that is on or off at first.
func (w *Window) Checkbox(text string, on bool) *Checkbox {
	c := &Checkbox{}
	w.add(text, func(l label) widget {
		c.v = &value[bool]{label: l, now: on, ok: func(b bool) (bool, bool) { return b, true }, make: func(*value[bool]) *widgetSay { return &widgetSay{Kind: "checkbox"} }}
		return c.v
	})
	return c
}

// Value reports whether the box is on in this frame.
func (c *Checkbox) Value() bool { return c.v.get() }

// Set turns the box on or off.
func (c *Checkbox) Set(on bool) { c.v.set(on) }

// A Choice is one of several.
type Choice struct {
	v       *value[int]
	options []string
}

// Choice adds a list of options, of which people choose one; it is the first one at first.
func (w *Window) Choice(text string, options ...string) *Choice {
	c := &Choice{options: slices.Clone(options)}
	if len(options) == 0 {
		_ = w.fail(fmt.Errorf("gui: the choice %q has no options", text))
		c.options = []string{""}
	}
	w.add(text, func(l label) widget {
		c.v = &value[int]{label: l, ok: func(i int) (int, bool) { return i, i >= 0 && i < len(c.options) }, make: func(*value[int]) *widgetSay { return &widgetSay{Kind: "choice", Options: c.options} }}
		return c.v
	})
	return c
}

// Value is the number of the option in this frame, from 0 on.
func (c *Choice) Value() int { return c.v.get() }

// Option is the option in this frame.
func (c *Choice) Option() string { return c.options[c.v.get()] }

// Set chooses an option. One that is not there changes nothing.
func (c *Choice) Set(i int) {
	if _, ok := c.v.ok(i); ok {
		c.v.set(i)
	}
}

// A Button is pressed.
type Button struct {
	label
	pressed int // the frame before which it was
}

// Button adds a button.
func (w *Window) Button(text string) *Button {
	b := &Button{}
	w.add(text, func(l label) widget { b.label = l; return b })
	return b
}

func (b *Button) say() *widgetSay { return &widgetSay{Number: b.number, Kind: "button", Label: b.text} }

func (b *Button) hear(event) { b.pressed = b.w.frames }

// Pressed reports whether the button was pressed since the last frame began.
func (b *Button) Pressed() bool {
	b.w.mu.Lock()
	defer b.w.mu.Unlock()
	return b.pressed == b.w.frames && b.pressed > 0
}

// A Text is a line below its label.
type Text struct{ v *value[string] }

// Text adds a line of text, such as the number of steps.
func (w *Window) Text(text string) *Text {
	t := &Text{}
	w.add(text, func(l label) widget {
		t.v = &value[string]{label: l, ok: func(string) (string, bool) { return "", false }, make: func(*value[string]) *widgetSay { return &widgetSay{Kind: "text"} }}
		return t.v
	})
	return t
}

// Set changes the line, as fmt.Sprint has its arguments.
func (t *Text) Set(a ...any) {
	to := fmt.Sprint(a...)
	if t.v.get() != to {
		t.v.set(to)
	}
}

// A Plot shows how a number changes.
type Plot struct {
	label
	every int // only each such point is kept
	added int
	all   [][2]float64
}

// Plot adds a plot of numbers.
func (w *Window) Plot(text string) *Plot {
	p := &Plot{every: 1}
	w.add(text, func(l label) widget { p.label = l; return p })
	return p
}

func (p *Plot) say() *widgetSay {
	return &widgetSay{Number: p.number, Kind: "plot", Label: p.text, Points: slices.Clone(p.all)}
}

func (p *Plot) hear(event) {}

// mostPoints is how many points a plot has at most: with more it drops each second one, and adds half as many from then on.
const mostPoints = 2048

// Add adds a point, at how many were added before and the number. NaN and infinities are left out.
func (p *Plot) Add(y float64) { p.AddAt(float64(p.count()), y) }

func (p *Plot) count() int {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	return p.added
}

// AddAt adds a point.
func (p *Plot) AddAt(x, y float64) {
	p.w.mu.Lock()
	defer p.w.mu.Unlock()
	p.added++
	if sum := x + y; math.IsNaN(sum) || math.IsInf(sum, 0) || (p.added-1)%p.every != 0 {
		return
	}
	p.all = append(p.all, [2]float64{x, y})
	if len(p.all) < mostPoints {
		p.w.screen.tell(message{Add: &added{p.number, [][2]float64{{x, y}}}})
		return
	}
	kept := p.all[:0]
	for i := 0; i < len(p.all); i += 2 {
		kept = append(kept, p.all[i])
	}
	p.all, p.every = kept, 2*p.every
	p.w.screen.tell(message{Widget: p.say()})
}
