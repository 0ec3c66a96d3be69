// Command 01-first fills a field with a kernel.
package main

import (
	_ "embed"
	"fmt"
	"log"

	"github.com/gotaichi/ti"
)

//go:embed first.ti
var source string

// First is the host of first.ti: what the source declares, under the same names.
type First struct {
	X    ti.Field[float32]
	Fill func(scale float32) error
}

func main() {
	rt, err := ti.New(ti.Config{}) // threads, memory, a compiler
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()

	var first First
	rt.Place(ti.Shape{16}, &first.X)                // memory for 16 elements
	if err := rt.Load(source, &first); err != nil { // checks the source, sets first.Fill
		log.Fatal(err)
	}
	if err := first.Fill(0.5); err != nil {
		log.Fatal(err)
	}

	fmt.Println("one element:", first.X.At(3))
	all := make([]float32, 16)
	if err := first.X.CopyTo(all); err != nil {
		log.Fatal(err)
	}
	fmt.Println("all:", all)
}
