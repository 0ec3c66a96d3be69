package gradient_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

const staleSource = `
package stale

var (
	X, Y field[f64]
	N    field[i32]
	Loss field[f64, D0]
)

func Grow() {
	for i := range X {
		Y[i] = X[i] * X[i]
		X[i] += 1
	}
}

func Later() {
	for i := range X {
		Y[i] = X[i] * X[i]
	}
	for i := range X {
		X[i] -= Y[i]
	}
}

func Index() {
	for i := range X {
		Y[i] = X[N[i]]
		N[i] += 1
	}
}

// Fine adds to what nothing needs.
func Fine() {
	for i := range X {
		Y[i] = 2 * X[i]
		X[i] += 1
	}
}

func Sum() {
	for i := range Y {
		Loss += Y[i]
	}
}
`

// TestStale launches kernels that change what their own backward pass needs: an error by a tape, in every mode, and none by
// forward mode, which needs nothing later.
func TestStale(t *testing.T) {
	for _, cfg := range []ti.Config{{Arch: ti.Oracle}, {Arch: ti.LLVM}, {Arch: ti.LLVM, Debug: true}} {
		rt := titest.New(t, cfg)
		var s struct {
			X, Y, Loss               ti.Field[float64]
			N                        ti.Field[int32]
			Grow, Later, Index, Fine func() error
			Sum                      func() error
		}
		rt.Place(ti.Shape{4}, &s.N)
		rt.Place(ti.Shape{4}, ti.WithDual(ti.WithGrad(&s.X, &s.Y)...)...)
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.Loss)...)...)
		_, err := rt.Compile(ti.Text("stale.ti", staleSource), &s)
		titest.Must(t, err)
		for _, c := range []struct {
			name string
			run  func() error
			read string // the place of the read
			line int    // of what changes it
		}{
			{"Grow", s.Grow, "12:10", 13},
			{"Later", s.Later, "19:10", 22},
			{"Index", s.Index, "28:12", 29},
			{"Fine", s.Fine, "", 0},
		} {
			s.N.Fill(0)
			s.X.Fill(3)
			s.Loss.Set(0)
			err := rt.Tape(&s.Loss, func() error { return errors.Join(c.run(), s.Sum()) })
			e, _ := errors.AsType[*ti.RuntimeError](err)
			switch {
			case c.read == "":
				titest.Must(t, err)
				if got := s.X.Grad().At(2); got != 2 {
					t.Errorf("%v: %s has the derivative %v", cfg, c.name, got)
				}
			case !errors.Is(err, ti.ErrAccess) || !strings.Contains(err.Error(), "the backward pass") || !cfg.Debug && !strings.Contains(err.Error(), "changed after it was read at "+c.read) || e == nil || e.Pos.Line != c.line:
				t.Errorf("%v: %s: the error is %v", cfg, c.name, err)
			}
			s.N.Fill(0)
			titest.Must(t, rt.Tangent(func() error { return errors.Join(c.run(), s.Sum()) }))
		}
	}
}

// TestStaleMemory launches kernels that change memory of the program, of which a tape keeps what they have left in it.
func TestStaleMemory(t *testing.T) {
	for _, c := range []struct {
		body string
		want string  // in the error; "" for none
		is   float64 // the derivative then
	}{
		{"Y[i] = X[i] * w[i]; w[i] = 0", "overwritten after it was read at", 0},
		{"Y[i] = X[i] * w[i]; w[i] += 1", "changed after it was read at", 0},
		{"if w[i] > 1 { Y[i] = X[i] * 2 }; w[i] = 0", "overwritten after it was read at", 0},
		{"Y[i] = X[i] + w[i]; w[i] = 0", "", 1},
		{"w[i] = 2; Y[i] = X[i] * w[i]", "", 2},
		{"Y[i] = X[i] * w[i]; v[i] = 0", "", 3},
		{"Y[i] = X[i] * w[i]; N[i] = 0", "", 3},
		{"Y[i] = X[i] * w[i] * f64(N[i]); v[i] = 0; w[i] = 0", "overwritten after it was read at", 0},
	} {
		titest.EachArch(t, func(t *testing.T, rt *ti.Runtime) {
			var s struct {
				X, Y, Loss ti.Field[float64]
				N          ti.Field[int32]
				K          func(w, v []float64) error
				Sum        func() error
			}
			rt.Place(ti.Shape{4}, &s.N)
			rt.Place(ti.Shape{4}, ti.WithGrad(&s.X, &s.Y)...)
			rt.Place(nil, ti.WithGrad(&s.Loss)...)
			titest.Must(t, rt.Load(`
package memory

var (
	X, Y field[f64]
	N    field[i32]
	Loss field[f64, D0]
)

func K(w, v []f64) {
	for i := range X {
		w[i] += v[0] * 0
		`+c.body+`
	}
}

func Sum() {
	for i := range Y {
		Loss += Y[i]
	}
}
`, &s))
			s.X.Fill(5)
			w, v := []float64{3, 3, 3, 3}, make([]float64, 4)
			err := rt.Tape(&s.Loss, func() error { return errors.Join(s.K(w, v), s.Sum()) })
			switch {
			case c.want == "":
				titest.Must(t, err)
				if got := s.X.Grad().At(2); got != c.is {
					t.Errorf("%s: the derivative is %v, not %v", c.body, got, c.is)
				}
			case !errors.Is(err, ti.ErrAccess) || !strings.Contains(err.Error(), c.want):
				t.Errorf("%s: the error is %v", c.body, err)
			}
		})
	}
}
