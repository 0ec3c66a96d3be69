package main

import (
	_ "embed"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/gui"
)

//go:embed window.ti
var windowSource string

// Hand is the host of window.ti.
type Hand struct {
	X, V  *ti.Field[ti.Vec2]
	Speed ti.Field[float32]

	Measure func() error
	Push    func(place, velocity ti.Vec2, radius float32) error
}

// show lets the dam break in a window. A drag pushes the fluid.
func (f *Fluid) show(d *demo.Demo, rt *ti.Runtime, w *gui.Window, substeps int) (demo.Result, error) {
	particles := f.X.Len()
	hand := Hand{X: &f.X, V: &f.V}
	rt.Place(ti.Shape{particles}, &hand.Speed)
	if err := rt.Load(windowSource, &hand); err != nil {
		return demo.Result{}, err
	}
	count, radius, again := w.Slider("substeps a frame", float64(substeps), 0, 100), w.Slider("size of particles", 0.004, 0.001, 0.01), w.Button("again")
	var last gui.Mouse
	compute := func() error {
		if again.Pressed() {
			if err := f.Init(); err != nil {
				return err
			}
		}
		n, m := int(count.Value()), w.Mouse()
		if m.Left && last.Left && n > 0 {
			const fastest = 2.0 // what the time step is short enough for
			velocity := m.Pos
			for k := range velocity {
				velocity[k] = max(-fastest, min(fastest, (m.Pos[k]-last.Pos[k])/(f.Dt*float32(n))))
			}
			if err := hand.Push(m.Pos, velocity, 0.06); err != nil {
				return err
			}
		}
		last = m
		for range n {
			if err := f.Substep(); err != nil {
				return err
			}
		}
		return hand.Measure()
	}
	return d.Loop(rt, w, float64(substeps*particles), "particle", compute, func() error {
		return w.Points(&f.X, gui.Points{Radius: radius.Value(), Colors: &hand.Speed})
	})
}
