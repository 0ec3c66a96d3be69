package main

import (
	"fmt"
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
	"github.com/gotaichi/ti/examples"
)

// loadExample compiles the kernels of an example for a host.
func loadExample(rt *ti.Runtime, name string, host any) error {
	text, err := examples.Sources.ReadFile(name + "/" + name + ".ti")
	if err != nil {
		return fmt.Errorf("the example's source is not in the program: %w", err)
	}
	_, err = rt.Compile(ti.Text(name+".ti", string(text)), host)
	return err
}

// thereAndBack times a simulation with its backward pass, and apart from it.
func thereAndBack(rt *ti.Runtime, loss *ti.Field[float32], there func() error, check func() (float64, error)) *suite.Trial {
	return &suite.Trial{Launch: func() error { return rt.Tape(loss, there) }, There: there, Check: check}
}

// smoke is the host of examples/smoke.
type smoke struct {
	V, U, Wind                      ti.Field[ti.Vec2]
	Div, P, Smoke, Target           ti.Field[float32]
	Loss, Pixels, X, B, R, D, Q     ti.Field[float32]
	RR, New, DQ                     ti.Field[float64]
	Sweeps                          int
	Begin, Blow                     func() error
	Advect, Diverge, Project, Carry func(t int) error
	Compare                         func(t int) error
	Sweep                           func(t, k int) error
	Descend                         func(rate float32) error
}

// autodiffSmoke times 100 steps of smoke in 110² cells, with 6 sweeps each, there and back.
func autodiffSmoke(rt *ti.Runtime) (*suite.Trial, error) {
	const n, steps, sweeps = 110, 100, 6
	s := &smoke{Sweeps: sweeps}
	rt.Place(ti.Shape{steps, n, n}, ti.WithGrad(&s.V, &s.U, &s.Div, &s.Smoke)...)
	rt.Place(ti.Shape{steps*sweeps + 1, n, n}, ti.WithGrad(&s.P)...)
	rt.Place(ti.Shape{n, n}, ti.WithGrad(&s.Wind)...)
	rt.Place(ti.Shape{n, n}, &s.Target, &s.X, &s.B, &s.R, &s.D, &s.Q)
	rt.Place(ti.Shape{1, 1}, &s.Pixels)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	rt.Place(nil, &s.RR, &s.New, &s.DQ)
	if err := loadExample(rt, "smoke", s); err != nil {
		return nil, err
	}
	there := func() error {
		err := s.Blow()
		for t := 1; t < steps && err == nil; t++ {
			last := t * sweeps
			err = suite.InOrder(
				func() error { return s.Advect(t) },
				func() error { return s.Diverge(t) },
				func() (err error) {
					for k := last - sweeps + 1; k <= last && err == nil; k++ {
						err = s.Sweep(t, k)
					}
					return err
				},
				func() error { return s.Project(t) },
				func() error { return s.Carry(t) })
		}
		if err != nil {
			return err
		}
		return s.Compare(steps - 1)
	}
	// Each launch begins with the wind that a step against the gradient gives.
	start := func() error {
		s.Wind.Fill(ti.Vec2{})
		if err := rt.Tape(&s.Loss, there); err != nil {
			return err
		}
		return s.Descend(100)
	}
	if err := suite.InOrder(s.Begin, start); err != nil {
		return nil, err
	}
	return thereAndBack(rt, &s.Loss, there, func() (float64, error) {
		if err := suite.InOrder(start, func() error { return rt.Tape(&s.Loss, there) }); err != nil {
			return 0, err
		}
		return total(s.Wind.Grad(), square2)
	}), nil
}

func square2(v ti.Vec2) float64 { return square(v[0]) + square(v[1]) }

// elastic is the host of elastic.ti.
type elastic struct {
	X, V, GridV, GridU, Velocity, Centre ti.Field[ti.Vec2]
	C, F                                 ti.Field[ti.Mat2]
	GridM, Loss                          ti.Field[float32]
	Place, Clear, Start, Score           func() error
	P2G, GridOp, G2P, Average            func(t int) error
}

