// Command julia draws an animation of Julia sets: no state, one parallel loop.
package main

import (
	_ "embed"
	"fmt"
	"math"
	"time"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/gui"
	"github.com/gotaichi/ti/picture"
)

//go:embed julia.ti
var source string

// Julia is the host of julia.ti.
type Julia struct {
	Pixels ti.Field[float32]
	Height int
	Paint  func(angle float32) error
}

func main() {
	demo.Main("julia", func(d *demo.Demo) (demo.Result, error) { return run(d, 512, 256, 120) })
}

func run(d *demo.Demo, width, height, frames int) (demo.Result, error) {
	var result demo.Result
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, err
	}
	defer rt.Close()
	julia := Julia{Height: height}
	rt.Place(ti.Shape{height, width}, &julia.Pixels)
	if err := rt.Load(source, &julia); err != nil {
		return result, err
	}

	palette := picture.Gradient(64, 0x05030f, 0x1b2a6b, 0x2f8fbf, 0xf2e8c9, 0xf0a030, 0xa02020, 0x200510)
	w, err := d.Window("Julia", width, height, picture.Config{Map: palette})
	if err != nil {
		return result, err
	}
	if w != nil {
		defer w.Close()
		return show(d, rt, w, &julia)
	}
	film := d.Film("julia.gif", picture.Config{Map: palette, FPS: 20})
	for frame := range d.Steps(frames, "frames") {
		angle := 2 * math.Pi * float32(frame) / float32(frames)
		if err := d.Run(rt, func() error { return julia.Paint(angle) }); err != nil {
			return result, err
		}
		film.Add(&julia.Pixels)
	}
	return film.Finish(demo.Result{
		Work:   fmt.Sprintf("%d frames of %d×%d", frames, width, height),
		Amount: float64(frames) * float64(width) * float64(height),
		Unit:   "pixel",
	})
}

// show paints sets in a window. The mouse chooses the angle while its button is down; else it goes on as fast as a slider says.
func show(d *demo.Demo, rt *ti.Runtime, w *gui.Window, julia *Julia) (demo.Result, error) {
	speed, at := w.Slider("speed", 0.3, 0, 2), w.Text("angle")
	angle, last := float32(0), time.Now()
	paint := func() error {
		now := time.Now()
		if m := w.Mouse(); m.Left {
			angle = 2 * math.Pi * m.Pos[1]
		} else {
			angle += speed.Value() * float32(now.Sub(last).Seconds())
		}
		last = now
		angle = float32(math.Mod(float64(angle), 2*math.Pi))
		at.Set(fmt.Sprintf("%.2f", angle))
		return julia.Paint(angle)
	}
	return d.Loop(rt, w, float64(julia.Pixels.Len()), "pixel", paint, func() error { return w.Show(&julia.Pixels) })
}
