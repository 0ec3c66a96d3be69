package main

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti/examples/internal/demotest"
)

// BenchmarkSparse measures the solution of the problem in the cube.
func BenchmarkSparse(b *testing.B) {
	const n = 256
	rt := demotest.Runtime(b)
	s, err := newSolver(rt, n)
	demotest.Check(b, err)
	iterations := 0
	prepare := func() error {
		s.Clear()
		return errors.Join(s.Cube(n), s.Coarsen(), rt.Sync())
	}
	solve := func() error {
		residuals, err := s.Solve(1e-6)
		iterations = len(residuals) - 1
		return err
	}
	demotest.Check(b, errors.Join(prepare(), solve())) // compiles
	demotest.Bench(b, prepare, solve)
	b.ReportMetric(float64(iterations), "iterations")
}
