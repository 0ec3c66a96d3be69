// Package showtest has what the tests of the examples share.
package showtest

import (
	"errors"
	"image/gif"
	"os"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/show"
)

// Check fails the test for an error; it skips it where there is no libLLVM.
func Check(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, ti.ErrArch) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// New returns a silent show in a folder of the test.
func New(t *testing.T) *show.Show { return show.New(t.Name(), t.TempDir(), nil) }

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
