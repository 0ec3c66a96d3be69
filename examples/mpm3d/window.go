package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/picture"
)

// show lets the bodies fall in a window, in space.
func (w *World) show(d *demo.Demo, rt *ti.Runtime, win *gui.Window) (demo.Result, error) {
	position, material := ti.Member[ti.Vec3](&w.P, "X"), ti.Member[int32](&w.P, "Material")
	var box ti.Field[ti.Vec3]
	rt.Place(ti.Shape{24}, &box)
	for i, p := range edges() {
		box.Set(p, i)
	}
	if err := win.Camera(gui.Camera{Eye: ti.Vec3{0.3, 1.1, 2.6}, Target: ti.Vec3{0.5, 0.4, 0.5}}); err != nil {
		return demo.Result{}, err
	}
	radius, again := win.Slider("size of particles", 0.3/float64(w.N), 0.1/float64(w.N), 1/float64(w.N)), win.Button("again")
	compute := func() error {
		if again.Pressed() {
			if err := w.Init(); err != nil {
				return err
			}
		}
		return w.advance(substeps)
	}
	return d.Loop(rt, win, substeps*float64(w.P.Len()), "particle", compute, func() error {
		if err := win.Lines(&box, gui.Lines{Color: picture.RGB(0x405060)}); err != nil {
			return err
		}
		return win.Points(position, gui.Points{Radius: radius.Value(), Colors: material})
	})
}

// edges are the ends of the twelve edges of the unit cube.
func edges() (ends []ti.Vec3) {
	for axis := range 3 {
		for k := range 4 {
			var a ti.Vec3
			a[(axis+1)%3], a[(axis+2)%3] = float32(k%2), float32(k/2)
			b := a
			b[axis] = 1
			ends = append(ends, a, b)
		}
	}
	return ends
}
