// Command massspring teaches robots of masses and springs to walk.
package main

import (
	"cmp"
	_ "embed"
	"math"
	"slices"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demo"
)

//go:embed massspring.ti
var source string

// Spring joins two masses.
type Spring struct {
	A, B            int32
	Rest, Actuation float32
}

// Robots is the host of massspring.ti: some of one build, each with a network of its own.
type Robots struct {
	Masses, Count int
	Start         ti.Field[ti.Vec2]
	Springs       ti.Field[Spring]
	W1, W2, Gone  ti.Field[float32]
	Loss, Curves  ti.Field[float32]
	Track         ti.Field[ti.Vec2]
	Pixels        *ti.Field[ti.Vec3]
	Walk          func(steps, exact, shown int)
	Guess         func()
	Descend       func(length float32)
	Paint         func(n, rounds int)
}

const (
	steps  = 2048
	seeds  = 5
	poses  = 9 // in the picture
	rounds = 100
	none   = -1 // of the robots leaves a track
)

// A build is made of squares of masses with springs at the edges and diagonals.
type build struct {
	name    string
	squares [][2]int // column and row
}

var builds = []build{
	{"a table", [][2]int{{0, 0}, {0, 1}, {1, 1}, {2, 1}, {2, 0}}},
	{"a box", [][2]int{{0, 0}, {0, 1}, {1, 1}, {1, 0}}},
	{"a dog", [][2]int{{0, 0}, {0, 1}, {1, 1}, {2, 1}, {2, 0}, {2, 2}}},
}

// parts are the masses and springs of a build. Those of vertical edges and diagonals are muscles.
func (b build) parts() (at []ti.Vec2, springs []Spring) {
	const edge = 0.05
	number := map[[2]int]int32{}
	mass := func(i, j int) int32 {
		n, ok := number[[2]int{i, j}]
		if !ok {
			n = int32(len(at))
			number[[2]int{i, j}] = n
			at = append(at, ti.Vec2{0.1 + edge*float32(i), 0.1 + edge*float32(j)})
		}
		return n
	}
	join := func(a, b int32, actuation float32) {
		if slices.ContainsFunc(springs, func(s Spring) bool { return s.A == a && s.B == b }) {
			return
		}
		d := math.Hypot(float64(at[a][0]-at[b][0]), float64(at[a][1]-at[b][1]))
		springs = append(springs, Spring{a, b, float32(d), actuation})
	}
	for _, s := range b.squares {
		p, q, r, t := mass(s[0], s[1]), mass(s[0]+1, s[1]), mass(s[0], s[1]+1), mass(s[0]+1, s[1]+1)
		join(p, q, 0)
		join(r, t, 0)
		join(p, r, 0.15)
		join(q, t, 0.15)
		join(p, t, 0.15)
		join(q, r, 0.15)
	}
	return at, springs
}

func newRobots(rt *ti.Runtime, pixels *ti.Field[ti.Vec3], b build, n int) (*Robots, error) {
	at, springs := b.parts()
	r := &Robots{Masses: len(at), Count: len(springs), Pixels: pixels}
	rt.Place(ti.Shape{len(at)}, &r.Start)
	rt.Place(ti.Shape{len(springs)}, &r.Springs)
	rt.Place(ti.Shape{n, 32, 10 + 4*len(at) + 1}, ti.WithGrad(&r.W1)...)
	rt.Place(ti.Shape{n, len(springs), 32}, ti.WithGrad(&r.W2)...)
	rt.Place(ti.Shape{n}, ti.WithGrad(&r.Gone)...)
	rt.Place(nil, ti.WithGrad(&r.Loss)...)
	rt.Place(ti.Shape{n, rounds}, &r.Curves)
	rt.Place(ti.Shape{poses, len(at)}, &r.Track)
	if err := rt.Load(source, r); err != nil {
		return nil, err
	}
	if err := r.Start.CopyFrom(at); err != nil {
		return nil, err
	}
	if err := r.Springs.CopyFrom(springs); err != nil {
		return nil, err
	}
	r.Guess()
	return r, nil
}

// learn takes step n against the gradient. The first half of the robots learn from exact impacts.
func (r *Robots) learn(rt *ti.Runtime, n, steps int) error {
	err := rt.Tape(&r.Loss, func() error { r.Walk(steps, seeds, none); return nil })
	if err != nil {
		return err
	}
	for i := range r.Gone.Shape()[0] {
		r.Curves.Set(r.Gone.At(i), i, n)
	}
	r.Descend(0.2 / (1 + float32(n)/25))
	return nil
}

// middle is the robot that comes as far as the median of n robots from the first one on, and how far that is.
func (r *Robots) middle(steps, exact, first, n int) (robot int, gone float32) {
	r.Walk(steps, exact, none)
	order := make([]int, n)
	for i := range order {
		order[i] = first + i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(r.Gone.At(a), r.Gone.At(b)) })
	robot = order[n/2]
	return robot, r.Gone.At(robot)
}

func main() {
	demo.Main("massspring", func(d *demo.Demo) (demo.Result, error) {
		return d.Play("massspring", d.Short(9, 3*rounds), train)
	})
}

// train teaches one build after the other.
func train(m *demo.Movie) {
	pixels := new(ti.Field[ti.Vec3])
	m.Place(ti.Shape{960, 360}, pixels)
	var r *Robots
	each := max(1, m.Count()/len(builds))
	for i := range m.Frames() {
		b := builds[i/each]
		if i%each == 0 {
			var err error
			r, err = newRobots(m.Runtime, pixels, b, 2*seeds)
			m.Check(err)
		}
		m.Check(r.learn(m.Runtime, i%each, steps))
		if i%each == each-1 {
			shown, exact := r.middle(steps, 2*seeds, 0, seeds)
			_, without := r.middle(steps, 0, 0, seeds)
			_, naive := r.middle(steps, 0, seeds, seeds)
			m.Say("%s: learnt from exact impacts, it comes %.2f far, and %.2f without them; learnt without, %.2f", b.name, exact, without, naive)
			r.Walk(steps, 2*seeds, shown)
			r.Paint(i/each, each)
		}
	}
	m.Save(pixels)
}
