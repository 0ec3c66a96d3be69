package main

import (
	"testing"

	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

// TestEnergy checks that the method keeps the energy.
func TestEnergy(t *testing.T) {
	result, drift, err := run(demotest.New(t), 256, 5)
	demotest.Check(t, err)
	demotest.GIF(t, result.File, 5)
	if !(drift < 1e-3) {
		t.Errorf("the energy changed by a part of %v", drift)
	}
}

// TestWindow: the galaxies move, and a drag turns them, also while they stand still.
func TestWindow(t *testing.T) {
	frames := demotest.Record(t, `{"frame":2,"kind":"widget","widget":0,"value":0}
{"frame":3,"kind":"press","x":0.5,"y":0.5}
{"frame":3,"kind":"move","x":0.7,"y":0.4}
{"frame":4,"kind":"close"}`, func(d *demo.Demo) (demo.Result, error) {
		result, _, err := run(d, 256, 1)
		return result, err
	})
	if len(frames) != 4 {
		t.Fatalf("there are %d frames", len(frames))
	}
	for n, want := range []bool{true, false, true} {
		if moved := demotest.Differ(frames[n], frames[n+1]) > 0; moved != want {
			t.Errorf("between frames %d and %d the picture changes: %v, want %v", n, n+1, moved, want)
		}
	}
}
