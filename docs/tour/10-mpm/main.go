// Command 10-mpm lets cubes of jelly fall, and draws mpm.png: six moments from left to right.
package main

import (
	_ "embed"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"log"
	"os"

	"github.com/gotaichi/ti"
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

	palette := color.Palette{color.RGBA{16, 24, 36, 255}, // the background, and a colour for each cube
		color.RGBA{255, 120, 80, 255}, color.RGBA{250, 220, 100, 255}, color.RGBA{90, 190, 230, 255}}
	film := image.NewPaletted(image.Rect(0, 0, frames*size, size), palette)
	frame := image.NewPaletted(image.Rect(0, 0, size, size), palette)
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
		if err := jelly.Image.CopyTo(frame.Pix); err != nil {
			return err
		}
		draw.Draw(film, image.Rect(k*size, 0, (k+1)*size, size), frame, image.Point{}, draw.Src)
	}
	file, err := os.Create("mpm.png")
	if err != nil {
		return err
	}
	defer file.Close()
	return png.Encode(file, film)
}
