// Command life lets Gosper's glider gun fire, from a pattern file.
package main

import (
	_ "embed"
	"fmt"
	"image"
	"image/color"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/picture"
)

//go:embed life.ti
var source string

//go:embed gun.rle
var gun string

// Life is the host of life.ti.
type Life struct {
	Now, Next ti.Field[uint8]
	Step      func() (int32, error)
}

// The world is so much larger than the window that no glider meets its border.
const (
	world               = 256
	top, left           = 8, 8 // of the gun, and of the window with a margin of 4 cells
	windowRows, windowY = 72, 4
	windowCols, windowX = 100, 4
	zoom                = 4
)

// place places a world of size×size cells, of one bit each: 32 neighbours in a row are a word.
func (l *Life) place(rt *ti.Runtime, size int) {
	for _, f := range []*ti.Field[uint8]{&l.Now, &l.Next} {
		rt.NewTree().Dense(ti.IJ, size, size/32).BitArray(32, ti.J, 32).Place(f, ti.QuantInt(1).Unsigned())
	}
}

func main() {
	demo.Main("life", func(d *demo.Demo) (demo.Result, error) {
		result, _, err := run(d, 300)
		return result, err
	})
}

// run returns, besides the result, how many cells lived after each generation.
func run(d *demo.Demo, generations int) (result demo.Result, live []int32, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, nil, err
	}
	defer rt.Close()
	var life Life
	life.place(rt, world)
	if err := rt.Load(source, &life); err != nil {
		return result, nil, err
	}
	cells, err := parseRLE(gun)
	if err != nil {
		return result, nil, err
	}
	for _, c := range cells {
		life.Now.Set(1, top+c[0], left+c[1])
	}

	film := d.Film("life.gif", picture.Config{FPS: 20})
	now := make([]uint8, world*world)
	for range d.Steps(generations, "generations") {
		if err := life.Now.CopyTo(now); err != nil {
			return result, nil, err
		}
		film.AddImage(window(now))
		err := d.Run(rt, func() error {
			n, err := life.Step()
			live = append(live, n)
			return err
		})
		if err != nil {
			return result, nil, err
		}
	}
	result, err = film.Finish(demo.Result{
		Work:   fmt.Sprintf("%d generations of %d×%d", generations, world, world),
		Amount: float64(generations) * world * world,
		Unit:   "cell",
	})
	return result, live, err
}

// window enlarges the part of the world that the picture shows, with a gap between cells.
func window(cells []uint8) image.Image {
	img := image.NewPaletted(image.Rect(0, 0, windowCols*zoom, windowRows*zoom), color.Palette{picture.RGB(0x101820), picture.RGB(0xf2c14e)})
	for y := range windowRows * zoom {
		for x := range windowCols * zoom {
			if y%zoom < zoom-1 && x%zoom < zoom-1 {
				img.Pix[img.PixOffset(x, y)] = cells[(y/zoom+windowY)*world+x/zoom+windowX]
			}
		}
	}
	return img
}
