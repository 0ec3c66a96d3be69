package compiled_test

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/titest"
)

// TestStoredInTwoLoops stores to an element in two loops over one range: an error where adjoints stay, and the derivative of both values where the
// backward pass clears them.
func TestStoredInTwoLoops(t *testing.T) {
	for _, arch := range []ti.Arch{ti.Oracle, ti.LLVM} {
		storedInTwoLoops(t, titest.New(t, ti.Config{Arch: arch}))
	}
}

func storedInTwoLoops(t *testing.T, rt *ti.Runtime) {
	s := new(struct {
		A, B, X, Y, Loss ti.Field[float64]
		K                func() error
	})
	rt.Place(ti.Shape{4}, ti.WithGrad(&s.A, &s.B, &s.X, &s.Y)...)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	titest.Must(t, rt.Load(`package twice
var A, B, X, Y field[f64, D1]
var Loss field[f64, D0]
func K() {
	for i := range A { X[i] = A[i] }
	for i := range A { Y[i] = 3*X[i] }
	for i := range A { X[i] = B[i] }
	for i := range A { Loss += Y[i] + 5*X[i] }
}
`, s))
	if err := rt.Tape(&s.Loss, s.K); !errors.Is(err, ti.ErrAccess) {
		t.Errorf("the error is %v", err)
	}
	titest.Must(t, rt.Tape(&s.Loss, func() error { return rt.Checkpoint(s.K) }))
	for i := range 4 {
		if a, b := s.A.Grad().At(i), s.B.Grad().At(i); a != 3 || b != 5 {
			t.Errorf("the derivatives by A[%d] and B[%d] are %v and %v, want 3 and 5", i, i, a, b)
		}
	}
}
