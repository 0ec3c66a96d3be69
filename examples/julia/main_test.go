package main

import (
	"testing"

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
