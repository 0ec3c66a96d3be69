package main

import (
	"testing"

	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/gradcheck"
)

// TestGradient is of a robot that stands, on which its muscles work.
func TestGradient(t *testing.T) {
	rt := demotest.Runtime(t)
	r, err := build(rt, 100, 1.5/grid)
	demotest.Check(t, err)
	demotest.Check(t, gradcheck.Check(rt, &r.Loss, func() error { return r.walk(rt) }, &r.Weight, &r.Bias))
}

func TestTraining(t *testing.T) {
	rt := demotest.Runtime(t)
	r, err := build(rt, 400, 1.0/grid)
	demotest.Check(t, err)
	demotest.Check(t, r.walk(rt))
	before := r.Loss.At()
	for range 4 {
		demotest.Check(t, r.descend(rt, 0.3))
	}
	if r.Loss.At() > before-0.002 {
		t.Errorf("after training the robot is at %v, and at %v before", -r.Loss.At(), -before)
	}
}

func TestScene(t *testing.T) {
	result, err := demotest.New(t).Play("diffmpm", 2, train)
	demotest.Check(t, err)
	demotest.GIF(t, result.File, 1)
}
