package gradient_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
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
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, Loss ti.Field[float64]
			K          func() error
		}
		rt.Place(ti.Shape{2}, ti.WithDual(ti.WithGrad(&s.X, &s.Y)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
		titest.Must(t, rt.Load(ownRules, &s))
		titest.Must(t, s.X.CopyFrom([]float64{0.15, 1}))
		titest.Must(t, s.Y.CopyFrom([]float64{1, 2}))
		titest.Must(t, rt.Tape(&s.Loss, s.K))
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
		titest.Must(t, rt.Tangent(s.K))
		// r is 10 of 2, with r added for each component of the result, and s is 100 + r.
		near("the tangent", s.Loss.Dual().At(), 2*(10*2+1.0/16)+3*(100+1.0/16))
		s.Y.Dual().Fill(0)
		s.X.Dual().Fill(0)
		s.X.Dual().Set(1, 0)
		titest.Must(t, rt.Tangent(func() error { return rt.Tape(&s.Loss, s.K) }))
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
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, Loss                                ti.Field[float64]
			Square, Four, Solve, Choice, ChoiceOfFour func() error
		}
		rt.Place(ti.Shape{1}, ti.WithDual(ti.WithGrad(&s.X, &s.Y)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
		titest.Must(t, rt.Load(vanishingRules, &s))
		for _, c := range []struct {
			name string
			k    func() error
			y    float64
		}{{"Square", s.Square, 3}, {"Four", s.Four, 0}, {"Solve", s.Solve, 3}, {"Choice", s.Choice, 3}, {"ChoiceOfFour", s.ChoiceOfFour, 3}} {
			s.X.Set(0, 0)
			s.Y.Set(c.y, 0)
			titest.Must(t, rt.Tape(&s.Loss, c.k))
			if x, y := s.X.Grad().At(0), s.Y.Grad().At(0); !(x == 0 && math.Abs(y-2) <= 1e-12) {
				t.Errorf("%s: the derivatives are %v and %v, not 0 and 2", c.name, x, y)
			}
			for i, want := range []float64{0, 2} {
				s.X.Dual().Set(float64(1-i), 0)
				s.Y.Dual().Set(float64(i), 0)
				s.Loss.Dual().Set(0)
				titest.Must(t, rt.Tangent(c.k))
				if got := s.Loss.Dual().At(); !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("%s: tangent %d is %v, not %v", c.name, i, got, want)
				}
			}
		}
	})
}

const takenRules = `
package rules

var (
	X, Y field[f64, D1]
	Loss field[f64, D0]
)

func square(x f64) f64 { return x * x }

//ti:grad square
func dsquare(x, dr f64) (dx f64) { return 2 * x * dr }

func both(x, y f64) (a, b f64) { return x*y, y }

// dboth is not a number by x where x is 2.
//
//ti:grad both
func dboth(x, y, da, db f64) (dx, dy f64) { return 0 / (x - 2), x*da + db }

func Taken() { Loss += ifelse(X[0] > 0, square(1/X[0]), 2*Y[0]) }

// Half takes one of two results.
func Half() {
	a, b := both(X[0], Y[0])
	Loss += ifelse(X[0] > 0, a, 2*Y[0])
	Loss += ifelse(X[0] < 0, b, 0)
}

func Rooted() {
	a, b := both(sqrt(2*X[0]), Y[0])
	Loss += a + b
}
`

// TestTakenRules has derivatives of functions whose results a choice takes, all or one of two: only where it takes none is what is not a number 0.
func TestTakenRules(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Y, Loss          ti.Field[float64]
			Taken, Half, Rooted func() error
		}
		rt.Place(ti.Shape{1}, ti.WithDual(ti.WithGrad(&s.X, &s.Y)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
		titest.Must(t, rt.Load(takenRules, &s))
		s.X.Set(2, 0)
		s.Y.Set(3, 0)
		titest.Must(t, rt.Tape(&s.Loss, s.Taken))
		if x, y := s.X.Grad().At(0), s.Y.Grad().At(0); !(math.Abs(x+0.25) <= 1e-12 && y == 0) {
			t.Errorf("the derivatives are %v and %v, not -0.25 and 0", x, y)
		}
		titest.Must(t, rt.Tape(&s.Loss, s.Half))
		if x, y := s.X.Grad().At(0), s.Y.Grad().At(0); !(math.IsNaN(x) && math.Abs(y-2) <= 1e-12) {
			t.Errorf("the derivatives are %v and %v, not NaN and 2", x, y)
		}
		s.X.Dual().Set(1, 0)
		titest.Must(t, rt.Tangent(s.Rooted))
		if d := s.Loss.Dual().At(); !math.IsNaN(d) {
			t.Errorf("the tangent is %v, not NaN", d)
		}
	})
}

