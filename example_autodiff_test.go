package ti_test

import (
	"fmt"
	"log"

	"github.com/gotaichi/ti"
)

// A mask says where numbers count. It is computed, and meant to be constant to derivatives.
func ExampleRuntime_Constant() {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	var s struct {
		X, Mask, Loss ti.Field[float32]
		Cover, Sum    func()
	}
	rt.Place(ti.Shape{3}, ti.WithGrad(&s.X)...)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	rt.Place(ti.Shape{3}, &s.Mask)
	err = rt.Load(`
package mask

var (
	X, Mask field[f32]
	Loss    field[f32, D0]
)

func Cover() {
	for i := range X {
		Mask[i] = min(X[i], 1)
	}
}

func Sum() {
	for i := range X {
		Loss += Mask[i] * X[i]
	}
}
`, &s)
	if err != nil {
		log.Fatal(err)
	}
	s.X.CopyFrom([]float32{0.5, 1, 2})
	if err := rt.Constant(&s.Mask); err != nil {
		log.Fatal(err)
	}
	err = rt.Tape(&s.Loss, func() error {
		s.Cover()
		s.Sum()
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.X.Grad().At(0), s.X.Grad().At(1), s.X.Grad().At(2))
	// Output: 0.5 1 1
}

func ExampleRuntime_Tangent() {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	var s struct {
		X, Loss ti.Field[float64]
		Energy  func() error
	}
	rt.Place(ti.Shape{2}, ti.WithDual(ti.WithGrad(&s.X)...)...)
	rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
	err = rt.Load(`
package energy

var (
	X    field[f64]
	Loss field[f64, D0]
)

func Energy() { Loss = X[0]*X[0]*X[1] + sin(X[1]) }
`, &s)
	if err != nil {
		panic(err)
	}
	s.X.Set(3, 0)
	s.X.Dual().Set(1, 0)
	err = rt.Tangent(func() error { return rt.Tape(&s.Loss, s.Energy) })
	// A column of the Hessian: 2 X[1], 2 X[0].
	fmt.Println(err, s.X.Grad().Dual().At(0), s.X.Grad().Dual().At(1))
	// Output: <nil> 0 6
}
