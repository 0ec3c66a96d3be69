package compiled_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/autodiff/madeup"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

// TestSecondOrder compares products with the Hessian, by a tape within Tangent, with differences of gradients, for
// made-up kernels.
func TestSecondOrder(t *testing.T) {
	l := &lender{t: t, open: map[loan]*lent{}}
	defer l.closeAll()
	for n := range (gradSeeds.Count() + 2) / 3 { // these take long to compile
		seed := gradSeeds.First() + uint64(n)
		source := madeHeader + madeWide + []func(uint64) string{madeup.Kernel, madeup.Extrema}[n%2](seed)
		rng := rand.New(rand.NewPCG(seed, 3))
		x, v := make([]float64, 6), make([]float64, 6)
		for i := range x {
			x[i], v[i] = rng.Float64()*2-1, rng.Float64()*2-1
		}
		var want [6]float64
		const h = 1e-5
		for _, sign := range []float64{1, -1} {
			moved := make([]float64, 6)
			for i := range x {
				moved[i] = x[i] + sign*h*v[i]
			}
			gradient, _, _ := gradientOf[float64](l, loan{}, source, moved, madeDense)
			for i := range want { // the derivatives by X, before those by other fields
				want[i] += sign * gradient[i] / (2 * h)
			}
		}
		cfg := ti.Config{Float: 64, Threads: 2}
		if !randtest.All() { // which takes LLVM half a minute; TestHessian compiles products
			cfg.Arch = ti.Oracle
		}
		rt := titest.New(t, cfg)
		m := new(made[float64])
		m.place(rt, madeDense, true)
		titest.Must(t, rt.Load(source, m))
		m.start(x, madeDense)
		titest.Must(t, m.X.Dual().CopyFrom(v))
		m.X.Grad().Dual().Fill(7) // which the tape clears
		titest.Must(t, rt.Tangent(func() error {
			return rt.Tape(&m.L, func() error { return errors.Join(m.K(), m.Sum()) })
		}))
		for i, w := range want {
			if got := m.X.Grad().Dual().At(i); !(math.Abs(got-w) <= 1e-4*(math.Abs(w)+1)) {
				t.Errorf("seed %d: product %d is %v, and differences give %v\n%s", seed, i, got, w, source)
			}
		}
		titest.Must(t, rt.Close())
	}
}

const elastic = `
package elastic

var (
	X, Mid field[f64]
	Loss   field[f64, D0]
)

// Pull is the energy of a chain whose links resist more the longer they are.
func Pull() {
	for i := range X {
		if i > 0 {
			d := X[i] - X[i-1]
			Mid[i] = d*d + d*d*d*d/4
		}
	}
}

func Sum() {
	for i := range X {
		Loss += Mid[i] - 0.3*X[i]*f64(i)
	}
}

func Clear() { Loss = 0 }
`

// TestHessian differs from TestSecondOrder in that the Hessian is known, and in checkpoints and custom gradients.
func TestHessian(t *testing.T) {
	const n = 9
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Mid, Loss     ti.Field[float64]
			Pull, Sum, Clear func() error
		}
		rt.Place(ti.Shape{n}, ti.WithDual(ti.WithGrad(&s.X, &s.Mid)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
		titest.Must(t, rt.Load(elastic, &s))
		x := func(i int) float64 { return float64(i) + 0.1*math.Sin(float64(i)) }
		for i := range n {
			s.X.Set(x(i), i)
		}
		second := func(i int) float64 { d := x(i) - x(i-1); return 2 + 3*d*d }
		for name, energy := range map[string]func() error{
			"tape":       func() error { return errors.Join(s.Clear(), s.Pull(), s.Sum()) },
			"checkpoint": func() error { return errors.Join(s.Clear(), rt.Checkpoint(s.Pull, &s.X), s.Sum()) },
			"custom": func() error {
				back := func() error { return rt.Adjoint(s.Pull) }
				return errors.Join(s.Clear(), rt.CustomGrad(s.Pull, back), s.Sum())
			},
		} {
			s.X.Dual().Fill(0)
			s.X.Dual().Set(1, 4)
			titest.Must(t, rt.Tangent(func() error { return rt.Tape(&s.Loss, energy) }))
			for i := range n {
				want := map[int]float64{3: -second(4), 4: second(4) + second(5), 5: -second(5)}[i]
				if got := s.X.Grad().Dual().At(i); !(math.Abs(got-want) <= 1e-12) {
					t.Errorf("%s: the Hessian has %v at 4, %d and not %v", name, got, i, want)
				}
			}
		}
	})
}

// TestHessianOfResiduals has squares of functions with steep derivatives, where they are 0: the adjoint of a function is 0 there, but
// changes.
func TestHessianOfResiduals(t *testing.T) {
	titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
		var s struct {
			X, Loss ti.Field[float64]
			Square  func() error
		}
		rt.Place(ti.Shape{9}, ti.WithDual(ti.WithGrad(&s.X)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
		titest.Must(t, rt.Load(`
package residuals

var (
	X    field[f64]
	Loss field[f64, D0]
)

func Square() {
	Loss += sqr(log(X[0])) + sqr(log2(X[1])) + sqr(sqrt(X[2])-1) + sqr(rsqrt(X[3])-1) + sqr(exp(X[4]-1)-1) + sqr(1/X[5]-1)
	Loss += sqr(pow(X[6], 3)-1) + sqr(tan(X[7]-1)) + sqr(ifelse(X[8] > 0, X[8]*log(X[8]), 1))
}
`, &s))
		s.X.Fill(1)
		s.X.Dual().Fill(1)
		titest.Must(t, rt.Tangent(func() error { return rt.Tape(&s.Loss, s.Square) }))
		for i, slope := range []float64{1, 1 / math.Ln2, 0.5, -0.5, 1, -1, 3, 1, 1} {
			if got := s.X.Grad().At(i); got != 0 {
				t.Errorf("the derivative by X[%d] is %v", i, got)
			}
			if got, want := s.X.Grad().Dual().At(i), 2*slope*slope; !(math.Abs(got-want) <= 1e-12) {
				t.Errorf("the second derivative by X[%d] is %v and not %v", i, got, want)
			}
		}
	})
}
