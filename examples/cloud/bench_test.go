package main

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti/examples/internal/showtest"
)

// BenchmarkSparse measures a path for each pixel of the picture.
func BenchmarkSparse(b *testing.B) {
	rt, cloud, err := build(360, 400, weather)
	showtest.Check(b, err)
	defer rt.Close()
	render := func() error { return errors.Join(cloud.Render(1, sunlight), rt.Sync()) }
	showtest.Check(b, render())
	showtest.Bench(b, nil, render)
	b.ReportMetric(360*400, "pixels")
}
