package main

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti/examples/internal/showtest"
)

// BenchmarkSparse measures the convolution.
func BenchmarkSparse(b *testing.B) {
	rt, layer, err := build(256, 16)
	showtest.Check(b, err)
	defer rt.Close()
	showtest.Check(b, layer.Convolve())
	showtest.Check(b, rt.Sync())
	showtest.Bench(b, nil, func() error { return errors.Join(layer.Convolve(), rt.Sync()) })
	b.ReportMetric(float64(layer.voxels.Count()), "voxels")
}
