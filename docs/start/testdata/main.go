// Heat is the program of docs/start.md: its kernels are compiled ahead of time.
package main

//go:generate go tool ti build heat.ti -tree dense(ij,n).place(T,Next) -o plate

import (
	"fmt"
	"log"

	"example.com/heat/plate"
	"github.com/gotaichi/ti"
)

func run() error {
	rt, err := ti.New(ti.Config{Code: plate.Code()})
	if err != nil {
		return err
	}
	defer rt.Close()
	p, err := plate.New(rt, 512)
	if err != nil {
		return err
	}
	p.T.Set(1000, 256, 256)
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
