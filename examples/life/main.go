// Command life lets Gosper's glider gun fire, from a pattern file, or runs a world of billions of cells.
package main

import (
	_ "embed"
	"flag"
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

// The world is so much larger than the window that no glider meets its border.
const (
	world               = 256
	top, left           = 8, 8 // of the gun, and of the window with a margin of 4 cells
	windowRows, windowY = 72, 4
	windowCols, windowX = 100, 4
	zoom                = 4
)

func main() {
	var w large
	flag.IntVar(&w.side, "side", 0, "run a world of `n`×n cells, half of which live at random or which a pattern is the middle of")
	flag.StringVar(&w.pattern, "pattern", "", "a `file` with the pattern, run-length encoded or a macrocell, maybe compressed (.gz)")
	flag.StringVar(&w.meta, "meta", "", "a `file` with a board of OTCA metapixels: each cell of the pattern becomes one of them")
	flag.IntVar(&w.pictures, "pictures", 5, "how many `pictures` of it to take")
	flag.IntVar(&w.every, "every", 8, "how many `generations` pass from one to the next")
	demo.Main("life", func(d *demo.Demo) (demo.Result, error) {
		if w != (large{pictures: w.pictures, every: w.every}) {
			return w.run(d)
		}
		result, _, err := run(d, 300)
		return result, err
	})
}

// run returns, besides the result, how many cells lived after each generation.
func run(d *demo.Demo, generations int) (result demo.Result, live []int64, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, nil, err
	}
	defer rt.Close()
	var life Life
	b := newBoard(rt, world, world)
	rt.Place(ti.Shape{1, 1}, &life.Image)
	if err := rt.Load(source, &life); err != nil {
		return result, nil, err
	}
	cells, err := parseRLE(gun)
	if err != nil {
		return result, nil, err
	}
	b.stamp(cells, top, left)

	film := d.Film("life.gif", picture.Config{FPS: 20})
	now := make([]uint8, world*world)
	for range d.Steps(generations, "generations") {
		if err := b.now.CopyTo(now); err != nil {
			return result, nil, err
		}
		film.AddImage(window(now))
		err := d.Run(rt, func() error {
			n, err := b.advance(life.Step)
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
