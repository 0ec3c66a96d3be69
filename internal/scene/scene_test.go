package scene

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/guitest"
	"github.com/gotaichi/ti/internal/script"
)

const dots = `package dots

var (
	Pixels field[f32, D2]
	Loss   field[f32, D0]
	Speed  f32
)

func Clear() { for p := range Pixels { Pixels[p] = 0 } }

// Dot lights a pixel.
func Dot(i, j i32, x f32) { Pixels[i][j] = x }

func Sum() (sum f32) {
	for p := range Pixels { sum += Pixels[p] }
	return sum
}

func Measure() { for p := range Pixels { Loss += (Pixels[p] - 1) * (Pixels[p] - 1) } }

func Descend(rate f32) {
	Loss = 0
	for p := range Pixels { Pixels[p] -= rate * Pixels.grad[p] }
}
`

// open opens a scene with the source above.
func open(text string, out *strings.Builder) (*Player, error) {
	return openOn(ti.Config{Arch: ti.Oracle}, text, out)
}

// openOn opens one that runs with these settings.
func openOn(cfg ti.Config, text string, out *strings.Builder) (*Player, error) {
	sc, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return sc.Open(Options{Config: cfg, Sources: []script.SourceText{{Name: "dots.ti", Text: dots}}, Out: out})
}

// TestWrong has mistakes, and what is said of them.
func TestWrong(t *testing.T) {
	bound := "bind Pixels=4x6\nbind Loss=scalar\nbind Speed=1\n"
	for _, c := range []struct{ text, want string }{
		{"", "shows nothing; write show"},
		{"# nothing\n", "shows nothing"},
		{"call Paint()", "shows nothing"},
		{"print X\nslider a 1 0 2\ncall Paint()", "line 2: a slider is in a window, and this scene has none; write show or points"},
		{"start Paint()\ncall Paint()", "line 2: call belongs to frames, and this scene has none; write show or points"},
		{"config fast", `line 1: there is no setting "fast"; there are debug`},
		{"config debug seed=-1", "line 1: seed=-1: a seed is a whole number"},
		{bound + "print Pixel", "line 4: print Pixel: the source has no field Pixel; it has Pixels, Loss"},
		{"paint Pixels", `line 1: there is no word "paint"; a line begins with title, source`},
		{"bind", "line 1: nothing stands behind bind"},
		{"bind X\nshow X", "line 1: bind X has no value; write bind X=256x256"},
		{"slider a 1 2\nshow X", "line 1: a slider has three numbers"},
		{"slider a 1 0 NaN\nshow X", "line 1: a slider has three numbers"},
		{"slider a 3 0 2\nshow X", "line 1: the slider goes from 0 to 2 and is at 3"},
		{"slider 3 3 0 2\nshow X", `line 1: "3" is no name`},
		{"slider frame 1 0 2\nshow X", "line 1: frame is the name of something else"},
		{"slider a 1 0 2\nchoice a b c\nshow X", "line 2: line 1 has a a already"},
		{"checkbox a yes\nshow X", "line 1: a checkbox is on or off"},
		{"choice a\nshow X", "line 1: a choice has options"},
		{"plot Sum()\nshow X", "line 1: plot has a name and calls"},
		{"show X\nshow Y", "line 2: line 1 shows a field already"},
		{"show X map=rainbow", `line 1: there is no map "rainbow"`},
		{"show X colours=red", `line 1: "red" is no colour`},
		{"show X colours=0:000000,ffffff", `line 1: "0" is no number of colours`},
		{"show X low=2 high=1", "line 1: low is 2 and high is 1"},
		{"show X yx", `line 1: show has no option "yx"`},
		{"slider a 3 0\nkey a\nshow X", "line 1: a slider has three numbers: where it is at first, its low end and its high end, as in: slider a 0.5 0 1\nline 2: key has a name and calls"},
		{bound + "call Paint()\nshow Pixels", `line 4: call "Paint()": the source has no kernel Paint; it has Clear, Dot, Sum, Measure, Descend`},
		{bound + "call Dot(1, 2)\nshow Pixels", "line 4: call \"Dot(1, 2)\": Dot takes 3 arguments, not 2"},
		{bound + "call Dot(1, 2, speed)\nshow Pixels", `"speed" is not a value of type f32`},
		{bound + "tape Los Measure()\nshow Pixels", "line 4: tape Los: the source has no field Los"},
		{bound + "show Pixel", "line 4: show Pixel: the source has no field Pixel; it has Pixels, Loss"},
		{bound + "show Loss", "line 4: show Loss:"},
		{bound + "show Pixels at=1", "line 4: show Pixels:"},
		{"bind Pixel=4x6\nbind Loss=scalar\nshow Pixels", "line 1: bind Pixel=4x6: the source has no var Pixel"},
		{"bind Loss=scalar\nbind Pixels=4xx\nshow Pixels", `line 2: bind Pixels: "4xx" is neither a shape`},
		{"bind Pixels=4x6\nbind Loss=scalar\nshow Pixels", "Speed is not bound"},
		{"bind Pixels=1000000000x1000000000\nbind Loss=scalar\nbind Speed=1\nshow Pixels", "line 1: bind Pixels=1000000000x1000000000: the tree needs more memory than a process can address; use smaller extents"},
		{"bind Loss=scalar\nbind Pixels=2000000x2000000\nbind Speed=1\nshow Pixels", "line 2: bind Pixels=2000000x2000000: out of memory: "},
		{"bind Loss=scalar\nbind Pixels=20000x20000\nbind Speed=1\nshow Pixels", "line 4: show Pixels: its picture has 20000×20000 pixels, and a window shows at most 67108864"},
		{strings.Repeat("#", Most+1), "and may have"},
	} {
		p, err := open(c.text, &strings.Builder{})
		if err == nil {
			p.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\nhas the error\n%v\nwant\n%s", c.text, err, c.want)
		}
	}
}

