package demotest

import (
	"image"
	"path/filepath"
	"testing"

	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/internal/guitest"
)

// Record runs an example with a window without a screen, in which happens what the lines of input say, and returns the pictures of its frames.
func Record(t *testing.T, input string, run func(d *demo.Demo) (demo.Result, error)) []image.Image {
	t.Helper()
	dir := guitest.Record(t, input)
	d := New(t)
	d.InWindow("")
	_, err := run(d)
	Check(t, err)
	names, err := filepath.Glob(filepath.Join(dir, "*.png"))
	Check(t, err)
	all := make([]image.Image, len(names))
	for n := range names {
		all[n] = guitest.Frame(t, dir, n)
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
