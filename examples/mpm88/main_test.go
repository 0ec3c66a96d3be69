package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti/examples/internal/showtest"
)

// TestFluid checks that the fluid falls, stays in the box and keeps its volume.
func TestFluid(t *testing.T) {
	result, end, err := run(showtest.New(t), 4500, 64, 64, 4)
	showtest.Check(t, err)
	showtest.GIF(t, result.File, 4)
	// A third starts with speed -2; gravity adds 9.8 for 4·50·2e-4 of time; what stands at the bottom is held.
	fall := -2.0/3 - 9.8*0.04
	if v := float64(end.velocity[1]); !(v < -0.3 && v > fall-0.05) {
		t.Errorf("the mean velocity is %v; want it between %v and -0.3", v, fall)
	}
	if !(math.Abs(float64(end.volume)-1) < 0.05) {
		t.Errorf("the mean volume is %v; want about 1", end.volume)
	}
}