const nestedRules = `
package rules

var (
	X    field[f64, D1]
	Loss field[f64, D0]
)

func half(x f64) f64 {
	if x > 1 {
		return stopGrad(stopGrad(x)) / 2
	}
	return x / 2
}

//ti:grad half
func dhalf(x, dr f64) (dx f64) { return 5 * x * dr }

func outer(x f64) f64 {
	s := stopGrad(x)
	if x > 1 {
		t := stopGrad(stopGrad(s) + 1)
		return half(t) * half(x)
	}
	return half(s) + 1
}

// douter is 3 times the square of half of x, and to itself constant by that half of x in its first factor.
//
//ti:grad outer
func douter(x, dr f64) (dx f64) {
	if x > 1 {
		return 12 * stopGrad(half(x)) * half(x) * dr
	}
	return 7 * dr
}

func K() {
	for i := range X {
		Loss += outer(X[i])
	}
}
`

// TestNestedRules has functions with derivatives of their own that call such functions, and values in them that are constant to derivatives.
func TestNestedRules(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Loss ti.Field[float64]
			K       func() error
		}
		rt.Place(ti.Shape{2}, ti.WithDual(ti.WithGrad(&s.X)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
		titest.Must(t, rt.Load(nestedRules, &s))
		titest.Must(t, s.X.CopyFrom([]float64{3, 0.5}))
		near := func(what string, got, want float64) {
			t.Helper()
			if !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("%s is %v and not %v", what, got, want)
			}
		}
		titest.Must(t, rt.Tape(&s.Loss, s.K))
		near("the loss", s.Loss.At(), 2*1.5+0.25+1)
		near("the derivative by X[0]", s.X.Grad().At(0), 12*1.5*1.5)
		near("the derivative by X[1]", s.X.Grad().At(1), 7)
		s.X.Dual().Fill(1)
		s.Loss.Set(0)
		titest.Must(t, rt.Tangent(s.K))
		near("the loss of the tangent", s.Loss.At(), 2*1.5+0.25+1)
		near("the tangent", s.Loss.Dual().At(), 12*1.5*1.5+7)
		titest.Must(t, rt.Tangent(func() error { return rt.Tape(&s.Loss, s.K) }))
		near("the second derivative by X[0]", s.X.Grad().Dual().At(0), 12*1.5*5*3)
		near("the second derivative by X[1]", s.X.Grad().Dual().At(1), 0)
	})
}

// TestAssertInRule has a derivative of a function's own that fails on the backward pass.
func TestAssertInRule(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Loss ti.Field[float64]
			K       func() error
		}
		rt.Place(ti.Shape{2}, ti.WithGrad(&s.X)...)
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		titest.Must(t, rt.Load(`
package asserts

var (
	X    field[f64]
	Loss field[f64, D0]
)

//ti:grad f
func df(x, d f64) f64 {
	assert(d < 5, "the adjoint is large")
	return d * cos(x)
}

func f(x f64) f64 { return sin(x) }

func K() {
	for i := range X {
		assert(X[i] < 50, "X is large")
		Loss += f(X[i]) * 6
	}
}
`, &s))
		var failure *ti.RuntimeError
		if err := rt.Tape(&s.Loss, s.K); !errors.As(err, &failure) || !strings.Contains(failure.Msg, "the adjoint is large") || failure.Count != 2 {
			t.Errorf("the error is %v", err)
		}
	})
}
