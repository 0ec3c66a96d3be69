package main

import (
	"math"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// fluid is the host of mpm88.ti.
type fluid struct {
	X, V          ti.Field[ti.Vec2]
	C             ti.Field[ti.Mat2]
	J             ti.Field[float32]
	GridV         ti.Field[ti.Vec2]
	GridM         ti.Field[float32]
	N             int
	Dt            float32
	Init, Substep func() error
}

// place gives the fluid its memory: 8,192 particles and 128² nodes.
func (s *fluid) place(rt *ti.Runtime) {
	s.N, s.Dt = 128, 2e-4
	rt.Place(ti.Shape{8192}, &s.X, &s.V, &s.C, &s.J)
	rt.Place(ti.Shape{s.N, s.N}, &s.GridV, &s.GridM)
}

// mpm88 times 50 substeps of the fluid.
func mpm88(rt *ti.Runtime) (*suite.Trial, error) {
	s := new(fluid)
	s.place(rt)
	if err := load(rt, "mpm88.ti", s); err != nil {
		return nil, err
	}
	fifty := func() error {
		for range 50 {
			if err := s.Substep(); err != nil {
				return err
			}
		}
		return nil
	}
	return &suite.Trial{Launch: fifty, Check: func() (float64, error) {
		if err := suite.InOrder(s.Init, fifty); err != nil {
			return 0, err
		}
		return total(&s.X, func(v ti.Vec2) float64 { return float64(v[0]) + float64(v[1]) })
	}}, s.Init()
}

// nbody times the forces between all pairs of 4,096 bodies.
func nbody(rt *ti.Runtime) (*suite.Trial, error) {
	var s struct {
		Pos, Vel   ti.Field[ti.Vec3]
		Init, Step func() error
	}
	rt.Place(ti.Shape{4096}, &s.Pos, &s.Vel)
	if err := load(rt, "nbody.ti", &s); err != nil {
		return nil, err
	}
	speed := func(v ti.Vec3) float64 {
		return math.Abs(float64(v[0])) + math.Abs(float64(v[1])) + math.Abs(float64(v[2]))
	}
	return &suite.Trial{Launch: s.Step, Check: func() (float64, error) {
		if err := suite.InOrder(s.Init, s.Step); err != nil {
			return 0, err
		}
		return total(&s.Vel, speed)
	}}, s.Init()
}
