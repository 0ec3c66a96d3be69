// Command 08-random throws dice, and finds a mistake.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"log"

	"github.com/gotaichi/ti"
)

//go:embed random.ti
var source string

// Random is the host of random.ti.
type Random struct {
	Walkers ti.Field[int32]
	Pi      func(n int64) (float64, error)
	Walk    func(steps int32) error
	Spread  func() (float32, error)
	Meet    func() error
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	for _, cfg := range []ti.Config{{Seed: 1, Threads: 1}, {Seed: 1, Threads: 4}, {Seed: 1, Debug: true}} {
		if err := try(cfg); err != nil {
			return err
		}
	}
	return nil
}

func try(cfg ti.Config) error {
	fmt.Printf("threads %d, debug %v\n", cfg.Threads, cfg.Debug)
	rt, err := ti.New(cfg)
	if err != nil {
		return err
	}
	defer rt.Close()
	var r Random
	rt.Place(ti.Shape{1000}, &r.Walkers)
	if err := rt.Load(source, &r); err != nil {
		return err
	}

	pi, err := r.Pi(100_000)
	if err != nil {
		return err
	}
	if err := r.Walk(200); err != nil {
		return err
	}
	spread, err := r.Spread()
	if err != nil {
		return err
	}
	fmt.Printf("pi is about %.5f, and walkers spread by %.2f\n", pi, spread)

	err = r.Meet()
	fmt.Println("Meet:", err)
	var failure *ti.RuntimeError
	if errors.As(err, &failure) {
		fmt.Println("in line", failure.Pos.Line, "iteration", failure.Loop)
	}
	return nil
}
