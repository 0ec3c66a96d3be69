package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

// load places a channel and fills it with fluid at rest.
func load(t *testing.T, channel *Channel, width, height int) {
	t.Helper()
	rt := demotest.Runtime(t)
	rt.Place(ti.Shape{width, height}, &channel.Rho, &channel.Vel, &channel.Old, &channel.New)
	rt.Place(ti.Shape{width, 2 * height}, &channel.Image)
	demotest.Check(t, rt.Load(source, channel))
	channel.Init()
}

// TestCouette drags the fluid along by the upper wall: in the end, its velocity grows
// in proportion to the height.
func TestCouette(t *testing.T) {
	const width, height = 7, 12
	channel := Channel{Niu: 0.2, Center: ti.Vec2{-100, 0}, Fixed: [4]bool{false, true, false, true}, Wall: [4]ti.Vec2{1: {0.05, 0}}}
	load(t, &channel, width, height)
	for range 3000 {
		channel.Step()
	}
	channel.Draw()
	for y := range height {
		v := channel.Vel.At(3, y)
		demotest.Near(t, "the velocity along the wall", float64(v[0]), 0.05*float64(y)/(height-1), 1e-4)
		demotest.Near(t, "the velocity across", float64(v[1]), 0, 1e-4)
		if y > 0 && y < height-1 { // the vorticity is the same everywhere
			demotest.Near(t, "a pixel of the vorticity", float64(channel.Image.At(3, y)), 0.25+12.5*0.05/(height-1), 1e-3)
			demotest.Near(t, "a pixel of the speed", float64(channel.Image.At(3, y+height)), 0.5+float64(v[0])/0.3, 1e-5)
		}
	}
}

// TestCylinder starts a flow past a cylinder: it is symmetric at first, goes around
// on both sides, stands still behind, and its distributions sum to density and
// momentum.
func TestCylinder(t *testing.T) {
	const width, height = 61, 31
	channel := Channel{Niu: 0.02, Radius: 4, Center: ti.Vec2{20, 15}, Fixed: [4]bool{true, false, false, false}, Wall: [4]ti.Vec2{{0.1, 0}}}
	load(t, &channel, width, height)
	for range 300 {
		channel.Step()
	}
	for x := range width {
		for y := range height {
			v, w := channel.Vel.At(x, y), channel.Vel.At(x, height-1-y)
			if inside := math.Hypot(float64(x-20), float64(y-15)) <= 4; inside && v != (ti.Vec2{}) {
				t.Fatalf("in the cylinder, at %d, %d, the velocity is %v", x, y, v)
			}
			// Corners are written by two borders, and the cylinder's middle row leans to one side.
			if x > 22 && x < width-1 && y > 0 && y < height-1 {
				demotest.Near(t, "the mirrored velocity", float64(w[0]), float64(v[0]), 0.03)
			}
			if x > 0 && x < width-1 && y > 0 && y < height-1 {
				sum := float32(0)
				for _, f := range channel.Old.At(x, y) {
					sum += f
				}
				if math.Hypot(float64(x-20), float64(y-15)) > 4 {
					demotest.Near(t, "the sum of the distribution", float64(sum), float64(channel.Rho.At(x, y)), 1e-5)
				}
			}
		}
	}
	beside, behind := channel.Vel.At(20, 24)[0], channel.Vel.At(27, 15)[0]
	if beside < 0.1 || behind > 0.05 {
		t.Errorf("the velocity is %v beside the cylinder and %v behind it; want more than 0.1 and less than 0.05", beside, behind)
	}
}

func TestScene(t *testing.T) {
	result, err := demotest.New(t).Play("karman", 2, flow)
	demotest.Check(t, err)
	demotest.GIF(t, result.File, 2)
}
