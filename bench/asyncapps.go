package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// These are the applications of Hu's thesis (chapter 4, section 8).

// sheet is the host of async_mesh.ti.
type sheet struct {
	X, V           ti.Field[ti.Vec2]
	C, Rest        ti.Field[ti.Mat2]
	Tri            ti.Field[ti.IVec3]
	Area           ti.Field[float32]
	Loss           ti.Field[float32]
	GridV          ti.Field[ti.Vec2]
	GridM          ti.Field[float32]
	N, Nx          int
	Dt             float32
	Init, Energy   func() error
	Clear, Scatter func() error
	Move, Gather   func() error
}

// meshForces times eight steps of a sheet of 160,000 triangles whose forces are the gradient of its energy, which nobody reads.
func meshForces(rt *ti.Runtime, _ bool) (*suite.Trial, error) {
	s := &sheet{N: 128, Nx: 284, Dt: 1e-4}
	rt.Place(ti.Shape{s.Nx * s.Nx}, ti.WithGrad(&s.X)...)
	rt.Place(ti.Shape{s.Nx * s.Nx}, &s.V, &s.C)
	rt.Place(ti.Shape{2 * (s.Nx - 1) * (s.Nx - 1)}, &s.Tri, &s.Rest, &s.Area)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	rt.Place(ti.Shape{s.N, s.N}, &s.GridV, &s.GridM)
	if err := load(rt, "async_mesh.ti", s); err != nil {
		return nil, err
	}
	forces := func() error {
		s.Loss.Set(0)
		return rt.Tape(&s.Loss, s.Energy)
	}
	steps := inTurn(8, forces, s.Clear, s.Scatter, s.Move, s.Gather)
	return checked(s.Init, steps, func() (float64, error) {
		return total(&s.V, func(v ti.Vec2) float64 { return square(v[0]) + square(v[1]) })
	}), s.Init()
}

// tube is the host of examples/maccormack.
type tube struct {
	V                 ti.Field[ti.Vec3]
	Dyes              [3]tubeDye
	Image             ti.Field[ti.Vec3]
	N                 int
	Dt                float32
	Blow              func() error
	Pour              func(q *ti.Field[float32], sectors, rings int) error
	Forward, Backward func(from, to *ti.Field[float32]) error
	Correct           func(q, ahead, back, next *ti.Field[float32]) error
	Paint             func() error
}

type tubeDye struct{ Now, Ahead, Back, Next *ti.Field[float32] }

// macCormack times two steps of three dyes in a tube of 80³ cells.
func macCormack(rt *ti.Runtime, _ bool) (*suite.Trial, error) {
	const edge = 8
	s := &tube{N: 80, Dt: 1.5}
	cells := rt.NewTree().Pointer(ti.IJK, s.N/edge).Dense(ti.IJK, edge)
	cells.Place(&s.V)
	for i := range s.Dyes {
		d := tubeDye{new(ti.Field[float32]), new(ti.Field[float32]), new(ti.Field[float32]), new(ti.Field[float32])}
		cells.Place(d.Now, d.Ahead, d.Back, d.Next)
		s.Dyes[i] = d
	}
	rt.Place(ti.Shape{1, 1}, &s.Image)
	if err := loadExample(rt, "maccormack", s); err != nil {
		return nil, err
	}
	reset := func() error {
		for i, pattern := range [][2]int{{3, 1}, {4, 2}, {6, 3}} {
			if err := s.Pour(s.Dyes[i].Now, pattern[0], pattern[1]); err != nil {
				return err
			}
		}
		return nil
	}
	return checked(reset, inTurn(2, s.step), func() (float64, error) { return total(s.Dyes[0].Now, square) }), suite.InOrder(s.Blow, reset)
}

// step carries each dye ahead, back, and then corrects it.
func (s *tube) step() error {
	for _, d := range s.Dyes {
		if err := s.Forward(d.Now, d.Ahead); err != nil {
			return err
		}
	}
	for _, d := range s.Dyes {
		if err := s.Backward(d.Ahead, d.Back); err != nil {
			return err
		}
	}
	for i := range s.Dyes {
		d := &s.Dyes[i]
		if err := s.Correct(d.Now, d.Ahead, d.Back, d.Next); err != nil {
			return err
		}
		d.Now, d.Next = d.Next, d.Now
	}
	return nil
}

