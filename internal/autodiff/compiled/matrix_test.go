package compiled_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

// decompositions are what a number is made of a matrix m by; w is another matrix of constants.
var decompositions = []struct {
	name, code string
	where      string // the kinds of matrices for which there is a derivative; "" for all
}{
	{"determinant", "y := determinant(m) + 0*w[0][0]", ""},
	{"inverse", "y := trace(inverse(m)*w)", ""},
	{"solve", "x := solve(m, w[0])\n\ty := dot(x, w[1])", ""},
	{"solveColumns", "y := trace(solve(m, w+m)*w)", ""},
	{"polar", "r, s := polar(m)\n\ty := trace(r*w) + 0.3*trace(s*w)", ""},
	{"svd", "u, s, v := svd(m)\n\ty := trace(u*w) + 0.3*trace(v*w) + dot(s, s*s)", "random"},
	{"svd rotation", "u, s, v := svd(m)\n\ty := trace(u*transpose(v)*w) + dot(s, s)", ""},
	{"svd values", "_, s, _ := svd(m)\n\ty := dot(s, s) + 0*w[0][0]", ""},
	{"symEig", "e, q := symEig(m)\n\ty := trace(q*w) + dot(e, e*e)", "random"},
	{"symEig values", "e, _ := symEig(m)\n\ty := dot(e, e*e) + 0*w[0][0]", ""},
	{"qr", "q, r := qr(m)\n\ty := trace(q*w) + 0.3*trace(r*w)", ""},
	{"qr wide", "a := wide(m)\n\tq, r := qr(a)\n\ty := sum(q*r*w[0]) + sum(r*w[1]) + q[0][0]", ""},
	{"qr tall", "a := tall(m)\n\tq, r := qr(a)\n\ty := sum(w[0]*q) + sum(transpose(q)*w[1]) + sum(r)", ""},
	{"svd wide", "u, s, v := svd(wide(m))\n\ty := sum(wide(w)*v) + 0.7*sum(u*wide(w)) + dot(s, s*s)", "random"},
	{"svd tall", "u, s, v := svd(tall(m))\n\ty := sum(w*u) + 0.7*sum(tall(w)*v) + dot(s, s*s)", "random"},
	{"svd tall polar", "u, s, v := svd(tall(m))\n\ty := sum(w*u*transpose(v)) + dot(s, s)", ""},
	{"lstsq", "x := lstsq(m, w[0])\n\ty := dot(x, w[1])", ""},
	{"lstsq wide", "x := lstsq(wide(m), wide(w)+wide(m))\n\ty := sum(w*x)", ""},
	{"lstsq tall", "x := lstsq(tall(m), w[0]+m[1])\n\ty := dot(x, (w*tall(w))[1])", ""},
	{"cholesky", "l := cholesky(m*transpose(m)+w*transpose(w)+0.05*w)\n\ty := trace(l*w) + sum(sqr(l))", ""},
}

const matrixSource = `
package m

const N = #N

type T = #T

var (
	X, W, Y field[T, D1]
	Loss    field[T, D0]
)

// wide is a matrix without its last row, and tall one without its last column.
func wide(m [N][N]T) (a [N-1][N]T) {
	for i, j := range static(ndrange(N-1, N)) {
		a[i][j] = m[i][j]
	}
	return
}

func tall(m [N][N]T) [N][N-1]T { return transpose(wide(transpose(m))) }

func K() {
	var m, w [N][N]T
	for i, j := range static(ndrange(N, N)) {
		m[i][j], w[i][j] = X[i*N+j], W[i*N+j]
	}
	#CODE
	Loss = y
}
`

