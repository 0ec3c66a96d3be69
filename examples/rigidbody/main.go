// Command rigidbody teaches robots of rigid boxes to walk to a goal.
package main

import (
	"cmp"
	_ "embed"
	"errors"
	"slices"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
)

//go:embed rigidbody.ti
var source string

// Box is a part of a robot.
type Box struct {
	Half       ti.Vec2
	InvM, InvI float32
}

// State is where a box is, and how it moves.
type State struct {
	X, V     ti.Vec2
	Angle, W float32
}

// Joint pins two boxes together, at a point of each.
type Joint struct {
	A, B     int32
	OnA, OnB ti.Vec2
}

// Robots is the host of rigidbody.ti: some of one build, each with a network of its own.
type Robots struct {
	Parts, Count int
	Goal         ti.Vec2
	Boxes        ti.Field[Box]
	Joints       ti.Field[Joint]
	Start        ti.Field[State]
	W1, W2, Away ti.Field[float32]
	Loss, Curves ti.Field[float32]
	Track        ti.Field[State]
	Pixels       *ti.Field[ti.Vec3]
	Walk         func(steps, exact, shown int)
	Guess        func()
	Descend      func(length float32)
	Paint        func(n, rounds int)
}

const (
	steps  = 2048
	seeds  = 5
	poses  = 6 // in the picture
	rounds = 20
	none   = -1 // of the robots leaves a track
)

// A build is made of boxes, the first of which is the head, and of joints.
type build struct {
	name   string
	at     []ti.Vec2 // centres above the ground
	half   []ti.Vec2
	joints []Joint
}

const ground, density = 0.1, 100

var builds = []build{
	{"a stool",
		[]ti.Vec2{{0, 0.1}, {-0.06, 0.045}, {0.06, 0.045}},
		[]ti.Vec2{{0.08, 0.012}, {0.012, 0.045}, {0.012, 0.045}},
		[]Joint{{0, 1, ti.Vec2{-0.06, -0.01}, ti.Vec2{0, 0.045}}, {0, 2, ti.Vec2{0.06, -0.01}, ti.Vec2{0, 0.045}}}},
	{"a worm",
		[]ti.Vec2{{0.12, 0.015}, {0.04, 0.015}, {-0.04, 0.015}, {-0.12, 0.015}},
		[]ti.Vec2{{0.036, 0.015}, {0.036, 0.015}, {0.036, 0.015}, {0.036, 0.015}},
		[]Joint{{0, 1, ti.Vec2{-0.04, 0}, ti.Vec2{0.04, 0}}, {1, 2, ti.Vec2{-0.04, 0}, ti.Vec2{0.04, 0}}, {2, 3, ti.Vec2{-0.04, 0}, ti.Vec2{0.04, 0}}}},
	{"a dog",
		[]ti.Vec2{{0, 0.1}, {-0.08, 0.045}, {-0.03, 0.045}, {0.03, 0.045}, {0.08, 0.045}},
		[]ti.Vec2{{0.1, 0.012}, {0.01, 0.045}, {0.01, 0.045}, {0.01, 0.045}, {0.01, 0.045}},
		[]Joint{{0, 1, ti.Vec2{-0.08, -0.01}, ti.Vec2{0, 0.045}}, {0, 2, ti.Vec2{-0.03, -0.01}, ti.Vec2{0, 0.045}},
			{0, 3, ti.Vec2{0.03, -0.01}, ti.Vec2{0, 0.045}}, {0, 4, ti.Vec2{0.08, -0.01}, ti.Vec2{0, 0.045}}}},
}

func newRobots(rt *ti.Runtime, pixels *ti.Field[ti.Vec3], b build, n int) (*Robots, error) {
	r := &Robots{Parts: len(b.at), Count: len(b.joints), Pixels: pixels, Goal: ti.Vec2{0.85, ground + b.at[0][1]}}
	rt.Place(ti.Shape{r.Parts}, &r.Boxes)
	rt.Place(ti.Shape{r.Parts}, &r.Start)
	rt.Place(ti.Shape{r.Count}, &r.Joints)
	rt.Place(ti.Shape{n, 32, 10 + 6*r.Parts + 2}, ti.WithGrad(&r.W1)...)
	rt.Place(ti.Shape{n, r.Count, 32}, ti.WithGrad(&r.W2)...)
	rt.Place(ti.Shape{n}, ti.WithGrad(&r.Away)...)
	rt.Place(nil, ti.WithGrad(&r.Loss)...)
	rt.Place(ti.Shape{n, rounds}, &r.Curves)
	rt.Place(ti.Shape{poses, r.Parts}, &r.Track)
	if err := rt.Load(source, r); err != nil {
		return nil, err
	}
	for i, x := range b.at {
		mass := 4 * density * b.half[i][0] * b.half[i][1]
		size := b.half[i][0]*b.half[i][0] + b.half[i][1]*b.half[i][1]
		r.Boxes.Set(Box{b.half[i], 1 / mass, 3 / (mass * size)}, i)
		r.Start.Set(State{X: ti.Vec2{0.25 + x[0], ground + x[1]}}, i)
	}
	r.Guess()
	return r, errors.Join(r.Joints.CopyFrom(b.joints))
}

// learn takes step n against the gradient. The first half of the robots learn from exact impacts.
func (r *Robots) learn(rt *ti.Runtime, n, steps int) error {
	err := rt.Tape(&r.Loss, func() error { r.Walk(steps, seeds, none); return nil })
	if err != nil {
		return err
	}
	for i := range r.Away.Shape()[0] {
		r.Curves.Set(r.Away.At(i), i, n)
	}
	r.Descend(0.3 / (1 + float32(n)/10))
	return nil
}

// middle is the robot that comes as near as the median of n robots from the first one on, and how far away it is.
func (r *Robots) middle(steps, exact, first, n int) (robot int, away float32) {
	r.Walk(steps, exact, none)
	order := make([]int, n)
	for i := range order {
		order[i] = first + i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(r.Away.At(a), r.Away.At(b)) })
	robot = order[n/2]
	return robot, r.Away.At(robot)
}

func main() {
	demo.Main("rigidbody", func(d *demo.Demo) (demo.Result, error) {
		return d.Play("rigidbody", d.Short(9, 3*rounds), train)
	})
}

// train teaches one build after the other.
func train(m *demo.Movie) {
	pixels := new(ti.Field[ti.Vec3])
	m.Place(ti.Shape{840, 420}, pixels)
	each := max(1, m.Count()/len(builds))
	var r *Robots
	for i := range m.Frames() {
		n := i / each
		if i%each == 0 {
			var err error
			r, err = newRobots(m.Runtime, pixels, builds[n], 2*seeds)
			m.Check(err)
			_, before := r.middle(steps, seeds, 0, seeds)
			m.Say("%s: untrained it is %.2f away from its goal", builds[n].name, before)
		}
		m.Check(r.learn(m.Runtime, i%each, steps))
		if i%each == each-1 {
			shown, exact := r.middle(steps, 2*seeds, 0, seeds)
			_, without := r.middle(steps, 0, 0, seeds)
			_, naive := r.middle(steps, 0, seeds, seeds)
			m.Say("%s: learnt with times of impact it is %.2f away, and %.2f in a simulation without; learnt without, %.2f", builds[n].name, exact, without, naive)
			r.Walk(steps, 2*seeds, shown)
			r.Paint(n, each)
		}
	}
	m.Save(pixels)
}
