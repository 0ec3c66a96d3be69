package scene

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gotaichi/ti"
)

// A Scene is what the lines of a scene say.
type Scene struct {
	Title    string
	Sources  []string // files; none for the scene's name with .ti
	trees    []line
	binds    []line
	grads    []line
	controls []control
	start    []line
	steps    []step
	show     show
	shapes   []shape
	window   window
	camera   camera
	settings []func(*ti.Config)
	prints   []line // of fields
}

// A line of a scene.
type line struct {
	number int
	text   string // behind the word
}

// A control is what people set a variable by.
type control struct {
	line
	kind, name    string
	at, low, high float64
	whole         bool
	options       []string
}

// A step is launched in frames.
type step struct {
	line        // the calls
	word string // call, tape, plot, drag, key or button
	name string // of the loss, the curve, the key or the button
}

// variables are the names that expressions have besides those of controls.
var variables = []string{"frame", "mousex", "mousey", "mousedx", "mousedy"}

// An Error is a mistake in a line of a scene.
type Error struct {
	Line int // from 1 on; 0 for the scene as a whole
	Text string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Text)
}

// Errors are all mistakes of a scene, in the order of lines.
type Errors []*Error

func (list Errors) Error() string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = e.Error()
	}
	return strings.Join(texts, "\n")
}

// A parser reads a scene.
type parser struct {
	scene *Scene
	errs  Errors
	names map[string]int // of variables, with the lines that have them
	at    int            // the current line
}

// Most is the size of the longest scene.
const Most = 1 << 20

// mostErrors is how many mistakes of a scene are reported.
const mostErrors = 100

// isText reports a line that has other bytes than text.
func isText(text string) error {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], string(utf8.RuneError)) || r < ' ' && r != '\t' && r != '\r' {
			return fmt.Errorf("byte %#02x is not text; save the scene as UTF-8 text", text[i])
		}
	}
	return nil
}

// Parse reads a scene. Its errors are Errors.
func Parse(text string) (*Scene, error) {
	p := &parser{scene: &Scene{}, names: map[string]int{}}
	if len(text) > Most {
		return nil, Errors{{0, fmt.Sprintf("the scene has %d bytes, and may have %d", len(text), Most)}}
	}
	for i, text := range strings.Split(text, "\n") {
		p.at = i + 1
		if err := isText(text); err != nil {
			return nil, append(p.errs, &Error{p.at, err.Error()}) // what follows means nothing
		}
		if text = strings.TrimSpace(text); text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		word, rest := cut(text)
		if err := p.word(word, rest); err != nil {
			p.errs = append(p.errs, &Error{p.at, err.Error()})
		}
		if len(p.errs) == mostErrors {
			return nil, append(p.errs, &Error{0, fmt.Sprintf("there are %d mistakes, and no more are looked for", mostErrors)})
		}
	}
	if len(p.errs) == 0 {
		p.errs = p.scene.unseen()
	}
	if len(p.errs) > 0 {
		return nil, p.errs
	}
	return p.scene, nil
}

// cut returns the first word of a text and what follows it.
func cut(text string) (word, rest string) {
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i], strings.TrimSpace(text[i:])
	}
	return text, ""
}

// words are those that lines begin with.
var words = []string{"title", "source", "tree", "bind", "grad", "slider", "checkbox", "choice", "start", "call", "tape", "plot", "drag", "key", "button", "show", "points", "lines", "triangles", "camera", "window", "config", "print"}

// word takes a line.
func (p *parser) word(word, rest string) error {
	if !slices.Contains(words, word) {
		return fmt.Errorf("there is no word %q; a line begins with %s or %s", word, strings.Join(words[:len(words)-1], ", "), words[len(words)-1])
	}
	if rest == "" {
		return fmt.Errorf("nothing stands behind %s", word)
	}
	s, here := p.scene, line{p.at, rest}
	switch word {
	case "title":
		s.Title = rest
	case "source":
		s.Sources = append(s.Sources, rest)
	case "tree":
		s.trees = append(s.trees, here)
	case "bind":
		if !strings.Contains(rest, "=") {
			return fmt.Errorf("bind %s has no value; write bind %s=256x256 for a field, bind %s=1.5 for a constant", rest, rest, rest)
		}
		s.binds = append(s.binds, here)
	case "grad":
		for name := range strings.FieldsSeq(rest) {
			s.grads = append(s.grads, line{p.at, name})
		}
	case "slider", "checkbox", "choice":
		return p.control(word, rest)
	case "start":
		s.start = append(s.start, here)
	case "print":
		s.prints = append(s.prints, here)
	case "config":
		return p.settings(rest)
	case "show":
		return p.show(rest)
	case "points", "lines", "triangles":
		return p.shape(word, rest)
	case "camera":
		return p.camera(rest)
	case "window":
		return p.window(rest)
	default:
		return p.step(word, rest)
	}
	return nil
}

// step takes a line with calls for frames.
func (p *parser) step(word, rest string) error {
	st := step{line{p.at, rest}, word, ""}
	if slices.Contains([]string{"tape", "plot", "key", "button"}, word) {
		if st.name, st.text = cut(rest); st.text == "" {
			return fmt.Errorf("%s has a name and calls, as in: %s", word, map[string]string{"tape": "tape Loss Start(); Compare()", "plot": "plot loss Loss", "key": "key Space Reset()", "button": "button again Reset()"}[word])
		}
	}
	p.scene.steps = append(p.scene.steps, st)
	return nil
}

// control takes a line with a control.
func (p *parser) control(kind, rest string) error {
	parts := strings.Fields(rest)
	c := control{line: line{p.at, rest}, kind: kind, name: parts[0]}
	if !token.IsIdentifier(c.name) {
		return fmt.Errorf("%q is no name; it needs letters and digits, as a variable of Go", c.name)
	}
	if slices.Contains(variables, c.name) {
		return fmt.Errorf("%s is the name of something else: of the frame, or of where the mouse is", c.name)
	}
	if before := p.names[c.name]; before != 0 {
		return fmt.Errorf("line %d has a %s already", before, c.name)
	}
	p.names[c.name] = p.at
	switch kind {
	case "slider":
		if err := c.ends(parts[1:]); err != nil {
			return err
		}
	case "checkbox":
		if len(parts) != 2 || parts[1] != "on" && parts[1] != "off" {
			return fmt.Errorf("a checkbox is on or off at first, as in: checkbox %s on", c.name)
		}
		if parts[1] == "on" {
			c.at = 1
		}
	case "choice":
		if c.options = parts[1:]; len(c.options) == 0 {
			return fmt.Errorf("a choice has options, as in: choice %s low high", c.name)
		}
	}
	p.scene.controls = append(p.scene.controls, c)
	return nil
}

// ends reads where a slider is at first, and its ends.
func (c *control) ends(parts []string) error {
	wrong := fmt.Errorf("a slider has three numbers: where it is at first, its low end and its high end, as in: slider %s 0.5 0 1", c.name)
	if len(parts) != 3 {
		return wrong
	}
	c.whole = true
	for i, to := range []*float64{&c.at, &c.low, &c.high} {
		x, err := strconv.ParseFloat(parts[i], 64)
		if err != nil || x-x != 0 {
			return wrong
		}
		*to = x
		c.whole = c.whole && !strings.ContainsAny(parts[i], ".eE") && x == float64(int64(x))
	}
	if !(c.low < c.high) || c.at < c.low || c.at > c.high {
		return fmt.Errorf("the slider goes from %v to %v and is at %v; the second number must be the smallest, and the third one the largest", c.low, c.high, c.at)
	}
	return nil
}
