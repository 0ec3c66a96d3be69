package quanttest

import (
	"errors"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

const drawnSource = `
package g

var (
	X, Y, List field[f32]
	L          field[f32, D0]
	N          field[i32, D0]
)

func Square() {
	for p := range X {
		Y[p] = X[p] * X[p]
	}
}

func Loss() {
	for p := range Y {
		L += Y[p]
	}
}

func Collect() {
	for p := range X {
		n := atomicAdd(&N, 1)
		Y[p] = X[p] * X[p]
		List[n] = X[p] * X[p]
	}
}

func Listed() {
	for p := range List {
		L += List[p]
	}
}
`

// TestDrawnDerivatives differentiates stores that round by random numbers: a tape goes straight through them, and what would
// make the store again is an error at its place.
func TestDrawnDerivatives(t *testing.T) {
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		rt := newRuntime(t, ti.Config{Arch: arch})
		var s struct {
			X, Y, List, L                 ti.Field[float32]
			N                             ti.Field[int32]
			Square, Loss, Collect, Listed func() error
		}
		rt.NewTree().Dense(ti.I, 4).BitStruct(16).Place(&s.Y, ti.QuantFixed(16, 8).Stochastic())
		rt.Place(ti.Shape{4}, ti.WithDual(ti.WithGrad(&s.X, &s.List)...)...)
		rt.Place(ti.Shape{4}, ti.WithDual(s.Y.Grad())...)
		rt.Place(ti.Shape{4}, s.Y.Dual())
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.L)...)...)
		rt.Place(nil, &s.N)
		if err := rt.Load(drawnSource, &s); err != nil {
			t.Fatal(err)
		}
		s.X.Fill(1.5)
		tape := func() error {
			return rt.Tape(&s.L, func() error { return errors.Join(s.Square(), s.Loss()) })
		}
		if err := tape(); err != nil || s.X.Grad().At(2) != 3 {
			t.Errorf("%v: a tape: %v, and the derivative is %v, not 3", arch, err, s.X.Grad().At(2))
		}
		for _, c := range []struct {
			name, says string
			derive     func() error
		}{
			{"forward", "or take the gradient by Tape", func() error { return rt.Tangent(s.Square) }},
			{"second order", "", func() error { return rt.Tangent(tape) }},
			{"old values", "or do without the value that an update returns", func() error {
				return rt.Tape(&s.L, func() error { s.N.Set(0); return errors.Join(s.Collect(), s.Listed()) })
			}},
		} {
			err := c.derive()
			if !errors.Is(err, ti.ErrGradient) || !strings.Contains(err.Error(), "a store that rounds by random numbers") || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v: %s: %v", arch, c.name, err)
			}
		}
	}
}
