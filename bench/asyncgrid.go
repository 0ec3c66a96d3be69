package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// splitFluid is the host of async_mpm.ti. What is merged by hand is mpm88.ti.
type splitFluid struct {
	X, V                       ti.Field[ti.Vec2]
	C                          ti.Field[ti.Mat2]
	J                          ti.Field[float32]
	GridV                      ti.Field[ti.Vec2]
	GridM                      ti.Field[float32]
	N                          int
	Dt                         float32
	Init                       func() error
	Clear, ToGrid              func() error
	Divide, Fall, Walls        func() error
	ToParticles, Move, Stretch func() error
}

// mpmSplit times eight substeps of a fluid.
func mpmSplit(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
	energy := func(v ti.Vec2) float64 { return square(v[0]) + square(v[1]) }
	if merged {
		s := new(fluid)
		s.place(rt)
		if err := load(rt, "mpm88.ti", s); err != nil {
			return nil, err
		}
		return checked(s.Init, inTurn(8, s.Substep), func() (float64, error) { return total(&s.V, energy) }), s.Init()
	}
	s := &splitFluid{N: 128, Dt: 2e-4}
	rt.Place(ti.Shape{8192}, &s.X, &s.V, &s.C, &s.J)
	rt.Place(ti.Shape{s.N, s.N}, &s.GridV, &s.GridM)
	if err := load(rt, "async_mpm.ti", s); err != nil {
		return nil, err
	}
	substeps := inTurn(8, s.Clear, s.ToGrid, s.Divide, s.Fall, s.Walls, s.ToParticles, s.Move, s.Stretch)
	return checked(s.Init, substeps, func() (float64, error) { return total(&s.V, energy) }), s.Init()
}

// simpleAdvection times ten steps of two colours on 256² cells.
func simpleAdvection(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
	s := struct {
		V                     ti.Field[ti.Vec2]
		Red, Blue             ti.Field[float32]
		NewRed, NewBlue       ti.Field[float32]
		N                     int
		Init, Advect, Copy    func() error
		AdvectRed, AdvectBlue func() error
		CopyRed, CopyBlue     func() error
	}{N: 256}
	rt.Place(ti.Shape{s.N, s.N}, &s.V, &s.Red, &s.Blue, &s.NewRed, &s.NewBlue)
	if err := load(rt, "async_advect.ti", &s); err != nil {
		return nil, err
	}
	apart := inTurn(10, s.AdvectRed, s.AdvectBlue, s.CopyRed, s.CopyBlue)
	return checked(s.Init, choose(merged, inTurn(10, s.Advect, s.Copy), apart), func() (float64, error) {
		red, err := total(&s.Red, square)
		if err != nil {
			return 0, err
		}
		blue, err := total(&s.Blue, square)
		return red + blue, err
	}), s.Init()
}

// plate is the host of async_heat.ti.
type plate struct {
	A, B              ti.Field[float32]
	N                 int
	Init, There, Back func() error
	ThereIn, BackIn   func(from, to int) error
}

// tileRows is how many rows of the plate go through all steps before the next ones: they fit the second-level cache.
const tileRows = 32

// tiles makes pairs of steps tile by tile. Each step of a tile is a row higher up than the one before, since it needs that row's neighbours.
func (s *plate) tiles(pairs int) error {
	for top := 0; top < s.N+2*pairs; top += tileRows {
		for step := range 2 * pairs {
			from, to := max(1, top-step), min(s.N-1, top-step+tileRows)
			if from >= to {
				continue
			}
			rows := s.ThereIn
			if step%2 == 1 {
				rows = s.BackIn
			}
			if err := rows(from, to); err != nil {
				return err
			}
		}
	}
	return nil
}

// heat2d times 16 steps of heat on 4096² cells.
func heat2d(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
	s := &plate{N: 4096}
	rt.Place(ti.Shape{s.N, s.N}, &s.A)
	rt.Place(ti.Shape{s.N, s.N}, &s.B)
	if err := load(rt, "async_heat.ti", s); err != nil {
		return nil, err
	}
	tiled := func() error { return s.tiles(8) }
	return checked(s.Init, choose(merged, tiled, inTurn(8, s.There, s.Back)), func() (float64, error) { return total(&s.A, square) }), s.Init()
}

// conjugateGradients times a step of conjugate gradients on n³ cells.
func conjugateGradients(n int) func(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
	return func(rt *ti.Runtime, merged bool) (*suite.Trial, error) {
		s := struct {
			X, R, P, AP                ti.Field[float32]
			PAP, RR, Old               ti.Field[float64]
			N                          int
			Init                       func() error
			Times, Product             func() error
			StepX, StepR, Square, Turn func() error
			TimesProduct, StepSquare   func() error
		}{N: n}
		for _, f := range []ti.AnyField{&s.X, &s.R, &s.P, &s.AP} {
			rt.Place(ti.Shape{n, n, n}, f)
		}
		rt.Place(nil, &s.PAP, &s.RR, &s.Old)
		if err := load(rt, "async_cg.ti", &s); err != nil {
			return nil, err
		}
		step := choose(merged, inTurn(1, s.TimesProduct, s.StepSquare, s.Turn), inTurn(1, s.Times, s.Product, s.StepX, s.StepR, s.Square, s.Turn))
		steps := 0
		again := func() error { // before the residual is zero
			if steps++; steps%32 == 0 {
				return s.Init()
			}
			return step()
		}
		return &suite.Trial{Launch: again, Check: func() (float64, error) {
			if err := suite.InOrder(s.Init, step, step, step); err != nil {
				return 0, err
			}
			return total(&s.X, plain)
		}}, s.Init()
	}
}
