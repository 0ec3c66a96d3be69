package main

import (
	"testing"

	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/examples/internal/demotest"
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
	frames := demotest.Record(t, `{"frame":0,"kind":"press","x":0.25,"y":0.5}
{"frame":2,"kind":"move","x":0.5,"y":0.5}
{"frame":4,"kind":"close"}`, func(d *demo.Demo) (demo.Result, error) { return run(d, 96, 48, 3) })
	if len(frames) != 4 {
		t.Fatalf("there are %d frames", len(frames))
	}
	if demotest.Differ(frames[0], frames[1]) > 0 || demotest.Differ(frames[1], frames[2]) == 0 || demotest.Differ(frames[2], frames[3]) > 0 {
		t.Error("the pictures do not follow the mouse")
	}
}
