package main

import (
	"strings"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
	"github.com/gotaichi/ti/examples/internal/demotest"
	"github.com/gotaichi/ti/gradcheck"
)

// doubleTable is Table for f64: each collision begins at some step, and differences have to be smaller than what makes
// it another one.
type doubleTable struct {
	X, V, Impulse, Shift, InitX, InitV ti.Field[ti.DVec2]
	Loss, Scan, Pixels                 ti.Field[float64]
	Balls, Target                      int
	Goal                               ti.DVec2
	Begin, Clear                       func()
	Collide, Advance, Score            func(t int)
}

func TestGradient(t *testing.T) {
	rt := demotest.Runtime(t)
	const n = 400
	b := &doubleTable{Balls: 4, Target: 3, Goal: ti.DVec2{0.9, 0.75}}
	rt.Place(ti.Shape{n, 4}, ti.WithGrad(&b.X, &b.V, &b.Impulse, &b.Shift)...)
	rt.Place(nil, ti.WithGrad(&b.InitX, &b.InitV, &b.Loss)...)
	rt.Place(ti.Shape{2, 1}, &b.Pixels, &b.Scan)
	double := strings.NewReplacer("ivec2", "ivec2", "vec2", "dvec2", "f32", "f64")
	demotest.Check(t, rt.Load(double.Replace(source), b))
	for i, x := range []ti.DVec2{{0.5, 0.5}, {0.56, 0.53}, {0.57, 0.46}} {
		b.X.Set(x, 0, i+1)
	}
	b.InitX.Set(ti.DVec2{0.3, 0.49})
	b.InitV.Set(ti.DVec2{0.4, 0})
	play := func() error {
		b.Clear()
		b.Begin()
		for t := 1; t < n; t++ {
			b.Collide(t - 1)
			b.Advance(t)
		}
		b.Score(n - 1)
		return nil
	}
	demotest.Check(t, play())
	if b.X.At(n-1, 3) == b.X.At(0, 3) {
		t.Error("no ball hits the target")
	}
	demotest.Check(t, gradcheck.Check(rt, &b.Loss, play, &b.InitX, &b.InitV))
}

func TestTraining(t *testing.T) {
	rt := demotest.Runtime(t)
	b, err := lay(rt, steps)
	demotest.Check(t, err)
	for range 120 {
		demotest.Check(t, b.descend(rt, steps))
	}
	if d := distance(b); d > 0.01 {
		t.Errorf("after training the ball misses by %v", d)
	}
}

// TestLandscape looks at the distance by the angle of the stroke: flat where no ball is hit, so that descent cannot begin,
// and with many minima where some are.
func TestLandscape(t *testing.T) {
	rt := demotest.Runtime(t)
	b, err := lay(rt, steps)
	demotest.Check(t, err)
	var missed [2]float64
	for i, angle := range []float64{1.5, 2.5} {
		b.InitV.Set(stroke(angle))
		demotest.Check(t, rt.Tape(&b.Loss, func() error { b.play(steps); return nil }))
		if g := b.InitV.Grad().At(); g != (ti.Vec2{}) {
			t.Errorf("no ball is hit, and the derivative by the stroke is %v", g)
		}
		missed[i] = distance(b)
	}
	if missed[0] != missed[1] {
		t.Errorf("no ball is hit, and the target misses the goal by %v", missed)
	}
	b.scan(1, -0.25, 0.4, 4)
	minima := 0
	for i := 4; i < width-4; i += 4 {
		if d := b.Scan.At(1, i); d < b.Scan.At(1, i-4) && d < b.Scan.At(1, i+4) {
			minima++
		}
	}
	if minima < 4 {
		t.Errorf("among 80 strokes that hit balls there are %d minima; want at least 4", minima)
	}
}

func TestScene(t *testing.T) {
	_, err := demotest.New(t).Play("billiards", 2, train)
	demotest.Check(t, err)
}

// TestWindow: the descent changes the stroke a little in each frame, and a press aims it elsewhere.
func TestWindow(t *testing.T) {
	frames := demotest.Record(t, `{"frame":2,"kind":"press","x":0.5,"y":0.1}
{"frame":3,"kind":"close"}`, func(d *demo.Demo) (demo.Result, error) {
		return d.Play("billiards", 1, func(m *demo.Movie) {
			b, err := lay(m.Runtime, 128)
			m.Check(err)
			b.show(m, m.Window("Billiards", 128, 128), 128)
		})
	})
	if len(frames) != 3 {
		t.Fatalf("there are %d frames", len(frames))
	}
	if step, aim := demotest.Differ(frames[0], frames[1]), demotest.Differ(frames[1], frames[2]); aim < 20 || aim < 2*step {
		t.Errorf("%d pixels change by a step, and %d by a press", step, aim)
	}
}
