// Command cloud renders a cloud in the shape of a bunny.
package main

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/bunny"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed cloud.ti
var source string

// Cloud is the host of cloud.ti.
type Cloud struct {
	Flip, Solid    ti.Field[uint8]
	Density, Most  ti.Field[float32]
	Within, Around *ti.Node
	Image          ti.Field[ti.Vec3]
	Weather

	Cross                       func(triangles []ti.Mat3) error
	Fill, Surround, Puff, Bound func() error
	Render                      func(paths int32, sun ti.Vec3) error
	Volume                      func() (float32, error)
	Through                     func(o, d ti.Vec3, flights int32) (through, expected float32, err error)
}

// Weather are the constants of cloud.ti.
type Weather struct {
	N                 int
	Thickness, Albedo float32
	Sun, Low, High    ti.Vec3
}

const (
	block  = 8    // cells along an edge of a block
	margin = 0.15 // around the bunny
)

var (
	sunlight = ti.Vec3{-0.64, 0.6, 0.48} // where it comes from
	weather  = Weather{
		N: 128, Thickness: 160, Albedo: 0.995,
		Sun: ti.Vec3{7, 6, 4.6}, Low: ti.Vec3{0.38, 0.56, 0.82}, High: ti.Vec3{0.06, 0.18, 0.5},
	}
)

func main() {
	demo.Main("cloud", func(d *demo.Demo) (demo.Result, error) {
		rt, cloud, err := build(360, 400, weather)
		if err != nil {
			return demo.Result{}, err
		}
		defer rt.Close()
		result, _, err := run(d, rt, cloud, d.Short(1, 4), d.Short(2, 4))
		return result, err
	})
}

// build makes a cloud.
func build(rows, cols int, w Weather) (*ti.Runtime, *Cloud, error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return nil, nil, err
	}
	c := &Cloud{Weather: w}
	c.place(rt, rows, cols)
	if err := c.make(rt); err != nil {
		rt.Close()
		return nil, nil, err
	}
	return rt, c, nil
}

// place lays the cloud out.
func (c *Cloud) place(rt *ti.Runtime, rows, cols int) {
	blocks := c.N / block
	c.Within = rt.NewTree().Pointer(ti.IJK, blocks)
	c.Within.Dense(ti.IJK, block).Place(&c.Solid, &c.Flip)
	c.Around = rt.NewTree().Pointer(ti.IJK, blocks)
	c.Around.Dense(ti.IJK, block).Place(&c.Density)
	rt.Place(ti.Shape{blocks, blocks, blocks}, &c.Most)
	rt.Place(ti.Shape{rows, cols}, &c.Image)
}

// make fills the cloud.
func (c *Cloud) make(rt *ti.Runtime) error {
	if err := rt.Load(source, c); err != nil {
		return err
	}
	triangles, err := bunny.Triangles(margin)
	if err != nil {
		return err
	}
	if err := c.Cross(triangles); err != nil {
		return err
	}
	for _, kernel := range []func() error{c.Fill, c.Surround, c.Puff, c.Bound} {
		if err := kernel(); err != nil {
			return err
		}
	}
	return nil
}

// run returns, besides the result, the light of each pixel.
func run(d *demo.Demo, rt *ti.Runtime, c *Cloud, passes, paths int) (result demo.Result, light []ti.Vec3, err error) {
	for range d.Steps(passes, "passes") {
		if err := d.Run(rt, func() error { return c.Render(int32(paths), sunlight) }); err != nil {
			return result, nil, err
		}
	}
	rows, cols := c.Image.Shape()[0], c.Image.Shape()[1]
	light = make([]ti.Vec3, rows*cols)
	if err := c.Image.CopyTo(light); err != nil {
		return result, nil, err
	}
	shown := make([]ti.Vec3, len(light))
	for i := range light {
		for a := range light[i] {
			light[i][a] /= float32(passes * paths)
			shown[i][a] = expose(light[i][a])
		}
	}
	if err := c.Image.CopyFrom(shown); err != nil {
		return result, nil, err
	}
	file := d.Path("cloud.jpg")
	return demo.Result{
		Work:   fmt.Sprintf("%d paths for each of %d×%d pixels", passes*paths, cols, rows),
		Amount: float64(passes*paths) * float64(rows) * float64(cols),
		Unit:   "path",
		File:   file,
	}, light, picture.Save(file, &c.Image)
}

// expose turns light into the value of a pixel, much light into nearly white.
func expose(v float32) float32 { return float32(math.Pow(1-math.Exp(-1.2*float64(v)), 1/2.2)) }