// autodiffMPM times 127 steps of 6,400 particles, there and back, and returns the time of one.
func autodiffMPM(rt *ti.Runtime) (*suite.Trial, error) {
	const particles, n, steps = 6400, 120, 128
	s := new(elastic)
	rt.Place(ti.Shape{steps, particles}, ti.WithGrad(&s.X, &s.V, &s.C, &s.F)...)
	rt.Place(ti.Shape{steps, n, n}, ti.WithGrad(&s.GridV, &s.GridU, &s.GridM)...)
	rt.Place(nil, ti.WithGrad(&s.Velocity, &s.Centre, &s.Loss)...)
	if err := load(rt, "elastic.ti", s); err != nil {
		return nil, err
	}
	there := func() error {
		err := s.Start()
		for t := 0; t < steps-1 && err == nil; t++ {
			err = suite.InOrder(
				func() error { return s.P2G(t) },
				func() error { return s.GridOp(t) },
				func() error { return s.G2P(t) })
		}
		if err != nil {
			return err
		}
		return suite.InOrder(func() error { return s.Average(steps - 1) }, s.Score)
	}
	s.Velocity.Set(ti.Vec2{1, -2})
	launch := func() error {
		if err := s.Clear(); err != nil {
			return err
		}
		return rt.Tape(&s.Loss, there)
	}
	return &suite.Trial{
		Launch: launch,
		There:  func() error { return suite.InOrder(s.Clear, there) },
		Per:    steps - 1,
		Check: func() (float64, error) {
			if err := launch(); err != nil {
				return 0, err
			}
			g := s.Velocity.Grad().At()
			return float64(g[0]) - float64(g[1]), nil
		},
	}, s.Place()
}

// billiards is the host of examples/billiards.
type billiards struct {
	X, V, Impulse, Shift, InitX, InitV ti.Field[ti.Vec2]
	Loss, Scan, Pixels                 ti.Field[float32]
	Balls, Target                      int
	Goal                               ti.Vec2
	Begin, Clear                       func() error
	Collide, Advance, Score            func(t int) error
}

// autodiffBilliards times 1,024 steps of 11 balls, there and back.
func autodiffBilliards(rt *ti.Runtime) (*suite.Trial, error) {
	const balls, steps = 11, 1024
	s := &billiards{Balls: balls, Target: balls - 1, Goal: ti.Vec2{0.9, 0.75}}
	rt.Place(ti.Shape{steps, balls}, ti.WithGrad(&s.X, &s.V, &s.Impulse, &s.Shift)...)
	rt.Place(nil, ti.WithGrad(&s.InitX, &s.InitV, &s.Loss)...)
	rt.Place(ti.Shape{1, 1}, &s.Scan, &s.Pixels)
	if err := loadExample(rt, "billiards", s); err != nil {
		return nil, err
	}
	for b := 1; b < balls; b++ {
		row := int(math.Sqrt(float64(8*b-7))-1) / 2
		column := b - 1 - row*(row+1)/2
		s.X.Set(ti.Vec2{0.5 + 0.061*float32(row), 0.5 + 0.061*float32(column) - 0.021*float32(row)}, 0, b)
	}
	s.InitX.Set(ti.Vec2{0.1, 0.5})
	s.InitV.Set(ti.Vec2{0.3, 0})
	play := func(steps int) error {
		err := suite.InOrder(s.Clear, s.Begin)
		for t := 1; t < steps && err == nil; t++ {
			err = suite.InOrder(func() error { return s.Collide(t - 1) }, func() error { return s.Advance(t) })
		}
		if err != nil {
			return err
		}
		return s.Score(steps - 1)
	}
	there := func() error { return play(steps) }
	return thereAndBack(rt, &s.Loss, there, func() (float64, error) {
		// Later collisions multiply what arithmetic has rounded.
		if err := rt.Tape(&s.Loss, func() error { return play(1024) }); err != nil {
			return 0, err
		}
		return square2(s.InitV.Grad().At()), nil
	}), nil
}

// cage is the host of examples/electric.
type cage struct {
	Path         ti.Field[ti.Vec4]
	W1, W2, Loss ti.Field[float32]
	Track        ti.Field[ti.Vec2]
	Pixels       ti.Field[ti.Vec3]
	Start        func() error
	Follow       func(first, n, steps int) error
}

