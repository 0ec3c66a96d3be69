package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// simulators is the host of gradient.ti.
type simulators struct {
	X, V, Stiffness, Height, Initial, Target, Loss ti.Field[float32]

	Clear, InitSprings, Ring, Start func() error
	Swing, Energy, Wave, Compare    func(t int) error
}

// newSimulators places springs of a number of steps, and a surface.
func newSimulators(rt *ti.Runtime, springs, steps, side, waves int) (*simulators, error) {
	s := new(simulators)
	rt.Place(ti.Shape{steps + 1, springs}, ti.WithGrad(&s.X, &s.V)...)
	rt.Place(ti.Shape{springs}, ti.WithGrad(&s.Stiffness)...)
	rt.Place(ti.Shape{waves, side, side}, ti.WithGrad(&s.Height)...)
	rt.Place(ti.Shape{side, side}, ti.WithGrad(&s.Initial)...)
	rt.Place(ti.Shape{side, side}, &s.Target)
	rt.Place(nil, ti.WithGrad(&s.Loss)...)
	return s, load(rt, "gradient.ti", s)
}

// autodiffSprings times 64 steps of 4,096 springs, there and back.
func autodiffSprings(rt *ti.Runtime) (*suite.Trial, error) {
	const springs, steps = 4096, 64
	s, err := newSimulators(rt, springs, steps, 1, 1)
	if err == nil {
		err = s.InitSprings()
	}
	if err != nil {
		return nil, err
	}
	simulate := func() error {
		err := s.Clear()
		for t := 0; t < steps && err == nil; t++ {
			err = s.Swing(t)
		}
		if err != nil {
			return err
		}
		return s.Energy(steps)
	}
	return thereAndBack(rt, &s.Loss, simulate, func() (float64, error) {
		if err := rt.Tape(&s.Loss, simulate); err != nil {
			return 0, err
		}
		return total(s.Stiffness.Grad(), plain)
	}), nil
}

// autodiffWave times 254 steps of a surface of 128² cells, there and back.
func autodiffWave(rt *ti.Runtime) (*suite.Trial, error) {
	const side, steps = 128, 256
	s, err := newSimulators(rt, 4096, 1, side, steps)
	if err == nil {
		err = s.Ring()
	}
	if err != nil {
		return nil, err
	}
	simulate := func() error {
		if err := s.Clear(); err != nil {
			return err
		}
		err := s.Start()
		for t := 2; t < steps && err == nil; t++ {
			err = s.Wave(t)
		}
		if err != nil {
			return err
		}
		return s.Compare(steps - 1)
	}
	launch := func() error { return rt.Tape(&s.Loss, simulate) }
	return thereAndBack(rt, &s.Loss, simulate, func() (float64, error) {
		// From a surface that a step of gradient descent gives.
		s.Initial.Fill(0)
		if err := launch(); err != nil {
			return 0, err
		}
		g := make([]float32, side*side)
		if err := s.Initial.Grad().CopyTo(g); err != nil {
			return 0, err
		}
		for i := range g {
			g[i] = -g[i]
		}
		if err := s.Initial.CopyFrom(g); err != nil {
			return 0, err
		}
		if err := launch(); err != nil {
			return 0, err
		}
		return total(s.Initial.Grad(), square)
	}), nil
}
