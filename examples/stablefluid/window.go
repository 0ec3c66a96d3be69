package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/gui"
)

// show lets the smoke rise in a window. A drag pulls the fluid along.
func (f *Fluid) show(d *demo.Demo, rt *ti.Runtime, w *gui.Window) (demo.Result, error) {
	speed, radius, smoke := w.Slider("steps a frame", steps, 0, 8), w.Slider("radius", 0.06, 0.01, 0.2), w.Slider("smoke", 0.7, 0, 1)
	var last gui.Mouse
	var time float32
	size := ti.Vec2{float32(f.Width), float32(f.Height)}
	compute := func() error {
		n := int(speed.Value() + 0.5)
		if m := w.Mouse(); m.Left {
			var velocity ti.Vec2
			if last.Left {
				for k := range velocity {
					velocity[k] = (m.Pos[k] - last.Pos[k]) * size[k] / (f.Dt * float32(max(n, 1)))
				}
			}
			if err := f.Pull(m.Pos, velocity, radius.Value(), smoke.Value()); err != nil {
				return err
			}
		}
		last = w.Mouse()
		for range n {
			if err := f.step(time); err != nil {
				return err
			}
			time += f.Dt
		}
		return nil
	}
	return d.Loop(rt, w, 2*sweeps*steps*float64(f.V.Len()), "cell", compute, func() error { return w.Show(&f.Smoke) })
}
