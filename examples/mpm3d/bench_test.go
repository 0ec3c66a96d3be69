package main

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti/examples/internal/demotest"
)

// BenchmarkSparse measures the substeps of a frame.
func BenchmarkSparse(b *testing.B) {
	const n = 64
	rt, world, err := build(n, room(n), 16)
	demotest.Check(b, err)
	defer rt.Close()
	demotest.Check(b, world.Init())
	demotest.Check(b, world.advance(2))
	demotest.Check(b, rt.Sync())
	demotest.Bench(b, nil, func() error { return errors.Join(world.advance(substeps), rt.Sync()) })
	b.ReportMetric(float64(room(n)), "particles")
}