// autodiffElectric times 512 steps of a ball in each thread, led by a network, there and back.
func autodiffElectric(rt *ti.Runtime) (*suite.Trial, error) {
	const steps, paths = 512, 2
	s := new(cage)
	rt.Place(ti.Shape{paths, 3}, &s.Path)
	rt.Place(ti.Shape{64, 9}, ti.WithGrad(&s.W1)...)
	rt.Place(ti.Shape{64, 8}, ti.WithGrad(&s.W2)...)
	rt.Place(ti.Shape{2, 1}, &s.Track)
	rt.Place(ti.Shape{1, 1}, &s.Pixels)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	if err := loadExample(rt, "electric", s); err != nil {
		return nil, err
	}
	there := func() error { return s.Follow(0, paths, steps) }
	return thereAndBack(rt, &s.Loss, there, func() (float64, error) {
		if err := rt.Tape(&s.Loss, there); err != nil {
			return 0, err
		}
		return total(s.W2.Grad(), square)
	}), s.Start()
}

// spring is one of the robot.
type spring struct {
	A, B            int32
	Rest, Actuation float32
}

// robot is the host of examples/massspring.
type robot struct {
	Masses, Count int
	Start         ti.Field[ti.Vec2]
	Springs       ti.Field[spring]
	W1, W2, Gone  ti.Field[float32]
	Loss, Curves  ti.Field[float32]
	Track         ti.Field[ti.Vec2]
	Pixels        ti.Field[ti.Vec3]
	Guess         func() error
	Walk          func(steps, exact, shown int) error
}

// ladder is a robot of squares on top of each other: masses, and springs along edges and diagonals.
func ladder(squares int) (at []ti.Vec2, springs []spring) {
	const edge = 0.05
	join := func(a, b int, rest float32) { springs = append(springs, spring{int32(a), int32(b), rest, 0.15}) }
	for row := range squares + 1 {
		for column := range 2 {
			at = append(at, ti.Vec2{0.1 + edge*float32(row), 0.1 + edge*float32(column)})
		}
		join(2*row, 2*row+1, edge)
		if row > 0 {
			join(2*row-2, 2*row, edge)
			join(2*row-1, 2*row+1, edge)
			join(2*row-2, 2*row+1, edge*math.Sqrt2)
			join(2*row-1, 2*row, edge*math.Sqrt2)
		}
	}
	return at, springs
}

// autodiffMassSpring times 2,048 steps of a robot for each thread, of 12 masses and 26 springs, there and back.
func autodiffMassSpring(rt *ti.Runtime) (*suite.Trial, error) {
	const robots, steps, hidden, waves, nobody = 2, 2048, 32, 10, -1
	at, springs := ladder(5)
	s := &robot{Masses: len(at), Count: len(springs)}
	rt.Place(ti.Shape{len(at)}, &s.Start)
	rt.Place(ti.Shape{len(springs)}, &s.Springs)
	rt.Place(ti.Shape{robots, hidden, waves + 4*len(at) + 1}, ti.WithGrad(&s.W1)...)
	rt.Place(ti.Shape{robots, len(springs), hidden}, ti.WithGrad(&s.W2)...)
	rt.Place(ti.Shape{robots}, ti.WithGrad(&s.Gone)...)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	rt.Place(ti.Shape{1, len(at)}, &s.Track)
	rt.Place(ti.Shape{robots, 1}, &s.Curves)
	rt.Place(ti.Shape{1, 3}, &s.Pixels)
	if err := loadExample(rt, "massspring", s); err != nil {
		return nil, err
	}
	if err := suite.InOrder(
		func() error { return s.Start.CopyFrom(at) },
		func() error { return s.Springs.CopyFrom(springs) }, s.Guess); err != nil {
		return nil, err
	}
	there := func() error { return s.Walk(steps, robots, nobody) }
	return thereAndBack(rt, &s.Loss, there, func() (float64, error) {
		// Later steps multiply what arithmetic has rounded.
		if err := rt.Tape(&s.Loss, func() error { return s.Walk(64, robots, nobody) }); err != nil {
			return 0, err
		}
		return total(s.W2.Grad(), square)
	}), nil
}
