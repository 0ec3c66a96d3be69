// Command 02-fields draws the Mandelbrot set into mandelbrot.png.
package main

import (
	_ "embed"
	"fmt"
	"log"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/picture"
)

//go:embed fields.ti
var source string

// Fields is the host of fields.ti.
type Fields struct {
	Steps       ti.Field[int32]
	Image       ti.Field[uint8]
	Inside      ti.Field[int32]
	Draw, Count func() error
	Frame       func(width int32) error
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

	const rows, cols = 256, 384
	var f Fields
	rt.Place(ti.Shape{rows, cols}, &f.Steps, &f.Image)
	rt.Place(ti.Shape{}, &f.Inside) // no axes: one element
	if err := rt.Load(source, &f); err != nil {
		return err
	}
	if err := f.Draw(); err != nil {
		return err
	}
	if err := f.Frame(2); err != nil {
		return err
	}
	if err := f.Count(); err != nil {
		return err
	}
	fmt.Println("the steps at row 128, column 290:", f.Steps.At(128, 290))
	fmt.Println("a tenth or more is inside:", f.Inside.At() > rows*cols/10)
	return picture.Save("mandelbrot.png", &f.Image)
}