// TestDecompositions compares derivatives of functions of matrices with differences, in f64, back and, of small ones, forward; of
// matrices with equal singular values too, and of reflections.
func TestDecompositions(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5} {
		for i, d := range decompositions {
			if n > 3 && (n+i)%6 != 0 && !randtest.All() {
				continue // a third of them, in turn, of one large size
			}
			if n == 5 && (d.where != "" || strings.HasPrefix(d.name, "polar") || strings.HasPrefix(d.name, "svd r") || strings.HasPrefix(d.name, "symEig")) {
				continue // like that of 4, and slow to compile
			}
			t.Run(fmt.Sprintf("%s/%d", d.name, n), func(t *testing.T) {
				code := strings.NewReplacer("#N", fmt.Sprint(n), "#T", "f64", "#CODE", d.code).Replace(matrixSource)
				arch := ti.LLVM
				if n < 4 && (n+i)%2 != 0 && !randtest.All() {
					arch = ti.Oracle // the small sizes are compiled in turn
				}
				rt := titest.New(t, ti.Config{Arch: arch, Float: 64, Threads: 1})
				var s struct {
					X, W, Y, Loss ti.Field[float64]
					K             func() error
				}
				rt.Place(ti.Shape{n * n}, ti.WithDual(ti.WithGrad(&s.X)...)...)
				rt.Place(ti.Shape{n * n}, &s.W, &s.Y)
				rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
				titest.Must(t, rt.Load(code, &s))
				rng := rand.New(rand.NewPCG(uint64(n), 1))
				random := func() []float64 {
					x := make([]float64, n*n)
					for i := range x {
						x[i] = rng.Float64()*2 - 1
					}
					return x
				}
				titest.Must(t, s.W.CopyFrom(random()))
				x := random()
				for _, kind := range []string{"random", "reflection", "identity", "near"} {
					if kind == "reflection" {
						for j := range n {
							x[j] = -x[j]
						}
					}
					if kind == "identity" || kind == "near" {
						x = random()
						for i := range x {
							x[i] *= map[string]float64{"near": 1e-10}[kind]
							if i%(n+1) == 0 {
								x[i]++
							}
						}
					}
					if d.where != "" && d.where != kind {
						continue
					}
					titest.Must(t, s.X.CopyFrom(x))
					titest.Must(t, rt.Tape(&s.Loss, s.K))
					for i := range x {
						const h = 1e-5
						moved := func(by float64) float64 {
							s.X.Set(x[i]+by, i)
							titest.Must(t, s.K())
							s.X.Set(x[i], i)
							return s.Loss.At()
						}
						want := (8*(moved(h)-moved(-h)) - (moved(2*h) - moved(-2*h))) / (12 * h)
						limit := map[string]float64{"near": 1e-5}[kind] // it divides by 1e-10 what is rounded to 1e-16
						if got := s.X.Grad().At(i); !(math.Abs(got-want) <= max(limit, 1e-6)*(1+math.Abs(want))) {
							t.Errorf("%s: derivative %d is %v, and differences give %v", kind, i, got, want)
						}
						if n > 3 {
							continue
						}
						s.X.Dual().Fill(0)
						s.X.Dual().Set(1, i)
						titest.Must(t, rt.Tangent(s.K))
						if got := s.Loss.Dual().At(); !(math.Abs(got-want) <= max(limit, 1e-6)*(1+math.Abs(want))) {
							t.Errorf("%s: the tangent by number %d is %v, and differences give %v", kind, i, got, want)
						}
					}
				}
			})
		}
	}
}

// TestSingleDecompositions compares derivatives in f32, whose limit for close singular values is 1e-6, with those in f64: of a random matrix,
// the identity, and a matrix so near to it that only the limit keeps the quotients of differences out.
func TestSingleDecompositions(t *testing.T) {
	const n = 3
	for _, d := range decompositions {
		t.Run(d.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(n, 2))
			w := make([]float64, n*n)
			for i := range w {
				w[i] = float64(rng.Float32()*2 - 1)
			}
			for _, kind := range []string{"random", "identity", "near"} {
				if d.where != "" && d.where != kind {
					continue
				}
				x := make([]float64, n*n)
				for i := range x {
					x[i] = (rng.Float64()*2 - 1) * map[string]float64{"random": 1, "near": 2e-7}[kind]
					if i%(n+1) == 0 {
						x[i]++
					}
					x[i] = float64(float32(x[i]))
				}
				want := decompositionGradient[float64](t, ti.Oracle, d.code, n, x, w)
				arch := ti.LLVM
				if randtest.Turn(d.name)%2 > 0 && !randtest.All() {
					arch = ti.Oracle
				}
				for i, got := range decompositionGradient[float32](t, arch, d.code, n, x, w) {
					if !(math.Abs(got-want[i]) <= 1e-4*(1+math.Abs(want[i]))) {
						t.Errorf("%s: derivative %d is %v in f32 and %v in f64", kind, i, got, want[i])
					}
				}
			}
		})
	}
}

