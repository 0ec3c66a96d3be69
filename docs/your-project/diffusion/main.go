// Diffusion moves particles at random with the library of random numbers that docs/your-project.md shows.
package main

import (
	_ "embed"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/docs/your-project/rng"
)

//go:embed diffusion.ti
var source string

func run(cfg ti.Config, particles int, w io.Writer) error {
	rt, err := ti.New(cfg)
	if err != nil {
		return err
	}
	defer rt.Close()
	var s struct {
		Streams ti.Field[rng.Stream]
		Place   ti.Field[ti.Vec2]
		Start   func(key uint32) error
		Step    func(distance float32) error
		Spread  func() (float64, error)
	}
	rt.Place(ti.Shape{particles}, &s.Streams, &s.Place)
	if _, err := rt.Compile(ti.Join(ti.Text("diffusion.ti", source), rng.Kernels), &s); err != nil {
		return err
	}
	if err := s.Start(1); err != nil {
		return err
	}
	for range 100 {
		if err := s.Step(0.1); err != nil {
			return err
		}
	}
	spread, err := s.Spread()
	if err == nil {
		_, err = fmt.Fprintf(w, "after 100 steps the mean square distance is %.2f\n", spread)
	}
	return err
}

func main() {
	if err := run(ti.Config{}, 1_000_000, os.Stdout); err != nil {
		log.Fatal(err)
	}
}
