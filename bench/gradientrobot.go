package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// panel, panelState and hinge are the structs of examples/rigidbody.
type panel struct {
	Half       ti.Vec2
	InvM, InvI float32
}

type panelState struct {
	X, V     ti.Vec2
	Angle, W float32
}

type hinge struct {
	A, B     int32
	OnA, OnB ti.Vec2
}

// dog is the host of examples/rigidbody.
type dog struct {
	Parts, Count int
	Goal         ti.Vec2
	Boxes        ti.Field[panel]
	Joints       ti.Field[hinge]
	Start        ti.Field[panelState]
	W1, W2, Away ti.Field[float32]
	Loss, Curves ti.Field[float32]
	Track        ti.Field[panelState]
	Pixels       ti.Field[ti.Vec3]
	Guess        func() error
	Walk         func(steps, exact, shown int) error
}

// autodiffRigidBody times 2,048 steps of a robot for each thread, of a back and four legs, there and back.
func autodiffRigidBody(rt *ti.Runtime) (*suite.Trial, error) {
	const robots, steps, hidden, waves, nobody, ground, density = 2, 2048, 32, 10, -1, 0.1, 100
	legs := []float32{-0.08, -0.03, 0.03, 0.08}
	s := &dog{Parts: 1 + len(legs), Count: len(legs), Goal: ti.Vec2{0.85, ground + 0.1}}
	rt.Place(ti.Shape{s.Parts}, &s.Boxes)
	rt.Place(ti.Shape{s.Parts}, &s.Start)
	rt.Place(ti.Shape{s.Count}, &s.Joints)
	rt.Place(ti.Shape{robots, hidden, waves + 6*s.Parts + 2}, ti.WithGrad(&s.W1)...)
	rt.Place(ti.Shape{robots, s.Count, hidden}, ti.WithGrad(&s.W2)...)
	rt.Place(ti.Shape{robots}, ti.WithGrad(&s.Away)...)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	rt.Place(ti.Shape{robots, 1}, &s.Curves)
	rt.Place(ti.Shape{1, s.Parts}, &s.Track)
	rt.Place(ti.Shape{1, 1}, &s.Pixels)
	if err := loadExample(rt, "rigidbody", s); err != nil {
		return nil, err
	}
	part := func(i int, at, half ti.Vec2) {
		mass := 4 * density * half[0] * half[1]
		s.Boxes.Set(panel{half, 1 / mass, 3 / (mass * (half[0]*half[0] + half[1]*half[1]))}, i)
		s.Start.Set(panelState{X: ti.Vec2{0.25 + at[0], ground + at[1]}}, i)
	}
	part(0, ti.Vec2{0, 0.1}, ti.Vec2{0.1, 0.012})
	for i, x := range legs {
		part(1+i, ti.Vec2{x, 0.045}, ti.Vec2{0.01, 0.045})
		s.Joints.Set(hinge{0, int32(1 + i), ti.Vec2{x, -0.01}, ti.Vec2{0, 0.045}}, i)
	}
	there := func() error { return s.Walk(steps, robots, nobody) }
	return thereAndBack(rt, &s.Loss, there, func() (float64, error) {
		// Later steps multiply what arithmetic has rounded.
		if err := rt.Tape(&s.Loss, func() error { return s.Walk(32, robots, nobody) }); err != nil {
			return 0, err
		}
		return total(s.W2.Grad(), square)
	}), s.Guess()
}
