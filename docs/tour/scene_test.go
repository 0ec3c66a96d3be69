package tour_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/internal/guitest"
	"github.com/gotaichi/ti/internal/scene"
	"github.com/gotaichi/ti/internal/script"
)

// TestScenes plays the scene of each lesson, which its page runs. Two lessons have mistakes in them, to be found.
func TestScenes(t *testing.T) {
	mistakes := map[string]string{
		"08-random":    "iteration [2] reads Walkers[1] here, and iteration [1] wrote it",
		"09-measuring": "index [-1 0] of Src is out of range",
	}
	for _, dir := range lessons(t) {
		t.Run(dir, func(t *testing.T) {
			files, err := filepath.Glob(filepath.Join(dir, "*.scene"))
			if err != nil || len(files) != 1 {
				t.Fatalf("the lesson has the scenes %v: %v", files, err)
			}
			guitest.Record(t, `{"frame": 3, "kind": "close"}`)
			text, err := script.ReadSource(files[0])
			if err != nil {
				t.Fatal(err)
			}
			sc, err := scene.Parse(string(text))
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			p, err := sc.Open(scene.Options{Config: ti.Config{Arch: ti.Wasm}, Name: files[0], Out: &out})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			err = p.Run(context.Background(), gui.Config{})
			if want := mistakes[dir]; want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
				t.Errorf("it ends with %v, want %q", err, want)
			}
		})
	}
}
