// Pi estimates the number with the library of random numbers that docs/your-project.md shows.
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

//go:embed pi.ti
var source string

func run(cfg ti.Config, n int, w io.Writer) error {
	rt, err := ti.New(cfg)
	if err != nil {
		return err
	}
	defer rt.Close()
	var s struct {
		Pi func(n int) (float64, error)
	}
	if _, err := rt.Compile(ti.Join(ti.Text("pi.ti", source), rng.Kernels), &s); err != nil {
		return err
	}
	pi, err := s.Pi(n)
	if err == nil {
		_, err = fmt.Fprintf(w, "π is about %.3f\n", pi)
	}
	return err
}

func main() {
	if err := run(ti.Config{}, 10_000_000, os.Stdout); err != nil {
		log.Fatal(err)
	}
}
