package gradient_test

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const handedSource = `
package handed

var (
	X, Y field[f64]
	L    field[f64, D0]
)

func Store() {
	for i := range 1 {
		Y[i] = X[1] * (1 / X[0]) * X[1]
	}
}

func Choose() {
	for i := range 1 {
		L += ifelse(X[0] > 0, Y[i], X[1])
	}
}

func Root() {
	for i := range 1 {
		Y[i] = sqrt(X[0])
	}
}

func Product() {
	for i := range 1 {
		L += Y[i] * X[0]
	}
}
`

// TestHandedInfinity has kernels hand infinite factors, and infinite tangents, to others through a field. These choose something else, or
// multiply by 0.
func TestHandedInfinity(t *testing.T) {
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		t.Run(arch.String(), func(t *testing.T) {
			rt := titest.New(t, ti.Config{Arch: arch})
			var s struct {
				X, Y, L                      ti.Field[float64]
				Store, Choose, Root, Product func() error
			}
			rt.Place(ti.Shape{2}, ti.WithDual(ti.WithGrad(&s.X, &s.Y)...)...)
			rt.Place(nil, ti.WithDual(ti.WithGrad(&s.L)...)...)
			titest.Must(t, rt.Load(handedSource, &s))
			s.X.Set(3, 1)
			for _, c := range []struct {
				name string
				run  func() error
				want [2]float64
			}{
				{"choice", func() error { return errors.Join(s.Store(), s.Choose()) }, [2]float64{0, 1}},
				{"product", func() error { return errors.Join(s.Root(), s.Product()) }, [2]float64{0, 0}},
			} {
				titest.Must(t, rt.Tape(&s.L, c.run))
				for i, want := range c.want {
					if got := s.X.Grad().At(i); got != want {
						t.Errorf("%s: the derivative by X[%d] is %v, not %v", c.name, i, got, want)
					}
					s.X.Dual().Fill(0)
					s.L.Dual().Fill(0)
					s.X.Dual().Set(1, i)
					titest.Must(t, rt.Tangent(c.run))
					if got := s.L.Dual().At(); got != want {
						t.Errorf("%s: the tangent by X[%d] is %v, not %v", c.name, i, got, want)
					}
				}
			}
		})
	}
}
