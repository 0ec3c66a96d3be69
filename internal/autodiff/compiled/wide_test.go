package compiled_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const wideSource = `
package wide

var (
	X            field[f64, D2]
	Top, Loss    field[f64, D0]
	List         field[f64, D1]
	N            field[i32, D0]
)

// Most has one accumulation in an iteration.
func Most() {
	Top = 0
	for i, j := range X {
		Top = max(Top, X[i][j])
	}
	Loss += Top*Top
}

// Several has two, of a variable, and in a serial loop.
func Several() {
	most, least := f64(0), f64(0)
	for i, j := range X {
		for k := range serial(3) {
			most = max(most, X[i][j]*f64(k-1))
		}
		least = min(least, X[i][j]*-0.5)
	}
	Loss += most*most - least*8
}

func Collect() {
	N = 0
	for i, j := range X {
		k := atomicAdd(&N, 1)
		List[k] = X[i][j]*f64(k+1)
	}
	n := N
	for k := range n {
		Loss += List[k]
	}
}
`

// TestWideLoops has loops over active cells of which there may be more than numbers for iterations: the backward pass of extrema does without, and that of
// old values says so.
func TestWideLoops(t *testing.T) {
	for _, c := range []struct {
		name  string
		place func(rt *ti.Runtime, x *ti.Field[float64])
		at    [][]int
		first bool // of equal ones, the lowest iteration takes the adjoint
		old   bool // old values can be stored
	}{
		{"small", func(rt *ti.Runtime, x *ti.Field[float64]) {
			rt.NewTree().Hash("ij", 16, 16).Place(ti.WithDual(ti.WithGrad(x)...)...)
		},
			[][]int{{1, 3}, {8, 5}, {9, 2}, {15, 15}}, true, true},
		{"wide", func(rt *ti.Runtime, x *ti.Field[float64]) {
			rt.NewTree().Hash("ij", 1<<23, 1<<23).Place(ti.WithDual(ti.WithGrad(x)...)...)
		}, [][]int{{1, 3}, {1 << 22, 5}, {6 << 20, 5}, {5 << 20, 7 << 20}}, true, false},
		{"without bounds", func(rt *ti.Runtime, x *ti.Field[float64]) {
			rt.NewTree().Hash("ij").Place(ti.WithDual(ti.WithGrad(x)...)...)
		},
			[][]int{{-1, 3}, {-1 << 22, 5}, {6 << 20, -2}, {1 << 30, -7 << 20}}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
				var s struct {
					X, Top, Loss, List     ti.Field[float64]
					N                      ti.Field[int32]
					Most, Several, Collect func() error
				}
				c.place(rt, &s.X)
				rt.Place(ti.Shape{10}, ti.WithDual(ti.WithGrad(&s.List)...)...)
				rt.Place(nil, append(ti.WithDual(ti.WithGrad(&s.Loss, &s.Top)...), &s.N)...)
				titest.Must(t, rt.Load(wideSource, &s))
				for most := range c.at {
					for n, at := range c.at {
						s.X.Set(float64(n+1)*0.1, at...)
					}
					s.X.Set(2, c.at[most]...)
					for name, run := range map[string]func() error{"most": s.Most, "several": s.Several} {
						titest.Must(t, rt.Tape(&s.Loss, run))
						s.Loss.Dual().Fill(0)
						for n, at := range c.at {
							s.X.Dual().Set(float64(n+1), at...)
						}
						titest.Must(t, rt.Tangent(run))
						if got, want := s.Loss.Dual().At(), float64(most+1)*map[string]float64{"most": 4, "several": 8}[name]; got != want {
							t.Errorf("%s: the tangent, where X%v is the largest, is %v, not %v", name, c.at[most], got, want)
						}
						for n, at := range c.at {
							want := 0.0
							if n == most {
								want = map[string]float64{"most": 4, "several": 8}[name]
							}
							if got := s.X.Grad().At(at...); got != want {
								t.Errorf("%s: the derivative by X%v, where X%v is the largest, is %v, not %v", name, at, c.at[most], got, want)
							}
						}
					}
				}
				// Of equal ones, one takes it.
				for _, at := range c.at {
					s.X.Set(2, at...)
				}
				titest.Must(t, rt.Tape(&s.Loss, s.Most))
				took := 0
				for n, at := range c.at {
					if s.X.Grad().At(at...) == 4 {
						took++
						if n > 0 && c.first {
							t.Errorf("X%v takes what the lowest iteration gets", at)
						}
					}
				}
				if took != 1 {
					t.Errorf("%d of equal ones take the adjoint", took)
				}
				if err := rt.Tape(&s.Loss, s.Collect); !c.old {
					if !errors.Is(err, ti.ErrGradient) || !strings.Contains(fmt.Sprint(err), "the loop over X may have too many") {
						t.Errorf("the error is %v", err)
					}
				} else if titest.Must(t, err); s.X.Grad().At(c.at[0]...)+s.X.Grad().At(c.at[1]...)+s.X.Grad().At(c.at[2]...)+s.X.Grad().At(c.at[3]...) != 1+2+3+4 {
					t.Errorf("the derivatives are not those of the slots 1 to 4")
				}
			})
		})
	}
}
