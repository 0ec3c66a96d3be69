// Command waterrenderer finds waves that let a network take a cat under water for something else.
package main

import (
	_ "embed"
	"fmt"
	"image"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/examples/internal/photo"
	"github.com/gotaichi/ti/optim"
)

//go:embed waterrenderer.ti
var source string

// Pool is the host of waterrenderer.ti.
type Pool struct {
	Initial, Height   ti.Field[float32]
	Ground, Seen      ti.Field[ti.Vec3]
	Image, A1, A2, A3 ti.Field[float32]
	W1                ti.Field[[8]float32]
	W2, W3            ti.Field[[16]float32]
	W4                ti.Field[[10]float32]
	Label             ti.Field[int32]
	Chance            ti.Field[[10]float32]
	Loss              ti.Field[float32]
	Photo, Pixels     ti.Field[ti.Vec3]

	Start, Shrink func()
	Step, Look    func(t int)
	Layer         func(n int, to, from *ti.Field[float32], w ti.AnyField)
	Judge, Draw   func(n int)
	Ripple        func(length float32)
	Guess         func(w ti.AnyField, width float32)
	Paint         func(k int, surface bool)
	Show          func(picture int)

	rt    *ti.Runtime
	batch int // pictures that an iteration of training takes
	adam  *optim.Adam
}

var labels = []string{"a cat", "stripes", "chequers", "dots", "rings", "a grid", "zigzag", "noise", "a disc", "a ramp"}

const (
	size   = 256
	steps  = 128
	batch  = 40
	target = 4 // what the cat shall be taken for
)

func main() {
	demo.Main("waterrenderer", func(d *demo.Demo) (demo.Result, error) {
		return d.Play("waterrenderer", d.Short(20, 100), train)
	})
}

// newPool fills a pool of n×n cells above a part of the photograph. The network knows nothing yet.
func newPool(rt *ti.Runtime, n, steps, batch int) (*Pool, error) {
	p := &Pool{rt: rt, batch: batch}
	rt.Place(ti.Shape{n, n}, ti.WithGrad(&p.Initial)...)
	rt.Place(ti.Shape{steps, n, n}, ti.WithGrad(&p.Height)...)
	rt.Place(ti.Shape{n, n}, &p.Ground)
	rt.Place(ti.Shape{n, n}, ti.WithGrad(&p.Seen)...)
	for k, a := range []*ti.Field[float32]{&p.Image, &p.A1, &p.A2, &p.A3} {
		rt.Place(ti.Shape{batch, 32 >> k, 32 >> k, []int{3, 8, 16, 16}[k]}, ti.WithGrad(a)...)
	}
	// Weights, by place and channel.
	rt.Place(ti.Shape{10, 3}, ti.WithGrad(&p.W1)...)
	rt.Place(ti.Shape{10, 8}, ti.WithGrad(&p.W2)...)
	rt.Place(ti.Shape{10, 16}, ti.WithGrad(&p.W3)...)
	rt.Place(ti.Shape{4*4 + 1, 16}, ti.WithGrad(&p.W4)...)
	rt.Place(ti.Shape{batch}, &p.Label)
	rt.Place(ti.Shape{batch}, &p.Chance)
	rt.Place(nil, ti.WithGrad(&p.Loss)...)
	img, err := photo.Chelsea()
	if err != nil {
		return nil, err
	}
	rt.Place(ti.Shape{img.Bounds().Dx(), img.Bounds().Dy()}, &p.Photo)
	rt.Place(ti.Shape{3 * n, n + 44}, &p.Pixels)
	if err := rt.Load(source, p); err != nil {
		return nil, err
	}
	copyUp(&p.Photo, img, img.Bounds(), 1)
	copyUp(&p.Ground, img, image.Rect(110, 30, 110+256, 30+256), 256/n)
	for k, w := range p.weights() {
		p.Guess(w, []float32{0.3, 0.15, 0.12, 0.05}[k])
	}
	p.adam, err = optim.NewAdam(rt, 0.006, p.weights()...)
	return p, err
}

// copyUp copies every pixel, or every second one, or so, of a part of a picture; y goes upwards in the field.
func copyUp(to *ti.Field[ti.Vec3], img image.Image, part image.Rectangle, every int) {
	pixels := photo.Pixels(img, part)
	for i := range to.All() {
		to.Set(pixels[(part.Dy()-1-every*i[1])*part.Dx()+every*i[0]], i[0], i[1])
	}
}

func (p *Pool) weights() []ti.AnyField { return []ti.AnyField{&p.W1, &p.W2, &p.W3, &p.W4} }

// judge lets the network look at n pictures.
func (p *Pool) judge(n int) error {
	p.Layer(n, &p.A1, &p.Image, &p.W1)
	p.Layer(n, &p.A2, &p.A1, &p.W2)
	p.Layer(n, &p.A3, &p.A2, &p.W3)
	p.Judge(n)
	return nil
}

// learn is iteration n of the training of the network.
func (p *Pool) learn(n int) error {
	p.Draw(p.batch)
	err := p.rt.Tape(&p.Loss, func() error { return p.judge(p.batch) })
	if err != nil {
		return err
	}
	p.adam.Rate = 0.006 / (1 + float64(n)/200)
	return p.adam.Step()
}

// test is how many of a hundred pictures the network knows, of those that are drawn now: it has learnt from none of them.
func (p *Pool) test() float64 {
	const rounds = 10
	right := 0
	for range rounds {
		p.Draw(p.batch)
		p.judge(p.batch)
		for b := range p.batch {
			if l, _ := p.sees(b); l == int(p.Label.At(b)) {
				right++
			}
		}
	}
	return 100 * float64(right) / float64(rounds*p.batch)
}

// sees is what the network takes a picture for, and the chance that it gives.
func (p *Pool) sees(picture int) (label int, chance float32) {
	for l, c := range p.Chance.At(picture) {
		if c > chance {
			label, chance = l, c
		}
	}
	return label, chance
}

// look goes through all steps of the water, and lets the network judge what is seen then.
func (p *Pool) look() error {
	p.Start()
	last := p.Height.Shape()[0] - 1
	for t := 2; t <= last; t++ {
		p.Step(t)
	}
	p.Look(last)
	p.Shrink()
	return p.judge(1)
}

// ripple changes the waves a little, so that the network rather sees a label.
func (p *Pool) ripple(label int, length float32) error {
	p.Label.Set(int32(label), 0)
	err := p.rt.Tape(&p.Loss, p.look)
	if err == nil {
		p.Ripple(length)
	}
	return err
}

// train trains the network, and then the waves.
func train(m *demo.Movie) {
	p, err := newPool(m.Runtime, size, steps, batch)
	m.Check(err)
	batches := 3 * m.Count()
	for i := range batches {
		m.Check(p.learn(i))
	}
	m.Say("after %d batches the network knows %.0f %% of pictures that are drawn anew", batches, p.test())
	p.Draw(len(labels))
	for k := range labels {
		p.Show(k)
	}
	m.Check(p.look())
	m.Say("through still water %s", p)
	p.Paint(0, false)
	for i := range m.Frames() {
		m.Check(p.ripple(target, 0.05))
		if i%20 == 19 {
			m.Say("after %d iterations %s", i+1, p)
		}
	}
	m.Check(p.look())
	m.Say("in the end %s", p)
	p.Paint(1, true)
	p.Paint(2, false)
	m.Save(&p.Pixels)
}

// String says what the network takes the first picture for.
func (p *Pool) String() string {
	label, chance := p.sees(0)
	return fmt.Sprintf("it sees %s, with %.2f %%", labels[label], 100*chance)
}
