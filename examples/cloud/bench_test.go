package main

import (
	"testing"

	"github.com/gotaichi/ti/examples/internal/showtest"
)

// BenchmarkSparse measures a path for each pixel of the picture.
func BenchmarkSparse(b *testing.B) {
	rt, cloud, err := build(360, 400, weather)
	showtest.Check(b, err)
	defer rt.Close()
	render := func() {
		showtest.Check(b, cloud.Render(1, sunlight))
		showtest.Check(b, rt.Sync())
	}
	render()
	for b.Loop() {
		render()
	}
	b.ReportMetric(360*400, "pixels")
}
