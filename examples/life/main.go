// Command life lets Gosper's glider gun fire, from a pattern file.
package main

import (
	_ "embed"
	"fmt"
	"image/color"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/show"
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

func main() {
	show.Main("life", func(s *show.Show) (show.Result, error) {
		result, _, err := run(s, 300)
		return result, err
	})
}

// run returns, besides the result, how many cells lived after each generation.
func run(s *show.Show, generations int) (result show.Result, live []int32, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, nil, err
	}
	defer rt.Close()
	var life Life
	rt.Place(ti.Shape{world, world}, &life.Now, &life.Next)
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

	film := show.NewFilm(windowCols*zoom, windowRows*zoom, 5, color.Palette{show.RGB(0x101820), show.RGB(0xf2c14e)})
	now := make([]uint8, world*world)
	for range s.Steps(generations, "generations") {
		if err := life.Now.CopyTo(now); err != nil {
			return result, nil, err
		}
		if err := film.Add(window(now)); err != nil {
			return result, nil, err
		}
		err := s.Run(rt, func() error {
			n, err := life.Step()
			live = append(live, n)
			return err
		})
		if err != nil {
			return result, nil, err
		}
	}
	file, err := s.SaveGIF("life.gif", film)
	return show.Result{
		Work:   fmt.Sprintf("%d generations of %d×%d", generations, world, world),
		Amount: float64(generations) * world * world,
		Unit:   "cell",
		File:   file,
	}, live, err
}

// window enlarges the part of the world that the picture shows, with a gap between cells.
func window(cells []uint8) []uint8 {
	pix := make([]uint8, windowRows*zoom*windowCols*zoom)
	for y := range windowRows * zoom {
		for x := range windowCols * zoom {
			if y%zoom < zoom-1 && x%zoom < zoom-1 {
				pix[y*windowCols*zoom+x] = cells[(y/zoom+windowY)*world+x/zoom+windowX]
			}
		}
	}
	return pix
}
