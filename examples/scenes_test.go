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
			out := guitest.Record(t, events)
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
			if n := colours(guitest.Frame(t, out, frames-1)); n < 2 {
				t.Errorf("the picture has %d colours", n)
			}
		})
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
