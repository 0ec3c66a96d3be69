// Command 06-structs lets planets go round a sun.
package main

import (
	_ "embed"
	"fmt"
	"log"

	"github.com/gotaichi/ti"
)

//go:embed structs.ti
var source string

// Body is an element of the field.
type Body struct {
	Pos, Vel ti.Vec2
	Mass     float32
}

// System is the host of structs.ti.
type System struct {
	Bodies ti.Field[Body]
	Start  func() error
	Step   func(dt float32) error
	Energy func() (float32, error)
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

	var s System
	rt.Place(ti.Shape{9}, &s.Bodies)
	if err := rt.Load(source, &s); err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return err
	}
	before, err := s.Energy()
	if err != nil {
		return err
	}
	for range 5000 {
		if err := s.Step(0.01); err != nil {
			return err
		}
	}
	after, err := s.Energy()
	if err != nil {
		return err
	}

	earth := s.Bodies.At(1) // a Go struct
	fmt.Printf("the first planet is at (%.1f, %.1f)\n", earth.Pos[0], earth.Pos[1])
	fmt.Printf("energy before %.5f, after %.5f\n", before, after)
	return nil
}
