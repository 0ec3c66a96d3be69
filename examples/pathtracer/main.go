// Command pathtracer renders a Cornell box with random light paths.
package main

import (
	_ "embed"
	"fmt"
	"image"
	"image/color"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/show"
)

//go:embed pathtracer.ti
var source string

// Tracer is the host of pathtracer.ti.
type Tracer struct {
	Image  ti.Field[ti.Vec3]
	Render func(samples int32) error
}

func main() {
	show.Main("pathtracer", func(s *show.Show) (show.Result, error) {
		result, _, err := run(s, 320, s.Short(6, 16), 8)
		return result, err
	})
}

// run returns, besides the result, the light of each pixel.
func run(s *show.Show, size, passes, samples int) (result show.Result, light []ti.Vec3, err error) {
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
	for range s.Steps(passes, "passes") {
		if err := s.Run(rt, func() error { return tracer.Render(int32(samples)) }); err != nil {
			return result, nil, err
		}
	}
	light = make([]ti.Vec3, size*size)
	if err := tracer.Image.CopyTo(light); err != nil {
		return result, nil, err
	}
	paths := passes * samples
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for i, v := range light {
		for c := range v {
			v[c] /= float32(paths)
		}
		light[i] = v
		img.SetNRGBA(i%size, i/size, color.NRGBA{expose(v[0]), expose(v[1]), expose(v[2]), 255})
	}
	file, err := s.SavePNG("pathtracer.png", img)
	return show.Result{
		Work:   fmt.Sprintf("%d paths for each of %d×%d pixels", paths, size, size),
		Amount: float64(paths) * float64(size) * float64(size),
		Unit:   "path",
		File:   file,
	}, light, err
}

// expose turns light into the value of a pixel: sRGB's curve, what is too bright is white.
func expose(v float32) uint8 {
	x := float64(min(max(v, 0), 1))
	if x <= 0.0031308 {
		x *= 12.92
	} else {
		x = 1.055*math.Pow(x, 1/2.4) - 0.055
	}
	return uint8(255*x + 0.5)
}
