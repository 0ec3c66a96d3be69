package main

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/gradcheck"
)

// small is a square of 16 cells with a little wind, for 6 steps.
func small(t *testing.T, exact bool) *Square {
	w, err := newSquare(demotest.Runtime(t), 16, 6, 4)
	demotest.Check(t, err)
	w.exact = exact
	w.Begin()
	for i := range w.Wind.All() {
		w.Wind.Set(ti.Vec2{0.3*float32(i[0]%5) - 0.55, 0.2*float32(i[1]%4) - 0.27}, i[0], i[1])
	}
	return w
}

func TestGradient(t *testing.T) {
	w := small(t, false)
	demotest.Check(t, gradcheck.Check(w.rt, &w.Loss, func() error { return w.run(6) }, &w.Wind))
}

// TestConjugateGradients compares a derivative that solves for the adjoint of the pressure with differences.
func TestConjugateGradients(t *testing.T) {
	w := small(t, true)
	demotest.Check(t, w.rt.Tape(&w.Loss, func() error { return w.run(6) }))
	v := w.Wind.At(3, 8)
	d := w.Wind.Grad().At(3, 8)
	at := func(x float32) float32 {
		moved := v
		moved[0] = x
		w.Wind.Set(moved, 3, 8)
		demotest.Check(t, w.run(6))
		return w.Loss.At()
	}
	const h = 0.02
	if q := (at(v[0]+h) - at(v[0]-h)) / (2 * h); d[0] < q-0.02*abs(q)-1e-5 || d[0] > q+0.02*abs(q)+1e-5 || d[0] == 0 {
		t.Errorf("the derivative is %v, and differences give %v", d[0], q)
	}
}

func abs(x float32) float32 { return max(x, -x) }

func TestTraining(t *testing.T) {
	for _, exact := range []bool{false, true} {
		w, err := newSquare(demotest.Runtime(t), 32, 24, 6)
		demotest.Check(t, err)
		w.exact = exact
		w.Begin()
		demotest.Check(t, w.run(24))
		before := w.Loss.At()
		for range 20 {
			demotest.Check(t, w.descend(24, 40))
		}
		if !(w.Loss.At() < before*2/3) {
			t.Errorf("off by %v after training, and by %v before", w.Loss.At(), before)
		}
	}
}

func TestScene(t *testing.T) {
	_, err := demotest.New(t).Play("smoke", 2, train)
	demotest.Check(t, err)
}
