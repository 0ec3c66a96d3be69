package main

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti/examples/internal/showtest"
)

// BenchmarkSparse measures the substeps of a frame.
func BenchmarkSparse(b *testing.B) {
	const n = 64
	rt, world, err := build(n, room(n), 16)
	showtest.Check(b, err)
	defer rt.Close()
	showtest.Check(b, world.Init())
	showtest.Check(b, world.advance(2))
	showtest.Check(b, rt.Sync())
	showtest.Bench(b, nil, func() error { return errors.Join(world.advance(substeps), rt.Sync()) })
	b.ReportMetric(float64(room(n)), "particles")
}
