package main

import (
	"fmt"
	"math"
)

// The residual falls by tolerance; mostIterations are far more than that takes.
const (
	tolerance      = 1e-4
	mostIterations = 50
)

// solve finds the pressure that belongs to the divergence of what was carried.
func (s *Smoke) solve() error {
	rr, err := s.Diverge()
	if err != nil {
		return err
	}
	s.solves++
	s.diverged = rr
	before := math.Inf(1) // the first direction has no part of one before
	for k := 0; rr > tolerance*tolerance*s.diverged; k++ {
		if k == mostIterations {
			return fmt.Errorf("after %d iterations the residual is still %.2g of what it was", k, math.Sqrt(rr/s.diverged))
		}
		if before, rr, err = s.iterate(before); err != nil {
			return err
		}
		s.iterations++
	}
	return nil
}

// iterate takes a step of conjugate gradients. It takes the inner product of residual and correction of the step before,
// and returns its own, and the square of the length of the residual.
func (s *Smoke) iterate(before float64) (zr, rr float64, err error) {
	if zr, err = s.Precondition(); err != nil {
		return zr, rr, err
	}
	if err = s.Turn(float32(zr / before)); err != nil {
		return zr, rr, err
	}
	pap, err := s.Curvature()
	if err != nil {
		return zr, rr, err
	}
	rr, err = s.Advance(float32(zr / pap))
	return zr, rr, err
}
