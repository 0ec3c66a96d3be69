// Command smoke finds the wind that blows a chequerboard of smoke into a ring.
package main

import (
	_ "embed"
	"errors"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
)

//go:embed smoke.ti
var source string

// Square is the host of smoke.ti.
type Square struct {
	V, U, Wind              ti.Field[ti.Vec2]
	Div, P, Smoke, Target   ti.Field[float32]
	Loss, Pixels            ti.Field[float32]
	X, B, R, D, Q           ti.Field[float32]
	RR, New, DQ             ti.Field[float64]
	Sweeps                  int
	Begin, Blow             func()
	Advect, Diverge         func(t int)
	Project, Carry, Compare func(t int)
	Sweep, Paint            func(a, b int)
	Descend                 func(rate float32)

	LoadDivergence, StorePressure func(int)
	LoadAdjoint, StoreAdjoint     func(int)
	Residual, Apply, Move         func()
	Turn                          func() float64

	rt    *ti.Runtime
	exact bool // pressure is that of conjugate gradients
}

const size, steps, sweeps = 110, 100, 10

func main() { demo.Play("smoke", 50, train) }

// newSquare makes an n×n square for so many steps.
func newSquare(rt *ti.Runtime, n, steps, sweeps int) (*Square, error) {
	w := &Square{rt: rt, Sweeps: sweeps}
	rt.Place(ti.Shape{steps, n, n}, ti.WithGrad(&w.V, &w.U, &w.Div, &w.Smoke)...)
	rt.Place(ti.Shape{steps*sweeps + 1, n, n}, ti.WithGrad(&w.P)...)
	rt.Place(ti.Shape{n, n}, ti.WithGrad(&w.Wind)...)
	rt.Place(ti.Shape{n, n}, &w.Target, &w.X, &w.B, &w.R, &w.D, &w.Q)
	rt.Place(ti.Shape{3 * n, n}, &w.Pixels)
	rt.Place(nil, ti.WithGrad(&w.Loss)...)
	rt.Place(nil, &w.RR, &w.New, &w.DQ)
	return w, rt.Load(source, w)
}

// run goes through all steps.
func (w *Square) run(steps int) error {
	w.Blow()
	for t := 1; t < steps; t++ {
		w.Advect(t)
		w.Diverge(t)
		if err := w.pressure(t); err != nil {
			return err
		}
		w.Project(t)
		w.Carry(t)
	}
	w.Compare(steps - 1)
	return nil
}

// pressure finds that of step t.
func (w *Square) pressure(t int) error {
	last := t * w.Sweeps
	if !w.exact {
		for k := last - w.Sweeps + 1; k <= last; k++ {
			w.Sweep(t, k)
		}
		return nil
	}
	// To solve the same system once more is all of the backward pass: what a solver does on its way is no concern of
	// it.
	return w.rt.CustomGrad(
		func() error {
			w.LoadDivergence(t)
			w.solve()
			w.StorePressure(last)
			return nil
		},
		func() error {
			w.LoadAdjoint(last)
			w.solve()
			w.StoreAdjoint(t)
			return nil
		})
}

// solve is the method of conjugate gradients.
func (w *Square) solve() {
	w.Residual()
	start := w.RR.At()
	for range 200 {
		w.Apply()
		w.Move()
		if w.Turn() <= 1e-10*start {
			return
		}
	}
}

// descend takes a step of gradient descent.
func (w *Square) descend(steps int, rate float32) error {
	err := w.rt.Tape(&w.Loss, func() error { return w.run(steps) })
	if err == nil {
		w.Descend(rate)
	}
	return err
}

func train(m *demo.Movie) {
	w, err := newSquare(m.Runtime, size, steps, sweeps)
	m.Check(err)
	w.Begin()
	m.Check(w.run(steps))
	m.Say("without wind it is off by %.4f", w.Loss.At())
	for i := range m.Frames() {
		m.Check(w.descend(steps, rate))
		if i%10 == 9 {
			m.Say("after %d iterations, off by %.4f", i+1, w.Loss.At())
		}
	}
	m.Check(errors.Join(w.run(steps)))
	w.Paint(0, 0)
	w.Paint(1, steps/2)
	w.Paint(2, steps-1)
	m.Save(&w.Pixels)
}

// rate is how far the wind goes against the gradient.
const rate = 200
