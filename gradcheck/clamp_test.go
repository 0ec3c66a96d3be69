package gradcheck_test

import (
	"errors"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
	_ "github.com/gotaichi/ti/internal/randtest" // each error of the compiler ends a launch
)

// TestClamp checks kernels whose updates clamp some elements: as a whole, and launch by launch.
func TestClamp(t *testing.T) {
	const source = `
package clamp

var (
	X, Y, Z field[f64, D1]
	Loss    field[f64, D0]
)

func Own() {
	for p := range Y {
		Y[p] = 1
		Y[p] += 2*X[p]*X[p]
		Y[p] += X[p+1]
	}
}

func Shared() {
	for p := range Y {
		Z[p/2] += abs(Y[p])
	}
}

func Sum() {
	for p := range Z {
		Loss += Z[p]*Z[p]*f64(p+1)
	}
	for p := range Y {
		Loss += Y[p]
	}
}
`
	rt, err := ti.New(ti.Config{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer rt.Close()
	var h struct {
		X, Y, Z, Loss    ti.Field[float64]
		Own, Shared, Sum func() error
	}
	rt.Place(ti.Shape{9}, ti.WithGrad(&h.X)...)
	n := rt.NewTree().Dense(ti.I, 8)
	n.BitStruct(64).Place(&h.Y, ti.QuantFixed(53, 8))
	n.Place(h.Y.Grad())
	m := rt.NewTree().Dense(ti.I, 4)
	m.BitStruct(64).Place(&h.Z, ti.QuantFixed(52, 12).Unsigned())
	m.Place(h.Z.Grad())
	rt.Place(nil, ti.WithGrad(&h.Loss)...)
	if err := rt.Load(source, &h); err != nil {
		t.Fatal(err)
	}
	for p := range 9 {
		h.X.Set(float64(p)*0.4-0.9, p)
	}
	run := func() error { return errors.Join(h.Own(), h.Shared(), h.Sum()) }
	if err := gradcheck.Check(rt, &h.Loss, run, &h.X); err != nil {
		t.Error(err)
	}
	clamped := 0
	if err := run(); err != nil {
		t.Fatal(err)
	}
	for p := range 8 {
		if h.Y.At(p) > 7.99 {
			clamped++
		}
	}
	if clamped == 0 || clamped == 8 {
		t.Errorf("%d elements stand at their end", clamped)
	}
}
