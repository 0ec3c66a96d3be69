package raster

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"
)

var (
	red   = color.NRGBA{255, 0, 0, 255}
	green = color.NRGBA{0, 255, 0, 255}
	blue  = color.NRGBA{0, 0, 255, 255}
)

// black is an opaque picture.
func black(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255
	}
	return img
}

// front is a camera that sees the square from -1 to 1 in the plane z = 0.
var front = Camera{Eye: Vec{0, 0, 10}, Up: Vec{0, 1, 0}, FOV: 2 * 180 / math.Pi * math.Atan(0.1)}

// text is a picture in letters: the brightest of red, green and blue, and a capital where it is more than half.
func text(img *image.NRGBA) string {
	var b strings.Builder
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			c := img.NRGBAAt(x, y)
			most := max(c.R, c.G, c.B)
			letter := byte('.')
			switch {
			case most == 0:
			case most == c.R:
				letter = 'r'
			case most == c.G:
				letter = 'g'
			default:
				letter = 'b'
			}
			if most > 127 {
				letter -= 'a' - 'A'
			}
			b.WriteByte(letter)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestDraw: single shapes are where they should be.
func TestDraw(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape Shape
		want  string
	}{
		{"a disc", Shape{Kind: Points, Dims: 2, Positions: []float32{0.25, 0.5}, Radius: 0.2, Color: red}, "........|........|.RR.....|RRRR....|RRRR....|.RR.....|........|........"},
		{"a line", Shape{Kind: Lines, Dims: 2, Positions: []float32{0.1, 0.5625, 0.9, 0.5625}, Color: green}, "........|........|........|.GGGGGG.|GGGGGGGG|.GGGGGG.|........|........"},
		{"a triangle", Shape{Kind: Triangles, Dims: 2, Positions: []float32{0, 0, 1, 0, 0, 1}, Color: blue}, "BBBBBBBB|BBBBBBB.|BBBBBB..|BBBBB...|BBBB....|BBB.....|BB......|B......."},
		{"two points by an index", Shape{Kind: Points, Dims: 2, Positions: []float32{0.0625, 0.0625, 0.5, 0.5, 0.9375, 0.9375}, Index: []uint32{0, 2}, Radius: 0.05, Color: red},
			"R.......|........|........|........|........|........|........|.......R"},
		{"nothing", Shape{Kind: Points, Dims: 2, Positions: []float32{float32(math.NaN()), 0.5, 9, 9, -1e30, 0}, Radius: 0.1, Color: red}, strings.TrimSuffix(strings.Repeat("........|", 8), "|")},
		{"a ball", Shape{Kind: Points, Dims: 3, Positions: []float32{-0.5, 0, 0}, Radius: 0.4, Color: red}, "........|........|.rr.....|rRRr....|rRRr....|.rr.....|........|........"},
		{"a triangle in space", Shape{Kind: Triangles, Dims: 3, Positions: []float32{-1, 1, 0, 1, 1, 0, -1, -1, 0}, Color: blue}, "BBBBBBBB|BBBBBBB.|BBBBBB..|BBBBB...|BBBB....|BBB.....|BB......|B......."},
	} {
		img := black(8, 8)
		Draw(img, front, []Shape{c.shape})
		got := strings.ReplaceAll(strings.TrimSpace(text(img)), "\n", "|")
		if c.want != got {
			t.Errorf("%s is\n%s\nwant\n%s", c.name, strings.ReplaceAll(got, "|", "\n"), strings.ReplaceAll(c.want, "|", "\n"))
		}
	}
}

