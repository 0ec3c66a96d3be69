package scene

import (
	"context"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/guitest"
	"github.com/gotaichi/ti/internal/script"
)

const places = `package places

var (
	P      field[Dot, D1]
	Space  field[vec3, D1]
	Size   field[f32, D1]
	Ends   field[i32, D1]
	Two    field[f32, D1]
)

type Dot struct {
	X    vec2
	Kind i32
}

func Put() {
	for i := range P {
		P[i].X, P[i].Kind = vec2(0.25+0.5*f32(i%2), 0.25+0.5*f32(i/2)), i
		Space[i] = vec3(f32(i)-1.5, 0, 0)
		Size[i] = 0.05 * f32(i+1)
		Ends[i] = 3 - i
	}
}
`

const boundPlaces = "bind P=4\nbind Space=4\nbind Size=4\nbind Ends=4\nbind Two=2\nstart Put()\n"

func openPlaces(cfg ti.Config, text string) (*Player, error) {
	sc, err := Parse(boundPlaces + text)
	if err != nil {
		return nil, err
	}
	return sc.Open(Options{Config: cfg, Sources: []script.SourceText{{Name: "places.ti", Text: places}}, Out: &strings.Builder{}})
}

// framesOf are the pictures of a scene, in which happens what the input says.
func framesOf(t *testing.T, cfg ti.Config, text, input string, frames int) (all []image.Image) {
	t.Helper()
	dir := guitest.Record(t, input)
	p, err := openPlaces(cfg, text)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Run(context.Background(), gui.Config{}); err != nil {
		t.Fatal(err)
	}
	for n := range frames {
		all = append(all, guitest.Frame(t, dir, n))
	}
	return all
}

// at is the colour of a pixel, by its place from 0 to 1 to the right and down.
func at(img image.Image, x, y float64) color.NRGBA {
	size := img.Bounds().Size()
	return color.NRGBAModel.Convert(img.At(int(x*float64(size.X)), int(y*float64(size.Y)))).(color.NRGBA)
}

// TestShapes draws points by their colours, with a radius that a slider sets, and lines by an index, in the order of the words.
func TestShapes(t *testing.T) {
	for _, cfg := range archs() {
		t.Run(cfg.Arch.String(), func(t *testing.T) {
			all := framesOf(t, cfg, `
window 64x64 xy background=102030
slider size 0.1 0 1
lines  P.X radius=0.02 colour=ff00ff index=Ends
points P.X radius=size/2 colour=P.Kind colours=ff0000/00ff00/0000ff/ffffff
`, `{"frame": 1, "kind": "widget", "widget": 0, "value": 0.4}
{"frame": 2, "kind": "close"}
`, 2)
			for _, c := range []struct {
				frame int
				x, y  float64
				want  color.NRGBA
			}{
				{0, 0.25, 0.75, color.NRGBA{255, 0, 0, 255}},
				{0, 0.75, 0.75, color.NRGBA{0, 255, 0, 255}},
				{0, 0.25, 0.25, color.NRGBA{0, 0, 255, 255}},
				{0, 0.75, 0.25, color.NRGBA{255, 255, 255, 255}},
				{0, 0.5, 0.25, color.NRGBA{255, 0, 255, 255}}, // from 3 to 2
				{0, 0.5, 0.75, color.NRGBA{255, 0, 255, 255}}, // from 1 to 0
				{0, 0.25, 0.5, color.NRGBA{16, 32, 48, 255}},  // no line
				{0, 0.25, 0.60, color.NRGBA{16, 32, 48, 255}}, // before the slider
				{1, 0.25, 0.60, color.NRGBA{255, 0, 0, 255}},  // and behind it
				{1, 0.02, 0.02, color.NRGBA{16, 32, 48, 255}}, // the background
			} {
				if got := at(all[c.frame], c.x, c.y); got != c.want {
					t.Errorf("frame %d has %v at %v, %v, want %v", c.frame, got, c.x, c.y, c.want)
				}
			}
		})
	}
}

