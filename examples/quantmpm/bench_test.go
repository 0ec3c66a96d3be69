package main

import (
	"flag"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

var nodes = flag.Int("nodes", 64, "nodes along an edge of the grid, with a particle for each node")

// BenchmarkStep measures a step of cubes of jelly, packed and plain, on grids of floats and in fixed point, and with the parts of
// the compiler left out that make packing cheap (Hu, Taichi, table 5.6).
func BenchmarkStep(b *testing.B) {
	n := *nodes
	edge := int32(n / 16)
	two := packing{particles: true, two: true}
	particles := int(edge*edge*edge) * block
	for _, c := range []struct {
		name    string
		p       packing
		without string
	}{
		{"plain", packing{}, ""},
		{"packed", packed, ""},
		{"packed without storemerge", packed, "storemerge"},
		{"packed without nonatomicwords", packed, "nonatomicwords"},
		{"packed without both", packed, "storemerge,nonatomicwords"},
		{"packed, grid in fixed point", packing{particles: true, grid: true}, ""},
		{"plain, grid in fixed point", packing{grid: true}, ""},
		{"plain, two kernels", packing{two: true}, ""},
		{"packed, two kernels", two, ""},
		{"packed, two kernels without storemerge", two, "storemerge"},
		{"packed, two kernels without nonatomicwords", two, "nonatomicwords"},
		{"packed, two kernels without both", two, "storemerge,nonatomicwords"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.Setenv("TI_WITHOUT", c.without)
			rt, err := ti.New(ti.Config{})
			demotest.Check(b, err)
			defer rt.Close()
			m := newMaterial(rt, n, particles, false, c.p)
			rt.Place(ti.Shape{1, 1}, &m.Image)
			demotest.Check(b, rt.Load(source, m))
			demotest.Check(b, m.drop(ti.IVec3{edge, edge, edge}, ti.Vec3{0.2, 0.2, 0.2}, ti.Vec3{}, ti.Vec3{0, -1, 0}))
			demotest.Bench(b, nil, func() error { return m.advance(1) })
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(particles), "ns/particle")
			b.ReportMetric(float64(m.bytes()/int64(particles)), "bytes/particle")
		})
	}
}

// BenchmarkRanges measures a step as it is, and while Runtime.Ranges counts what all fields of the particles take and lose.
func BenchmarkRanges(b *testing.B) {
	n := *nodes
	edge := int32(n / 16)
	for _, p := range []packing{{}, packed} {
		rt, err := ti.New(ti.Config{})
		demotest.Check(b, err)
		m := newMaterial(rt, n, int(edge*edge*edge)*block, false, p)
		rt.Place(ti.Shape{1, 1}, &m.Image)
		demotest.Check(b, rt.Load(source, m))
		demotest.Check(b, m.drop(ti.IVec3{edge, edge, edge}, ti.Vec3{0.2, 0.2, 0.2}, ti.Vec3{}, ti.Vec3{0, -1, 0}))
		name := map[bool]string{false: "plain", true: "packed"}[p.particles]
		b.Run(name, func(b *testing.B) { demotest.Bench(b, nil, func() error { return m.advance(1) }) })
		_, err = rt.Ranges(func() error {
			b.Run(name+", counted", func(b *testing.B) { demotest.Bench(b, nil, func() error { return m.advance(1) }) })
			return nil
		}, ti.RangeOptions{}, &m.X, &m.V, &m.F, &m.C)
		demotest.Check(b, err)
		rt.Close()
	}
}

// BenchmarkCompile has what compiling the kernels of a step takes, packed and plain.
func BenchmarkCompile(b *testing.B) {
	b.Setenv("TI_CACHE", "off")
	const n, edge = 32, 2
	for _, c := range []struct {
		name string
		p    packing
	}{
		{"plain", packing{}}, {"packed", packed}, {"plain, two kernels", packing{two: true}}, {"packed, two kernels", packing{particles: true, two: true}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				rt, err := ti.New(ti.Config{})
				demotest.Check(b, err)
				m := newMaterial(rt, n, edge*edge*edge*block, false, c.p)
				rt.Place(ti.Shape{1, 1}, &m.Image)
				demotest.Check(b, rt.Load(source, m))
				demotest.Check(b, m.drop(ti.IVec3{edge, edge, edge}, ti.Vec3{0.2, 0.2, 0.2}, ti.Vec3{}, ti.Vec3{0, -1, 0}))
				b.StartTimer()
				demotest.Check(b, m.advance(1))
				b.StopTimer()
				demotest.Check(b, rt.Close())
				b.StartTimer()
			}
		})
	}
}
