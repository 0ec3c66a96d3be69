// Command julia draws an animation of Julia sets: no state, one parallel loop.
package main

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
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
