package main

import (
	"testing"

	"github.com/gotaichi/ti/examples/internal/showtest"
)

// BenchmarkSparse measures the solution of the problem in the cube.
func BenchmarkSparse(b *testing.B) {
	const n = 256
	rt := showtest.Runtime(b)
	s, err := newSolver(rt, n)
	showtest.Check(b, err)
	iterations := 0
	solve := func() {
		b.StopTimer()
		s.Clear()
		showtest.Check(b, s.Cube(n))
		showtest.Check(b, s.Coarsen())
		showtest.Check(b, rt.Sync())
		b.StartTimer()
		residuals, err := s.Solve(1e-6)
		showtest.Check(b, err)
		iterations = len(residuals) - 1
	}
	solve() // compiles
	for b.Loop() {
		solve()
	}
	b.ReportMetric(float64(iterations), "iterations")
}
