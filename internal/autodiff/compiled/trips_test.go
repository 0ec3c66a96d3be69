package compiled_test

import (
	"errors"
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const tripsSource = `
package trips

var (
	X, Y field[f64]
	N    field[i32] // how often the loop of each element runs
	Loss field[f64, D0]
)

// Argument has a loop of as many iterations for all elements.
func Argument(n int) {
	for i := range X {
		y := X[i]
		for range n {
			y += 0.01 * sin(3*y)
		}
		Y[i] = y
	}
}

// Loaded has as many for each element as memory says.
func Loaded(n int) {
	for i := range X {
		y := X[i]
		for range N[i] {
			y += 0.01 * sin(3*y)
		}
		Y[i] = y
	}
}

// While has a loop that ends only by a condition.
func While(n int) {
	for i := range X {
		y, k := X[i], 0
		for k < N[i] {
			y += 0.01 * sin(3*y)
			k++
		}
		Y[i] = y
	}
}

// Break leaves the loop in the middle of its body.
func Break(n int) {
	for i := range X {
		y := X[i]
		for k := 0; ; k++ {
			if k == int(N[i]) {
				break
			}
			y += 0.01 * sin(3*y)
		}
		Y[i] = y
	}
}

// Ring keeps the last three values in an array, which is a part of the state.
func Ring(n int) {
	for i := range X {
		var a [3]f64
		a[0] = X[i]
		for k := range N[i] {
			a[(k+1)%3] = a[k%3] + 0.01*sin(3*a[k%3])
		}
		Y[i] = a[N[i]%3]
	}
}

func Sum() {
	for i := range Y {
		Loss += Y[i]
	}
}
`

// TestTrips goes back through loops whose lengths arguments, memory or conditions say, where neighbours run together, those of one vector as often or
// each as often as it likes: not at all, a few times, and so often that some keep every second state and some all.
func TestTrips(t *testing.T) {
	const elements = 37
	rt := titest.New(t, ti.Config{Threads: 2})
	var s struct {
		X, Y, Loss                           ti.Field[float64]
		N                                    ti.Field[int32]
		Argument, Loaded, While, Break, Ring func(n int) error
		Sum                                  func() error
	}
	rt.Place(ti.Shape{elements}, ti.WithGrad(&s.X, &s.Y)...)
	rt.Place(ti.Shape{elements}, &s.N)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	titest.Must(t, rt.Load(tripsSource, &s))
	each := []int{0, 1, 2, 10, 1000, 4096, 4097, 5000}
	for _, c := range []struct {
		name string
		run  func(n int) error
		trip func(i, n int) int
	}{
		{"Argument", s.Argument, func(_, n int) int { return n }},
		{"Loaded", s.Loaded, func(i, _ int) int { return each[i%len(each)] }},
		{"While", s.While, func(i, _ int) int { return each[i%len(each)] }},
		{"Break", s.Break, func(i, _ int) int { return each[i*5%len(each)] }},
		{"Ring", s.Ring, func(i, _ int) int { return each[i%len(each)] }},
	} {
		counts := []int{0}
		if c.name == "Argument" {
			counts = each
		}
		for _, n := range counts {
			for i := range elements {
				s.X.Set(0.1+0.02*float64(i), i)
				s.N.Set(int32(c.trip(i, n)), i)
			}
			titest.Must(t, rt.Tape(&s.Loss, func() error { return errors.Join(c.run(n), s.Sum()) }))
			for i := range elements {
				y, d := 0.1+0.02*float64(i), 1.0
				for range c.trip(i, n) {
					y, d = y+0.01*math.Sin(3*y), d+0.03*math.Cos(3*y)*d
				}
				if got := s.Y.At(i); !(math.Abs(got-y) <= 1e-9) {
					t.Errorf("%s of %d: element %d is %v, want %v", c.name, n, i, got, y)
				}
				if got := s.X.Grad().At(i); !(math.Abs(got-d) <= 1e-9) {
					t.Errorf("%s of %d: the derivative by element %d, after %d iterations, is %v, want %v", c.name, n, i, c.trip(i, n), got, d)
				}
			}
		}
	}
}
