package softrobot

import (
	"embed"
	"math"

	"github.com/gotaichi/ti"
)

//go:embed *.ti
var files embed.FS

// A Particle is that of softrobot.ti.
type Particle[V, M any] struct {
	X, V V
	C, F M
}

// A Robot is the host of the sources: in two dimensions with V ti.Vec2, G ti.Vec3 and M ti.Mat2, in three with one more
// of each.
type Robot[V ti.Vec2 | ti.Vec3, G ti.Vec3 | ti.Vec4, M ti.Mat2 | ti.Mat3] struct {
	Dim, N, Solid         int
	Low, High             V
	Rest, Flow            ti.Field[V]
	Grid                  ti.Field[G]
	P, Kept               ti.Field[Particle[V, M]]
	Muscle                ti.Field[int32]
	Force, Weight, Loss   ti.Field[float32]
	View                  [3]V
	Shift                 ti.Vec2
	Near, Image           ti.Field[int32]
	Start, Clear, Collide func()
	Begin                 func()
	P2G, G2P, Paint       func(t int)
	Measure, Keep         func(s int)

	rt             *ti.Runtime
	steps, segment int
	pace           []float32 // of the weights: where the last steps of training led
}

// A Scene says what there is to be simulated, and how it is seen.
type Scene[V ti.Vec2 | ti.Vec3] struct {
	Nodes          int     // along an axis
	Apart          float64 // particles, in parts of the distance between nodes
	Low, High      V       // where ground and walls begin
	Blocks         []Block[V]
	Steps, Segment int        // all of them, and those whose particles are there at a time
	Pace           [2]float64 // of training: the length of the first step, and of each in parts of the one before
	View           [3]V
	Shift          ti.Vec2
	Pixels         ti.Shape
}

// A Block is a box full of particles. What is no part of the robot comes last.
type Block[V ti.Vec2 | ti.Vec3] struct {
	Low, Size V
	Muscle    int32 // its number, or Tissue or Water
}

// What is there besides muscles, which are numbered from 0.
const (
	Tissue = -1
	Water  = -2
)

// Legs are four of that size, with four muscles each.
func Legs(first, apart, size ti.Vec3) (blocks []Block[ti.Vec3]) {
	half := ti.Vec3{size[0] / 2, size[1], size[2] / 2}
	for k := range int32(16) {
		x := first
		for d, bit := range [][2]int32{{k & 1, k >> 2 & 1}, {}, {k >> 1 & 1, k >> 3 & 1}} {
			x[d] += float32(bit[0])*apart[d] + float32(bit[1])*half[d]
		}
		blocks = append(blocks, Block[ti.Vec3]{x, half, k})
	}
	return blocks
}

// Oblique is a view from above and the right.
var Oblique = [3]ti.Vec3{{0.95, 0, 0.31}, {0.1, 0.94, -0.32}, {-0.29, 0.34, 0.89}}

const (
	clocks   = 4   // of a controller
	momentum = 0.8 // of training
)

// New places a robot, and makes its kernels.
func New[V ti.Vec2 | ti.Vec3, G ti.Vec3 | ti.Vec4, M ti.Mat2 | ti.Mat3](rt *ti.Runtime, c Scene[V]) (*Robot[V, G, M], error) {
	at, muscles := c.particles()
	r := &Robot[V, G, M]{rt: rt, steps: c.Steps, segment: c.Segment, Dim: len(at[0]), N: c.Nodes, Low: c.Low, High: c.High, View: c.View, Shift: c.Shift}
	count := 0
	for _, k := range muscles {
		count = max(count, int(k)+1)
		if k != Water {
			r.Solid++
		}
	}
	var grid ti.Shape
	for range r.Dim {
		grid = append(grid, c.Nodes)
	}
	rt.Place(ti.Shape{len(at)}, &r.Rest, &r.Muscle)
	rt.Place(ti.Shape{c.Segment + 1, len(at)}, ti.WithGrad(&r.P)...)
	rt.Place(ti.Shape{len(at)}, ti.WithGrad(&r.Kept)...)
	rt.Place(grid, ti.WithGrad(&r.Grid, &r.Flow)...)
	rt.Place(ti.Shape{c.Steps, count}, ti.WithGrad(&r.Force)...)
	rt.Place(ti.Shape{count, clocks + 1}, ti.WithGrad(&r.Weight)...)
	rt.Place(nil, ti.WithGrad(&r.Loss)...)
	rt.Place(c.Pixels, &r.Near, &r.Image)
	if _, err := rt.Compile(ti.Files(files, "*.ti"), r); err != nil {
		return nil, err
	}
	r.Excite(0.01)
	if err := r.Rest.CopyFrom(at); err != nil {
		return nil, err
	}
	return r, r.Muscle.CopyFrom(muscles)
}

