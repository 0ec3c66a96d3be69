package gui

import (
	"encoding/json"
	"slices"

	"github.com/gotaichi/ti"
)

// An event is something that happens in a window, as pages send it and files of input have it.
type event struct {
	Kind   string          `json:"kind"`
	X      float64         `json:"x,omitempty"` // to the right, from 0 to 1
	Y      float64         `json:"y,omitempty"` // down
	Button int             `json:"button,omitempty"`
	Wheel  float64         `json:"wheel,omitempty"`
	Key    string          `json:"key,omitempty"`
	Widget int             `json:"widget,omitempty"`
	Value  json.RawMessage `json:"value,omitempty"`
	Frame  uint32          `json:"frame,omitempty"` // that was drawn, or that the event is for
}

// The kinds of events.
const (
	eventMove    = "move"
	eventPress   = "press"
	eventRelease = "release"
	eventWheel   = "wheel"
	eventKeyDown = "keydown"
	eventKeyUp   = "keyup"
	eventBlur    = "blur" // the window hears no keys any more
	eventWidget  = "widget"
	eventDrawn   = "drawn" // a picture; not for the program
	eventClose   = "close"
)

// A Mouse is what the mouse, or a finger, is at during a frame.
type Mouse struct {
	// Pos is the place in the field that is shown, from 0 to 1 along its first axis and its second one: times the extents it is an index. It is where the button was
	// pressed, in a frame that begins behind the release.
	Pos ti.Vec2

	// A button that is down, or was since the last frame began. Left is also a finger on the screen.
	Left, Middle, Right bool

	// Wheel is how far the wheel has turned since the last frame began, in notches; up is above 0.
	Wheel float32
}

// mouseButtons is how many there are.
const mouseButtons = 3

// An input is what a frame sees.
type input struct {
	x, y    float64
	down    [mouseButtons]bool // now
	pressed [mouseButtons]bool // since the last frame
	wheel   float64
	keys    map[string]bool // that are down
	typed   []string        // keys that were pressed since the last frame, in order
}

func newInput() input { return input{x: 0.5, y: 0.5, keys: map[string]bool{}} }

// next is the input of the next frame, before which events have happened.
func (in *input) next(events []event) {
	in.pressed, in.wheel, in.typed = [mouseButtons]bool{}, 0, in.typed[:0]
	clicked := false
	for _, e := range events {
		switch e.Kind {
		case eventMove:
			in.move(e, clicked)
		case eventPress, eventRelease:
			in.move(e, clicked)
			if e.Button < 0 || e.Button >= mouseButtons {
				continue
			}
			in.down[e.Button] = e.Kind == eventPress
			if e.Kind == eventPress {
				in.pressed[e.Button], clicked = true, true
			}
		case eventWheel:
			in.wheel += e.Wheel
		case eventKeyDown:
			if !in.keys[e.Key] {
				in.keys[e.Key] = true
				in.typed = append(in.typed, e.Key)
			}
		case eventKeyUp:
			delete(in.keys, e.Key)
		case eventBlur:
			clear(in.keys)
			in.down = [mouseButtons]bool{}
		}
	}
}

// move moves the mouse. It stays where a button was pressed, if that has been released since.
func (in *input) move(e event, clicked bool) {
	if clicked && in.down == [mouseButtons]bool{} {
		return
	}
	in.x, in.y = min(max(e.X, 0), 1), min(max(e.Y, 0), 1)
}

// Mouse is what the mouse is at in this frame.
func (w *Window) Mouse() Mouse {
	w.mu.Lock()
	defer w.mu.Unlock()
	in := &w.now
	m := Mouse{Pos: ti.Vec2{float32(in.y), float32(in.x)}, Wheel: float32(in.wheel)}
	if w.config.Picture.XY {
		m.Pos = ti.Vec2{float32(in.x), float32(1 - in.y)}
	}
	for i, b := range []*bool{&m.Left, &m.Middle, &m.Right} {
		*b = in.down[i] || in.pressed[i]
	}
	return m
}

// Down reports whether a key is down in this frame, or was since the last one began. Keys have the names that browsers give them: "a", "A", "1", "ArrowLeft", "Enter",
// "Escape", "Shift"; the space bar is "Space".
func (w *Window) Down(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now.keys[key] || slices.Contains(w.now.typed, key)
}

// Typed are the keys that were pressed since the last frame began, in their order.
func (w *Window) Typed() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.now.typed)
}
