// Command 05-stencils lets heat spread, in several layouts, and draws heat.png.
package main

import (
	_ "embed"
	"fmt"
	"log"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/picture"
)

//go:embed stencils.ti
var source string

const size = 128

// Plate is the host of stencils.ti.
type Plate struct {
	T, Next    ti.Field[float32]
	Heat, Pair func() error
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

	layouts := []struct {
		name  string
		place func(*Plate)
	}{
		{"two arrays", func(p *Plate) {
			rt.Place(ti.Shape{size, size}, &p.T, &p.Next)
		}},
		{"an array of pairs (T, Next)", func(p *Plate) {
			rt.NewTree().Dense(ti.IJ, size).Place(&p.T, &p.Next)
		}},
		{"by columns", func(p *Plate) {
			rt.NewTree().Dense(ti.JI, size).Place(&p.T)
			rt.NewTree().Dense(ti.JI, size).Place(&p.Next)
		}},
		{"blocks of 16×16", func(p *Plate) {
			rt.NewTree().Dense(ti.IJ, size/16).Dense(ti.IJ, 16).Place(&p.T)
			rt.NewTree().Dense(ti.IJ, size/16).Dense(ti.IJ, 16).Place(&p.Next)
		}},
	}
	for _, l := range layouts {
		var plate Plate
		l.place(&plate)
		if err := rt.Load(source, &plate); err != nil {
			return err
		}
		if err := plate.Heat(); err != nil {
			return err
		}
		for range 500 {
			if err := plate.Pair(); err != nil {
				return err
			}
		}
		fmt.Printf("%-28s %.2f in the middle, %.2f halfway out\n",
			l.name, plate.T.At(size/2, size/2), plate.T.At(size/2, size/4))
		if err := draw(&plate.T); err != nil {
			return err
		}
	}
	return nil
}

// draw paints a field in shades of red.
func draw(t *ti.Field[float32]) error {
	heat := picture.Gradient(64, 0x000078, 0x80325a, 0xffc83c)
	return picture.Config{Map: heat, High: 100}.Save("heat.png", t)
}
