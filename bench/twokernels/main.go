// Twokernels is what the startup cases start: a program of two small kernels that are launched once
// each, so that next to nothing of its time is theirs.
package main

import (
	_ "embed"
	"fmt"
	"log"

	"github.com/gotaichi/ti"
)

//go:embed twokernels.ti
var source string

// A ramp is what twokernels.ti is bound to.
type ramp struct {
	X     ti.Field[float32]
	Climb func(slope float32) error
	Total func() (float64, error)
}

func run() error {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return err
	}
	defer rt.Close()
	var r ramp
	rt.Place(ti.Shape{1000}, &r.X)
	if err := rt.Load(source, &r); err != nil {
		return err
	}
	if err := r.Climb(2); err != nil {
		return err
	}
	total, err := r.Total()
	if err != nil {
		return err
	}
	fmt.Println(total)
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
