// Command bounce shows how the right derivative of a simulator can be the wrong one of what it simulates.
package main

import (
	_ "embed"
	"image"
	"image/color"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed bounce.ti
var source string

// Balls is the host of bounce.ti.
type Balls struct {
	Initial, Height, Velocity, Sum ti.Field[float64]
	Dt                             float64
	Impact                         bool
	Start                          func() error
	Step, End                      func(t int) error
}

const (
	count  = 400
	steps  = 20
	lowest = 0.5 // of the initial heights, which go up by 1
)

func main() { demo.Main("bounce", run) }

// drop places balls at increasing heights.
func drop(rt *ti.Runtime, impact bool) (*Balls, error) {
	b := &Balls{Dt: 2.0 / steps, Impact: impact}
	rt.Place(ti.Shape{count}, ti.WithGrad(&b.Initial)...)
	rt.Place(ti.Shape{steps + 1, count}, ti.WithGrad(&b.Height, &b.Velocity)...)
	rt.Place(nil, ti.WithGrad(&b.Sum)...)
	if err := rt.Load(source, b); err != nil {
		return nil, err
	}
	for i := range count {
		b.Initial.Set(lowest+(float64(i)+0.37)/count, i)
	}
	return b, nil
}

// differentiate makes b.Initial.Grad() the derivative of each height in the end by that in the beginning.
func (b *Balls) differentiate(rt *ti.Runtime) error {
	return rt.Tape(&b.Sum, func() error {
		err := b.Start()
		for t := 1; t <= steps && err == nil; t++ {
			err = b.Step(t)
		}
		if err != nil {
			return err
		}
		return b.End(steps)
	})
}

func run(d *demo.Demo) (demo.Result, error) {
	result := demo.Result{Work: "800 balls with derivatives", Amount: 2 * count * steps, Unit: "step", File: d.Path("bounce.png")}
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, err
	}
	defer rt.Close()
	plot := image.NewPaletted(image.Rect(0, 0, 2*count+30, 220), color.Palette{color.White, color.Gray{200}, color.Black, color.RGBA{200, 40, 40, 255}})
	for k, impact := range []bool{false, true} {
		b, err := drop(rt, impact)
		if err != nil {
			return result, err
		}
		if err := d.Run(rt, func() error { return b.differentiate(rt) }); err != nil {
			return result, err
		}
		b.draw(plot, 10+k*(count+10))
	}
	return result, picture.SaveImage(result.File, plot)
}

// draw plots heights in the end over those in the beginning, and at some of them a line with the derivative for its slope.
func (b *Balls) draw(plot *image.Paletted, left int) {
	const scale = count                 // pixels for the height 1
	at := func(x, y float64, c uint8) { // y goes to 1.6
		plot.SetColorIndex(left+int(scale*(x-lowest)), 210-int(130*y), c)
	}
	for i := range count {
		at(b.Initial.At(i), 0, 1)
		at(b.Initial.At(i), b.Height.At(steps, i), 2)
		at(b.Initial.At(i), b.Height.At(steps, i)-0.005, 2)
		if i%40 != 20 {
			continue
		}
		for s := -0.03; s < 0.03; s += 0.001 {
			at(b.Initial.At(i)+s, b.Height.At(steps, i)+s*b.Initial.Grad().At(i), 3)
			at(b.Initial.At(i)+s, b.Height.At(steps, i)+s*b.Initial.Grad().At(i)+0.005, 3)
		}
	}
}