// TestDepth: what is nearer hides what is farther, whichever is drawn first; in the square the last one is on top, by its opacity; and that is above what is in space.
func TestDepth(t *testing.T) {
	far := Shape{Kind: Triangles, Dims: 3, Positions: []float32{-9, -9, -1, 9, -9, -1, 0, 9, -1}, Color: red}
	near := Shape{Kind: Points, Dims: 3, Positions: []float32{0, 0, 1}, Radius: 0.8, Color: green}
	line := Shape{Kind: Lines, Dims: 3, Positions: []float32{-1, 0, 0, 1, 0, 0}, Radius: 0.2, Color: blue}
	above := Shape{Kind: Triangles, Dims: 2, Positions: []float32{0, 0, 2, 0, 0, 2}, Color: color.NRGBA{0, 0, 255, 128}}
	for _, shapes := range [][]Shape{{far, near, line}, {line, near, far}, {near, line, far}} {
		img := black(9, 9)
		Draw(img, front, shapes)
		if got := strings.Split(text(img), "\n")[4]; got != "BBGGGGGBB" && got != "BGGGGGGGB" {
			t.Errorf("the middle row is %s", got)
		}
		if got := img.NRGBAAt(0, 0); got != red {
			t.Errorf("behind is %v", got)
		}
	}
	img := black(9, 9)
	Draw(img, front, []Shape{above, near})
	if got := img.NRGBAAt(4, 4); got.B != 128 || got.G != 127 && got.G != 126 {
		t.Errorf("a half opaque triangle over a ball is %v", got)
	}
}

// TestColours: colours run from corner to corner, in perspective.
func TestColours(t *testing.T) {
	img := black(64, 64)
	Draw(img, front, []Shape{{Kind: Triangles, Dims: 3, Positions: []float32{-1, -1, 0, 1, -1, 0, 0, 1, -10}, Colors: []color.NRGBA{red, red, blue}}})
	at := img.NRGBAAt(32, 40)
	if at.R < 20 || at.B < 20 || at.G != 0 {
		t.Errorf("inside is %v", at)
	}
	line := black(64, 64)
	Draw(line, front, []Shape{{Kind: Lines, Dims: 2, Positions: []float32{0, 0.5, 1, 0.5}, Radius: 0.1, Colors: []color.NRGBA{red, blue}}})
	if l, r := line.NRGBAAt(8, 32), line.NRGBAAt(56, 32); l.R < 200 || r.B < 200 {
		t.Errorf("the line is %v and %v", l, r)
	}
	wide := black(64, 64)
	Draw(wide, front, []Shape{{Kind: Points, Dims: 2, Positions: []float32{0.25, 0.5, 0.75, 0.5}, Radii: []float32{0.01, 0.2}, Color: red}})
	if l, r := wide.NRGBAAt(16, 38), wide.NRGBAAt(48, 38); l.R != 0 || r.R != 255 {
		t.Errorf("six pixels below the points it is %v and %v", l, r)
	}
}

// TestNearPlane: what reaches behind the camera is cut, and what is behind it is not drawn.
func TestNearPlane(t *testing.T) {
	for _, s := range []Shape{
		{Kind: Triangles, Dims: 3, Positions: []float32{0, -1, -100, -5, -1, 50, 5, -1, 50}, Color: red},
		{Kind: Lines, Dims: 3, Positions: []float32{0, -1, -100, 0, -1, 50}, Radius: 0.5, Color: red},
		{Kind: Lines, Dims: 3, Positions: []float32{0, -1, 50, 0, -1, -100}, Radius: 0.5, Color: red},
	} {
		img := black(32, 32)
		Draw(img, front, []Shape{s})
		if below, above := img.NRGBAAt(16, 30), img.NRGBAAt(16, 2); below.R == 0 || above.R != 0 {
			t.Errorf("kind %d: below is %v, above %v", s.Kind, below, above)
		}
	}
	img := black(32, 32)
	Draw(img, front, []Shape{
		{Kind: Points, Dims: 3, Positions: []float32{0, 0, 20, 0, 0, -1e6}, Radius: 1, Color: red},
		{Kind: Lines, Dims: 3, Positions: []float32{0, 0, 20, 1, 0, 20}, Radius: 1, Color: red},
		{Kind: Triangles, Dims: 3, Positions: []float32{-9, -9, 20, 9, -9, 20, 0, 9, 20}, Color: red},
		{Kind: Triangles, Dims: 3, Positions: []float32{float32(math.NaN()), 0, 0, 1, 0, 0, 0, 1, 0}, Color: red},
	})
	if strings.ContainsAny(text(img), "rRgGbB") {
		t.Error("what is behind the camera is drawn")
	}
}

