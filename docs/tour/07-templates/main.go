// Command 07-templates runs one kernel on fields of one, two and three axes.
package main

import (
	_ "embed"
	"fmt"
	"log"

	"github.com/gotaichi/ti"
)

//go:embed templates.ti
var source string

// Kernels is the host of templates.ti. A field of any type and rank is a ti.AnyField.
type Kernels struct {
	Diffuse func(dst, src ti.AnyField) error
	Total   func(x *ti.Field[float32]) (float32, error)
	Clip    func(x *ti.Field[float32], limit float32) error
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
	var k Kernels
	if err := rt.Load(source, &k); err != nil {
		return err
	}

	for _, shape := range []ti.Shape{{32}, {32, 32}, {32, 32, 32}} {
		a, b := ti.NewField[float32](rt, shape...), ti.NewField[float32](rt, shape...)
		middle := []int{16, 16, 16}[:len(shape)]
		a.Set(100, middle...)
		for range 10 {
			if err := k.Diffuse(b, a); err != nil {
				return err
			}
			a, b = b, a
		}
		total, err := k.Total(a)
		if err != nil {
			return err
		}
		fmt.Printf("rank %d: %.2f in the middle, %.2f in all\n", len(shape), a.At(middle...), total)
		if err := k.Clip(a, 1); err != nil {
			return err
		}
		fmt.Printf("        %.2f in the middle after clipping\n", a.At(middle...))
	}

	c, d := ti.NewField[ti.Vec3](rt, 8, 8), ti.NewField[ti.Vec3](rt, 8, 8) // colours
	c.Set(ti.Vec3{1, 2, 4}, 3, 3)
	if err := k.Diffuse(d, c); err != nil {
		return err
	}
	fmt.Printf("colours: %.2f\n", d.At(3, 4))
	fmt.Println(k.Diffuse(d, ti.NewField[ti.Vec3](rt, 8)))
	return nil
}
