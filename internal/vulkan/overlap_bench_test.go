package vulkan_test

import (
	"testing"

	"github.com/gotaichi/ti"
)

const chainSource = `package p

var X, Y field[f32]

func There() {
	for i := range ndrange(span(1, 255)) {
		Y[i] = (X[i-1] + X[i+1]) / 2
	}
}

func Back() {
	for i := range ndrange(span(1, 255)) {
		X[i] = (Y[i-1] + Y[i+1]) / 2
	}
}
`

// BenchmarkChain launches a chain of 64 small kernels of which each needs what the one before has written, and waits.
func BenchmarkChain(b *testing.B) {
	for _, c := range []struct {
		name  string
		batch int
	}{{"one", 0}, {"batch", 64}} {
		b.Run(c.name, func(b *testing.B) {
			rt, err := ti.New(ti.Config{Arch: ti.Vulkan, Device: 1, Batch: c.batch, Cache: ti.Cache{Policy: ti.CacheOff}})
			if err != nil {
				b.Skip(err)
			}
			defer rt.Close()
			var h struct {
				X, Y        ti.Field[float32]
				There, Back func()
			}
			rt.Place(ti.Shape{256}, &h.X, &h.Y)
			if err := rt.Load(chainSource, &h); err != nil {
				b.Fatal(err)
			}
			chain := func() {
				for range 32 {
					h.There()
					h.Back()
				}
				if err := rt.Sync(); err != nil {
					b.Fatal(err)
				}
			}
			for range 4 {
				chain()
			}
			b.ReportAllocs()
			for b.Loop() {
				chain()
			}
		})
	}
}
