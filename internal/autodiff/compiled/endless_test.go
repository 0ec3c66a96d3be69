package compiled_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const serialEndless = `
package endless

var (
	X, Y field[f64]
	L    field[f64, D0]
)

func Cubes() {
	for i := range serial(X) {
		if X[i] < 0 {
			continue
		}
		Y[i] = X[i] * X[i]
		L += X[i] * X[i] * X[i]
	}
}

func Carried() {
	product := f64(1)
	for i := range serial(X) {
		product *= X[i]
	}
	L += product
}

func Chain() {
	for i := range serial(X) {
		Y[i+1] = Y[i] + X[i]*X[i]
	}
}

func Least() {
	L = 1000
	for i := range serial(X) {
		L = min(L, X[i])
	}
}
`

// TestSerialOverEndless differentiates serial loops over a hash without sizes: back if nothing goes from one iteration to another, else
// the tape says what does; and forward.
func TestSerialOverEndless(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, L                      ti.Field[float64]
			Cubes, Carried, Chain, Least func() error
		}
		rt.NewTree().Hash("i").Place(ti.WithDual(ti.WithGrad(&s.X)...)...)
		rt.NewTree().Hash("i").Place(ti.WithDual(ti.WithGrad(&s.Y)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.L)...)...)
		titest.Must(t, rt.Load(serialEndless, &s))
		at := []int{-70000, 2, 3, 900000}
		x := []float64{0.5, 1, -2, 1.5}
		for i, k := range at {
			s.X.Set(x[i], k)
			s.Y.Set(0.25, k)
		}
		titest.Must(t, rt.Tape(&s.L, s.Cubes))
		for i, k := range at {
			want := 3 * x[i] * x[i]
			if x[i] < 0 {
				want = 0
			}
			if got := s.X.Grad().At(k); got != want {
				t.Errorf("the derivative by X[%d] is %v; want %v", k, got, want)
			}
		}
		for i, k := range at {
			s.X.Dual().Set(float64(i+1), k)
		}
		titest.Must(t, rt.Tangent(s.Cubes))
		if got, want := s.L.Dual().At(), 3*(0.25*1+1*2+2.25*4); got != want {
			t.Errorf("the tangent of the sum of cubes is %v; want %v", got, want)
		}
		s.L.Dual().Fill(0)
		titest.Must(t, rt.Tangent(s.Carried))
		if got, want := s.L.Dual().At(), -3.0+2*0.5*-2*1.5+3*0.5*1.5+4*0.5*-2; got != want {
			t.Errorf("the tangent of the product is %v; want %v", got, want)
		}
		for name, f := range map[string]func() error{"product": s.Carried, "Y": func() error { return errors.Join(s.Chain(), s.Cubes()) }, "accumulations": s.Least} {
			err := rt.Tape(&s.L, f)
			if !errors.Is(err, ti.ErrGradient) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "give the hash node sizes") {
				t.Errorf("a tape of what has no backward pass, for %s: %v", name, err)
			}
		}
	})
}
