package examples_test

import (
	"context"
	"fmt"
	"image"
	"path/filepath"
	"testing"

	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/guitest"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/scene"
	"github.com/gotaichi/ti/internal/script"
)

// scenes are the scenes of the examples.
func scenes(t *testing.T) []string {
	files, err := filepath.Glob("*/*.scene")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no scenes", err)
	}
	return files
}

// TestScenes plays some frames of each scene, while the mouse draws a line; the picture changes, unless nothing is launched in frames, and has several colours.
func TestScenes(t *testing.T) {
	frames := 3
	if randtest.All() {
		frames = 40
	}
	events := fmt.Sprintf(`{"frame": 1, "kind": "press", "x": 0.4, "y": 0.6}
{"frame": 2, "kind": "move", "x": 0.6, "y": 0.5}
{"frame": %d, "kind": "close"}
`, frames)
	for _, file := range scenes(t) {
		t.Run(filepath.Dir(file), func(t *testing.T) {
			out := play(t, file, events)
			if n := colours(guitest.Frame(t, out, frames-1)); n < 2 {
				t.Errorf("the picture has %d colours", n)
			}
		})
	}
}

// play plays a scene, in which happens what the events say, and returns the folder of its pictures.
func play(t *testing.T, file, events string) (dir string) {
	t.Helper()
	dir = guitest.Record(t, events)
	text, err := script.ReadSource(file)
	if err != nil {
		t.Fatal(err)
	}
	sc, err := scene.Parse(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if sc.Title == "" {
		t.Error("the scene has no title")
	}
	p, err := sc.Open(scene.Options{Name: file})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Run(context.Background(), gui.Config{}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestDragSmoke: a drag in the scene of stablefluid brings smoke, and pulls it along.
func TestDragSmoke(t *testing.T) {
	dir := play(t, "stablefluid/stablefluid.scene", `{"frame": 1, "kind": "press", "x": 0.3, "y": 0.3}
{"frame": 2, "kind": "move", "x": 0.36, "y": 0.3}
{"frame": 3, "kind": "move", "x": 0.42, "y": 0.3}
{"frame": 4, "kind": "release", "x": 0.42, "y": 0.3}
{"frame": 7, "kind": "close"}
`)
	bright := func(frame int, x, y float64) uint32 {
		img := guitest.Frame(t, dir, frame)
		r, _, _, _ := img.At(int(x*float64(img.Bounds().Dx())), int(y*float64(img.Bounds().Dy()))).RGBA()
		return r
	}
	if before, after := bright(0, 0.3, 0.3), bright(1, 0.3, 0.3); after < before+0x4000 {
		t.Errorf("where the mouse is the picture has %#x, and had %#x", after, before)
	}
	if left, right := bright(6, 0.24, 0.3), bright(6, 0.5, 0.3); right < left+0x2000 {
		t.Errorf("behind the drag there is %#x, and before it %#x", left, right)
	}
}

// colours counts those of a picture.
func colours(img image.Image) int {
	all := map[[3]uint32]bool{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			all[[3]uint32{r, g, b}] = true
		}
	}
	return len(all)
}
