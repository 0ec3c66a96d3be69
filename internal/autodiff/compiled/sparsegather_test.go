package compiled_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/titest"
)

// sparseStencils are bodies of loops over the active cells of Y that load neighbours, most of which gather.
var sparseStencils = []string{
	"if i > 0 && i < 15 && j > 0 && j < 11 { Y[i][j] = X[i-1][j] + 2*X[i+1][j] + X[i][j-1]*X[i][j] + sin(X[i][j+1]) }",
	"Y[i][j] = X[(i+1)%16][j]*X[i][mod(j-2, 12)] + X[i][j]",
	"Y[i][j] = X[min(i+2, 15)][j]*X[i][j] - X[i][max(j-1, 0)]",
	"s := f64(0); for a := -1; a <= 1; a++ { for b := -1; b <= 1; b++ { if i+a >= 0 && i+a < 16 && j+b >= 0 && j+b < 12 { s += X[i+a][j+b]*f64(a+2*b+1) } } }; Y[i][j] = s*s",
	"if X[i][j] > 0 && i < 14 { Y[i][j] = X[i+2][j]*X[i][j] }",
	"if j < 11 { Y[i][j] += sqrt(1 + X[i][j+1]*X[i][j+1]) }; L += X[i][(j+5)%12]",
	"if i > 2 && i < 15 { Y[i][j] = X[j][i-3]*X[i][j] }",
	"if i > 0 { Y[i][j] = X[i-1][j]*X[i][3]*X[i][j] }",
}

// TestSparseGather compares gradients of stencils over sparse trees, gathered and not, with cells that are active at random.
func TestSparseGather(t *testing.T) {
	layouts := []func(rt *ti.Runtime, x, y []ti.AnyField){
		func(rt *ti.Runtime, x, y []ti.AnyField) {
			rt.NewTree().Pointer("ij", 4, 3).Dense("ij", 4).Place(append(x, y...)...)
		},
		func(rt *ti.Runtime, x, y []ti.AnyField) {
			rt.NewTree().Pointer("ij", 4, 3).Bitmasked("ij", 4).Place(append(x, y...)...)
		},
		func(rt *ti.Runtime, x, y []ti.AnyField) {
			rt.NewTree().Pointer("ij", 8, 6).Dense("ij", 2).Place(x...)
			rt.NewTree().Bitmasked("ij", 16, 12).Place(y...)
		},
		func(rt *ti.Runtime, x, y []ti.AnyField) {
			rt.Place(ti.Shape{16, 12}, x...)
			rt.NewTree().Pointer("ij", 4, 3).Dense("ij", 4).Place(y...)
		},
		func(rt *ti.Runtime, x, y []ti.AnyField) {
			rt.NewTree().Pointer("ij", 4, 3).Dense("ij", 4).Place(x...)
			rt.Place(ti.Shape{16, 12}, y...)
		},
	}
	for n, body := range sparseStencils {
		for l, place := range layouts {
			if l != n%len(layouts) && l != (n+1)%2 && !randtest.All() {
				continue
			}
			t.Run(fmt.Sprint(n, l), func(t *testing.T) {
				var want []float64
				for _, v := range []struct {
					threads int
					without string
				}{{1, "gather"}, {1, ""}, {3, ""}} {
					got := sparseGradient(t, body, place, v.threads, v.without)
					if want == nil {
						want = got
					}
					some := false
					for i := range want {
						some = some || want[i] != 0
						if !(math.Abs(got[i]-want[i]) <= 1e-12*(1+math.Abs(want[i]))) {
							t.Fatalf("%d threads, without %q: the derivative by element %d is %v, want %v", v.threads, v.without, i, got[i], want[i])
						}
					}
					if !some {
						t.Error("all derivatives are 0")
					}
				}
			})
		}
	}
}

// sparseGradient is the gradient of a weighted sum of Y by X, after a launch of a loop with a body over the active cells of Y.
func sparseGradient(t *testing.T, body string, place func(rt *ti.Runtime, x, y []ti.AnyField), threads int, without string) (grad []float64) {
	t.Helper()
	t.Setenv("TI_WITHOUT", without)
	rt := titest.New(t, ti.Config{Threads: threads})
	var s struct {
		X, Y, L ti.Field[float64]
		K, Sum  func() error
	}
	place(rt, ti.WithGrad(&s.X), ti.WithGrad(&s.Y))
	rt.Place(nil, ti.WithGrad(&s.L)...)
	titest.Must(t, rt.Load("package a\nvar X, Y field[f64, D2]\nvar L field[f64, D0]\n"+
		"func K() { for i, j := range Y { "+body+" } }\nfunc Sum() { for i, j := range Y { L += Y[i][j]*f64(1+i*5%7-j) } }", &s))
	rng := rand.New(rand.NewPCG(7, 1))
	for i := range 16 {
		for j := range 12 {
			x, y := rng.IntN(4) > 0, rng.IntN(5) > 1
			v := rng.Float64()*2 - 1
			if x && (i/4+j/4)%3 > 0 {
				s.X.Set(v, i, j)
			}
			if y && (i/4*2+j/4)%4 > 0 {
				s.Y.Set(0, i, j)
			}
		}
	}
	titest.Must(t, rt.Tape(&s.L, func() error { return errors.Join(s.K(), s.Sum()) }))
	for i := range 16 {
		for j := range 12 {
			grad = append(grad, s.X.Grad().At(i, j))
		}
	}
	return grad
}
