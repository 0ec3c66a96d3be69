package quanttest

import (
	"testing"

	"github.com/gotaichi/ti"
)

// TestPackedAdjoints has adjoints in fewer bits: they are rounded as any sum is.
func TestPackedAdjoints(t *testing.T) {
	const source = "package g\n\nvar (\n\tX, Y field[f32]\n\tL field[f32, D0]\n)\n\nfunc Square() {\n\tfor p := range X {\n\t\tY[p] = X[p] * X[p]\n\t}\n}\n\nfunc Loss() {\n\tfor p := range Y {\n\t\tL += 2 * Y[p]\n\t}\n}\n"
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		rt := newRuntime(t, ti.Config{Arch: arch})
		var s struct {
			X, Y, L      ti.Field[float32]
			Square, Loss func()
		}
		n := rt.NewTree().Dense(ti.I, 4)
		n.BitStruct(32).Place(&s.X, ti.QuantFixed(10, 8)).Place(s.X.Grad(), ti.QuantFixed(6, 8)) // steps of 1/64 and 1/4
		n.BitStruct(32).Place(&s.Y, ti.QuantFixed(10, 8)).Place(s.Y.Grad(), ti.QuantFixed(10, 8))
		rt.Place(nil, ti.WithGrad(&s.L)...)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		for p, x := range []float32{0.3, 1.5, 2.5, 5} { // the square of the last is clamped
			s.X.Set(x, p)
		}
		if err := rt.Tape(&s.L, func() error { s.Square(); s.Loss(); return nil }); err != nil {
			t.Fatal(err)
		}
		// 2x is added twice, with x as it is stored: 19/32 is rounded to 1/2. The largest adjoint is 7.75.
		for p, want := range []float32{1, 6, 7.75, 0} {
			if got := s.X.Grad().At(p); got != want {
				t.Errorf("%v: the derivative by element %d is %v, not %v", arch, p, got, want)
			}
		}
	}
}

// TestRoundedAdjoints has a kernel that loads what it has stored: the backward pass takes the rounded number, as the launch did.
func TestRoundedAdjoints(t *testing.T) {
	const source = "package g\n\nvar (\n\tX, Y field[f32]\n\tL field[f32, D0]\n)\n\nfunc Loss() {\n\tfor p := range X {\n\t\tY[p] = X[p] * X[p]\n\t\tL += Y[p] * Y[p]\n\t}\n}\n"
	for _, arch := range []ti.Arch{ti.LLVM, ti.Oracle} {
		rt := newRuntime(t, ti.Config{Arch: arch})
		var s struct {
			X, Y, L ti.Field[float32]
			Loss    func()
		}
		rt.Place(ti.Shape{3}, ti.WithDual(ti.WithGrad(&s.X)...)...)
		rt.NewTree().Dense(ti.I, 3).BitStruct(16).Place(&s.Y, ti.QuantFixed(5, 8)) // steps of 1/2
		rt.Place(ti.Shape{3}, s.Y.Grad(), s.Y.Dual())
		rt.Place(nil, ti.WithDual(ti.WithGrad(&s.L)...)...)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		for p, x := range []float32{0.75, 2, 5} { // 0.5625 is stored as 1/2, and 25 is clamped
			s.X.Set(x, p)
		}
		if err := rt.Tape(&s.L, func() error { s.Loss(); return nil }); err != nil {
			t.Fatal(err)
		}
		for p, want := range []float32{2 * 0.5 * 2 * 0.75, 2 * 4 * 4, 0} {
			if got := s.X.Grad().At(p); got != want {
				t.Errorf("%v: the adjoint of element %d is %v, not %v", arch, p, got, want)
			}
			s.X.Dual().Fill(0)
			s.L.Dual().Set(0)
			s.X.Dual().Set(1, p)
			if err := rt.Tangent(func() error { s.Loss(); return nil }); err != nil {
				t.Fatal(err)
			}
			if got := s.L.Dual().At(); got != want {
				t.Errorf("%v: the tangent by element %d is %v, not %v", arch, p, got, want)
			}
		}
	}
}
