// Command electric trains a neural network to lead a charged ball along paths, by the charges of eight electrodes.
package main

import (
	_ "embed"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/optim"
)

//go:embed electric.ti
var source string

// Cage is the host of electric.ti.
type Cage struct {
	Path         ti.Field[ti.Vec4]
	W1, W2, Loss ti.Field[float32]
	Track        ti.Field[ti.Vec2]
	Pixels       ti.Field[ti.Vec3]
	Follow       func(first, n, steps int)
	Start        func()
	Trace, Paint func(k, steps int)

	weights *optim.Adam
}

const (
	steps  = 512
	unseen = 32  // paths, the first ones
	paths  = 256 // all
	batch  = 2   // that an iteration takes
)

func main() {
	demo.Main("electric", func(d *demo.Demo) (demo.Result, error) {
		return d.Play("electric", d.Short(400, 5000), train)
	})
}

func newCage(rt *ti.Runtime) (*Cage, error) {
	c := new(Cage)
	rt.Place(ti.Shape{paths, 3}, &c.Path)
	rt.Place(ti.Shape{64, 9}, ti.WithGrad(&c.W1)...)
	rt.Place(ti.Shape{64, 8}, ti.WithGrad(&c.W2)...)
	rt.Place(ti.Shape{2, steps}, &c.Track)
	rt.Place(ti.Shape{600, 200}, &c.Pixels)
	rt.Place(nil, ti.WithGrad(&c.Loss)...)
	if err := rt.Load(source, c); err != nil {
		return nil, err
	}
	c.Start()
	var err error
	c.weights, err = optim.NewAdam(rt, 0, &c.W1, &c.W2)
	return c, err
}

// learn is iteration n: some paths, all their steps there and back, and a step against the gradient.
func (c *Cage) learn(rt *ti.Runtime, n, steps int, rate float64) error {
	first := unseen + n*batch%(paths-unseen)
	err := rt.Tape(&c.Loss, func() error { c.Follow(first, batch, steps); return nil })
	if err != nil {
		return err
	}
	c.weights.Rate = rate
	return c.weights.Step()
}

// test is the mean of the squared distances on paths that it has not learnt from.
func (c *Cage) test(steps int) float32 {
	c.Follow(0, unseen, steps)
	return c.Loss.At()
}

func train(m *demo.Movie) {
	c, err := newCage(m.Runtime)
	m.Check(err)
	before := c.test(steps)
	m.Say("untrained it is off by %.5f on paths that it does not learn from", before)
	for i := range m.Frames() {
		m.Check(c.learn(m.Runtime, i, steps, 0.003/(1+float64(i)/1000)))
		if i%500 == 499 {
			m.Say("after %d iterations, off by %.5f", i+1, c.test(steps))
		}
	}
	for k := range 3 {
		c.Trace(k, steps)
		c.Paint(k, steps)
	}
	m.Save(&c.Pixels)
}
