// Heat is the program of docs/your-project.md.
package main

import (
	_ "embed"
	"fmt"
	"log"

	"github.com/gotaichi/ti"
)

//go:embed heat.ti
var source string

// A plate is what heat.ti is bound to.
type plate struct {
	T, Next ti.Field[float32]
	Step    func(alpha float32) error
	Total   func() (float64, error)
}

// load places the fields of a plate of n by n cells and compiles its source.
func load(rt *ti.Runtime, n int) (*plate, error) {
	p := new(plate)
	rt.Place(ti.Shape{n, n}, &p.T, &p.Next)
	if err := rt.Load(source, p); err != nil {
		return nil, err
	}
	p.T.Set(1000, n/2, n/2)
	return p, nil
}

func run() error {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		return err
	}
	defer rt.Close()
	p, err := load(rt, 512)
	if err != nil {
		return err
	}
	for range 100 {
		if err := p.Step(0.2); err != nil {
			return err
		}
	}
	total, err := p.Total()
	if err != nil {
		return err
	}
	fmt.Printf("%.0f in all, %.3f in the middle\n", total, p.T.At(256, 256))
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
