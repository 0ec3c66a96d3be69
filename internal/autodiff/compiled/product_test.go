package compiled_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestProducts multiplies and divides in place over the iterations of parallel loops: forward mode carries tangents along, also
// through factors of 0, and the backward pass names what it is.
func TestProducts(t *testing.T) {
	const source = `
package products

var (
	X, Y field[f64]
	L    field[f64, D0]
)

func Variable() {
	p := f64(3)
	for i := range X {
		p *= X[i]
	}
	L += p
}

func Quotient() {
	p := f64(3)
	for i := range X {
		p /= X[i] + 2
	}
	L += p
}

func Elements() {
	for i := range X {
		Y[i] = X[i]
		Y[i] *= Y[i]
		Y[i] /= 2 + X[i]
		L += Y[i]
	}
}
`
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, L                      ti.Field[float64]
			Variable, Quotient, Elements func() error
		}
		rt.Place(ti.Shape{4}, ti.WithDual(ti.WithGrad(&s.X, &s.Y)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.L)...)...)
		titest.Must(t, rt.Load(source, &s))
		d := []float64{1, 0.5, 2, -1}
		titest.Must(t, s.X.Dual().CopyFrom(d))
		for _, x := range [][]float64{{0.5, -1, 3, 2}, {0.5, 0, 3, 2}, {0, 0, 3, 2}} {
			titest.Must(t, s.X.CopyFrom(x))
			product, quotient, elements, of := 0.0, 0.0, 0.0, 3.0
			for i := range x {
				rest := 3.0
				for j := range x {
					if j != i {
						rest *= x[j]
					}
				}
				product += rest * d[i]
				of /= x[i] + 2
				elements += d[i] * (2*x[i]/(2+x[i]) - x[i]*x[i]/(2+x[i])/(2+x[i]))
			}
			for i := range x {
				quotient -= of / (x[i] + 2) * d[i]
			}
			for _, c := range []struct {
				f    func() error
				want float64
			}{{s.Variable, product}, {s.Quotient, quotient}, {s.Elements, elements}} {
				s.L.Dual().Fill(0)
				titest.Must(t, rt.Tangent(c.f))
				if got := s.L.Dual().At(); math.Abs(got-c.want) > 1e-14*(1+math.Abs(c.want)) {
					t.Errorf("the tangent at %v is %v; want %v", x, got, c.want)
				}
			}
		}
		for f, want := range map[*func() error]string{
			&s.Variable: "the variable p in place, and its values between are lost; make the loop serial",
			&s.Quotient: "the variable p in place, and its values between are lost; make the loop serial",
			&s.Elements: "an element with an adjoint is multiplied or divided in place",
		} {
			err := rt.Tape(&s.L, *f)
			if !errors.Is(err, ti.ErrGradient) || !strings.Contains(err.Error(), want) {
				t.Errorf("%v; want %q", err, want)
			}
		}
	})
}
