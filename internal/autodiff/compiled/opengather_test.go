package compiled_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestOpenGather compares the gradients of stencils, gathered and not, over trees without bounds, and over those that lie at the end of the numbers
// that an index can be: what is beside them is no index.
func TestOpenGather(t *testing.T) {
	const last = 1<<31 - 1
	for _, c := range []struct {
		name  string
		place func(rt *ti.Runtime, fields ...ti.AnyField)
		base  [2]int
		body  string
	}{
		{"a hash without sizes", func(rt *ti.Runtime, fields ...ti.AnyField) { rt.NewTree().Hash("ij").Place(fields...) }, [2]int{-2, 1 << 20},
			"Y[i][j] = X[i+1][j]*X[i][j]*0.5 + X[i][j-1]*X[i-1][j-1]*X[i][j]"},
		{"blocks of one", func(rt *ti.Runtime, fields ...ti.AnyField) {
			rt.NewTree().Hash("ij").Dense("ij", 4, 4).Place(fields...)
		}, [2]int{1 << 22, -3}, "Y[i][j] = X[i+1][j]*X[i][j]*0.5 + X[i][j-1]*X[i-1][j-1]*X[i][j]"},
		{"its last and first indices", func(rt *ti.Runtime, fields ...ti.AnyField) { rt.NewTree().Hash("ij").Place(fields...) }, [2]int{last - 2, last - 1},
			"Y[i][j] = X[i+1][j]*X[i][j]*0.5 + X[i][j-1]*X[i-1][j-1]*X[i][j]"},
		{"a wide hash", func(rt *ti.Runtime, fields ...ti.AnyField) {
			rt.NewTree().Hash("ij", 1<<20, 1<<20).Dense("ij", 8, 8).Place(fields...)
		}, [2]int{1 << 22, 3 << 20}, "Y[i][j] = X[i+1][j]*X[i][j]*0.5 + X[i][j-1]*X[i-1][j-1]*X[i][j]"},
		{"far away", func(rt *ti.Runtime, fields ...ti.AnyField) {
			rt.NewTree().Origin("ij", last-98, 5).Dense("ij", 90, 20).Place(fields...)
		}, [2]int{last - 60, 10}, fmt.Sprintf("if i < %d && j > 5 { Y[i][j] = X[i+20][j]*X[i][j-1] + X[i][j]*X[i+3][j] }", last-30)},
		{"far below", func(rt *ti.Runtime, fields ...ti.AnyField) {
			rt.NewTree().Origin("ij", -last, 5).Dense("ij", 90, 20).Place(fields...)
		}, [2]int{-last + 3, 10}, fmt.Sprintf("if i > %d && j > 5 { Y[i][j] = X[i-20][j]*X[i][j-1] + X[i][j]*X[i-3][j] }", -last+22)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
				var want []float64
				for _, without := range []string{"gather", ""} {
					t.Setenv("TI_WITHOUT", without)
					rt := titest.New(t, ti.Config{Arch: arch, Threads: 2})
					var s struct {
						X, Y, L ti.Field[float64]
						K, Sum  func() error
					}
					c.place(rt, append(ti.WithGrad(&s.X), ti.WithGrad(&s.Y)...)...)
					rt.Place(nil, ti.WithGrad(&s.L)...)
					titest.Must(t, rt.Load("package a\nvar X, Y field[f64, D2]\nvar L field[f64, D0]\nfunc K() { for i, j := range X { "+c.body+" } }\n"+
						"func Sum() { for i, j := range Y { L += Y[i][j]*f64(1+(i&3)*2+(j&7)) } }", &s))
					each := func(f func(n, i, j int)) {
						for n := range 30 * 5 {
							if i, j := int(int32(c.base[0]+n/5)), int(int32(c.base[1]+n%5)); n%7 != 3 {
								f(n, i, j)
							}
						}
					}
					each(func(n, i, j int) { s.X.Set(0.3+float64(n%9)*0.1, i, j) })
					titest.Must(t, rt.Tape(&s.L, func() error { return errors.Join(s.K(), s.Sum()) }))
					var got []float64
					most := 0.0
					each(func(_, i, j int) {
						got = append(got, s.X.Grad().At(i, j))
						most = max(most, s.X.Grad().At(i, j))
					})
					if most == 0 {
						t.Fatal("no derivatives")
					}
					if want == nil {
						want = got
					}
					for n, w := range want {
						if d := got[n] - w; !(-1e-12 <= d && d <= 1e-12) {
							t.Fatalf("%v: the derivative by element %d is %v with the gather, and without it %v", arch, n, got[n], w)
						}
					}
				}
			}
		})
	}
}
