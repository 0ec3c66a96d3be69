package main

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti/examples/internal/demotest"
)

// BenchmarkSparse measures the convolution.
func BenchmarkSparse(b *testing.B) {
	rt, layer, err := build(256, 16)
	demotest.Check(b, err)
	defer rt.Close()
	demotest.Check(b, layer.Convolve())
	demotest.Check(b, rt.Sync())
	demotest.Bench(b, nil, func() error { return errors.Join(layer.Convolve(), rt.Sync()) })
	b.ReportMetric(float64(layer.voxels.Count()), "voxels")
}
