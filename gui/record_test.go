//go:build !js

package gui_test

import (
	"image/color"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/titest"
)

// paint is a program that follows the mouse: it draws a column at it, as bright as a slider says.
func paint(t *testing.T) error {
	rt := titest.New(t, ti.Config{})
	x := ti.NewField[float32](rt, 4, 8)
	w, err := gui.Open("paint", 8, 4)
	if err != nil {
		return err
	}
	bright := w.Slider("bright", 1, 0, 1)
	for range w.Frames(t.Context()) {
		if w.Down("Escape") {
			break
		}
		if m := w.Mouse(); m.Left {
			for i := range 4 {
				x.Set(bright.Value(), i, int(m.Pos[1]*8))
			}
		}
		if err := w.Show(x); err != nil {
			return err
		}
	}
	return w.Close()
}

// TestRecord: without a page, frames become a film or pictures, and the mouse does what a file says.
func TestRecord(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "input")
	titest.Must(t, os.WriteFile(input, []byte(`
{"frame":1,"kind":"press","x":0.3,"y":0.5}
{"frame":1,"kind":"release","x":0.3,"y":0.5}
{"frame":3,"kind":"widget","widget":0,"value":0.2}
{"frame":3,"kind":"press","x":0.9,"y":0.5}
{"frame":5,"kind":"close"}
`), 0o600))
	t.Setenv(gui.EnvInput, input)
	t.Setenv(gui.EnvMode, "record:"+filepath.Join(dir, "a.gif"))
	titest.Must(t, paint(t))
	f, err := os.Open(filepath.Join(dir, "a.gif"))
	titest.Must(t, err)
	defer f.Close()
	film, err := gif.DecodeAll(f)
	titest.Must(t, err)
	if film.Config.Width != 8 || film.Config.Height != 4 {
		t.Errorf("the film has %d×%d pixels", film.Config.Width, film.Config.Height)
	}
	t.Setenv(gui.EnvMode, "record:"+dir+"/pictures/")
	titest.Must(t, paint(t))
	names, err := filepath.Glob(dir + "/pictures/*.png")
	titest.Must(t, err)
	if len(names) != 5 {
		t.Fatalf("there are %d pictures", len(names))
	}
	for n, want := range [][2]uint8{{0, 0}, {255, 0}, {255, 0}, {255, 51}, {255, 51}} {
		f, err := os.Open(names[n])
		titest.Must(t, err)
		img, err := png.Decode(f)
		titest.Must(t, err)
		_ = f.Close()
		at := func(x int) uint8 { return color.GrayModel.Convert(img.At(x, 2)).(color.Gray).Y }
		if got := [2]uint8{at(2), at(7)}; got != want {
			t.Errorf("frame %d: the columns are %v, want %v", n, got, want)
		}
	}
	t.Setenv(gui.EnvInput, "")
	titest.Must(t, paint(t))
	if names, _ = filepath.Glob(dir + "/pictures/*.png"); len(names) != 100 {
		t.Errorf("without input there are %d pictures", len(names))
	}
}

// FuzzInput reads files of input.
func FuzzInput(f *testing.F) {
	f.Add([]byte("{\"frame\":1,\"kind\":\"press\",\"x\":0.3}\n\n{\"frame\":2,\"kind\":\"close\"}"))
	f.Add([]byte(`{"frame":-1,"kind":"widget","value":[1,{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if n, err := gui.ParseInput(data); err != nil && n != 0 {
			t.Errorf("%d events, and the error %v", n, err)
		}
	})
}
