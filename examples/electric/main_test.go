package main

import (
	"testing"

	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/gradcheck"
)

func TestGradient(t *testing.T) {
	rt := demotest.Runtime(t)
	c, err := newCage(rt)
	demotest.Check(t, err)
	demotest.Check(t, gradcheck.Check(rt, &c.Loss, func() error { c.Follow(3, 2, 20); return nil }, &c.W1, &c.W2))
}

func TestTraining(t *testing.T) {
	rt := demotest.Runtime(t)
	c, err := newCage(rt)
	demotest.Check(t, err)
	before := c.test(100)
	for i := range 300 {
		demotest.Check(t, c.learn(rt, i, 100, 0.003))
	}
	if after := c.test(100); !(after < before/4) {
		t.Errorf("off by %v after training, and by %v before", after, before)
	}
}

func TestScene(t *testing.T) {
	_, err := demotest.New(t).Play("electric", 3, train)
	demotest.Check(t, err)
}
