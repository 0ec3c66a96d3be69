package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/gui"
)

// show lets the galaxies meet in a window, in space.
func (sim *NBody) show(d *demo.Demo, rt *ti.Runtime, w *gui.Window, steps int) (demo.Result, error) {
	bodies := sim.Pos.Len()
	var radii ti.Field[float32]
	var colors ti.Field[[3]uint8]
	rt.Place(ti.Shape{bodies}, &radii, &colors)
	for i := range bodies {
		radius, color := float32(0.005), [3]uint8{150, 190, 255}
		if i >= bodies/2 {
			color = [3]uint8{255, 200, 140}
		}
		if i%(bodies/2) == 0 { // the heavy centre
			radius, color = 0.03, [3]uint8{255, 255, 255}
		}
		radii.Set(radius, i)
		colors.Set(color, i)
	}
	if err := w.Camera(gui.Camera{Eye: ti.Vec3{0, 1.2, 3.6}}); err != nil {
		return demo.Result{}, err
	}
	count, again := w.Slider("steps a frame", float64(steps), 0, 20), w.Button("again")
	compute := func() error {
		if again.Pressed() {
			if err := sim.begin(); err != nil {
				return err
			}
		}
		return sim.leap(int(count.Value()))
	}
	return d.Loop(rt, w, float64(steps)*float64(bodies)*float64(bodies), "pair", compute, func() error {
		return w.Points(&sim.Pos, gui.Points{Radii: &radii, Colors: &colors})
	})
}
