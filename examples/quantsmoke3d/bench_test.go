package main

import (
	"flag"
	"math"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/examples/internal/demotest"
)

var (
	benchCells  = flag.Int("cells", 128, "cells along an edge of the domain of benchmarks")
	benchActive = flag.Int("active", 64, "and of the part of it that is active")
)

// BenchmarkFrame has a frame of smoke in eddies, packed and plain.
func BenchmarkFrame(b *testing.B) {
	for _, c := range []struct {
		name  string
		plain bool
	}{{"packed", false}, {"plain", true}} {
		b.Run(c.name, func(b *testing.B) {
			rt, err := ti.New(ti.Config{})
			demotest.Check(b, err)
			defer rt.Close()
			s, err := newSmoke(rt, *benchCells, c.plain)
			demotest.Check(b, err)
			demotest.Check(b, eddies(rt, s, *benchActive))
			demotest.Check(b, s.frame()) // compiles
			demotest.Bench(b, nil, func() error {
				if err := s.frame(); err != nil {
					return err
				}
				return rt.Sync()
			})
			b.ReportMetric(float64(s.cells()), "cells")
			b.ReportMetric(float64(s.bytes())/float64(s.cells()), "B/cell")
			b.ReportMetric(float64(s.iterations)/float64(s.solves), "iterations")
		})
	}
}

// eddies fills a cube of n³ cells in the middle of the domain.
func eddies(rt *ti.Runtime, s *Smoke, n int) error {
	host := struct {
		U, Dye *vectors
		Stir   func(low, n, waves int) error
	}{U: &s.U, Dye: &s.Dye}
	if err := rt.Load(stirring, &host); err != nil {
		return err
	}
	return host.Stir((s.N-n)/2, n, int(math.Ceil(float64(n)/32)))
}

const stirring = `package stirring

var U, Dye field[vec3, D3]

func Stir(low, n, waves i32) {
	for o := range ndrange(n, n, n) {
		x := 2 * pi * waves * vec3(o) / n
		U[low+o] = 2 * vec3(sin(x.y)*cos(x.z), sin(x.z)*cos(x.x), sin(x.x)*cos(x.y))
		Dye[low+o] = 0.25 + 0.2*sin(x.zxy)
	}
}
`
