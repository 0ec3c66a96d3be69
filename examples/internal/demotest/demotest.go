// Package demotest has what the tests of the examples share.
package demotest

import (
	"image/gif"
	"math"
	"os"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	_ "github.com/gotaichi/ti/internal/randtest" // each error of the compiler ends a launch
)

// Check ends the test for an error.
func Check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// New returns a silent run in a folder of the test.
func New(t *testing.T) *demo.Demo { return demo.New(t.Name(), t.TempDir(), nil) }

// GIF reads the animation that an example wrote and checks its number of frames.
func GIF(t *testing.T, path string, frames int) *gif.GIF {
	t.Helper()
	f, err := os.Open(path)
	Check(t, err)
	defer f.Close()
	movie, err := gif.DecodeAll(f)
	Check(t, err)
	if len(movie.Image) != frames {
		t.Fatalf("%s has %d frames; want %d", path, len(movie.Image), frames)
	}
	return movie
}

// Moves fails if the first and the last frame of an animation show the same.
func Moves(t *testing.T, movie *gif.GIF) {
	t.Helper()
	first, last := movie.Image[0], movie.Image[len(movie.Image)-1]
	for y := first.Rect.Min.Y; y < first.Rect.Max.Y; y++ {
		for x := first.Rect.Min.X; x < first.Rect.Max.X; x++ {
			if first.At(x, y) != last.At(x, y) {
				return
			}
		}
	}
	t.Error("the first and the last frame show the same")
}

// Runtime returns a runtime that is closed at the end of the test. The test fails where
// there is no libLLVM.
func Runtime(t testing.TB) *ti.Runtime {
	t.Helper()
	rt, err := ti.New(ti.Config{})
	Check(t, err)
	t.Cleanup(func() { Check(t, rt.Close()) })
	return rt
}

// Elements returns a copy of a field, row by row.
func Elements[T any](t *testing.T, f *ti.Field[T]) []T {
	t.Helper()
	n := 1
	for _, s := range f.Shape() {
		n *= s
	}
	v := make([]T, n)
	Check(t, f.CopyTo(v))
	return v
}

// Near fails unless got is want within tol, absolute and relative.
func Near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s is %v; want %v, within %v", what, got, want, tol)
	}
}
