package compiled_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

// TestLargeDecompositions compares derivatives of matrices of 169 numbers with differences along one direction: adjoint, tangent
// and product with the Hessian.
func TestLargeDecompositions(t *testing.T) {
	const n = 13
	for _, d := range []struct{ name, code string }{
		{"determinant", "y := determinant(m)*w[0][0]"},
		{"inverse", "y := trace(inverse(m)*w)"},
		{"solve", "x := solve(m, w[0]+m[1])\n\ty := dot(x, w[1])"},
		{"solveColumns", "y := trace(solve(m, w+m)*w)"},
		{"polar", "r, s := polar(m)\n\ty := trace(r*w) + 0.3*trace(s*w)"},
		{"svd", "u, s, v := svd(m)\n\ty := trace(u*w) + 0.3*trace(v*w) + dot(s, s*s)"},
		{"symEig", "e, q := symEig(m)\n\ty := trace(q*w) + dot(e, e*e)"},
		{"qr", "q, r := qr(m)\n\ty := trace(q*w) + 0.3*trace(r*w)"},
		{"lstsq", "x := lstsq(m, w[0])\n\ty := dot(x, w[1])"},
		{"cholesky", "l := cholesky(m*transpose(m)+w*transpose(w))\n\ty := trace(l*w) + sum(sqr(l))"},
	} {
		if d.name != "solve" && !randtest.All() {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			s := newSecondOrder(t, n, d.code)
			x, v, rng := make([]float64, n*n), make([]float64, n*n), rand.New(rand.NewPCG(n, 4))
			for i := range x {
				x[i], v[i] = s.X.At(i), rng.Float64()*2-1
				if i%(n+1) == 0 {
					x[i] += float64(5 + i/n) // far from singular, and no two singular values are close
				}
			}
			const h = 1e-5
			slope, want := 0.0, make([]float64, n*n)
			for _, by := range []float64{h, -h} {
				for i := range x {
					s.X.Set(x[i]+by*v[i], i)
				}
				s.Loss.Set(0)
				titest.Must(t, s.tape())
				slope += s.Loss.At() / (2 * by)
				for i := range want {
					want[i] += s.X.Grad().At(i) / (2 * by)
				}
			}
			titest.Must(t, s.X.CopyFrom(x))
			titest.Must(t, s.X.Dual().CopyFrom(v))
			s.Loss.Dual().Set(0)
			titest.Must(t, s.product())
			along, size := 0.0, 0.0
			for i := range x {
				along += s.X.Grad().At(i) * v[i]
				size = max(size, math.Abs(want[i]))
			}
			if got := s.Loss.Dual().At(); !(math.Abs(got-slope) <= 1e-6*(1+math.Abs(slope)) && math.Abs(along-slope) <= 1e-6*(1+math.Abs(slope))) {
				t.Errorf("the tangent is %v, the adjoint gives %v, and differences give %v", got, along, slope)
			}
			for i, want := range want {
				if got := s.X.Grad().Dual().At(i); !(math.Abs(got-want) <= 1e-5*(1e-3*size+math.Abs(want))) {
					t.Errorf("product %d with the Hessian is %v, and differences give %v", i, got, want)
				}
			}
		})
	}
}

const wholeRules = `
package rules

const N = 200

type pair struct {
	a [N]f64
	n [N]i32
	b f64
}

var (
	X, Y field[f64, D1]
	Loss field[f64, D0]
)

// scale multiplies x by y; its derivative by x is said to be 10 in even places and that by y to be the last adjoint.
func scale(x [N]f64, n [N]i32, y f64) (z [N]f64, sum f64, k [N]i32) {
	for i := range N {
		z[i] = x[i] * y
		sum += z[i]
		k[i] = n[i] + 1
	}
	return z, sum, k
}

//ti:grad scale
func dscale(x [N]f64, n [N]i32, y f64, dz [N]f64, ds f64) (dx [N]f64, dy f64) {
	for i := range N {
		if n[i]%2 == 0 {
			dx[i] = 10 * dz[i]
		} else {
			dx[i] = ds
		}
	}
	return dx, dz[N-1]
}

func early(x [N]f64) [N]f64 {
	if x[0] < 0 {
		return -x
	}
	return x
}

//ti:grad early
func dearly(x, d [N]f64) [N]f64 {
	if x[0] < 0 {
		return 3 * d
	}
	return 5 * d
}

func given() (x [N]f64, n [N]i32) {
	for i := range N {
		x[i], n[i] = X[i], i
	}
	return x, n
}

func K() {
	for range 1 {
		x, n := given()
		z, s, k := scale(x, n, Y[0])
		Loss += z[2] + 2*z[3] + 4*s + 8*z[N-1] + f64(k[7])
	}
}

// Branches has calls in branches and loops, and one that nothing uses.
func Branches() {
	for range 1 {
		x, _ := given()
		for i := 0; i < 3; i++ {
			if i == 1 || Y[0] > 100 {
				x = early(x)
				scale(x, [N]i32{}, Y[0])
			} else if i == 2 {
				x = early(-1 * x)
			}
		}
		Loss += x[1] + x[2]*x[2]
	}
}

// Choice passes by what is no number.
func Choice() {
	for range 1 {
		x, n := given()
		x[0] = 1 / (X[0] - X[0])
		z, _, _ := scale(early(x), n, 1)
		Loss += ifelse(X[0] < 0, z[0], 2*X[1])
	}
}
`

