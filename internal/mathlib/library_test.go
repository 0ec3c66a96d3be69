package mathlib

import (
	"math"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// TestWellFormed checks every function with the verifier of the IR, and that
// lanes compute what scalars do.
func TestWellFormed(t *testing.T) {
	for _, o := range []Options{{}, {NoFMA: true}} {
		l := &Library{Options: o}
		for _, code := range ir.Codes() {
			for _, kind := range []ir.Kind{ir.F16, ir.F32, ir.F64} {
				if !Has(code, ir.Scalar(kind)) {
					continue
				}
				f := l.Func(code, ir.Vec(kind, 4))
				if f.Scalar != l.Func(code, ir.Scalar(kind)) {
					t.Errorf("%s has not the scalar function in Scalar", f.Name)
				}
				if kind != ir.F16 {
					lanes(t, f)
				}
			}
		}
		k := &ir.Kernel{Name: "K", Int: ir.I32, Funcs: l.Funcs(), Body: &ir.Block{}, DoneSlot: -1}
		ir.NewBuilder(k.Body).Return()
		if err := ir.Verify(k); err != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if Func(ir.OpAdd, ir.Scalar(ir.F32)) != nil || Func(ir.OpSin, ir.Scalar(ir.I32)) != nil {
		t.Error("there are functions for ops that are none of the library's")
	}
}

// lanes runs f and its scalar function on the same numbers. Some are huge, so
// that the rare path runs for some lanes only.
func lanes(t *testing.T, f *ir.Func) {
	t.Helper()
	kind := f.Params[0].Kind
	wide, one := newMachine(f), newMachine(f.Scalar)
	args := make([][]uint64, len(f.Params))
	for i := range args {
		for _, v := range []float64{0.75, 1e30, -2, math.Inf(1)} {
			args[i] = append(args[i], ir.FloatBits(kind, v+float64(i)))
		}
	}
	for l, got := range wide.call(args...) {
		a := make([][]uint64, len(args))
		for i := range a {
			a[i] = args[i][l : l+1]
		}
		want := one.call(a...)[0]
		if !same(ir.FloatValue(kind, got), ir.FloatValue(kind, want)) {
			t.Errorf("%s, lane %d: got %#x, want %#x", f.Name, l, got, want)
		}
	}
}
