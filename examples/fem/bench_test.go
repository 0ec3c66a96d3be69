package main

import (
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/bunny"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

// BenchmarkSparse measures a product of the stiffness and a displacement, what conjugate gradients do most.
func BenchmarkSparse(b *testing.B) { product(b, arrays) }

// BenchmarkStructs measures it in the other layout.
func BenchmarkStructs(b *testing.B) { product(b, structs) }

func product(b *testing.B, l layout) {
	const n = 64
	rt := demotest.Runtime(b)
	triangles, err := bunny.Triangles(1.0 / 32)
	demotest.Check(b, err)
	body, err := newBody(rt, l, n, n, n)
	demotest.Check(b, err)
	demotest.Check(b, body.Voxelise(triangles, lambda, mu))
	demotest.Check(b, body.Cover())
	demotest.Check(b, body.Prepare(1, 5, ti.Vec3{pull / n, 0, 0}))
	_, err = body.Residual()
	demotest.Check(b, err)
	demotest.Check(b, body.Turn(0))
	demotest.Bench(b, nil, func() error {
		_, err := body.Stiffness()
		return err
	})
	b.ReportMetric(float64(body.Nodes.Count()), "nodes")
}
