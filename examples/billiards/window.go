package main

import (
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/picture"
)

const radius = 0.03 // of a ball; Radius of billiards.ti

// show descends in a window, one iteration a frame: where the balls lie and how they roll, and the loss while it falls. A press aims the white ball
// at the mouse, and the descent goes on from there.
func (b *Table) show(m *demo.Movie, w *gui.Window, steps int) {
	var now, goal, colors = new(ti.Field[ti.Vec2]), new(ti.Field[ti.Vec2]), new(ti.Field[[4]uint8])
	m.Place(ti.Shape{b.Balls}, now, colors)
	m.Place(ti.Shape{2 * arcs}, goal)
	colors.Fill([4]uint8{90, 130, 190, 255})
	colors.Set([4]uint8{255, 255, 255, 255}, 0)
	colors.Set([4]uint8{240, 150, 60, 255}, b.Target)
	for i := range 2 * arcs { // the ends of each arc
		angle := 2 * math.Pi * float64((i+1)/2) / arcs
		goal.Set(ti.Vec2{b.Goal[0] + radius*float32(math.Cos(angle)), b.Goal[1] + radius*float32(math.Sin(angle))}, i)
	}
	loss, time, reset := w.Plot("loss"), w.Slider("time", 1, 0, 1), w.Button("straight on")
	compute := func() error {
		if reset.Pressed() {
			b.InitX.Set(ti.Vec2{0.1, 0.5})
			b.InitV.Set(stroke(0))
		}
		if mouse, from := w.Mouse(), b.InitX.At(); mouse.Left {
			b.InitV.Set(stroke(math.Atan2(float64(mouse.Pos[1]-from[1]), float64(mouse.Pos[0]-from[0]))))
		}
		return b.descend(m.Runtime, steps)
	}
	m.Loop(w, compute, func() error {
		loss.Add(float64(b.Loss.At()))
		step := int(time.Value() * float32(steps-1))
		for i := range b.Balls {
			now.Set(b.X.At(step, i), i)
		}
		if err := w.Lines(goal, gui.Lines{Radius: 0.004, Color: picture.RGB(0x40a060)}); err != nil {
			return err
		}
		if err := w.Points(&b.X, gui.Points{Radius: 0.002, Color: picture.RGB(0x506080)}); err != nil {
			return err
		}
		return w.Points(now, gui.Points{Radius: radius, Colors: colors})
	})
}

const arcs = 24 // of the goal's ring