// near reports whether two vectors are the same but for rounding.
func near(a, b Vec) bool { return a.sub(b).length() < 1e-9 }

// TestCamera: a drag turns the camera around its target and never over the top, another one moves both, and the wheel brings it nearer.
func TestCamera(t *testing.T) {
	c := Camera{Eye: Vec{0, 0, 2}, Up: Vec{0, 2, 0}, FOV: 90}
	if got := c.Turn(0.5, 0).Eye; !near(got, Vec{-2, 0, 0}) {
		t.Errorf("a quarter of a turn ends at %v", got)
	}
	if got := c.Turn(0, 0.25).Eye; !near(got, Vec{0, math.Sqrt2, math.Sqrt2}) {
		t.Errorf("half of the way up ends at %v", got)
	}
	over := c.Turn(0, 7)
	if over.Eye[1] < 1.99 || math.Abs(over.distance()-2) > 1e-9 || !near(over.Turn(0, 7).Eye, over.Eye) {
		t.Errorf("the top is %v", over.Eye)
	}
	top := Camera{Eye: Vec{0, 3, 0}, Up: Vec{0, 1, 0}, FOV: 45}
	if got := top.Turn(0, -0.5).Eye; math.Abs(got[1]) > 0.1 || math.Abs(got.length()-3) > 1e-9 {
		t.Errorf("from the top it turns to %v", got)
	}
	if got := c.Pan(0.25, 0.5); !near(got.Target, Vec{-1, 2, 0}) || !near(got.Eye, Vec{-1, 2, 2}) {
		t.Errorf("panned it is %v", got)
	}
	if got := c.Zoom(2).Eye; !near(got, Vec{0, 0, 2 * 0.81}) {
		t.Errorf("nearer it is at %v", got)
	}
}

// TestFit: a camera that fits a box has its corners in the picture, also of a box of no size.
func TestFit(t *testing.T) {
	low, high := Vec{-3, 0, 10}, Vec{5, 1, 12}
	v := Fit(low, high).view(100, 100)
	for k := range 8 {
		p := low
		for axis := range 3 {
			if k>>axis&1 == 1 {
				p[axis] = high[axis]
			}
		}
		if x, y, depth := v.project(v.local(p)); x < 0 || x > 100 || y < 0 || y > 100 || depth < 0 || depth > 1 {
			t.Errorf("the corner %v is at %v %v %v", p, x, y, depth)
		}
	}
	if err := Fit(Vec{1, 1, 1}, Vec{1, 1, 1}).Check(); err != nil {
		t.Error(err)
	}
}

// TestCheck: a camera that sees nothing is an error that names why.
func TestCheck(t *testing.T) {
	for want, change := range map[string]func(*Camera){
		"":               func(*Camera) {},
		"looks nowhere":  func(c *Camera) { c.Target = c.Eye },
		"direction":      func(c *Camera) { c.Up = Vec{} },
		"FOV is 180":     func(c *Camera) { c.FOV = 180 },
		"FOV is NaN":     func(c *Camera) { c.FOV = math.NaN() },
		"the number NaN": func(c *Camera) { c.Eye[1] = math.NaN() },
	} {
		c := front
		change(&c)
		if err := c.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}

// BenchmarkDraw draws 20,000 balls into 800×600 pixels.
func BenchmarkDraw(b *testing.B) {
	s := Shape{Kind: Points, Dims: 3, Radius: 0.3, Color: red}
	for i := range 20_000 {
		s.Positions = append(s.Positions, float32(i%27), float32(i/27%27), float32(i/729))
	}
	camera := Fit(Vec{0, 0, 0}, Vec{27, 27, 27})
	img := black(800, 600)
	for b.Loop() {
		Draw(img, camera, []Shape{s})
	}
}
