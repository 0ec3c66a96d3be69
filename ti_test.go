package ti_test

import (
	"fmt"
	"log"

	ti "github.com/gotaichi/ti"
)

const sumSource = `
package sum

var X field[f32]

func Total() f32 {
	s := f32(0)
	for i := range X { // runs in parallel; s is a reduction
		s += X[i]
	}
	return s
}

func Scale(a f32) {
	for i := range X {
		X[i] *= a
	}
}
`

type Sum struct {
	X     ti.Field[float32]
	Total func() float32
	Scale func(a float32) error
}

func Example() {
	rt, err := ti.New(ti.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer rt.Close()
	var s Sum
	rt.Place(ti.Shape{1 << 20}, &s.X)
	if err := rt.Load(sumSource, &s); err != nil {
		log.Fatal(err)
	}
	s.X.Fill(0.5)
	fmt.Println(s.Total())
	if err := s.Scale(4); err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Total(), s.X.At(7))
	// Output:
	// 524288
	// 2.097152e+06 2
}
