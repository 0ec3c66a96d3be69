// Command diffmpm trains a robot of soft tissue to walk.
package main

import (
	_ "embed"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
)

//go:embed diffmpm.ti
var source string

// Robot is the host of diffmpm.ti.
type Robot struct {
	X, V                       ti.Field[ti.Vec2]
	C, F                       ti.Field[ti.Mat2]
	Muscle                     ti.Field[int32]
	GridV, GridU               ti.Field[ti.Vec2]
	GridM, Force, Weight, Bias ti.Field[float32]
	Loss, Pixels               ti.Field[float32]

	Start, Contract, Clear, GridOp func()
	P2G, G2P, Measure, Paint       func(t int)
	Descend                        func(rate float32)

	steps int
}

const (
	grid   = 128
	clocks = 4
	width  = 320
)

// A block is a rectangle of tissue, with a muscle or without, -1.
type block struct {
	x, y, w, h float64
	muscle     int32
}

// body has four legs of two muscles each.
func body() []block {
	blocks := []block{{0.1, 0.08, 0.25, 0.06, -1}}
	for leg := range 2 {
		x := 0.1 + 0.19*float64(leg)
		blocks = append(blocks, block{x, 0.03, 0.03, 0.05, int32(2 * leg)}, block{x + 0.03, 0.03, 0.03, 0.05, int32(2*leg + 1)})
	}
	return blocks
}

// build makes a robot of particles so far apart.
func build(rt *ti.Runtime, steps int, apart float64) (*Robot, error) {
	r := &Robot{steps: steps}
	var at []ti.Vec2
	var muscles []int32
	for _, b := range body() {
		for x := b.x; x < b.x+b.w-apart/2; x += apart {
			for y := b.y; y < b.y+b.h-apart/2; y += apart {
				at, muscles = append(at, ti.Vec2{float32(x + apart/2), float32(y + apart/2)}), append(muscles, b.muscle)
			}
		}
	}
	n := len(at)
	rt.Place(ti.Shape{steps + 1, n}, ti.WithGrad(&r.X, &r.V, &r.C, &r.F)...)
	rt.Place(ti.Shape{n}, &r.Muscle)
	rt.Place(ti.Shape{grid, grid}, ti.WithGrad(&r.GridV, &r.GridM, &r.GridU)...)
	rt.Place(ti.Shape{steps, 4}, ti.WithGrad(&r.Force)...)
	rt.Place(ti.Shape{4, clocks}, ti.WithGrad(&r.Weight)...)
	rt.Place(ti.Shape{4}, ti.WithGrad(&r.Bias)...)
	rt.Place(nil, ti.WithGrad(&r.Loss)...)
	rt.Place(ti.Shape{width, width / 2}, &r.Pixels)
	if err := rt.Load(source, r); err != nil {
		return nil, err
	}
	if err := r.Muscle.CopyFrom(muscles); err != nil {
		return nil, err
	}
	for i, x := range at {
		r.X.Set(x, 0, i)
	}
	for k := range 4 {
		for c := range clocks { // a little of each, so that there is something to begin with
			r.Weight.Set(0.01*float32((3*k+5*c)%7-3), k, c)
		}
	}
	return r, nil
}

// walk goes through all steps. One grid serves them: on the way back each step runs again from particles that are
// kept for all.
func (r *Robot) walk(rt *ti.Runtime) error {
	r.Start()
	r.Contract()
	for t := range r.steps {
		err := rt.Checkpoint(func() error {
			r.Clear()
			r.P2G(t)
			r.GridOp()
			r.G2P(t)
			return nil
		})
		if err != nil {
			return err
		}
	}
	r.Measure(r.steps)
	return nil
}

// descend takes a step of a given length against the gradient, which is large where the robot is about to fall.
func (r *Robot) descend(rt *ti.Runtime, length float64) error {
	if err := rt.Tape(&r.Loss, func() error { return r.walk(rt) }); err != nil {
		return err
	}
	sum := 0.0
	for _, f := range []*ti.Field[float32]{r.Weight.Grad(), r.Bias.Grad()} {
		for _, g := range f.All() {
			sum += float64(g) * float64(g)
		}
	}
	r.Descend(float32(length / math.Sqrt(sum)))
	return nil
}

func main() {
	demo.Main("diffmpm", func(d *demo.Demo) (demo.Result, error) { return d.Play("diffmpm", d.Short(16, 240), train) })
}

// train trains for five eighths of the frames, and shows in the others how the robot walks then.
func train(m *demo.Movie) {
	r, err := build(m.Runtime, 1024, 1.0/grid/2)
	m.Check(err)
	m.Check(r.walk(m.Runtime))
	start := -r.Loss.At()
	iterations := m.Count() * 5 / 8
	length := 0.3
	for i := range m.Frames() {
		if i < iterations {
			m.Check(r.descend(m.Runtime, length))
			length *= 0.985
			m.Say("iteration %d: the robot gets %.3f further than untrained", i, -r.Loss.At()-start)
			continue
		}
		if i == iterations {
			m.Check(r.walk(m.Runtime))
			m.Say("after %d iterations with %d particles it gets %.3f further", i, r.X.Shape()[1], -r.Loss.At()-start)
		}
		r.Paint((i - iterations) * r.steps / (m.Count() - iterations))
		m.Show(&r.Pixels)
	}
}