// TestWholeRules has functions with derivatives of their own whose arguments and results are large, in each mode.
func TestWholeRules(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		const n = 200
		var s struct {
			X, Y, Loss          ti.Field[float64]
			K, Branches, Choice func() error
		}
		rt.Place(ti.Shape{n}, ti.WithDual(ti.WithGrad(&s.X)...)...)
		rt.Place(ti.Shape{1}, ti.WithDual(ti.WithGrad(&s.Y)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
		titest.Must(t, rt.Load(wholeRules, &s))
		for i := range n {
			s.X.Set(1+float64(i), i)
		}
		s.Y.Set(2, 0)
		near := func(what string, got, want float64) {
			t.Helper()
			if !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
				t.Errorf("%s is %v and not %v", what, got, want)
			}
		}
		titest.Must(t, rt.Tape(&s.Loss, s.K))
		for i, want := range map[int]float64{0: 0, 1: 4, 2: 10, 3: 4, n - 2: 0, n - 1: 4} {
			near("the derivative by X", s.X.Grad().At(i), want)
		}
		near("the derivative by Y", s.Y.Grad().At(0), 8)
		s.X.Dual().Set(1, 2)
		s.X.Dual().Set(1, 5)
		s.Y.Dual().Set(0.5, 0)
		titest.Must(t, rt.Tangent(s.K))
		near("the tangent", s.Loss.Dual().At(), 10+4+0.5*8)
		titest.Must(t, rt.Tape(&s.Loss, s.Branches))
		near("the derivative of branches by X[1]", s.X.Grad().At(1), -1*3*5)
		near("the derivative of branches by X[2]", s.X.Grad().At(2), -2*3*3*5)
		s.Loss.Dual().Set(0)
		titest.Must(t, rt.Tangent(s.Branches))
		near("the tangent of branches", s.Loss.Dual().At(), -2*3*3*5)
		titest.Must(t, rt.Tangent(func() error { return rt.Tape(&s.Loss, s.Branches) }))
		near("the second derivative of branches", s.X.Grad().Dual().At(2), 2*3*5*3*5)
		titest.Must(t, rt.Tape(&s.Loss, s.Choice))
		near("the derivative of a choice by X[0]", s.X.Grad().At(0), 0)
		near("the derivative of a choice by X[1]", s.X.Grad().At(1), 2)
	})
}

// TestWholeRulesChecked has the backward pass checked for what is not a number.
func TestWholeRulesChecked(t *testing.T) {
	titest.EachArchWith(t, ti.Config{Threads: 1, CheckNaN: true}, func(t *testing.T, rt *ti.Runtime) {
		const n = 200
		var s struct {
			X, Loss ti.Field[float64]
			K       func() error
		}
		rt.Place(ti.Shape{n}, ti.WithGrad(&s.X)...)
		rt.Place(nil, ti.WithGrad(&s.Loss)...)
		titest.Must(t, rt.Load(`
package rules

var (
	X    field[f64, D1]
	Loss field[f64, D0]
)

func f(x [200]f64) [200]f64 { return 2 * x }

//ti:grad f
func df(x, d [200]f64) [200]f64 {
	d[1] /= x[2]
	return d
}

func K() {
	for range 1 {
		var x [200]f64
		for i := range 200 {
			x[i] = X[i]
		}
		y := f(x)
		for range 3 {
			Loss += y[1] + f(y)[3]
		}
	}
}
`, &s))
		s.X.Fill(4)
		titest.Must(t, rt.Tape(&s.Loss, s.K))
		if a, b := s.X.Grad().At(1), s.X.Grad().At(3); a != 3.0/4 || b != 3 {
			t.Errorf("the derivatives are %v and %v, not 0.75 and 3", a, b)
		}
		s.X.Set(0, 2) // of f(y) the adjoint of element 1 is 0/0
		if err := rt.Tape(&s.Loss, s.K); !errors.Is(err, ti.ErrNaN) {
			t.Errorf("the error is %v, and the derivative is 0/0", err)
		}
	})
}

// TestLargeInfinite has tangents that are infinite where the derivative by the argument is 0, beside those that are not.
func TestLargeInfinite(t *testing.T) {
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		t.Run(arch.String(), func(t *testing.T) {
			const n = 13
			rt := titest.New(t, ti.Config{Arch: arch, Float: 64, Threads: 1})
			var s struct {
				X, Loss ti.Field[float64]
				K       func() error
			}
			rt.Place(ti.Shape{n}, ti.WithDual(&s.X)...)
			rt.Place(nil, ti.WithDual(&s.Loss)...)
			titest.Must(t, rt.Load(`
package m

var (
	X    field[f64, D1]
	Loss field[f64, D0]
)

func K() {
	for range 1 {
		var m [13][13]f64
		var b [13]f64
		for i := range 13 {
			m[i][i], b[i] = 1, X[i]
		}
		m[12][0] = X[0]
		Loss += solve(m, b)[0] + 3*solve(m, b)[1]
	}
}
`, &s))
			s.X.Set(2, 1)
			s.X.Dual().Set(math.Inf(1), 12)
			s.X.Dual().Set(5, 1)
			titest.Must(t, rt.Tangent(s.K))
			if got := s.Loss.Dual().At(); got != 15 {
				t.Errorf("the tangent is %v and not 15", got)
			}
			s.X.Dual().Set(math.Inf(-1), 0)
			titest.Must(t, rt.Tangent(s.K))
			if got := s.Loss.Dual().At(); !math.IsInf(got, -1) {
				t.Errorf("the tangent is %v and not infinite", got)
			}
		})
	}
}
