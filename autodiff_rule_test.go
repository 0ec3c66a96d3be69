package ti_test

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

const ownRules = `
package rules

var (
	X, Y field[f64, D1]
	Loss field[f64, D0]
)

// near returns x, and how often it was halved; its derivative by x is said to be 10 and by y 100 times the second adjoint.
func near(x, y f64, n int) (r, s f64, k int) {
	for range n {
		if x < 0.1 {
			return x, y, k
		}
		x /= 2
		k++
	}
	return x, y, k
}

//ti:grad near
func dnear(x, y f64, n int, r, s f64, k int, dr, ds f64) (dx, dy f64) {
	if k > 1 {
		return 10 * dr, 100*ds + r
	}
	return 7 * dr * x, f64(n)
}

//ti:noinline
func twice(x f64) f64 { return 2 * x }

func K() {
	for i := range X {
		r, s, k := near(X[i], Y[i], 5)
		Loss += twice(r) + 3*s + f64(k)
	}
}
`

// TestOwnRules sees that the derivative that a source gives is what is used, in each mode.
func TestOwnRules(t *testing.T) {
	eachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, Loss ti.Field[float64]
			K          func() error
		}
		rt.Place(ti.Shape{2}, ti.WithDual(ti.WithGrad(&s.X, &s.Y)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
		must(t, rt.Load(ownRules, &s))
		must(t, s.X.CopyFrom([]float64{0.15, 1}))
		must(t, s.Y.CopyFrom([]float64{1, 2}))
		must(t, rt.Tape(&s.Loss, s.K))
		near := func(what string, got, want float64) {
			t.Helper()
			if !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("%s is %v and not %v", what, got, want)
			}
		}
		near("the derivative by X[0]", s.X.Grad().At(0), 7*2*0.15)
		near("the derivative by Y[0]", s.Y.Grad().At(0), 5)
		near("the derivative by X[1]", s.X.Grad().At(1), 20)
		near("the derivative by Y[1]", s.Y.Grad().At(1), 300+1.0/16)
		s.X.Dual().Set(2, 1)
		s.Y.Dual().Set(1, 1)
		must(t, rt.Tangent(s.K))
		// r is 10 of 2, with r added for each component of the result, and s is 100 + r.
		near("the tangent", s.Loss.Dual().At(), 2*(10*2+1.0/16)+3*(100+1.0/16))
		s.Y.Dual().Fill(0)
		s.X.Dual().Fill(0)
		s.X.Dual().Set(1, 0)
		must(t, rt.Tangent(func() error { return rt.Tape(&s.Loss, s.K) }))
		near("the second derivative", s.X.Grad().Dual().At(0), 14)
	})
}

const vanishingRules = `
package rules

var (
	X, Y field[f64, D1]
	Loss field[f64, D0]
)

func square(x f64) f64 { return x * x }

//ti:grad square
func dsquare(x, dr f64) (dx f64) { return 2 * x * dr }

func four(x, y f64) (a, b, c, d f64) { return x*x, x * y, y, 3 }

//ti:grad four
func dfour(x, y, da, db, dc, dd f64) (dx, dy f64) { return 2*x*da + y*db, x*db + dc }

func Square() { Loss += square(sqrt(X[0])) + 2*Y[0] }

func Four() {
	a, b, c, d := four(sqrt(X[0]), Y[0])
	Loss += a + b + 2*c + d
}

func Solve() { Loss += solve(dmat3(1, 0, 0, 0, 1, 0, 0, 0, 1)+dmat3(0, 1, 0, 0, 0, 0, 0, 0, 0)*sqrt(X[0]), dvec3(0, 0, 2*Y[0]))[2] }

func Choice() { Loss += ifelse(X[0] > 0, square(1/X[0]), 2*Y[0]) }

func ChoiceOfFour() {
	a, b, _, _ := four(1/X[0], 1)
	Loss += ifelse(X[0] > 0, a, 2*Y[0])
	Loss += ifelse(Y[0] < 1, b*0, 0)
}
`

// TestVanishingRules has derivatives of functions that are 0 where the argument has an infinite tangent, or no adjoint.
func TestVanishingRules(t *testing.T) {
	eachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, Loss                                ti.Field[float64]
			Square, Four, Solve, Choice, ChoiceOfFour func() error
		}
		rt.Place(ti.Shape{1}, ti.WithDual(ti.WithGrad(&s.X, &s.Y)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
		must(t, rt.Load(vanishingRules, &s))
		for _, c := range []struct {
			name string
			k    func() error
			y    float64
		}{{"Square", s.Square, 3}, {"Four", s.Four, 0}, {"Solve", s.Solve, 3}, {"Choice", s.Choice, 3}, {"ChoiceOfFour", s.ChoiceOfFour, 3}} {
			s.X.Set(0, 0)
			s.Y.Set(c.y, 0)
			must(t, rt.Tape(&s.Loss, c.k))
			if x, y := s.X.Grad().At(0), s.Y.Grad().At(0); !(x == 0 && math.Abs(y-2) <= 1e-12) {
				t.Errorf("%s: the derivatives are %v and %v, not 0 and 2", c.name, x, y)
			}
			for i, want := range []float64{0, 2} {
				s.X.Dual().Set(float64(1-i), 0)
				s.Y.Dual().Set(float64(i), 0)
				s.Loss.Dual().Set(0)
				must(t, rt.Tangent(c.k))
				if got := s.Loss.Dual().At(); !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("%s: tangent %d is %v, not %v", c.name, i, got, want)
				}
			}
		}
	})
}
