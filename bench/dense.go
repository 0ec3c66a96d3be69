package main

import (
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// launchEmpty times 100 launches of an empty kernel.
func launchEmpty(rt *ti.Runtime) (*suite.Trial, error) {
	var s struct {
		X              ti.Field[float32]
		Nop, Increment func() error
	}
	rt.Place(ti.Shape{1024}, &s.X)
	if err := load(rt, "launch.ti", &s); err != nil {
		return nil, err
	}
	launch := func() error {
		for range 100 {
			if err := s.Nop(); err != nil {
				return err
			}
		}
		return nil
	}
	return &suite.Trial{Launch: launch, Per: 100, Check: func() (float64, error) { return 0, s.Nop() }}, nil
}

// launchSmall times a parallel loop over 1,024 elements.
func launchSmall(rt *ti.Runtime) (*suite.Trial, error) {
	var s struct {
		X              ti.Field[float32]
		Nop, Increment func() error
	}
	rt.Place(ti.Shape{1024}, &s.X)
	if err := load(rt, "launch.ti", &s); err != nil {
		return nil, err
	}
	return &suite.Trial{Launch: s.Increment, Check: func() (float64, error) {
		s.X.Fill(0)
		if err := s.Increment(); err != nil {
			return 0, err
		}
		return total(&s.X, plain)
	}}, nil
}

// saxpy times y = 2x + y over n elements.
func saxpy(n int) func(rt *ti.Runtime) (*suite.Trial, error) {
	return func(rt *ti.Runtime) (*suite.Trial, error) {
		var s struct {
			X, Y  ti.Field[float32]
			Init  func() error
			Saxpy func(a float32) error
		}
		rt.Place(ti.Shape{n}, &s.X, &s.Y)
		if err := load(rt, "saxpy.ti", &s); err != nil {
			return nil, err
		}
		launch := func() error { return s.Saxpy(2) }
		return &suite.Trial{Launch: launch, Check: func() (float64, error) {
			if err := suite.InOrder(s.Init, launch); err != nil {
				return 0, err
			}
			return total(&s.Y, plain)
		}}, s.Init()
	}
}

// reduction is the host of reduce.ti.
type reduction struct {
	X                     ti.Field[float32]
	Largest               ti.Field[float32]
	InitSum, InitMax, Max func() error
	Sum                   func() (float32, error)
}

// reduceSum times a sum that is handed to the host.
func reduceSum(rt *ti.Runtime) (*suite.Trial, error) {
	var s reduction
	rt.Place(ti.Shape{1 << 24}, &s.X)
	rt.Place(nil, &s.Largest)
	if err := load(rt, "reduce.ti", &s); err != nil {
		return nil, err
	}
	launch := func() error {
		_, err := s.Sum()
		return err
	}
	return &suite.Trial{Launch: launch, Check: func() (float64, error) {
		v, err := s.Sum()
		return float64(v), err
	}}, s.InitSum()
}

// reduceMax times a maximum that goes to a field of one cell.
func reduceMax(rt *ti.Runtime) (*suite.Trial, error) {
	var s reduction
	rt.Place(ti.Shape{8 << 20}, &s.X)
	rt.Place(nil, &s.Largest)
	if err := load(rt, "reduce.ti", &s); err != nil {
		return nil, err
	}
	return &suite.Trial{Launch: s.Max, Check: func() (float64, error) {
		s.Largest.Fill(0)
		err := s.Max()
		return float64(s.Largest.At()), err
	}}, s.InitMax()
}

// maths is the host of maths.ti.
type maths struct {
	X, Y                             ti.Field[float32]
	InitSinExp, SinExp, InitPow, Pow func() error
}

func newMaths(rt *ti.Runtime) (*maths, error) {
	s := new(maths)
	rt.Place(ti.Shape{1 << 22}, &s.X, &s.Y)
	return s, load(rt, "maths.ti", s)
}

// mathSinExp times sine, exponential and logarithm.
func mathSinExp(rt *ti.Runtime) (*suite.Trial, error) {
	s, err := newMaths(rt)
	if err != nil {
		return nil, err
	}
	return &suite.Trial{Launch: s.SinExp, Check: func() (float64, error) { return total(&s.Y, plain) }}, s.InitSinExp()
}

// mathPow times a power with a constant exponent.
func mathPow(rt *ti.Runtime) (*suite.Trial, error) {
	s, err := newMaths(rt)
	if err != nil {
		return nil, err
	}
	return &suite.Trial{Launch: s.Pow, Check: func() (float64, error) { return total(&s.Y, plain) }}, s.InitPow()
}

// stencil2d times 5 points on 4096² elements.
func stencil2d(rt *ti.Runtime) (*suite.Trial, error) {
	var s struct {
		X, Y       ti.Field[float32]
		N          int
		Init, Step func() error
	}
	s.N = 4096
	rt.Place(ti.Shape{s.N, s.N}, &s.X, &s.Y)
	if err := load(rt, "stencil2d.ti", &s); err != nil {
		return nil, err
	}
	return &suite.Trial{Launch: s.Step, Check: func() (float64, error) { return total(&s.Y, square) }}, s.Init()
}

// stencil3d times 7 points on 256³ elements, stored in blocks of 4³ or flat.
func stencil3d(blocked bool) func(rt *ti.Runtime) (*suite.Trial, error) {
	return func(rt *ti.Runtime) (*suite.Trial, error) {
		var s struct {
			U, D       ti.Field[float32]
			N          int
			Init, Step func() error
		}
		s.N = 256
		if blocked {
			rt.NewTree().Dense(ti.IJK, s.N/4).Dense(ti.IJK, 4).Place(&s.U)
			rt.NewTree().Dense(ti.IJK, s.N/4).Dense(ti.IJK, 4).Place(&s.D)
		} else {
			rt.Place(ti.Shape{s.N, s.N, s.N}, &s.U, &s.D)
		}
		if err := load(rt, "stencil3d.ti", &s); err != nil {
			return nil, err
		}
		return &suite.Trial{Launch: s.Step, Check: func() (float64, error) { return total(&s.D, square) }}, s.Init()
	}
}

// julia times a picture of 2048×1024 pixels.
func julia(rt *ti.Runtime) (*suite.Trial, error) {
	var s struct {
		Pixels ti.Field[float32]
		N      int
		Paint  func(t float32) error
	}
	s.N = 1024
	rt.Place(ti.Shape{2 * s.N, s.N}, &s.Pixels)
	if err := load(rt, "julia.ti", &s); err != nil {
		return nil, err
	}
	launch := func() error { return s.Paint(0.03) }
	return &suite.Trial{Launch: launch, Check: func() (float64, error) { return total(&s.Pixels, plain) }}, nil
}

// life times a generation of 4096² cells.
func life(rt *ti.Runtime) (*suite.Trial, error) {
	var s struct {
		A, B       ti.Field[uint8]
		N          int
		Init, Step func() error
	}
	s.N = 4096
	rt.Place(ti.Shape{s.N, s.N}, &s.A, &s.B)
	if err := load(rt, "life.ti", &s); err != nil {
		return nil, err
	}
	count := func(v uint8) float64 { return float64(v) }
	return &suite.Trial{Launch: s.Step, Check: func() (float64, error) { return total(&s.B, count) }}, s.Init()
}

// histogram times 2²⁴ samples counted in 1,024 bins.
func histogram(rt *ti.Runtime) (*suite.Trial, error) {
	var s struct {
		Bins    ti.Field[int32]
		Samples int
		Count   func() error
	}
	s.Samples = 1 << 24
	rt.Place(ti.Shape{1024}, &s.Bins)
	if err := load(rt, "histogram.ti", &s); err != nil {
		return nil, err
	}
	return &suite.Trial{Launch: s.Count, Check: func() (float64, error) {
		s.Bins.Fill(0)
		if err := s.Count(); err != nil {
			return 0, err
		}
		return total(&s.Bins, func(v int32) float64 { return float64(v) * float64(v) })
	}}, nil
}

// matrices times third powers of 2¹⁸ matrices of 4×4.
func matrices(rt *ti.Runtime) (*suite.Trial, error) {
	var s struct {
		A, B       ti.Field[ti.Mat4]
		Init, Cube func() error
	}
	rt.Place(ti.Shape{1 << 18}, &s.A, &s.B)
	if err := load(rt, "matrices.ti", &s); err != nil {
		return nil, err
	}
	sum := func(m ti.Mat4) (s float64) {
		for _, row := range m {
			for _, v := range row {
				s += float64(v)
			}
		}
		return s
	}
	return &suite.Trial{Launch: s.Cube, Check: func() (float64, error) { return total(&s.B, sum) }}, s.Init()
}

// singular times the decomposition of 2¹⁶ matrices of 3×3.
func singular(rt *ti.Runtime) (*suite.Trial, error) {
	var s struct {
		A               ti.Field[ti.Mat3]
		S               ti.Field[float32]
		Init, Decompose func() error
	}
	rt.Place(ti.Shape{1 << 16}, &s.A, &s.S)
	if err := load(rt, "svd.ti", &s); err != nil {
		return nil, err
	}
	return &suite.Trial{Launch: s.Decompose, Check: func() (float64, error) {
		if err := s.Decompose(); err != nil {
			return 0, err
		}
		return total(&s.S, plain)
	}}, s.Init()
}

// monteCarloPi times 2²² random points; its checksum is π to two digits.
func monteCarloPi(rt *ti.Runtime) (*suite.Trial, error) {
	var s struct {
		Points int
		Inside func() (int32, error)
	}
	s.Points = 1 << 22
	if err := load(rt, "pi.ti", &s); err != nil {
		return nil, err
	}
	launch := func() error {
		_, err := s.Inside()
		return err
	}
	return &suite.Trial{Launch: launch, Check: func() (float64, error) {
		n, err := s.Inside()
		return math.Round(400*float64(n)/float64(s.Points)) / 100, err
	}}, nil
}
