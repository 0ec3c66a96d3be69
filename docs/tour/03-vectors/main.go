// Command 03-vectors paints a ball into ball.png.
package main

import (
	_ "embed"
	"fmt"
	"log"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/picture"
)

//go:embed vectors.ti
var source string

// Vectors is the host of vectors.ti.
type Vectors struct {
	Image   ti.Field[[4]uint8]
	Paint   func(angle float32) error
	Algebra func(angle float32) (turned ti.Vec3, det float32, same bool, err error)
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

	const size = 256
	var v Vectors
	rt.Place(ti.Shape{size, size}, &v.Image)
	if err := rt.Load(source, &v); err != nil {
		return err
	}
	turned, det, same, err := v.Algebra(math.Pi / 6)
	if err != nil {
		return err
	}
	fmt.Printf("turned %.2f, determinant %.2f, orthogonal %v\n", turned, det, same)

	if err := v.Paint(math.Pi / 6); err != nil {
		return err
	}
	fmt.Println("a corner:", v.Image.At(0, 0))
	return picture.Save("ball.png", &v.Image)
}
