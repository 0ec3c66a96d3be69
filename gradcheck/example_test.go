package gradcheck_test

import (
	"fmt"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
)

func Example() {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	var s struct {
		X, Loss ti.Field[float64]
		Sum     func()
	}
	rt.Place(ti.Shape{100}, ti.WithGrad(&s.X)...)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	err = rt.Load(`
package sum

var (
	X    field[f64]
	Loss field[f64, D0]
)

func Sum() {
	for i := range X {
		Loss += sqrt(1 + stopGrad(X[i])*X[i])
	}
}
`, &s)
	if err != nil {
		panic(err)
	}
	s.X.Fill(1)
	err = gradcheck.Check(rt, &s.Loss, func() error { s.Sum(); return nil }, &s.X)
	if m, ok := err.(*gradcheck.Mismatch); ok {
		fmt.Printf("the derivative of %s, launch %d, is wrong\n", m.Kernel, m.Launch)
	}
	// Output: the derivative of Sum, launch 1, is wrong
}
