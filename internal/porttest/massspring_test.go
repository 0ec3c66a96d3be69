package porttest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
	"github.com/gotaichi/ti/internal/randtest"
)

type spring struct {
	A, B              int32
	Length, Stiffness float32
	Actuation         float32
}

type robot struct {
	X, V, Impulse ti.Field[ti.Vec2]
	Springs       ti.Field[spring]
	W1, W2        ti.Field[float32]
	B1, B2        ti.Field[float32]
	Hidden, Act   ti.Field[float32]
	Center        ti.Field[ti.Vec2]
	Goal          ti.Field[ti.Vec2]
	Loss          ti.Field[float32]
	Masses, Waves int
	UseTOI        bool

	Sense, Think, Pull, Advance func(t int)
	Score                       func(t, head int)
	Clear                       func()
	GradNorm2                   func(w *ti.Field[float32]) float32
	Descend                     func(w *ti.Field[float32], scale float32)

	steps, head int
}

// newRobot builds the robot of the port, whose lower masses are at some height. All weights are random.
func newRobot(t *testing.T, rt *ti.Runtime, steps, hidden int, height float32, toi bool) *robot {
	t.Helper()
	const waves = 4
	masses := []ti.Vec2{{0.1, height}, {0.2, height}, {0.1, height + 0.1}, {0.2, height + 0.1}}
	springs := []spring{{0, 1, 0.1, 3e4, 0.15}, {1, 3, 0.1, 3e4, 0.15}, {3, 2, 0.1, 3e4, 0}, {2, 0, 0.1, 3e4, 0}}
	m, k := len(masses), len(springs)
	r := &robot{Masses: m, Waves: waves, UseTOI: toi, steps: steps}
	rt.NewTree().Dense(ti.I, steps).Dense(ti.J, m).Place(ti.WithGrad(&r.X, &r.V, &r.Impulse)...)
	rt.Place(ti.Shape{k}, &r.Springs)
	rt.Place(ti.Shape{hidden, waves + 4*m + 2}, ti.WithGrad(&r.W1)...)
	rt.Place(ti.Shape{hidden}, ti.WithGrad(&r.B1)...)
	rt.Place(ti.Shape{k, hidden}, ti.WithGrad(&r.W2)...)
	rt.Place(ti.Shape{k}, ti.WithGrad(&r.B2)...)
	rt.Place(ti.Shape{steps, hidden}, ti.WithGrad(&r.Hidden)...)
	rt.Place(ti.Shape{steps, k}, ti.WithGrad(&r.Act)...)
	rt.Place(ti.Shape{steps}, ti.WithGrad(&r.Center)...)
	rt.Place(nil, &r.Goal)
	rt.Place(nil, ti.WithGrad(&r.Loss)...)
	load(t, rt, "massspring", r)
	if err := r.Springs.CopyFrom(springs); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, w := range []*ti.Field[float32]{&r.W1, &r.W2} {
		for p := range w.All() {
			w.Set(float32(random.NormFloat64()*0.3), p[:2]...)
		}
	}
	for i, x := range masses {
		r.X.Set(x, 0, i)
	}
	r.Goal.Set(ti.Vec2{0.9, 0.2})
	return r
}

func (r *robot) crawl() error {
	r.Clear()
	for t := 1; t < r.steps; t++ {
		r.Sense(t - 1)
		r.Think(t - 1)
		r.Pull(t - 1)
		r.Advance(t)
	}
	r.Score(r.steps-1, r.head)
	return nil
}

func (r *robot) weights() []*ti.Field[float32] {
	return []*ti.Field[float32]{&r.W1, &r.B1, &r.W2, &r.B2}
}

// learn takes a step against the gradient, and returns the length of the gradient.
func (r *robot) learn(t *testing.T, rt *ti.Runtime) float64 {
	t.Helper()
	if err := rt.Tape(&r.Loss, r.crawl); err != nil {
		t.Fatal(err)
	}
	var norm2 float32
	for _, p := range r.weights() {
		norm2 += r.GradNorm2(p)
	}
	norm := math.Sqrt(float64(norm2))
	for _, p := range r.weights() {
		r.Descend(p, 0.03/(float32(norm)+1e-6))
	}
	return norm
}

// TestMassSpringGradient compares derivatives with and without the time of impact with differences, for a robot that
// falls on the ground.
func TestMassSpringGradient(t *testing.T) {
	for _, toi := range []bool{true, false} {
		if !toi && !randtest.All() {
			continue
		}
		run(t, some(long), func(t *testing.T, rt *ti.Runtime) {
			r := newRobot(t, rt, 16, 6, 0.1005, toi)
			r.head = 2
			if err := gradcheck.Check(rt, &r.Loss, r.crawl, &r.W1, &r.B1, &r.W2, &r.B2); err != nil {
				t.Error(err)
			}
			if y := r.X.At(15, 0)[1]; y > 0.1 {
				t.Errorf("the robot has not met the ground: its height is %v", y)
			}
		})
	}
}

// TestMassSpring trains the robot for a few iterations. The head of the port is a mass that touches the ground from the
// start, and sticks to it as long as no spring pulls, which they do not at first: all weights of the second layer are 0. So
// it has no gradient, and never learns. With other weights it does. Steps of this length go back and forth in the end, as the last digits of
// the derivatives have it, so what counts is the best one.
func TestMassSpring(t *testing.T) {
	run(t, some(native), func(t *testing.T, rt *ti.Runtime) {
		r := newRobot(t, rt, 200, 16, 0.1, true)
		second := elements(t, &r.W2)
		r.W2.Fill(0)
		if norm := r.learn(t, rt); norm != 0 {
			t.Errorf("the gradient is %v long, of a mass that sticks to the ground; want 0", norm)
		}
		if err := r.W2.CopyFrom(second); err != nil {
			t.Fatal(err)
		}
		r.learn(t, rt)
		before := -r.Loss.At()
		best := before
		for range 10 {
			r.learn(t, rt)
			best = max(best, -r.Loss.At())
		}
		if !(best > before+0.02) {
			t.Errorf("in training the head came to %v, and was at %v before", best, before)
		}
	})
}