// TestSpace draws points in space above a picture, with radii of a field; a drag turns the camera, unless it is fixed.
func TestSpace(t *testing.T) {
	const drag = `{"frame": 1, "kind": "press", "x": 0.5, "y": 0.5}
{"frame": 1, "kind": "move", "x": 1, "y": 0.5}
{"frame": 2, "kind": "close"}
`
	for _, fixed := range []string{"", " fixed"} {
		all := framesOf(t, ti.Config{}, "window 80x80\ncamera eye=0,0,6 fov=40"+fixed+"\npoints Space radius=Size colour=ffffff\n", drag, 2)
		first := 0
		for x := range 80 { // the balls get larger to the right
			if r, _, _, _ := all[0].At(x, 40).RGBA(); r > 0 {
				first++
			}
		}
		if got := at(all[0], 0.5+1.5/4.368, 0.5); first < 10 || got.R < 200 {
			t.Errorf("%d pixels are lit along the middle, and the last ball is %v", first, got)
		}
		same := true
		for i := range 80 * 80 {
			same = same && all[0].At(i%80, i/80) == all[1].At(i%80, i/80)
		}
		if same != (fixed != "") {
			t.Errorf("the drag changes nothing: %v, with%s", same, fixed)
		}
	}
}

// TestWrongShapes has mistakes in shapes, and what is said of them.
func TestWrongShapes(t *testing.T) {
	for text, want := range map[string]string{
		"points":                               "line 7: nothing stands behind points",
		"points P.X size=3":                    `line 7: points has no option "size=3"; there are radius=, colour=`,
		"triangles Space radius=3":             `line 7: triangles has no option "radius=3"; there are colour=`,
		"points P.X radius=":                   "line 7: nothing stands behind radius=",
		"points P.X index=Ends":                `line 7: points has no option "index=Ends"`,
		"points P.X map=rainbow":               `line 7: there is no map "rainbow"`,
		"points P.X low=2 high=1":              "line 7: low is 2 and high is 1",
		"points Q":                             "line 7: points Q: the source has no field Q; it has P, Space, Size, Ends, Two",
		"points P":                             "line 7: points P: P has structs; name a member, such as P.X",
		"points Size":                          "line 7: points Size: positions: Size has float32; a position is a vec2 or vec3",
		"points P.X radius=size":               "line 7: points P.X: radius=size: ",
		"points P.X radius=Two":                "line 7: points P.X: radii: Two has 2 elements, and there are 4 positions",
		"points P.X radius=Ends":               "line 7: points P.X: radii: Ends has int32, and f32 or f64 is wanted",
		"points P.X colour=red":                "line 7: points P.X: colour=red: the source has no field red; it has P, Space, Size, Ends, Two; a colour for all is written with six digits",
		"points P.X colour=Two":                "line 7: points P.X: colours: Two has 2 elements, and there are 4 positions",
		"lines Space index=Two":                "line 7: lines Space: index: Two has float32, and i32 or u32",
		"triangles Space":                      "line 7: triangles Space: 4 positions are no multiple of 3",
		"triangles Space index=None":           "line 7: triangles Space: index=None: the source has no field None",
		"window 0x3\npoints P.X":               `line 7: "0x3" is no size of a window`,
		"window wide\npoints P.X":              `line 7: window has no option "wide"`,
		"window 3x3\nwindow xy\npoints P.X":    "line 8: line 7 says already what the window is like",
		"window background=red\npoints P.X":    `line 7: "red" is no colour`,
		"camera eye=1,2\npoints Space":         `line 7: "1,2" is no place in space`,
		"camera fixed\npoints Space":           "line 7: a camera whose Eye is its Target looks nowhere; write camera eye=1,1,3",
		"camera eye=1,1,1 fov=200\npoints P.X": "line 7: a camera whose FOV is 200",
		"camera eye=1,1,1 from=x\npoints P.X":  `line 7: camera has no option "from=x"`,
		"camera eye=1,1,1\ncamera fixed":       "line 8: line 7 has a camera already",
	} {
		p, err := openPlaces(ti.Config{Arch: ti.Oracle}, text+"\n")
		if err == nil {
			p.Close()
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nhas the error\n%v\nwant\n%s", text, err, want)
		}
	}
}

// TestShapesFail ends a scene with the line of a shape that cannot be drawn any more.
func TestShapesFail(t *testing.T) {
	guitest.Record(t, "")
	p, err := openPlaces(ti.Config{Arch: ti.Oracle}, "points P.X radius=0.01\nlines P.X index=Ends\npoints P.X radius=1/(frame-2)\n")
	if err == nil {
		err = p.Run(context.Background(), gui.Config{})
		p.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "line 9: points P.X: radius=1/(frame-2): ") {
		t.Error(err)
	}
}

// TestGuessPoints guesses points for a source without a field of two axes.
func TestGuessPoints(t *testing.T) {
	if got := Guess("P", places); !strings.Contains(got, "\npoints Space radius=0.01\n") {
		t.Error(got)
	}
}
