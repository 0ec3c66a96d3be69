package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

// TestFluid checks that the fluid falls, stays in the box and keeps its volume.
func TestFluid(t *testing.T) {
	result, end, err := run(demotest.New(t), 4500, 64, 64, 4)
	demotest.Check(t, err)
	demotest.GIF(t, result.File, 4)
	// A third starts with speed -2; gravity adds 9.8 for 4·50·2e-4 of time; what stands at the bottom is held.
	fall := -2.0/3 - 9.8*0.04
	if v := float64(end.velocity[1]); !(v < -0.3 && v > fall-0.05) {
		t.Errorf("the mean velocity is %v; want it between %v and -0.3", v, fall)
	}
	if !(math.Abs(float64(end.volume)-1) < 0.05) {
		t.Errorf("the mean volume is %v; want about 1", end.volume)
	}
}

// TestSpray lets a lone particle that was pressed fly: it must come to rest in itself, not swell and shrink in turns,
// more with each step, until its volume is negative.
func TestSpray(t *testing.T) {
	rt, err := ti.New(ti.Config{})
	demotest.Check(t, err)
	defer rt.Close()
	const grid, dt = 128, 2e-4
	fluid := Fluid{N: grid, Dt: dt}
	rt.Place(ti.Shape{1}, &fluid.X, &fluid.V, &fluid.C, &fluid.J)
	rt.Place(ti.Shape{grid, grid}, &fluid.GridV, &fluid.GridM)
	rt.Place(ti.Shape{8, 8}, &fluid.Image)
	demotest.Check(t, rt.Load(source, &fluid))
	for _, pressed := range []float32{0.2, 0.4, 0.7, 0.9} {
		demotest.Check(t, fluid.X.CopyFrom([]ti.Vec2{{0.503, 0.7}}))
		fluid.V.Fill(ti.Vec2{})
		fluid.C.Fill(ti.Mat2{})
		fluid.J.Fill(pressed)
		volume := make([]float32, 1)
		for step := range 400 {
			demotest.Check(t, fluid.Substep())
			demotest.Check(t, fluid.J.CopyTo(volume))
			if v := volume[0]; !(v > 0 && v < 1.2) || step > 200 && !(v > 0.75) {
				t.Fatalf("%d steps after it was pressed to %v a particle has the volume %v; want about 1", step+1, pressed, v)
			}
		}
	}
}

// TestWindow: a drag pushes the fluid, and a button begins again.
func TestWindow(t *testing.T) {
	run := func(d *demo.Demo) (demo.Result, error) {
		result, _, err := run(d, 1000, 32, 8, 1)
		return result, err
	}
	drag := `{"frame":0,"kind":"press","x":0.1,"y":0.9}
{"frame":1,"kind":"move","x":0.2,"y":0.7}
{"frame":2,"kind":"move","x":0.3,"y":0.5}
`
	end := `{"frame":4,"kind":"close"}`
	still, pushed := demotest.Record(t, end, run), demotest.Record(t, drag+end, run)
	again := demotest.Record(t, drag+`{"frame":3,"kind":"widget","widget":2}`+"\n"+end, run)
	if len(still) != 4 || len(pushed) != 4 || len(again) != 4 {
		t.Fatalf("there are %d, %d and %d frames", len(still), len(pushed), len(again))
	}
	if n, m := demotest.Differ(still[0], pushed[0]), demotest.Differ(still[2], pushed[2]); m < 500 || 4*n > m { // threads add in some order
		t.Errorf("a drag changes %d pixels, and %d before it begins", m, n)
	}
	if n, m := demotest.Differ(pushed[2], again[2]), demotest.Differ(pushed[3], again[3]); m < 5000 || 4*n > m {
		t.Errorf("a new beginning changes %d pixels, and %d before it", m, n)
	}
}
