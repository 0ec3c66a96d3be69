package main

import (
	"testing"

	"github.com/gotaichi/ti/examples/internal/showtest"
)

// TestEnergy checks that the method keeps the energy.
func TestEnergy(t *testing.T) {
	result, drift, err := run(showtest.New(t), 256, 5)
	showtest.Check(t, err)
	showtest.GIF(t, result.File, 5)
	if !(drift < 1e-3) {
		t.Errorf("the energy changed by a part of %v", drift)
	}
}
