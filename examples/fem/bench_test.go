package main

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/bunny"
	"github.com/gotaichi/ti/examples/internal/showtest"
)

// BenchmarkSparse measures a product of the stiffness and a displacement, what conjugate gradients do most.
func BenchmarkSparse(b *testing.B) {
	const n = 64
	rt := showtest.Runtime(b)
	triangles, err := bunny.Triangles(1.0 / 32)
	showtest.Check(b, err)
	body, err := newBody(rt, n, n, n)
	showtest.Check(b, err)
	showtest.Check(b, body.Voxelise(triangles, lambda, mu))
	showtest.Check(b, body.Cover())
	showtest.Check(b, body.Prepare(1, 5, ti.Vec3{pull / n, 0, 0}))
	_, err = body.Residual()
	showtest.Check(b, err)
	showtest.Check(b, body.Turn(0))
	for b.Loop() {
		_, err := body.Stiffness()
		showtest.Check(b, err)
	}
	b.ReportMetric(float64(body.Nodes.Count()), "nodes")
}
