package quanttest

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

const packetsSource = `
package packets

var (
	X, Y field[f32, D2]
	W    field[f32, D2] // whose errors are of all magnitudes
	N    field[i32, D2]
)

// Escape leaves its loop after a number of iterations that differs between neighbours.
func Escape(a f32) f32 {
	sum := f32(0)
	for p := range X {
		c := vec2(f32(p.x)/48-1.5, f32(p.y)/48-1)
		z := c
		n := 0
		for n < 40 && dot(z, z) < 4 {
			z = vec2(z.x*z.x-z.y*z.y, 2*z.x*z.y) + c
			n += 1
		}
		N[p] = n
		Y[p] = a * f32(n)
		if n > 3 {
			X[p] = a * z.x
		}
		W[p] = a * z.y * exp(f32(p.x%12)*4-20)
		sum += a * z.y
	}
	return sum
}
`

// packetsHost is a runtime with the program above, whose fields are packed if that is set.
type packetsHost struct {
	rt     *ti.Runtime
	X, Y   ti.Field[float32]
	W      ti.Field[float32]
	N      ti.Field[int32]
	Escape func(a float32) float32
}

func newPacketsHost(t testing.TB, config ti.Config, packed bool) *packetsHost {
	t.Helper()
	const n = 96
	h := &packetsHost{rt: newRuntime(t, config)}
	for _, f := range []*ti.Field[float32]{&h.X, &h.Y} {
		cell := h.rt.NewTree().Dense(ti.IJ, n, n)
		if packed {
			cell.BitStruct(16).Place(f, ti.QuantFixed(12, 1))
		} else {
			cell.Place(f)
		}
	}
	h.rt.NewTree().Dense(ti.IJ, n, n).BitStruct(16).Place(&h.W, ti.QuantFloat(7, 9))
	h.rt.Place(ti.Shape{n, n}, &h.N)
	if err := h.rt.Load(packetsSource, h); err != nil {
		t.Fatal(err)
	}
	return h
}

// ranges counts two launches.
func (h *packetsHost) ranges(t *testing.T) []ti.RangeReport {
	t.Helper()
	reports, err := h.rt.Ranges(func() error {
		h.Escape(0.25)
		h.Escape(-0.01)
		return nil
	}, ti.RangeOptions{}, &h.X, &h.Y, &h.W, &h.N)
	if err != nil {
		t.Fatal(err)
	}
	return reports
}

// TestRangesOfPackets counts what loops store that packets of iterations go through, all or some of their lanes.
func TestRangesOfPackets(t *testing.T) {
	for _, packed := range []bool{false, true} {
		want := newPacketsHost(t, ti.Config{Arch: ti.Oracle}, packed).ranges(t)
		got := newPacketsHost(t, ti.Config{Arch: ti.CPU, Threads: 2, StrictMath: true}, packed).ranges(t)
		for i, w := range want {
			sameCounts(t, "packets", got[i], w, 1e-6)
		}
	}
}

// TestRangesDeterministic counts errors of all magnitudes, whose sum does not depend on the number of threads, beside a sum of the
// program's own.
func TestRangesDeterministic(t *testing.T) {
	var first []ti.RangeReport
	for _, threads := range []int{1, 2, 3} {
		got := newPacketsHost(t, ti.Config{Arch: ti.CPU, Threads: threads, Deterministic: true}, true).ranges(t)
		if first == nil {
			first = got
		}
		for i, g := range got {
			for k, s := range g.Stores {
				if w := first[i].Stores[k]; math.Float64bits(s.MeanError) != math.Float64bits(w.MeanError) {
					t.Errorf("%s: the mean error with %d threads is %v, and %v with one", g.Field, threads, s.MeanError, w.MeanError)
				}
			}
		}
	}
}

// BenchmarkRangesOfPackets has launches that are counted beside those that are not.
func BenchmarkRangesOfPackets(b *testing.B) {
	for _, c := range []struct {
		name   string
		packed bool
	}{{"f32", false}, {"packed", true}} {
		h := newPacketsHost(b, ti.Config{}, c.packed)
		launch := func(b *testing.B) {
			for b.Loop() {
				h.Escape(0.25)
			}
		}
		b.Run(c.name, launch)
		if _, err := h.rt.Ranges(func() error { b.Run(c.name+"/counted", launch); return nil }, ti.RangeOptions{}, &h.X, &h.Y, &h.W, &h.N); err != nil {
			b.Fatal(err)
		}
	}
}
