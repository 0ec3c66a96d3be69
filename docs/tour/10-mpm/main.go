// Command 10-mpm lets cubes of jelly fall, and draws mpm.png: six moments from left to right.
package main

import (
	_ "embed"
	"fmt"
	"image"
	"image/color"
	"log"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/picture"
)

//go:embed mpm.ti
var source string

// Particle is an element of field P.
type Particle struct {
	Pos, Vel ti.Vec2
	C, F     ti.Mat2
}

// Jelly is the host of mpm.ti.
type Jelly struct {
	P        ti.Field[Particle]
	Momentum ti.Field[ti.Vec2]
	Mass     ti.Field[float32]
	Image    ti.Field[uint8]
	N        int
	Dt       float32

	Init, Step, Draw func() error
	State            func() (height, speed, volume float32, err error)
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return err
	}
	defer rt.Close()

	const n, size, frames = 64, 160, 6
	jelly := Jelly{N: n, Dt: 2e-4}
	rt.Place(ti.Shape{12000}, &jelly.P)
	rt.NewTree().Dense(ti.IJ, n).Place(&jelly.Momentum, &jelly.Mass) // side by side: used together
	rt.Place(ti.Shape{size, size}, &jelly.Image)
	if err := rt.Load(source, &jelly); err != nil {
		return err
	}
	if err := jelly.Init(); err != nil {
		return err
	}

	palette := color.Palette{picture.RGB(0x101824), // the background, and a colour for each cube
		picture.RGB(0xff7850), picture.RGB(0xfadc64), picture.RGB(0x5abee6)}
	var moments []image.Image
	for k := range frames {
		for range 200 {
			if err := jelly.Step(); err != nil {
				return err
			}
		}
		height, speed, volume, err := jelly.State()
		if err != nil {
			return err
		}
		fmt.Printf("after %.2f s: height %.2f, speed %.1f, volume %.1f\n", 0.04*float64(k+1), height, speed, volume)

		if err := jelly.Draw(); err != nil {
			return err
		}
		moment, err := picture.Config{Map: palette}.Image(&jelly.Image)
		if err != nil {
			return err
		}
		moments = append(moments, moment.Copy()) // which does not change with the next frame
	}
	return picture.SaveImage("mpm.png", picture.Sheet(frames, 0, moments...))
}
