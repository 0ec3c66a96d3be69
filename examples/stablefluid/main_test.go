package main

import (
	"testing"

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
