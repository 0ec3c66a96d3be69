package gradcheck_test

import (
	"errors"
	"testing"

	ti "github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
)

const squares = `
package squares

var (
	X, Y field[f64]
	L    field[f64, D0]
)

func A() {
	for i := range X {
		Y[i] = X[i] * X[i]
	}
}

func B() {
	for i := range Y {
		L += Y[i] * Y[i]
	}
}

// Half has half of the derivative of B.
func Half() {
	for i := range Y {
		L += Y[i] * stopGrad(Y[i])
	}
}

// Zero overwrites what A has read.
func Zero() {
	for i := range X {
		X[i] = 0
	}
}
`

// TestIntermediate checks that the gradient by fields that the launches overwrite is that by what was there before.
func TestIntermediate(t *testing.T) {
	rt, err := ti.New(ti.Config{Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rt.Close() })
	var h struct {
		X, Y, L          ti.Field[float64]
		A, B, Half, Zero func()
	}
	rt.Place(ti.Shape{5}, ti.WithGrad(&h.X, &h.Y)...)
	rt.Place(nil, ti.WithGrad(&h.L)...)
	if err := rt.Load(squares, &h); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		h.X.Set(float64(i)/3-0.7, i)
		h.Y.Set(float64(i)-1.5, i)
	}
	calls := func(fs ...func()) func() error {
		return func() error {
			for _, f := range fs {
				f()
			}
			return nil
		}
	}
	custom := func(backward func()) func() error {
		return func() error {
			err := rt.CustomGrad(calls(h.A, h.B), func() error { return rt.Adjoint(calls(h.A, backward)) })
			return err
		}
	}
	for name, f := range map[string]func() error{
		"launches":   calls(h.A, h.B),
		"one":        calls(h.B), // to which Y is an input
		"custom":     custom(h.B),
		"checkpoint": func() error { return rt.Checkpoint(calls(h.A, h.B)) },
	} {
		for _, x := range [][]ti.AnyField{{&h.X, &h.Y}, {&h.Y, &h.X, &h.L}} {
			if err := gradcheck.Check(rt, &h.L, f, x...); err != nil {
				t.Errorf("%s by %d fields: %v", name, len(x), err)
			}
		}
	}
	for name, f := range map[string]func() error{
		"launches":    calls(h.A, h.Half),
		"one":         calls(h.Half),
		"custom":      custom(h.Half),
		"checkpoint":  func() error { return rt.Checkpoint(calls(h.A, h.Half)) },
		"overwritten": calls(h.A, h.Zero, h.B),
	} {
		err := gradcheck.Check(rt, &h.L, f, &h.X, &h.Y)
		if _, ok := errors.AsType[*gradcheck.Mismatch](err); !ok {
			t.Errorf("%s, which is wrong: %v", name, err)
		}
	}
}

const active = `
package active

var (
	X, Y field[f64, D2]
	L    field[f64, D0]
)

func Square() {
	for i, j := range X {
		Y[i][j] = X[i][j] * X[i][j]
	}
}

func Sum() {
	for i, j := range Y {
		L += 1 + Y[i][j]*Y[i][j]
	}
}

func Wrong() {
	for i, j := range Y {
		L += 1 + Y[i][j]*stopGrad(Y[i][j])
	}
}
`

// TestSparse checks that steps change active elements alone: the number of iterations would change with others.
func TestSparse(t *testing.T) {
	for name, node := range map[string]func(rt *ti.Runtime) *ti.Node{
		"pointer": func(rt *ti.Runtime) *ti.Node { return rt.NewTree().Pointer("ij", 4, 4).Dense("ij", 2, 2) },
		"bitmask": func(rt *ti.Runtime) *ti.Node { return rt.NewTree().Bitmasked("ij", 8, 8) },
		"hash":    func(rt *ti.Runtime) *ti.Node { return rt.NewTree().Hash("ij", 8, 8) },
		"endless": func(rt *ti.Runtime) *ti.Node { return rt.NewTree().Hash("ij") },
	} {
		rt, err := ti.New(ti.Config{Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { rt.Close() })
		var h struct {
			X, Y, L            ti.Field[float64]
			Square, Sum, Wrong func()
		}
		node(rt).Place(ti.WithGrad(&h.X)...)
		node(rt).Place(ti.WithGrad(&h.Y)...)
		rt.Place(nil, ti.WithGrad(&h.L)...)
		if err := rt.Load(active, &h); err != nil {
			t.Fatal(err)
		}
		h.X.Set(0.5, 1, 2)
		h.X.Set(-0.7, 6, 2)
		h.X.Set(2, 6, 7)
		h.Square() // activates Y
		for _, x := range [][]ti.AnyField{{&h.X}, {&h.X, &h.Y}} {
			if err := gradcheck.Check(rt, &h.L, func() error { h.Square(); h.Sum(); return nil }, x...); err != nil {
				t.Errorf("%s by %d fields: %v", name, len(x), err)
			}
		}
		err = gradcheck.Check(rt, &h.L, func() error { h.Square(); h.Wrong(); return nil }, &h.X)
		if m, ok := errors.AsType[*gradcheck.Mismatch](err); !ok || m.Kernel != "Wrong" {
			t.Errorf("%s, which is wrong: %v", name, err)
		}
	}
}
