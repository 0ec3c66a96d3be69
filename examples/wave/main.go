// Command wave finds the surface of a pond that becomes a given pattern.
package main

import (
	_ "embed"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
)

//go:embed wave.ti
var source string

// Pond is the host of wave.ti.
type Pond struct {
	Height, Initial, Target, Loss, Pixels ti.Field[float32]
	Start, Symbol                         func()
	Step, Compare, PaintTarget            func(int)
	Descend                               func(rate float32)
	Paint                                 func(k, t int)
}

const size, steps = 128, 256

func main() { demo.Play("wave", 200, train) }

// place makes room for a pond of n×n cells.
func (p *Pond) place(rt *ti.Runtime, n, steps int) {
	rt.Place(ti.Shape{steps, n, n}, ti.WithGrad(&p.Height)...)
	rt.Place(ti.Shape{n, n}, ti.WithGrad(&p.Initial)...)
	rt.Place(ti.Shape{n, n}, &p.Target)
	rt.Place(ti.Shape{3 * n, n}, &p.Pixels)
	rt.Place(nil, ti.WithGrad(&p.Loss)...)
}

// run goes through all steps.
func (p *Pond) run(steps int) {
	p.Start()
	for t := 2; t < steps; t++ { // step 1 is flat, as if the surface had been thrown up from there
		p.Step(t)
	}
	p.Compare(steps - 1)
}

// descend takes a step of gradient descent.
func (p *Pond) descend(rt *ti.Runtime, steps int, rate float32) error {
	err := rt.Tape(&p.Loss, func() error { p.run(steps); return nil })
	if err == nil {
		p.Descend(rate)
	}
	return err
}

func train(m *demo.Movie) {
	p := new(Pond)
	p.place(m.Runtime, size, steps)
	m.Load(source, p)
	p.Symbol()
	p.run(steps)
	m.Say("at rest it is off by %.4f", p.Loss.At())
	for i := range m.Frames() {
		m.Check(p.descend(m.Runtime, steps, 2))
		if i%20 == 19 {
			m.Say("after %d iterations, off by %.4f", i+1, p.Loss.At())
		}
	}
	p.Paint(0, 0)
	p.Paint(1, steps-1)
	p.PaintTarget(2)
	m.Save(&p.Pixels)
}
