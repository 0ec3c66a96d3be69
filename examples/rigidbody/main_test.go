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

// mean is how far away n robots from the first one on are in the mean after a walk.
func (r *Robots) mean(steps, exact, first, n int) (away float32) {
	r.Walk(steps, exact, none)
	for i := range n {
		away += r.Away.At(first+i) / float32(n)
	}
	return away
}

// TestTraining lets robots learn with times of impact. They must then do well in a simulation without: in the mean, which
// impacts throw about less than they do any one robot. If all tests are asked for, as many steps as in the example must make
// them better than robots that learn without.
func TestTraining(t *testing.T) {
	rt, r := newTestRobots(t, builds[0], 2*seeds)
	steps, rounds := 512, 12
	if randtest.All() {
		steps, rounds = 2048, 20
	}
	before := r.mean(steps, 0, 0, seeds)
	for i := range rounds {
		demotest.Check(t, r.learn(rt, i, steps))
	}
	exact := r.mean(steps, 0, 0, seeds)
	naive := r.mean(steps, 0, seeds, seeds)
	if !(exact < before*0.95) { // rounds of a few hundred steps teach little
		t.Errorf("the robots are %v away from their goal, and were %v before they learnt", exact, before)
	}
	if randtest.All() && !(exact < before*2/3 && exact < naive) {
		t.Errorf("the robots are %v away from their goal, were %v before they learnt, and would be %v had they learnt without times of impact", exact, before, naive)
	}
}

func TestScene(t *testing.T) {
	_, err := demotest.New(t).Play("rigidbody", 1, train)
	demotest.Check(t, err)
}
