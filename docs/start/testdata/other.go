// Other gives the source of docs/start.md fields that its kernels were not compiled for.
package main

import (
	"fmt"
	"os"

	"example.com/heat/plate"
	"github.com/gotaichi/ti"
)

func main() {
	rt, err := ti.New(ti.Config{Code: plate.Code()})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer rt.Close()
	source, err := os.ReadFile("heat.ti")
	if err != nil {
		fmt.Println(err)
		return
	}
	var p plate.Heat
	rt.Place(ti.Shape{4, 4}, ti.WithGrad(&p.T)...)
	rt.Place(ti.Shape{4, 4}, &p.Next)
	fmt.Println(rt.Load(string(source), &p))
}
