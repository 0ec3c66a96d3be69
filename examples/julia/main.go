// Command julia draws an animation of Julia sets: no state, one parallel loop.
package main

import (
	_ "embed"
	"fmt"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/show"
)

//go:embed julia.ti
var source string

// Julia is the host of julia.ti.
type Julia struct {
	Pixels ti.Field[float32]
	Height int
	Paint  func(angle float32) error
}

func main() {
	show.Main("julia", func(s *show.Show) (show.Result, error) { return run(s, 512, 256, 120) })
}

func run(s *show.Show, width, height, frames int) (show.Result, error) {
	var result show.Result
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, err
	}
	defer rt.Close()
	julia := Julia{Height: height}
	rt.Place(ti.Shape{height, width}, &julia.Pixels)
	if err := rt.Load(source, &julia); err != nil {
		return result, err
	}

	palette := show.Gradient(64, show.RGB(0x05030f), show.RGB(0x1b2a6b), show.RGB(0x2f8fbf), show.RGB(0xf2e8c9),
		show.RGB(0xf0a030), show.RGB(0xa02020), show.RGB(0x200510))
	film := show.NewFilm(width, height, 5, palette)
	brightness := make([]float32, width*height)
	pix := make([]uint8, width*height)
	for frame := range s.Steps(frames, "frames") {
		angle := 2 * math.Pi * float32(frame) / float32(frames)
		if err := s.Run(rt, func() error { return julia.Paint(angle) }); err != nil {
			return result, err
		}
		if err := julia.Pixels.CopyTo(brightness); err != nil {
			return result, err
		}
		for i, v := range brightness {
			pix[i] = show.Shade(v, len(palette))
		}
		if err := film.Add(pix); err != nil {
			return result, err
		}
	}
	file, err := s.SaveGIF("julia.gif", film)
	return show.Result{
		Work:   fmt.Sprintf("%d frames of %d×%d", frames, width, height),
		Amount: float64(frames) * float64(width) * float64(height),
		Unit:   "pixel",
		File:   file,
	}, err
}
