package quanttest

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/tally"
)

const stripSource = `
package strip

var (
	X, P, A field[f32]
	D, Z    field[f64]
)

func Copy() {
	for i := range X {
		X[i] = A[i]
	}
	for i := range P {
		P[i] = A[i]
	}
	for i := range D {
		D[i] = Z[i]
	}
}
`

// TestRangesOfStrips compares what vectors count with what package tally counts of the same stores on the host: numbers of few exponents,
// of more than vectors look for, of all of them, and those in the first and last bucket, in strips of all lengths.
func TestRangesOfStrips(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 13))
	one := func() float64 { return 2*r.Float64() - 1 }
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 0x1p-149, -0x1p-130, 0x1.fp127}
	for _, n := range []int{1<<15 + 1, 1<<16 - 63} {
		rt := newRuntime(t, ti.Config{Threads: 2})
		var s stripHost
		rt.Place(ti.Shape{n}, &s.X, &s.D, &s.A, &s.Z)
		rt.NewTree().Dense(ti.I, n).BitStruct(16).Place(&s.P, stripFormat)
		if err := rt.Load(stripSource, &s); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name string
			f    func() float64
		}{
			{"one number", func() float64 { return 0.75 }},
			{"zeros", func() float64 { return 0 }},
			{"uniform", one},
			{"powers", func() float64 { return math.Pow(one(), 5) }},
			{"all exponents", func() float64 { return math.Ldexp(one(), r.IntN(250)-125) }},
			{"small", func() float64 { return math.Ldexp(one(), r.IntN(40)-149) }},
			{"bits", func() float64 { return float64(math.Float32frombits(r.Uint32())) }},
			{"odd", func() float64 { return odd[r.IntN(len(odd))] }},
			{"seldom odd", func() float64 {
				if r.IntN(3000) == 0 {
					return odd[r.IntN(len(odd))]
				}
				return one()
			}},
		} {
			t.Run(fmt.Sprint(c.name, " ", n), func(t *testing.T) {
				a := make([]float32, n)
				for i := range a {
					a[i] = float32(c.f())
				}
				s.compare(t, rt, a)
			})
		}
	}
}

// stripFormat has steps that f32 holds exactly, and half of the numbers from -1 to 1.
var stripFormat = ti.QuantFixed(12, 0.5)

type stripHost struct {
	X, P, A ti.Field[float32]
	D, Z    ti.Field[float64]
	Copy    func() error
}

// compare counts the stores of a, of numbers that are far less, and of a in few bits.
func (s *stripHost) compare(t *testing.T, rt *ti.Runtime, a []float32) {
	zero := make([]float32, len(a))
	single, packed, double := tally.New(scalar.F32), tally.New(scalar.F32), tally.New(scalar.F64)
	lo, hi := stripFormat.Decode(1<<11), stripFormat.Decode(1<<11-1)
	z := make([]float64, len(a))
	for i, v := range a {
		x := float64(v)
		z[i] = x * 1e-9
		single.Plain(x)
		packed.Store(x, 0, stripFormat.Decode(stripFormat.Encode(x)), lo, hi)
		double.Plain(z[i])
	}
	if err := errors.Join(s.A.CopyFrom(a), s.Z.CopyFrom(z), s.X.CopyFrom(zero), s.P.CopyFrom(zero), s.D.CopyFrom(make([]float64, len(a)))); err != nil {
		t.Fatal(err)
	}
	reports, err := rt.Ranges(s.Copy, ti.RangeOptions{}, &s.X, &s.P, &s.D)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range []*tally.Tally{single, packed, double} {
		g, o := reports[i], reports[i].Stores[0]
		w.Extent(0) // what the fields hold before
		smallest := w.Smallest
		if math.IsInf(smallest, 1) {
			smallest = 0
		}
		// Afterwards a packed field holds numbers that are less.
		if g.Least != w.Least || g.Largest != w.Largest || g.SmallestMagnitude != smallest && i != 1 || !maps.Equal(g.Exponents, tally.Histogram(w.Kind, w.Exponents)) {
			t.Errorf("%s is from %v to %v, smallest magnitude %v, exponents %v; not from %v to %v, %v, %v", g.Field, g.Least, g.Largest, g.SmallestMagnitude, g.Exponents,
				w.Least, w.Largest, smallest, tally.Histogram(w.Kind, w.Exponents))
		}
		if o.Total != w.Total || o.Clamped != w.Clamped || o.Flushed != w.Flushed || o.Absorbed != w.Absorbed || o.LargestError != w.LargestError {
			t.Errorf("%s: %+v; not %d, %d, %d, %d, %v", g.Field, o, w.Total, w.Clamped, w.Flushed, w.Absorbed, w.LargestError)
		}
		if i == 1 && !maps.Equal(o.Errors, tally.Histogram(w.Kind, w.Errors)) {
			t.Errorf("%s: errors %v, not %v", g.Field, o.Errors, tally.Histogram(w.Kind, w.Errors))
		}
		if mean := w.Sum / float64(max(1, w.Measured)); !(math.Abs(o.MeanError-mean) <= 1e-9*w.LargestError) {
			t.Errorf("%s: mean error %v, not %v", g.Field, o.MeanError, mean)
		}
	}
}
