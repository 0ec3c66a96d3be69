package compiled_test

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestKinks checks in vectors, too, that derivatives are numbers where a function has none: forward, backward and second derivatives.
func TestKinks(t *testing.T) {
	const source = `
package kinks

var (
	X, Y field[f32]
	L    field[f32, D0]
)

func Sum() {
	for i := range X {
		L += hypot(X[i], Y[i]) + atan2(X[i], Y[i]) + pow(X[i], Y[i]) + ifelse(X[i] != 0, mod(Y[i], X[i]), Y[i]) +
			ifelse(X[i] != 0, sin(1/X[i])*cos(1/X[i])+tanh(sqrt(X[i]-1))+abs(log(X[i]-1))+atan(log(X[i]-1)), 0)
	}
}
`
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, L ti.Field[float32]
			Sum     func() error
		}
		rt.Place(ti.Shape{40}, ti.WithDual(ti.WithGrad(&s.X, &s.Y)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.L)...)...)
		titest.Must(t, rt.Load(source, &s))
		s.X.Dual().Fill(1)
		s.Y.Dual().Set(1, 7)
		titest.Must(t, rt.Tangent(func() error { return rt.Tape(&s.L, s.Sum) }))
		for i := range 40 {
			if x, y := s.X.Grad().At(i), s.Y.Grad().At(i); x != 0 || y != 1 {
				t.Errorf("the gradient at element %d is %v, %v", i, x, y)
			}
			if xx, yy := s.X.Grad().Dual().At(i), s.Y.Grad().Dual().At(i); xx != 0 || yy != 0 {
				t.Errorf("the Hessian's product has %v, %v at element %d", xx, yy, i)
			}
		}
		if d := s.L.Dual().At(); d != 1 {
			t.Errorf("the tangent of the loss is %v", d)
		}
	})
}
