package main

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

const width, height = 40, 24

// TestWave compares height and picture with the same steps in Go.
func TestWave(t *testing.T) {
	rt := demotest.Runtime(t)
	var water Water
	rt.Place(ti.Shape{width, height}, &water.Pixels, &water.Background, &water.Height, &water.Velocity)
	demotest.Check(t, rt.Load(source, &water))
	water.Reset()
	water.CreateWave(3, ti.Vec2{15.5, 10})
	var h, v [width][height]float64
	inner(func(x, y int) {
		r2 := (float64(x)-15.5)*(float64(x)-15.5) + float64((y-10)*(y-10))
		h[x][y] = 3 * math.Exp(-0.02*r2)
	})
	for range 25 {
		water.Update()
		inner(func(x, y int) {
			slope := h[x-1][y] + h[x+1][y] + h[x][y-1] + h[x][y+1] - 4*h[x][y]
			v[x][y] += 0.01 * (2*slope/(4*0.02*0.02) - 0.2*v[x][y])
		})
		inner(func(x, y int) { h[x][y] += 0.01 * v[x][y] })
	}
	water.Paint()
	at := func(x, y int) float64 {
		if x < 0 || x >= width || y < 0 || y >= height {
			return 0
		}
		return h[x][y]
	}
	for x := range width {
		for y := range height {
			demotest.Near(t, "the height", float64(water.Height.At(x, y)), h[x][y], 1e-4)
			gx, gy := (at(x+1, y)-at(x-1, y))/0.04, (at(x, y+1)-at(x, y-1))/0.04
			shine := math.Pow(1-1/math.Sqrt(1+gx*gx+gy*gy), 2)
			below := 0.25 * float64((x/16+y/16)%2)
			demotest.Near(t, "a pixel", float64(water.Pixels.At(x, y)), (1-shine)*below+shine, 2e-4)
		}
	}
}

// inner calls f for all cells but those at the border.
func inner(f func(x, y int)) {
	for x := 1; x < width-1; x++ {
		for y := 1; y < height-1; y++ {
			f(x, y)
		}
	}
}

func TestScene(t *testing.T) {
	result, err := demotest.New(t).Play("waterwave", 2, rain)
	demotest.Check(t, err)
	demotest.GIF(t, result.File, 2)
}