// TestManyWrong: of a text without sense one mistake is said, and of many the first ones, soon.
func TestManyWrong(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		lines      int
	}{
		"zero bytes": {strings.Repeat("bind X=4x4\n\x00\x01", 50_000), "line 2: byte 0x00 is not text; save the scene as UTF-8 text", 1},
		"broken":     {"title \xff\xfe\n", "line 1: byte 0xff is not text", 1},
		"words":      {strings.Repeat("paint\n", 100_000), "there are 100 mistakes, and no more are looked for", 101},
		"calls":      {"bind Pixels=4x6\nbind Loss=scalar\nbind Speed=1\nshow Pixels\n" + strings.Repeat("call Nope()\n", 50_000), "and there are 49900 more mistakes", 101},
		"brackets":   {"bind Pixels=4x6\nbind Loss=scalar\nbind Speed=1\nshow Pixels\ncall Dot(" + strings.Repeat("(", 500_000), "line 5: call ", 1},
		"loops":      {"bind Pixels=4x6\nbind Loss=scalar\nbind Speed=1\nshow Pixels\ncall " + strings.Repeat("for range 2 { ", 70_000), "line 5: call ", 1},
	} {
		start := time.Now()
		_, err := open(c.text, &strings.Builder{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "\n") != c.lines-1 {
			t.Errorf("%s: %.300v, want %d lines with %s", name, err, c.lines, c.want)
		}
		if err != nil && len(err.Error()) > 100_000 {
			t.Errorf("%s: the error has %d bytes", name, len(err.Error()))
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}

// TestPrinted has scenes without a picture.
func TestPrinted(t *testing.T) {
	for _, cfg := range archs() {
		var out strings.Builder
		p, err := openOn(cfg, "bind Pixels=2x2\nbind Loss=scalar\nbind Speed=0.5\nconfig strict float=64\nstart Clear(); Dot(1, 0, 1.5); Sum()\nprint Pixels\nprint Loss\n", &out)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(p.Run(t.Context(), gui.Config{}), p.Close()); err != nil {
			t.Errorf("%v: %v", cfg.Arch, err)
		}
		if got, want := out.String(), "Sum() = 1.5\nPixels = [[0, 0], [1.5, 0]]\nLoss = 0\n"; got != want {
			t.Errorf("%v: it prints\n%s\nwant\n%s", cfg.Arch, got, want)
		}
	}
}

// archs has settings for everything that scenes run on here.
func archs() []ti.Config {
	all := []ti.Config{{}, {Arch: ti.Wasm}, {Arch: ti.Oracle}}
	for _, d := range ti.Devices() {
		if d.Arch == ti.Vulkan {
			return append(all, ti.Config{Arch: ti.Vulkan, Device: d.Index})
		}
	}
	return all
}

// TestPlay plays a scene whose input is in a file, and looks at the pictures.
func TestPlay(t *testing.T) {
	for _, cfg := range archs() {
		t.Run(cfg.Arch.String(), func(t *testing.T) { play(t, cfg) })
	}
}

func play(t *testing.T, cfg ti.Config) {
	dir := guitest.Record(t, `{"frame": 1, "kind": "press", "x": 0.9, "y": 0.1}
{"frame": 2, "kind": "release", "x": 0.9, "y": 0.1}
{"frame": 3, "kind": "keydown", "key": "c"}
{"frame": 4, "kind": "widget", "widget": 0, "value": 3}
{"frame": 5, "kind": "widget", "widget": 3}
{"frame": 6, "kind": "close"}
`)
	var out strings.Builder
	p, err := openOn(cfg, `
bind Pixels=4x6
bind Loss=scalar
bind Speed=1.5
slider column 1 0 5
checkbox bright on
choice row first second
start Clear(); Sum()
call Dot(row, column, 0.5+0.5*bright)
drag Dot(int(4*mousex), int(6*mousey), 1)
key c Clear()
button all for i := range 4 { for j := range 6 { Dot(i, j, 1) } }
plot sum Sum()
show Pixels
`, &out)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Run(context.Background(), gui.Config{}); err != nil {
		t.Fatal(err)
	}
	if out.String() != "Sum() = 0\n" {
		t.Errorf("printed: %q", out.String())
	}
	for frame, want := range []string{"01", "01 05", "01 05", "", "03", "00 01 02 03 04 05 10 11 12 13 14 15 20 21 22 23 24 25 30 31 32 33 34 35"} {
		if got := lit(guitest.Frame(t, dir, frame)); got != want {
			t.Errorf("frame %d has %s, want %s", frame, got, want)
		}
	}
}

// lit lists the bright pixels of a picture, by row and column.
func lit(img image.Image) string {
	var list []string
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, _, _, _ := img.At(x, y).RGBA(); r > 0x7000 {
				list = append(list, fmt.Sprint(y)+fmt.Sprint(x))
			}
		}
	}
	return strings.Join(list, " ")
}

