// Command pathtracer renders a Cornell box with random light paths.
package main

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed pathtracer.ti
var source string

// Tracer is the host of pathtracer.ti.
type Tracer struct {
	Image  ti.Field[ti.Vec3]
	Render func(samples int32) error
}

func main() {
	demo.Main("pathtracer", func(d *demo.Demo) (demo.Result, error) {
		result, _, err := run(d, 320, d.Short(6, 16), 8)
		return result, err
	})
}

// run returns, besides the result, the light of each pixel.
func run(d *demo.Demo, size, passes, samples int) (result demo.Result, light []ti.Vec3, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, nil, err
	}
	defer rt.Close()
	var tracer Tracer
	rt.Place(ti.Shape{size, size}, &tracer.Image)
	if err := rt.Load(source, &tracer); err != nil {
		return result, nil, err
	}
	for range d.Steps(passes, "passes") {
		if err := d.Run(rt, func() error { return tracer.Render(int32(samples)) }); err != nil {
			return result, nil, err
		}
	}
	light = make([]ti.Vec3, size*size)
	if err := tracer.Image.CopyTo(light); err != nil {
		return result, nil, err
	}
	paths := passes * samples
	shown := make([]ti.Vec3, len(light))
	for i := range light {
		for c := range light[i] {
			light[i][c] /= float32(paths)
			shown[i][c] = expose(light[i][c])
		}
	}
	if err := tracer.Image.CopyFrom(shown); err != nil {
		return result, nil, err
	}
	file := d.Path("pathtracer.png")
	return demo.Result{
		Work:   fmt.Sprintf("%d paths for each of %d×%d pixels", paths, size, size),
		Amount: float64(paths) * float64(size) * float64(size),
		Unit:   "path",
		File:   file,
	}, light, picture.Save(file, &tracer.Image)
}

// expose turns light into the value of a pixel: sRGB's curve, what is too bright is white.
func expose(v float32) float32 {
	x := float64(min(max(v, 0), 1))
	if x <= 0.0031308 {
		x *= 12.92
	} else {
		x = 1.055*math.Pow(x, 1/2.4) - 0.055
	}
	return float32(x)
}
