package porttest

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
)

type (
	rigidState[F, V any] struct {
		X, V         V
		Angle, Omega F
	}
	rigidBody[F, V any] struct {
		Half       V
		InvM, InvI F
	}
	rigidJoint[V any] struct {
		A, B             int32
		OffsetA, OffsetB V
	}
)

// rigidWorld is the host, for numbers F and vectors V.
type rigidWorld[F float32 | float64, V ~[2]F] struct {
	S, Inc ti.Field[rigidState[F, V]]
	Keep   ti.Field[rigidState[F, V]]
	Bodies ti.Field[rigidBody[F, V]]
	Joints ti.Field[rigidJoint[V]]
	Lambda ti.Field[V]
	Loss   ti.Field[F]
	Goal   V
	Head   int

	Collide, Advance       func(t int)
	JointSweep, JointApply func(t, m int)
	Clear                  func()
	Take, Leave, Score     func(seg int)

	rt                        *ti.Runtime
	segment, segments, sweeps int
}

// place makes a chain of three bodies a little above the ground. The port has four equal ones; their joints, which
// are all corrected at once, overshoot by more in every step, until nothing is a number. With a heavy body in the
// middle they do not.
func (w *rigidWorld[F, V]) place(rt *ti.Runtime, segment, segments, sweeps int) {
	const bodies = 3
	w.rt, w.segment, w.segments, w.sweeps = rt, segment, segments, sweeps
	w.Goal, w.Head = V{0.9, 0.15}, bodies-1
	rt.Place(ti.Shape{segment + 1, bodies}, ti.WithGrad(&w.S, &w.Inc)...)
	rt.Place(ti.Shape{segments + 1, bodies}, ti.WithGrad(&w.Keep)...)
	rt.Place(ti.Shape{bodies}, &w.Bodies)
	rt.Place(ti.Shape{bodies - 1}, &w.Joints)
	rt.Place(ti.Shape{sweeps + 1, bodies - 1}, ti.WithGrad(&w.Lambda)...)
	rt.Place(nil, ti.WithGrad(&w.Loss)...)
}

// begin sets the first state.
func (w *rigidWorld[F, V]) begin() {
	for i := range w.Bodies.Shape()[0] {
		w.Keep.Set(rigidState[F, V]{X: V{0.2 + 0.11*F(i), 0.125}, V: V{0.5, -0.3}, Angle: 0.02}, 0, i)
		invM := F(10)
		if i%2 == 1 {
			invM = 1
		}
		w.Bodies.Set(rigidBody[F, V]{Half: V{0.04, 0.02}, InvM: invM, InvI: 500 * invM}, i)
	}
	for i := range w.Joints.Shape()[0] {
		w.Joints.Set(rigidJoint[V]{int32(i), int32(i + 1), V{0.05, 0}, V{-0.05, 0}}, i)
	}
}

// joint solves for the impulses of the joints; its derivative computes the sweeps again.
func (w *rigidWorld[F, V]) joint(t int) error {
	sweep := func() error {
		for m := range w.sweeps {
			w.JointSweep(t, m)
		}
		return nil
	}
	solve := func() error {
		w.Lambda.Fill(V{})
		sweep()
		w.JointApply(t, w.sweeps)
		w.Lambda.Fill(V{}) // not in the port: gradcheck shall see that nothing else depends on it
		return nil
	}
	return w.rt.CustomGrad(solve, func() error {
		w.Lambda.Fill(V{})
		sweep()
		w.Lambda.Grad().Fill(V{})
		return w.rt.Adjoint(func() error {
			sweep()
			w.JointApply(t, w.sweeps)
			return nil
		})
	})
}

// move runs all segments, each of which is run again on the backward pass.
func (w *rigidWorld[F, V]) move() error {
	for seg := range w.segments {
		err := w.rt.Checkpoint(func() error {
			w.Clear()
			w.Take(seg)
			for t := range w.segment {
				w.Collide(t)
				if err := w.joint(t); err != nil {
					return err
				}
				w.Advance(t)
			}
			w.Leave(seg)
			return nil
		})
		if err != nil {
			return err
		}
	}
	w.Score(w.segments)
	return nil
}

// TestRigidBodyGradient compares the derivative through contacts and joints with differences, in f64: once a joint is
// closed, the direction of what is left of its gap is that of rounding.
func TestRigidBodyGradient(t *testing.T) {
	source, err := sources.ReadFile("testdata/rigidbody/rigidbody.ti")
	if err != nil {
		t.Fatal(err)
	}
	double := strings.NewReplacer("vec2", "dvec2", "mat2", "dmat2", "f32", "f64").Replace(string(source))
	run(t, some(long), func(t *testing.T, rt *ti.Runtime) {
		w := new(rigidWorld[float64, ti.DVec2])
		w.place(rt, 5, 3, 2)
		if err := rt.Load(double, w); err != nil {
			t.Fatal(err)
		}
		w.begin()
		if err := gradcheck.Check(rt, &w.Loss, w.move, &w.Keep); err != nil {
			t.Error(err)
		}
		if v := w.Keep.At(w.segments, 0).V[1]; v < -0.3 {
			t.Errorf("the first body falls with %v: it has not met the ground", v)
		}
	})
}

// TestRigidBody runs the port as it is, and throws the chain in the direction of the gradient.
func TestRigidBody(t *testing.T) {
	run(t, some(native), func(t *testing.T, rt *ti.Runtime) {
		w := new(rigidWorld[float32, ti.Vec2])
		w.place(rt, 16, 4, 4)
		load(t, rt, "rigidbody", w)
		w.begin()
		var before float32
		for i := range 6 {
			if err := rt.Tape(&w.Loss, w.move); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				before = w.Loss.At()
			}
			for b := range w.Bodies.Shape()[0] {
				s, g := w.Keep.At(0, b), w.Keep.Grad().At(0, b)
				s.V[0] -= 30 * g.V[0]
				w.Keep.Set(s, 0, b)
			}
		}
		if after := w.Loss.At(); !(after < before-0.1) {
			t.Errorf("the head is %v from its goal in the end, and was %v before", after, before)
		}
	})
}
