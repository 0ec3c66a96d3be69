package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/gui"
)

// TestSymmetry checks that a Julia set of z² + c looks the same when turned by half a turn.
func TestSymmetry(t *testing.T) {
	result, err := run(demotest.New(t), 96, 48, 3)
	demotest.Check(t, err)
	first := demotest.GIF(t, result.File, 3).Image[0]
	colors := map[uint8]int{}
	n, differ := len(first.Pix), 0
	for i, v := range first.Pix {
		colors[v]++
		if v != first.Pix[n-1-i] {
			differ++ // where a pixel escapes may depend on rounding
		}
	}
	if differ > n/50 {
		t.Errorf("%d of %d pixels differ from their mirror image", differ, n)
	}
	if len(colors) < 8 {
		t.Errorf("the picture has only %d colours", len(colors))
	}
}

// TestWindow: the mouse chooses the angle while its button is down.
func TestWindow(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "input")
	demotest.Check(t, os.WriteFile(input, []byte(`{"frame":0,"kind":"press","x":0.25,"y":0.5}
{"frame":2,"kind":"move","x":0.5,"y":0.5}
{"frame":4,"kind":"close"}`), 0o600))
	t.Setenv(gui.EnvInput, input)
	t.Setenv(gui.EnvMode, "record:"+dir+"/")
	d := demotest.New(t)
	d.InWindow("")
	_, err := run(d, 96, 48, 3)
	demotest.Check(t, err)
	var frames [4]string
	for n := range frames {
		data, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("%04d.png", n)))
		demotest.Check(t, err)
		frames[n] = string(data)
	}
	if frames[0] != frames[1] || frames[1] == frames[2] || frames[2] != frames[3] {
		t.Error("the pictures do not follow the mouse")
	}
}
