package main

import (
	"testing"

	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/gradcheck"
	"github.com/gotaichi/ti/internal/randtest"
)

// TestGradient compares derivatives with differences: of what the network says by the initial surface, through all
// of the water, and by the weights.
func TestGradient(t *testing.T) {
	rt := demotest.Runtime(t)
	p, err := newPool(rt, 32, 4, 2)
	demotest.Check(t, err)
	for i := range p.Initial.All() {
		p.Initial.Set(0.1*float32((i[0]*7+i[1]*3)%5), i[0], i[1])
	}
	demotest.Check(t, gradcheck.Check(rt, &p.Loss, p.look, &p.Initial))
	p.Draw(1)
	demotest.Check(t, gradcheck.Check(rt, &p.Loss, func() error { return p.judge(1) }, p.weights()...))
}

// TestWrongLabel trains the network a little, and then waves. If all tests are asked for, it does so until the network
// knows nine of ten pictures, and is sure of the wrong label.
func TestWrongLabel(t *testing.T) {
	rt := demotest.Runtime(t)
	p, err := newPool(rt, 64, 32, batch)
	demotest.Check(t, err)
	batches, ripples, known, chance := 60, 5, 50.0, float32(0)
	if randtest.All() {
		p, err = newPool(rt, size, steps, batch)
		demotest.Check(t, err)
		batches, ripples, known, chance = 300, 100, 90, 0.99
	}
	for i := range batches {
		demotest.Check(t, p.learn(i))
	}
	if k := p.test(); k < known {
		t.Errorf("after %d batches the network knows %.1f %% of pictures that are drawn anew; want %v", batches, k, known)
	}
	demotest.Check(t, p.look())
	if label, _ := p.sees(0); label != 0 {
		t.Errorf("through still water %s", p)
	}
	before := p.Chance.At(0)[target]
	for range ripples {
		demotest.Check(t, p.ripple(target, 0.05))
	}
	demotest.Check(t, p.look())
	if after := p.Chance.At(0)[target]; !(after > 2*before && after >= chance) {
		t.Errorf("with waves the chance of %s is %v, and without %v", labels[target], after, before)
	}
}

func TestScene(t *testing.T) {
	_, err := demotest.New(t).Play("waterrenderer", 1, train)
	demotest.Check(t, err)
}
