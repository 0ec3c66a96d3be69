package vulkan_test

import (
	"fmt"
	"testing"

	"github.com/gotaichi/ti"
)

// TestSumBesideHistogram launches a loop with a sum and a histogram several times in deterministic mode, where one thread keeps the order of the histogram.
func TestSumBesideHistogram(t *testing.T) {
	const source = `package p

var X, H field[f32]

func Run() f32 {
	s := f32(0)
	for i, j := range ndrange(123, 57) {
		s += X[i*57+j] * f32(j)
		H[j] += X[i*57+j]
	}
	return s
}
`
	cfg := ti.Config{Deterministic: true, Threads: 2, Cache: ti.Cache{Policy: ti.CacheOff}}
	run := func(rt *ti.Runtime) (all []string) {
		var h struct {
			X, H ti.Field[float32]
			Run  func() (float32, error)
		}
		rt.Place(ti.Shape{123 * 57}, &h.X)
		rt.Place(ti.Shape{64}, &h.H)
		must(t, rt.Load(source, &h))
		for i := range 123 * 57 {
			h.X.Set(float32(i*7919%20-3), i) // sums are exact
		}
		for range 3 {
			s, err := h.Run()
			must(t, err)
			all = append(all, fmt.Sprint(s, h.H.At(0), h.H.At(5), h.H.At(56)))
		}
		return all
	}
	got := run(open(t, cfg))
	cfg.Arch = ti.Oracle
	for n, want := range run(runtime(t, cfg)) {
		if got[n] != want {
			t.Errorf("launch %d gives %s, want %s", n, got[n], want)
		}
	}
}