// solver is the host of examples/mgpcg.
type solver struct {
	X    ti.Field[float64]
	B, P ti.Field[float32]
	L    [6]solverLevel

	Cube, Cheese                      func(n int) error
	Coarsen                           func() error
	Residual, Precondition, Curvature func() (float64, error)
	Turn                              func(beta float32) error
	Advance                           func(alpha float64) error
}

type solverLevel struct {
	Inside               *ti.Node
	R, Z, Left, Diagonal ti.Field[float32]
	Finest               bool
}

// multigridCG times four iterations of conjugate gradients with a multigrid preconditioner in a cube of 64³ points.
func multigridCG(rt *ti.Runtime, _ bool) (*suite.Trial, error) {
	const n, edge = 64, 8
	s := new(solver)
	for l := range s.L {
		v := &s.L[l]
		fields := []ti.AnyField{&v.R, &v.Z, &v.Left}
		if v.Finest = l == 0; v.Finest {
			fields = append(fields, &s.X, &s.B, &s.P)
			rt.Place(ti.Shape{1, 1, 1}, &v.Diagonal) // nothing reads it
		} else {
			fields = append(fields, &v.Diagonal)
		}
		block := rt.NewTree().Origin(ti.IJK, -edge).Pointer(ti.IJK, (n>>l+edge-1)/edge+2)
		for _, f := range fields {
			block.Dense(ti.IJK, edge).Place(f)
		}
		v.Inside = block.Bitmasked(ti.IJK, edge)
	}
	if err := loadExample(rt, "mgpcg", s); err != nil {
		return nil, err
	}
	if err := suite.InOrder(func() error { return s.Cube(n) }, s.Coarsen); err != nil {
		return nil, err
	}
	launch := func() error {
		s.X.Fill(0)
		before := 0.0
		for k := range 4 {
			if _, err := s.Residual(); err != nil {
				return err
			}
			zr, err := s.Precondition()
			if err != nil {
				return err
			}
			beta := 0.0
			if k > 0 {
				beta = zr / before
			}
			if err := s.Turn(float32(beta)); err != nil {
				return err
			}
			before = zr
			pap, err := s.Curvature()
			if err != nil {
				return err
			}
			if err := s.Advance(zr / pap); err != nil {
				return err
			}
		}
		return nil
	}
	return &suite.Trial{Launch: launch, Check: func() (float64, error) {
		return total(&s.X, func(x float64) float64 { return x * x })
	}}, nil
}

// jelly is the host of examples/mpm3d.
type jelly struct {
	P, Q                                                     ti.Field[jellyParticle]
	Next                                                     ti.Field[int32]
	Grid                                                     ti.Field[jellyNode]
	List, Image                                              ti.Field[int32]
	Blocks                                                   *ti.Node
	N                                                        int
	Dt, Gravity                                              float32
	Init, Sort, Arrange, Deform, Scatter, Move, Gather, Draw func() error
	Survey                                                   func(material int32) (jellySummary, error)
	OfParticles                                              func() (momentum ti.DVec3, err error)
	OfGrid                                                   func() (mass float64, momentum ti.DVec3, err error)
}

type (
	jellyParticle struct {
		X, V     ti.Vec3
		C, F     ti.Mat3
		Material int32
	}
	jellyNode struct {
		V ti.Vec3
		M float32
	}
	jellySummary struct {
		Count, Broken    int32
		Center, Low, Top ti.Vec3
		Volume           float32
	}
)

// sparseMPM times eight substeps of water and jelly on a sparse grid of 32³ nodes.
func sparseMPM(rt *ti.Runtime, _ bool) (*suite.Trial, error) {
	const block, particles = 4, 37000
	s := &jelly{N: 32, Dt: 0.0128 / 32, Gravity: 50}
	rt.Place(ti.Shape{particles}, &s.P, &s.Q)
	rt.Place(nil, &s.Next)
	s.Blocks = rt.NewTree().Pointer(ti.IJK, s.N/block)
	s.Blocks.Dense(ti.IJK, block).Place(&s.Grid)
	s.Blocks.Dynamic(ti.L, particles).Chunk(128).Place(&s.List)
	rt.Place(ti.Shape{1, 1}, &s.Image)
	if err := loadExample(rt, "mpm3d", s); err != nil {
		return nil, err
	}
	substep := func() error {
		s.Blocks.Clear()
		return suite.InOrder(s.Sort, s.Deform, s.Scatter, s.Move, s.Gather)
	}
	return checked(s.Init, inTurn(8, substep), func() (float64, error) {
		water, err := s.Survey(0)
		return float64(water.Center[1]), err
	}), s.Init()
}
