// Command sdf renders a still life of distance functions: solids cut, blended, twisted and repeated.
package main

import (
	_ "embed"
	"fmt"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed sdf.ti
var source string

// Scene is the host of sdf.ti.
type Scene struct {
	Image     ti.Field[ti.Vec3]
	Render    func() error
	Distances func(points []ti.Vec3, away []float32) error
}

func main() {
	demo.Main("sdf", func(d *demo.Demo) (demo.Result, error) {
		result, _, err := run(d, 360, 640)
		return result, err
	})
}

// run returns, besides the result, the colours of the pixels.
func run(d *demo.Demo, rows, cols int) (result demo.Result, colors []ti.Vec3, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, nil, err
	}
	defer rt.Close()
	var scene Scene
	rt.Place(ti.Shape{rows, cols}, &scene.Image)
	if err := rt.Load(source, &scene); err != nil {
		return result, nil, err
	}
	if err := d.Run(rt, scene.Render); err != nil {
		return result, nil, err
	}
	colors = make([]ti.Vec3, rows*cols)
	if err := scene.Image.CopyTo(colors); err != nil {
		return result, nil, err
	}
	file := d.Path("sdf.png")
	return demo.Result{
		Work:   fmt.Sprintf("%d×%d pixels of 4 rays", cols, rows),
		Amount: float64(rows) * float64(cols) * 4,
		Unit:   "ray",
		File:   file,
	}, colors, picture.Save(file, &scene.Image)
}
