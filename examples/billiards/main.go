// Command billiards learns how to hit the white ball so that another one goes where it should, through collisions of eleven.
package main

import (
	_ "embed"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
)

//go:embed billiards.ti
var source string

// Table is the host of billiards.ti.
type Table struct {
	X, V, Impulse, Shift ti.Field[ti.Vec2]
	InitX, InitV         ti.Field[ti.Vec2]
	Loss, Scan, Pixels   ti.Field[float32]
	Balls, Target        int
	Goal                 ti.Vec2

	Begin, Clear            func()
	Collide, Advance, Score func(t int)
	Descend                 func(rate float32)
	Paint                   func(k, t int)
	Chart                   func(k int)
}

const (
	steps  = 1024
	layers = 4 // of the triangle
	width  = 320
	chart  = 128 // pixels, the height
	speed  = 0.3 // of the white ball
)

func main() { demo.Play("billiards", 200, train) }

// lay makes a table with its balls.
func lay(rt *ti.Runtime, steps int) (*Table, error) {
	balls := 1 + layers*(layers+1)/2
	b := &Table{Balls: balls, Target: balls - 1, Goal: ti.Vec2{0.9, 0.75}}
	rt.Place(ti.Shape{steps, balls}, ti.WithGrad(&b.X, &b.V, &b.Impulse, &b.Shift)...)
	rt.Place(nil, ti.WithGrad(&b.InitX, &b.InitV, &b.Loss)...)
	rt.Place(ti.Shape{2, width}, &b.Scan)
	rt.Place(ti.Shape{2 * width, width + chart}, &b.Pixels)
	if err := rt.Load(source, b); err != nil {
		return nil, err
	}
	count := 0
	for i := range layers {
		for j := range i + 1 {
			count++
			b.X.Set(ti.Vec2{0.5 + 0.061*float32(i), 0.5 + 0.061*float32(j) - 0.021*float32(i)}, 0, count)
		}
	}
	b.InitX.Set(ti.Vec2{0.1, 0.5})
	b.InitV.Set(stroke(0))
	return b, nil
}

// stroke is a velocity of the white ball; 0 is straight on.
func stroke(angle float64) ti.Vec2 {
	return ti.Vec2{float32(speed * math.Cos(angle)), float32(speed * math.Sin(angle))}
}

// play hits the white ball.
func (b *Table) play(steps int) {
	b.Clear()
	b.Begin()
	for t := 1; t < steps; t++ {
		b.Collide(t - 1)
		b.Advance(t)
	}
	b.Score(steps - 1)
}

// descend takes a step of gradient descent.
func (b *Table) descend(rt *ti.Runtime, steps int) error {
	err := rt.Tape(&b.Loss, func() error { b.play(steps); return nil })
	if err == nil {
		b.Descend(0.01)
	}
	return err
}

// scan plays with the angles of a range, every few pixels of a chart.
func (b *Table) scan(k int, lo, hi float64, every int) {
	far := float32(0)
	for i := range width {
		if i%every == 0 {
			b.InitV.Set(stroke(lo + (hi-lo)*float64(i)/width))
			b.play(steps)
			far = float32(distance(b))
		}
		b.Scan.Set(far, k, i)
	}
	b.Chart(k)
}

func train(m *demo.Movie) {
	b, err := lay(m.Runtime, steps)
	m.Check(err)
	if w := m.Window("Billiards", 512, 512); w != nil {
		b.show(m, w, steps)
		return
	}
	every := max(1, 400/m.Count())
	b.scan(0, -math.Pi, math.Pi, every)
	b.scan(1, -0.25, 0.4, (every+1)/2)
	b.InitV.Set(stroke(0))
	b.play(steps)
	b.Paint(0, steps-1)
	m.Say("hit straight, the ball misses by %.3f", distance(b))
	for i := range m.Frames() {
		m.Check(b.descend(m.Runtime, steps))
		if i%25 == 24 {
			m.Say("after %d iterations, it misses by %.3f", i+1, distance(b))
		}
	}
	b.Paint(1, steps-1)
	m.Save(&b.Pixels)
}

// distance is how far from the goal the ball has come to lie.
func distance(b *Table) float64 { return math.Sqrt(float64(b.Loss.At())) }
