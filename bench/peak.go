package main

import (
	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/bench/internal/suite"
)

// machine is the host of peak.ti.
type machine struct {
	X, Y   ti.Field[float32]
	Init   func() error
	Sum    func() (float32, error)
	Chains func(n int32) error
}

func newMachine(rt *ti.Runtime, n int) (*machine, error) {
	s := new(machine)
	rt.Place(ti.Shape{n}, &s.X, &s.Y)
	if err := load(rt, "peak.ti", s); err != nil {
		return nil, err
	}
	return s, s.Init()
}

// The elements and steps of the cases that measure the machine.
const (
	summed     = 1 << 24
	cached     = 1 << 21
	chained    = 1 << 12
	chainSteps = 4096
)

// peakRead times a sum of n numbers.
func peakRead(n int) func(rt *ti.Runtime) (*suite.Trial, error) {
	return func(rt *ti.Runtime) (*suite.Trial, error) {
		s, err := newMachine(rt, n)
		if err != nil {
			return nil, err
		}
		launch := func() error {
			_, err := s.Sum()
			return err
		}
		return &suite.Trial{Launch: launch, Check: func() (float64, error) {
			v, err := s.Sum()
			return float64(v), err
		}}, nil
	}
}

// peakFlops times multiply-adds in registers.
func peakFlops(rt *ti.Runtime) (*suite.Trial, error) {
	s, err := newMachine(rt, chained)
	if err != nil {
		return nil, err
	}
	launch := func() error { return s.Chains(chainSteps) }
	return &suite.Trial{Launch: launch, Check: func() (float64, error) { return total(&s.Y, plain) }}, nil
}