// Excite has muscles follow the clocks, each a little of each, so that there is something to begin with.
func (r *Robot[V, G, M]) Excite(by float32) {
	for k := range r.Weight.Shape()[0] {
		for c := range clocks {
			r.Weight.Set(by*float32((3*k+5*c)%7-3), k, c)
		}
	}
}

// particles are where and what they are.
func (c Scene[V]) particles() (at []V, muscles []int32) {
	apart := c.Apart / float64(c.Nodes)
	for _, b := range c.Blocks {
		var counts [3]int
		n := 1
		for d := range len(b.Size) {
			counts[d] = int(math.Round(float64(b.Size[d]) / apart))
			n *= counts[d]
		}
		for i := range n {
			x := b.Low
			for d := range len(x) {
				x[d] += float32(apart * (float64(i%counts[d]) + 0.5))
				i /= counts[d]
			}
			at, muscles = append(at, x), append(muscles, b.Muscle)
		}
	}
	return at, muscles
}

// Walk goes through all steps. A segment is a checkpoint, which keeps the particles that it begins with, and so is each
// step within, since one grid serves all.
func (r *Robot[V, G, M]) Walk() error {
	r.Start()
	if r.segment == r.steps {
		if err := r.advance(0); err != nil {
			return err
		}
	} else {
		r.Keep(0)
		for t := 0; t < r.steps; t += r.segment {
			err := r.rt.Checkpoint(func() error {
				r.Begin()
				err := r.advance(t)
				r.Keep(r.segment)
				return err
			}, &r.Kept)
			if err != nil {
				return err
			}
		}
	}
	r.Measure(r.segment)
	return nil
}

// Gone is how far the robot has come.
func (r *Robot[V, G, M]) Gone() float32 { return -r.Loss.At() }

// advance goes through the segment that begins with step t.
func (r *Robot[V, G, M]) advance(t int) error {
	for s := range r.segment {
		if err := r.rt.Checkpoint(func() error { r.step(t + s); return nil }); err != nil {
			return err
		}
	}
	return nil
}

func (r *Robot[V, G, M]) step(t int) {
	r.Clear()
	r.P2G(t)
	r.Collide()
	r.G2P(t)
}

// Show goes through a number of steps from step t on, which comes after those that it has gone through, and paints.
func (r *Robot[V, G, M]) Show(t, n int) {
	if t == 0 {
		r.Start()
	}
	for end := t + n; t < end; t++ {
		if t > 0 && t%r.segment == 0 {
			r.Keep(r.segment)
			r.Begin()
		}
		r.step(t)
	}
	r.Paint(t - 1)
}

// Train changes the controller: by a step of a length against the gradient, which is large where the robot is about to
// fall, and by some of the steps before.
func (r *Robot[V, G, M]) Train(length float64) error {
	if err := r.rt.Tape(&r.Loss, r.Walk); err != nil {
		return err
	}
	shape := r.Weight.Shape()
	w, g := make([]float32, shape[0]*shape[1]), make([]float32, shape[0]*shape[1])
	if err := r.Weight.CopyTo(w); err != nil {
		return err
	}
	if err := r.Weight.Grad().CopyTo(g); err != nil {
		return err
	}
	sum := 0.0
	for _, d := range g {
		sum += float64(d) * float64(d)
	}
	if r.pace == nil {
		r.pace = make([]float32, len(w))
	}
	for i := range w {
		r.pace[i] = momentum*r.pace[i] - (1-momentum)*g[i]*float32(length/math.Sqrt(sum))
		w[i] += r.pace[i]
	}
	return r.Weight.CopyFrom(w)
}
