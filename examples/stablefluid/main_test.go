package main

import (
	"image"
	"testing"

	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

// TestSmoke checks that smoke comes in and rises, and that the projection removes divergence.
func TestSmoke(t *testing.T) {
	result, sum, err := run(demotest.New(t), 48, 72, 20)
	demotest.Check(t, err)
	demotest.GIF(t, result.File, 20)
	if !(sum.smoke > 10) || !(sum.height > 0.1) {
		t.Errorf("there is smoke of %v at height %v; want it to rise", sum.smoke, sum.height)
	}
	if !(sum.after < sum.before/4) {
		t.Errorf("the projection turned a divergence of %v into %v", sum.before, sum.after)
	}
}

// TestWindow: a drag brings smoke to where the mouse is, and takes it along.
func TestWindow(t *testing.T) {
	frames := demotest.Record(t, `{"frame":0,"kind":"widget","widget":2,"value":1}
{"frame":1,"kind":"press","x":0.2,"y":0.25}
{"frame":2,"kind":"move","x":0.4,"y":0.25}
{"frame":3,"kind":"move","x":0.6,"y":0.25}
{"frame":4,"kind":"release","x":0.6,"y":0.25}
{"frame":6,"kind":"close"}`, func(d *demo.Demo) (demo.Result, error) {
		result, _, err := run(d, 48, 72, 1)
		return result, err
	})
	if len(frames) != 6 || frames[0].Bounds().Size() != image.Pt(48, 72) {
		t.Fatalf("there are %d frames of %v", len(frames), frames[0].Bounds())
	}
	grey := func(n, x, y int) uint32 { r, _, _, _ := frames[n].At(x, y).RGBA(); return r }
	if before, after := grey(0, 10, 18), grey(1, 10, 18); after <= before {
		t.Errorf("where the mouse is the picture has %d, and had %d", after, before)
	}
	if before, after := grey(1, 33, 18), grey(5, 33, 18); after <= before {
		t.Errorf("where the mouse goes the picture has %d, and had %d", after, before)
	}
}
