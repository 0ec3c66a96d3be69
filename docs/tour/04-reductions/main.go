// Command 04-reductions sums, counts and collects.
package main

import (
	_ "embed"
	"fmt"
	"log"
	"slices"

	"github.com/gotaichi/ti"
)

//go:embed reductions.ti
var source string

// Reductions is the host of reductions.ti.
type Reductions struct {
	X                  ti.Field[float32]
	Bins, Found, Count ti.Field[int32]

	Fill, Histogram func() error
	Measure         func() (mean, low, high float32, above int32, err error)
	Collect         func(limit float32) error
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

	var r Reductions
	rt.Place(ti.Shape{100_000}, &r.X, &r.Found)
	rt.Place(ti.Shape{5}, &r.Bins)
	rt.Place(ti.Shape{}, &r.Count)
	if err := rt.Load(source, &r); err != nil {
		return err
	}
	if err := r.Fill(); err != nil {
		return err
	}
	mean, low, high, above, err := r.Measure()
	if err != nil {
		return err
	}
	fmt.Printf("mean %.3f, from %.3f to %.3f; %d are above 0.5\n", mean, low, high, above)

	if err := r.Histogram(); err != nil {
		return err
	}
	fmt.Println("histogram:", r.Bins.Values())

	if err := r.Collect(0.9999997); err != nil {
		return err
	}
	found := r.Found.Values()[:r.Count.At()]
	slices.Sort(found) // the order is that in which the threads came
	fmt.Println("peaks:", found[:4], "…", len(found), "in all")
	return nil
}