// TestTape descends along a gradient.
func TestTape(t *testing.T) {
	for _, cfg := range archs() {
		t.Run(cfg.Arch.String(), func(t *testing.T) { descend(t, cfg) })
	}
}

func descend(t *testing.T, cfg ti.Config) {
	dir := guitest.Record(t, `{"frame": 40, "kind": "close"}`)
	p, err := openOn(cfg, "bind Pixels=4x6\nbind Loss=scalar\nbind Speed=1\ntape Loss Measure()\ncall Descend(0.1)\nshow Pixels", &strings.Builder{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Run(context.Background(), gui.Config{}); err != nil {
		t.Fatal(err)
	}
	if got := lit(guitest.Frame(t, dir, 0)); got != "" {
		t.Errorf("at first %s is lit", got)
	}
	if got := strings.Fields(lit(guitest.Frame(t, dir, 39))); len(got) != 24 {
		t.Errorf("in the end %s is lit, want all", got)
	}
}

// TestSaved plays what a page has saved: a text with several files.
func TestSaved(t *testing.T) {
	dir := guitest.Record(t, `{"frame": 1, "kind": "close"}`)
	name := filepath.Join(t.TempDir(), "playground.scene")
	text := "-- a.ti --\npackage a\n\nimport \"x.org/light\"\n\nvar X field[f32, D2]\n\nfunc F() { X[1][1] = light.Full }\n-- x.org/light/light.ti --\npackage light\n\nconst Full = 1.0\n"
	if err := os.WriteFile(strings.TrimSuffix(name, ".scene")+".ti", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sc, err := Parse("bind X=2x2\ncall F()\nshow X\n")
	if err != nil {
		t.Fatal(err)
	}
	p, err := sc.Open(Options{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Run(context.Background(), gui.Config{}); err != nil {
		t.Fatal(err)
	}
	if got := lit(guitest.Frame(t, dir, 0)); got != "11" {
		t.Errorf("%s is lit", got)
	}
}

// TestInterrupted: loops end with the context, also those that launch nothing.
func TestInterrupted(t *testing.T) {
	for _, calls := range []string{"for range 2000000000 { for range 2000000000 { } }", "for range 2000000000 { Clear() }"} {
		guitest.Record(t, "")
		p, err := open("bind Pixels=4x6\nbind Loss=scalar\nbind Speed=1\ncall "+calls+"\nshow Pixels", &strings.Builder{})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		start := time.Now()
		err = p.Run(ctx, gui.Config{})
		cancel()
		p.Close()
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > 5*time.Second {
			t.Errorf("%s ends after %v: %v", calls, took, err)
		}
	}
}

// TestFails ends with the place of a launch that fails.
func TestFails(t *testing.T) {
	guitest.Record(t, "")
	for calls, want := range map[string]string{
		"call Dot(frame, 0, 1)":              "Dot(4, 0, 1): dots.ti:12:",
		"plot sum Clear()":                   "line 4: plot sum: the last call has no number",
		"call for range frame-2 { Clear() }": "line 4: call",
	} {
		p, err := open("bind Pixels=4x6\nbind Loss=scalar\nbind Speed=1\n"+calls+"\nshow Pixels", &strings.Builder{})
		if err == nil {
			err = p.Run(context.Background(), gui.Config{})
			p.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", calls, err, want)
		}
	}
}
