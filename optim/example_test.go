package optim_test

import (
	"fmt"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/optim"
)

// A line through noisy points.
func Example() {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		panic(err)
	}
	defer rt.Close()
	var s struct {
		Line, Loss ti.Field[float64]
		Compare    func(n int) error
	}
	rt.Place(ti.Shape{2}, ti.WithGrad(&s.Line)...)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	err = rt.Load(`
package line

var (
	Line field[f64] // its height at 0, and its slope
	Loss field[f64, D0]
)

func Compare(n int) {
	for i := range n {
		x := f64(i) / n
		noise := 0.25 * sin(50*f64(i))
		Loss += sqr(Line[0]+Line[1]*x-(2+3*x+noise)) / n
	}
}
`, &s)
	if err != nil {
		panic(err)
	}
	o, err := optim.NewAdam(rt, 0.05, &s.Line)
	if err != nil {
		panic(err)
	}
	for range 500 {
		if err := rt.Tape(&s.Loss, func() error { return s.Compare(1000) }); err != nil {
			panic(err)
		}
		if err := o.Step(); err != nil {
			panic(err)
		}
	}
	fmt.Printf("%.1f\n", s.Line.Values())
	// Output: [2.0 3.0]
}
