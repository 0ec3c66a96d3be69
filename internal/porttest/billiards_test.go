package porttest

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/gradcheck"
)

type table struct {
	X, V, Impulse, Shift ti.Field[ti.Vec2]
	InitX, InitV         ti.Field[ti.Vec2]
	Loss                 ti.Field[float32]
	Balls, Target        int
	Goal                 ti.Vec2

	Begin, Clear            func()
	Collide, Advance, Score func(t int)
}

// lay lays out a table with balls at rest, and the white ball.
func lay(t *testing.T, rt *ti.Runtime, steps int, white, stroke, goal ti.Vec2, balls ...ti.Vec2) *table {
	t.Helper()
	n := 1 + len(balls)
	b := &table{Balls: n, Target: n - 1, Goal: goal}
	rt.Place(ti.Shape{steps, n}, ti.WithGrad(&b.X, &b.V, &b.Impulse, &b.Shift)...)
	rt.Place(nil, ti.WithGrad(&b.InitX, &b.InitV, &b.Loss)...)
	load(t, rt, "billiards", b)
	for i, x := range balls {
		b.X.Set(x, 0, i+1)
	}
	b.InitX.Set(white)
	b.InitV.Set(stroke)
	return b
}

func (b *table) play(steps int) error {
	b.Clear()
	b.Begin()
	for t := 1; t < steps; t++ {
		b.Collide(t - 1)
		b.Advance(t)
	}
	b.Score(steps - 1)
	return nil
}

// TestBilliardsGradient compares the derivative through two collisions with differences. In f32 those want balls that
// meet with room to spare, so that a small change of the stroke leaves the step of each collision as it is.
func TestBilliardsGradient(t *testing.T) {
	const steps = 60
	run(t, some(long), func(t *testing.T, rt *ti.Runtime) {
		b := lay(t, rt, steps, ti.Vec2{0.1, 0.5}, ti.Vec2{2, 0.1}, ti.Vec2{0.6, 0.6}, ti.Vec2{0.2, 0.52}, ti.Vec2{0.3, 0.53})
		play := func() error { return b.play(steps) }
		if err := play(); err != nil {
			t.Fatal(err)
		}
		if b.X.At(steps-1, 2) == b.X.At(0, 2) {
			t.Error("no ball hits the target")
		}
		if err := gradcheck.Check(rt, &b.Loss, play, &b.InitV); err != nil {
			t.Error(err)
		}
	})
}

// TestBilliards trains with the table of the port, and fewer iterations.
func TestBilliards(t *testing.T) {
	const steps, layers = 1024, 4
	var balls []ti.Vec2
	for i := range layers {
		for j := range i + 1 {
			balls = append(balls, ti.Vec2{0.5 + 0.06*float32(i), 0.5 + 0.06*float32(j) - 0.021*float32(i)})
		}
	}
	run(t, some(native), func(t *testing.T, rt *ti.Runtime) {
		b := lay(t, rt, steps, ti.Vec2{0.1, 0.5}, ti.Vec2{0.3, 0}, ti.Vec2{0.9, 0.75}, balls...)
		for range 60 {
			if err := rt.Tape(&b.Loss, func() error { return b.play(steps) }); err != nil {
				t.Fatal(err)
			}
			descend(&b.InitX, 0.01)
			descend(&b.InitV, 0.01)
		}
		if d := math.Sqrt(float64(b.Loss.At())); !(d < 0.03) { // 0.21 before
			t.Errorf("after training the ball misses by %v", d)
		}
	})
}

// descend moves a single vector against its gradient.
func descend(x *ti.Field[ti.Vec2], rate float32) {
	v, g := x.At(), x.Grad().At()
	for d := range v {
		v[d] -= rate * g[d]
	}
	x.Set(v)
}
