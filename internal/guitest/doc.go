// Package guitest records windows, for tests.
//
// In: what happens in which frame, as files of input of package gui have it. Out: the pictures of the frames. The test that asks sets the environment, so it runs alone.
//
// Tests: internal/scene plays scenes by it (TestPlay).
package guitest

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotaichi/ti/gui"
)

// Record has the windows that the test opens recorded into a folder, in which happens what the lines of input say.
func Record(t *testing.T, input string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	file := filepath.Join(dir, "input")
	if err := os.WriteFile(file, []byte(input), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(gui.EnvInput, file)
	t.Setenv(gui.EnvMode, "record:"+dir+"/")
	return dir
}

// Frame is the picture of a frame in such a folder.
func Frame(t *testing.T, dir string, n int) image.Image {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, fmt.Sprintf("%04d.png", n)))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return img
}