// decompositionGradient is the gradient by x in the precision of T, after a comparison with that in forward mode.
func decompositionGradient[T float32 | float64](t *testing.T, arch ti.Arch, code string, n int, x, w []float64) (g []float64) {
	t.Helper()
	kind := fmt.Sprintf("f%d", reflect.TypeFor[T]().Bits())
	rt := titest.New(t, ti.Config{Arch: arch, Threads: 1})
	var s struct {
		X, W, Y, Loss ti.Field[T]
		K             func() error
	}
	rt.Place(ti.Shape{n * n}, ti.WithDual(ti.WithGrad(&s.X)...)...)
	rt.Place(ti.Shape{n * n}, &s.W, &s.Y)
	rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
	titest.Must(t, rt.Load(strings.NewReplacer("#N", fmt.Sprint(n), "#T", kind, "#CODE", code).Replace(matrixSource), &s))
	for i := range x {
		s.X.Set(T(x[i]), i)
		s.W.Set(T(w[i]), i)
	}
	titest.Must(t, rt.Tape(&s.Loss, s.K))
	for i := range x {
		back := float64(s.X.Grad().At(i))
		s.X.Dual().Fill(0)
		s.X.Dual().Set(1, i)
		titest.Must(t, rt.Tangent(s.K))
		if on := float64(s.Loss.Dual().At()); !(math.Abs(on-back) <= 1e-4*(1+math.Abs(back))) {
			t.Errorf("%s: derivative %d is %v back and %v forward", kind, i, back, on)
		}
		g = append(g, back)
	}
	return g
}

// TestEig sees that what has no derivative is named.
func TestEig(t *testing.T) {
	rt := titest.New(t, ti.Config{})
	var s struct {
		X, W, Y, Loss ti.Field[float32]
		K             func() error
	}
	rt.Place(ti.Shape{4}, ti.WithDual(ti.WithGrad(&s.X)...)...)
	rt.Place(ti.Shape{4}, &s.W, &s.Y)
	rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
	code := strings.NewReplacer("#N", "2", "#T", "f32", "#CODE", "e, _, _ := eig(m)\n\ty := e[0][0] + 0*w[0][0]").Replace(matrixSource)
	titest.Must(t, rt.Load(code, &s))
	for _, err := range []error{rt.Tape(&s.Loss, s.K), rt.Tangent(s.K)} {
		if !errors.Is(err, ti.ErrGradient) || !strings.Contains(err.Error(), "symEig") {
			t.Error(err)
		}
	}
}

// TestSecondDecompositions compares products with the Hessian, by a tape within Tangent, with differences of gradients.
func TestSecondDecompositions(t *testing.T) {
	for _, d := range decompositions {
		n := 3
		if d.name == "polar" {
			n = 4 // from where on its derivative takes eigenvectors
		}
		t.Run(d.name, func(t *testing.T) {
			arch := ti.Oracle
			if randtest.All() {
				arch = ti.LLVM
			}
			rt := titest.New(t, ti.Config{Arch: arch, Float: 64, Threads: 1})
			var s struct {
				X, W, Y, Loss ti.Field[float64]
				K             func() error
			}
			rt.Place(ti.Shape{n * n}, ti.WithDual(ti.WithGrad(&s.X)...)...)
			rt.Place(ti.Shape{n * n}, &s.W, &s.Y)
			rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
			titest.Must(t, rt.Load(strings.NewReplacer("#N", fmt.Sprint(n), "#T", "f64", "#CODE", d.code).Replace(matrixSource), &s))
			rng := rand.New(rand.NewPCG(uint64(n), 3))
			x, w, v := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
			for i := range x {
				x[i], w[i], v[i] = rng.Float64()*2-1, rng.Float64()*2-1, rng.Float64()*2-1
			}
			titest.Must(t, s.W.CopyFrom(w))
			const h = 1e-5
			want := make([]float64, n*n)
			for _, by := range []float64{h, -h} {
				for i := range x {
					s.X.Set(x[i]+by*v[i], i)
				}
				titest.Must(t, rt.Tape(&s.Loss, s.K))
				for i := range want {
					want[i] += s.X.Grad().At(i) / (2 * by)
				}
			}
			titest.Must(t, s.X.CopyFrom(x))
			titest.Must(t, s.X.Dual().CopyFrom(v))
			titest.Must(t, rt.Tangent(func() error { return rt.Tape(&s.Loss, s.K) }))
			for i, want := range want {
				if got := s.X.Grad().Dual().At(i); !(math.Abs(got-want) <= 1e-5*(1+math.Abs(want))) {
					t.Errorf("product %d with the Hessian is %v, and differences give %v", i, got, want)
				}
			}
		})
	}
}
