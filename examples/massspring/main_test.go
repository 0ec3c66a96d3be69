package main

import (
	"slices"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/gradcheck"
)

func newTestRobots(t *testing.T, b build, n int) (*ti.Runtime, *Robots) {
	rt := demotest.Runtime(t)
	pixels := new(ti.Field[ti.Vec3])
	rt.Place(ti.Shape{72, 36}, pixels)
	r, err := newRobots(rt, pixels, b, n)
	demotest.Check(t, err)
	return rt, r
}

func TestGradient(t *testing.T) {
	for exact := range 2 {
		rt, r := newTestRobots(t, builds[1], 2)
		demotest.Check(t, gradcheck.Check(rt, &r.Loss, func() error { r.Walk(12, 2*exact, none); return nil }, &r.W1, &r.W2))
	}
}

// TestBuild checks that a spring joins two masses once, and is as long at first as it wants to be.
func TestBuild(t *testing.T) {
	for _, b := range builds {
		at, springs := b.parts()
		for i, s := range springs {
			if s.A == s.B || slices.ContainsFunc(springs[:i], func(p Spring) bool { return p.A == s.A && p.B == s.B || p.A == s.B && p.B == s.A }) {
				t.Errorf("%s: spring %d is %v", b.name, i, s)
			}
			x, y := at[s.A][0]-at[s.B][0], at[s.A][1]-at[s.B][1]
			if d := x*x + y*y - s.Rest*s.Rest; d > 1e-6 || d < -1e-6 {
				t.Errorf("%s: spring %d is %v, its ends are %v apart", b.name, i, s, [2]float32{x, y})
			}
		}
	}
}

func TestTraining(t *testing.T) {
	rt, r := newTestRobots(t, builds[1], 2*seeds)
	const steps = 512
	for i := range 30 {
		demotest.Check(t, r.learn(rt, i, steps))
	}
	_, exact := r.middle(steps, 0, 0, seeds)
	_, naive := r.middle(steps, 0, seeds, seeds)
	if !(exact > naive+0.05) {
		t.Errorf("a robot that learnt from exact impacts comes %v far, and one that learnt without %v", exact, naive)
	}
}

func TestScene(t *testing.T) {
	_, err := demotest.New(t).Play("massspring", 1, train)
	demotest.Check(t, err)
}
