package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti/examples/internal/demotest"
)

// TestFading checks what each form makes of smoke that fades by a hundredth a step: numbers that share an exponent
// come near to f32, and fixed-point ones stop fading unless they are rounded by random numbers.
func TestFading(t *testing.T) {
	const frames = 300
	result, flow, err := run(demotest.New(t), 40, frames)
	demotest.Check(t, err)
	demotest.GIF(t, result.File, frames/every)
	excess := map[string]float64{}
	for _, s := range flow.smokes {
		excess[s.name] = flow.excess(s)
		if want := int64(4); s.name != "f32" && s.bytes != want {
			t.Errorf("%s takes %d bytes a cell; want %d", s.name, s.bytes, want)
		}
	}
	if !(flow.smokes[0].total > 1) {
		t.Errorf("there is smoke of %v", flow.smokes[0].total)
	}
	// The flow is chaotic, so the bounds allow for any rounding: strict maths, which is the same to the bit on all targets, has 0.032 and 0.58.
	for name, most := range map[string]float64{"shared float(5,9)": 0.11, "fixed10 stochastic": 0.04, "float(5,5)": 0.65} {
		if !(math.Abs(excess[name]) < most) {
			t.Errorf("%s is off by %v; want less than %v", name, excess[name], most)
		}
	}
	if !(excess["fixed10"] > 0.6) {
		t.Errorf("fixed10 has %v more smoke; want it to stop fading", excess["fixed10"])
	}
}
