package gradient_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestLateCompanions places adjoints and tangents after a source is loaded, whose kernels would leave them out: derivatives of 0.
func TestLateCompanions(t *testing.T) {
	const source = `package p

var X, Y field[f64, D1]
var Loss field[f64, D0]

func F() {
	for i := range X {
		Y[i] = sqr(X[i])
	}
	for i := range X {
		Loss += Y[i]
	}
}
`
	for _, late := range []string{"", "X", "Y", "Loss", "X.dual"} {
		rt := titest.New(t, ti.Config{})
		var s struct {
			X, Y, Loss ti.Field[float64]
			F          func() error
		}
		place := func(now bool) {
			for name, f := range map[string]*ti.Field[float64]{"X": &s.X, "Y": &s.Y, "Loss": &s.Loss} {
				var shape ti.Shape
				if name != "Loss" {
					shape = ti.Shape{3}
				}
				if (name == late) == now {
					rt.Place(shape, f.Grad())
				}
				if (name+".dual" == late) == now {
					rt.Place(shape, f.Dual())
				}
			}
		}
		rt.Place(ti.Shape{3}, &s.X, &s.Y)
		rt.Place(nil, &s.Loss)
		place(false)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		if late != "" {
			place(true)
		}
		run := func() error { return rt.Tape(&s.Loss, s.F) }
		if late == "X.dual" {
			run = func() error { return rt.Tangent(s.F) }
		}
		err := run()
		if late == "" {
			if err != nil {
				t.Error(err)
			}
			continue
		}
		name, _, _ := strings.Cut(late, ".")
		if !errors.Is(err, ti.ErrGradient) || !strings.Contains(err.Error(), " of "+name+" was placed after kernel F was bound") {
			t.Errorf("%s placed late: %v", late, err)
		}
	}
}
