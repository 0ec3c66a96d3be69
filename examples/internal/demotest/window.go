package demotest

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/gui"
)

// Record runs an example with a window without a screen, in which happens what the lines of input say, and returns the pictures of its frames.
func Record(t *testing.T, input string, run func(d *demo.Demo) (demo.Result, error)) []image.Image {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "input")
	Check(t, os.WriteFile(file, []byte(input), 0o600))
	t.Setenv(gui.EnvInput, file)
	t.Setenv(gui.EnvMode, "record:"+dir+"/")
	d := New(t)
	d.InWindow("")
	_, err := run(d)
	Check(t, err)
	names, err := filepath.Glob(filepath.Join(dir, "*.png"))
	Check(t, err)
	all := make([]image.Image, len(names))
	for n := range names {
		f, err := os.Open(filepath.Join(dir, fmt.Sprintf("%04d.png", n)))
		Check(t, err)
		all[n], err = png.Decode(f)
		Check(t, err)
		Check(t, f.Close())
	}
	return all
}

// Differ is how many pixels of two pictures are not the same.
func Differ(a, b image.Image) (n int) {
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if a.At(x, y) != b.At(x, y) {
				n++
			}
		}
	}
	return n
}
