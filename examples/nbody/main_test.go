package main

import (
	"testing"

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
