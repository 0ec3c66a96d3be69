// Command poissondisk scatters points that keep their distance and leave no gaps, looks at their spectrum, and makes
// a stained-glass window of a photograph with them.
package main

import (
	"context"
	_ "embed"
	"fmt"
	"image"
	"math"
	"math/rand/v2"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/examples/internal/photo"
	"github.com/gotaichi/ti/picture"
)

//go:embed poissondisk.ti
var source string

// Sampler is the host of poissondisk.ti.
type Sampler struct {
	Point        ti.Field[ti.Vec2]
	Taken        ti.Field[bool]
	Wish         ti.Field[ti.Vec2]
	Rank         ti.Field[float32]
	Size         ti.Vec2
	Radius       float32
	Photo, Glass ti.Field[ti.Vec3]
	Owner        ti.Field[ti.IVec2]
	Light        ti.Field[ti.Vec4]
	Power        ti.Field[float32]

	Throw    func() error
	Fill     func() (found int, err error)
	Spectrum func(points []ti.Vec2) error
	Mosaic   func() error
}

const side = 300 // of each panel, in pixels

func main() {
	demo.Main("poissondisk", func(d *demo.Demo) (demo.Result, error) {
		img, err := photo.Chelsea()
		if err != nil {
			return demo.Result{}, err
		}
		cat := photo.Pixels(img, image.Rect(75, 0, 75+side, side))
		result, _, err := run(d, cat, side, side, 6)
		return result, err
	})
}

// samples are points, as many random ones, and how strongly waves show in both.
type samples struct {
	points, random []ti.Vec2
	power, white   []float32
	frequencies    int // along each axis of power and white, the middle one being 0
	filled         int // corners that were filled
}

// run samples the rectangle of a picture with points at least radius apart.
func run(d *demo.Demo, pixels []ti.Vec3, height, width int, radius float32) (result demo.Result, sam samples, err error) {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return result, sam, err
	}
	defer rt.Close()
	sam.frequencies = side / 2
	sampler := Sampler{Size: ti.Vec2{float32(height), float32(width)}, Radius: radius}
	grid := ti.Shape{cells(height, radius), cells(width, radius)}
	rt.Place(grid, &sampler.Point, &sampler.Taken, &sampler.Wish, &sampler.Rank, &sampler.Light)
	rt.Place(ti.Shape{height, width}, &sampler.Photo, &sampler.Glass, &sampler.Owner)
	rt.Place(ti.Shape{sam.frequencies, sam.frequencies}, &sampler.Power)
	if err := rt.Load(source, &sampler); err != nil {
		return result, sam, err
	}
	if err := sampler.Photo.CopyFrom(pixels); err != nil {
		return result, sam, err
	}
	if err := rt.Prepare(context.Background()); err != nil { // so that the time below is of the work alone
		return result, sam, err
	}
	err = d.Run(rt, func() error {
		if err := sampler.sample(&sam); err != nil {
			return err
		}
		if err := sampler.spectra(&sam); err != nil {
			return err
		}
		return sampler.Mosaic()
	})
	if err != nil {
		return result, sam, err
	}
	window, err := picture.Image(&sampler.Glass)
	if err != nil {
		return result, sam, err
	}
	file := d.Path("poissondisk.png")
	return demo.Result{
		Work: fmt.Sprintf("%d points at least %g apart in %d×%d, after %d corners were filled", len(sam.points), radius,
			width, height, sam.filled),
		Amount: 2 * float64(len(sam.points)) * float64(sam.frequencies*sam.frequencies),
		Unit:   "wave",
		File:   file,
	}, sam, picture.SaveImage(file, sam.picture(window))
}

// cells returns how many cells a side is cut into: so many that the diagonal of a cell is no longer than a radius.
func cells(side int, radius float32) int {
	return int(math.Ceil(float64(side) / float64(radius) * math.Sqrt2))
}

// sample covers the torus with points.
func (s *Sampler) sample(sam *samples) error {
	const tries = 30
	for range tries {
		if err := s.Throw(); err != nil {
			return err
		}
	}
	for {
		found, err := s.Fill()
		if err != nil {
			return err
		}
		if found == 0 {
			break
		}
		sam.filled += found
	}
	taken := s.Taken.Shape()
	for y := range taken[0] {
		for x := range taken[1] {
			if s.Taken.At(y, x) {
				sam.points = append(sam.points, s.Point.At(y, x))
			}
		}
	}
	return nil
}

// spectra computes the spectrum of the points and that of as many random ones.
func (s *Sampler) spectra(sam *samples) error {
	random := rand.New(rand.NewPCG(1, 2))
	for range sam.points {
		sam.random = append(sam.random, ti.Vec2{s.Size[0] * random.Float32(), s.Size[1] * random.Float32()})
	}
	sam.power = make([]float32, sam.frequencies*sam.frequencies)
	sam.white = make([]float32, sam.frequencies*sam.frequencies)
	if err := s.Spectrum(sam.points); err != nil {
		return err
	}
	if err := s.Power.CopyTo(sam.power); err != nil {
		return err
	}
	if err := s.Spectrum(sam.random); err != nil {
		return err
	}
	return s.Power.CopyTo(sam.white)
}
