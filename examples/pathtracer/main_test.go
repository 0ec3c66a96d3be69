package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

// TestBox checks the colours of the walls, the lamp, and that light is finite.
func TestBox(t *testing.T) {
	const size = 48
	_, light, err := run(demotest.New(t), size, 2, 16)
	demotest.Check(t, err)
	for i, v := range light {
		for _, c := range v {
			if !(c >= 0) || math.IsInf(float64(c), 0) {
				t.Fatalf("pixel %d has light %v", i, v)
			}
		}
	}
	mean := func(row, col int) (m ti.Vec3) { // of 4×4 pixels
		for i := range 16 {
			for c, v := range light[(row+i/4)*size+col+i%4] {
				m[c] += v / 16
			}
		}
		return m
	}
	if m := mean(22, 3); m[0] < 2*m[1] {
		t.Errorf("the left wall is %v; want it red", m)
	}
	if m := mean(22, 41); m[1] < 1.3*m[0] {
		t.Errorf("the right wall is %v; want it green", m)
	}
	lamp := float32(0)
	for _, v := range light[:size*size/4] {
		lamp = max(lamp, v[0])
	}
	if lamp < 10 {
		t.Errorf("the brightest pixel is %v; want the lamp to be seen", lamp)
	}
	if m := mean(42, 22); m[0] < 0.02 || m[0] > 1 {
		t.Errorf("the floor is %v; want it lit", m)
	}
}
