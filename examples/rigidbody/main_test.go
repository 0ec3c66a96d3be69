package main

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/gradcheck"
	"github.com/gotaichi/ti/internal/randtest"
)

func newTestRobots(t *testing.T, b build, n int) (*ti.Runtime, *Robots) {
	rt := demotest.Runtime(t)
	pixels := new(ti.Field[ti.Vec3])
	rt.Place(ti.Shape{84, 42}, pixels)
	r, err := newRobots(rt, pixels, b, n)
	demotest.Check(t, err)
	return rt, r
}

// TestGradient compares the derivative through joints, muscles and a first impact with differences.
func TestGradient(t *testing.T) {
	rt, r := newTestRobots(t, builds[0], 2)
	for i := range r.Parts {
		s := r.Start.At(i)
		s.X[1] += 0.001
		s.V[1] = -0.2
		r.Start.Set(s, i)
	}
	demotest.Check(t, gradcheck.Check(rt, &r.Loss, func() error { r.Walk(12, 2, none); return nil }, &r.W1, &r.W2))
}

// TestTraining lets robots learn with times of impact. They must then do well in a simulation without. If all tests are asked for, as
// many steps as in the example must make them better than robots that learn without.
func TestTraining(t *testing.T) {
	rt, r := newTestRobots(t, builds[0], 2*seeds)
	steps, rounds := 512, 10
	if randtest.All() {
		steps, rounds = 2048, 20
	}
	_, before := r.middle(steps, 0, 0, seeds)
	for i := range rounds {
		demotest.Check(t, r.learn(rt, i, steps))
	}
	_, exact := r.middle(steps, 0, 0, seeds)
	_, naive := r.middle(steps, 0, seeds, seeds)
	if !(exact < before-0.05) {
		t.Errorf("the robot is %v away from its goal, and was %v before it learnt", exact, before)
	}
	if randtest.All() && !(exact < before*2/3 && exact < naive) {
		t.Errorf("the robot is %v away from its goal, was %v before it learnt, and would be %v had it learnt without times of impact", exact, before, naive)
	}
}

func TestScene(t *testing.T) {
	_, err := demotest.New(t).Play("rigidbody", 1, train)
	demotest.Check(t, err)
}
