package main

import (
	"errors"
	"testing"

	"github.com/gotaichi/ti/examples/internal/demotest"
)

// BenchmarkSparse measures a path for each pixel of the picture.
func BenchmarkSparse(b *testing.B) {
	rt, cloud, err := build(360, 400, weather)
	demotest.Check(b, err)
	defer rt.Close()
	render := func() error { return errors.Join(cloud.Render(1, sunlight), rt.Sync()) }
	demotest.Check(b, render())
	demotest.Bench(b, nil, render)
	b.ReportMetric(360*400, "pixels")
}
