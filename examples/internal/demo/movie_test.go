package demo

import (
	"image/gif"
	"image/png"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// TestMovie draws a frame of each kind and looks at pixels: x goes to the right and
// y upwards.
func TestMovie(t *testing.T) {
	const source = `
package movie

var Image field[f32, D3]

func Paint(x i32) {
	Image[0][x][2] = 1
	Image[1][0][0] = 1
}
`
	var host struct {
		Image ti.Field[float32]
		Paint func(x int)
	}
	var dots ti.Field[ti.Vec2]
	s := New("movie", t.TempDir(), nil)
	result, err := s.Play("movie", 3, func(m *Movie) {
		m.Place(ti.Shape{2, 4, 3}, &host.Image)
		m.Place(ti.Shape{2}, &dots)
		m.Load(source, &host)
		dots.Set(ti.Vec2{0.6, 1.4}, 0)
		dots.Set(ti.Vec2{-5, 0}, 1) // outside
		for i := range m.Frames() {
			if i < 2 {
				host.Paint(i)
				m.Show(&host.Image, 0)
			} else {
				m.Points(&dots, 4, ti.Vec2{0, 0}, ti.Vec2{2, 1.5})
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	film := decoded(t, result.File, gif.DecodeAll)
	bright := func(frame, x, y int) bool {
		r, _, _, a := film.Image[frame].At(x, y).RGBA()
		return a > 0 && r > 0x2000
	}
	if len(film.Image) != 3 || film.Config.Width != 4 || film.Config.Height != 3 {
		t.Fatalf("the film has %d frames of %d×%d; want 3 of 4×3", len(film.Image), film.Config.Width, film.Config.Height)
	}
	if !bright(0, 0, 0) || bright(0, 0, 2) || bright(0, 1, 0) {
		t.Error("the first frame is not bright in its upper left corner alone")
	}
	if !bright(1, 1, 0) {
		t.Error("the second frame is not bright beside the corner")
	}
	if !bright(2, 1, 0) || bright(2, 3, 2) {
		t.Error("the point is not where it should be")
	}
	if result.Amount != 3 || result.Unit != "frame" {
		t.Errorf("the result is %+v", result)
	}
}

func TestMoviePicture(t *testing.T) {
	s := New("movie", t.TempDir(), nil)
	result, err := s.Play("movie", 1, func(m *Movie) {
		colors := ti.NewField[ti.Vec3](m.Runtime, 2, 3)
		colors.Set(ti.Vec3{1, 0.5, -1}, 1, 0)
		for range m.Frames() {
		}
		m.Save(colors)
	})
	if err != nil {
		t.Fatal(err)
	}
	img := decoded(t, result.File, png.Decode)
	if r, g, b, _ := img.At(1, 2).RGBA(); r>>8 != 255 || g>>8 != 128 || b != 0 {
		t.Errorf("the lower right pixel is %d, %d, %d; want 255, 128, 0", r>>8, g>>8, b>>8)
	}
}

// TestMovieFails has scenes that fail, each in its own way: the error comes out.
func TestMovieFails(t *testing.T) {
	var host struct {
		X  ti.Field[float32]
		At func(i int)
	}
	const source = "package p\nvar X field[f32, D1]\nfunc At(i i32) { X[i] = 1 }\n"
	for _, c := range []struct {
		want  string
		scene func(*Movie)
	}{
		{"shown nothing", func(m *Movie) {}},
		{"expected", func(m *Movie) { m.Load("package p\nfunc (", nil) }},
		{"out of range", func(m *Movie) {
			m.Place(ti.Shape{3}, &host.X)
			m.Load(source, &host)
			host.At(7)
		}},
		{"not placed", func(m *Movie) {
			for range m.Frames() {
				m.Show(new(ti.Field[float32]))
			}
		}},
	} {
		_, err := New("movie", t.TempDir(), nil).Play("movie", 1, c.scene)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("a scene failed with %v; want an error with %q", err, c.want)
		}
	}
}

// decoded reads a file that a scene has made.
func decoded[T any](t *testing.T, path string, decode func(io.Reader) (T, error)) T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
