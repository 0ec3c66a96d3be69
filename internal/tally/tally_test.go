package tally_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/quant/exact"
	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/tally"
)

// roundings returns what storing v in a form may make of it: the nearest number, or the ones that the least and the
// largest random bits choose.
func roundings(f quant.Format, k scalar.Kind, v float64) (stored []float64) {
	draws := []exact.Rounding{{}}
	if f.Stochastic {
		draws = []exact.Rounding{{Random: true}, {Random: true, Draw: math.MaxUint32}}
	}
	bits, real := math.Float64bits(v), math.Float64frombits
	if k == scalar.F32 {
		bits, real = uint64(math.Float32bits(float32(v))), func(b uint64) float64 { return float64(math.Float32frombits(uint32(b))) }
	}
	for _, d := range draws {
		stored = append(stored, real(exact.Decode(f, k, exact.Encode(f, k, bits, d))))
	}
	return stored
}

// TestSuggest checks that the forms for random ranges keep the error within the tolerance, and clamp nothing.
func TestSuggest(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 2000 {
		k := []scalar.Kind{scalar.F32, scalar.F64}[r.IntN(2)]
		in := tally.New(k)
		scale := math.Ldexp(1, r.IntN(40)-20)
		low := []float64{0, -1}[r.IntN(2)]
		for range 1 + r.IntN(20) {
			v := scale * (low + r.Float64()*(1-low)) * math.Ldexp(1, -r.IntN(12))
			if k == scalar.F32 {
				v = float64(float32(v))
			}
			in.Number(v)
		}
		of, ok := tally.RangeOf(in)
		if !ok {
			t.Fatalf("%+v is no range", in)
		}
		of.Stochastic = r.IntN(2) == 0
		tolerance := math.Ldexp(1+r.Float64(), -2-r.IntN(14))
		m := max(math.Abs(of.Least), math.Abs(of.Largest))
		formats := of.Suggest(tolerance)
		if len(formats) == 0 {
			t.Fatalf("no form for %+v and %v", of, tolerance)
		}
		for i, f := range formats {
			if i > 0 && f.Width() < formats[i-1].Width() {
				t.Errorf("%v are not in the order of their bits", formats)
			}
			if f.Stochastic != of.Stochastic {
				t.Errorf("%v for %+v", f, of)
			}
			for _, v := range []float64{of.Least, of.Largest, of.Least + r.Float64()*(of.Largest-of.Least), of.Smallest} {
				if k == scalar.F32 {
					v = float64(float32(v))
				}
				if math.IsInf(v, 0) || v < of.Least || v > of.Largest || math.Abs(v) < of.Smallest { // none of the numbers
					continue
				}
				for _, stored := range roundings(f, k, v) {
					if e := math.Abs(stored - v); e > tolerance*m*(1+1e-6) {
						t.Fatalf("%v for %+v and %v: %v is off by %v", f, of, tolerance, v, e)
					}
				}
			}
		}
		if f, ok := of.Shared(tolerance); ok {
			c := quant.New(f, k)
			codes := make([]uint64, 2)
			vs := []float64{of.Least, of.Largest}
			e := c.EncodeGroup(vs, codes)
			for i, v := range vs {
				if d := math.Abs(c.DecodeGroup(codes[i], e) - v); d > tolerance*m*(1+1e-6) {
					t.Fatalf("%v shared for %+v and %v: %v is off by %v", f, of, tolerance, v, d)
				}
			}
		}
	}
}

// TestSuggestIntegers checks forms of integers, and those of a budget.
func TestSuggestIntegers(t *testing.T) {
	for _, c := range []struct {
		kind           scalar.Kind
		least, largest float64
		want           quant.Format
	}{
		{scalar.I32, 0, 1, quant.Format{Class: quant.Int, Bits: 1, Unsigned: true}},
		{scalar.I32, -1, 0, quant.Format{Class: quant.Int, Bits: 2}},
		{scalar.I32, -128, 127, quant.Format{Class: quant.Int, Bits: 8}},
		{scalar.I32, 0, 256, quant.Format{Class: quant.Int, Bits: 9, Unsigned: true}},
		{scalar.I32, 0, math.MaxInt32, quant.Format{Class: quant.Int, Bits: 31, Unsigned: true}},
		{scalar.U64, 0, math.MaxUint64, quant.Format{Class: quant.Int, Bits: 64, Unsigned: true}},
		{scalar.Bool, 0, 1, quant.Format{Class: quant.Int, Bits: 1, Unsigned: true}},
	} {
		got := tally.Range{Kind: c.kind, Least: c.least, Largest: c.largest, Smallest: 1}.Suggest(0.5)
		if len(got) != 1 || got[0] != c.want {
			t.Errorf("%v from %v to %v: %v, not %v", c.kind, c.least, c.largest, got, c.want)
		}
	}
	of := []tally.Range{{Kind: scalar.F32, Least: -1, Largest: 1, Smallest: 0.1}, {Kind: scalar.F32, Least: 0, Largest: 7, Smallest: 0.1}}
	tolerance, ok := tally.Budget(of, []int{3, 1}, 40)
	if bits := 3*of[0].Suggest(tolerance)[0].Width() + of[1].Suggest(tolerance)[0].Width(); !ok || bits > 40 || bits < 37 {
		t.Errorf("%d bits for 40, with a tolerance of %v", bits, tolerance)
	}
	if _, ok := tally.Budget(of, []int{3, 1}, 3); ok {
		t.Error("four numbers in 3 bits")
	}
}

// TestLayout checks that what fields of counters have is what a tally counts.
func TestLayout(t *testing.T) {
	var l tally.Layout
	want := []*tally.Tally{tally.New(scalar.F32), tally.New(scalar.F64)}
	for _, w := range want {
		l.Add(w.Kind)
		w.Store(1.3, 1, 1, -1, 1)
		w.Store(0x1p-30, 1, 0, -1, 1)
		w.Store(0.25, 0.25, 0.25, -1, 1)
		w.Store(-0.75, 0.25, -0.75, -1, 1)
		w.Store(math.Inf(1), 0, 1, -1, 1)
	}
	nc, ne, ns, nx := l.Sizes()
	counts, ends, sums, exponents := make([]int64, nc), make([]int64, ne), make([]float64, ns), make([]int64, nx)
	l.Start(ends)
	for p, w := range want {
		if empty := l.Tally(p, counts, ends, sums, exponents); empty.Total != 0 || empty.Least <= empty.Largest {
			t.Errorf("nothing counted: %+v", empty)
		}
		if w.Total != 5 || w.Clamped != 2 || w.Flushed != 1 || w.Absorbed != 1 || w.Measured != 4 {
			t.Errorf("%+v", w)
		}
		copy(counts[p*tally.PerCounts:], []int64{w.Clamped, w.Flushed, w.Absorbed})
		for i, v := range []float64{w.Least, w.Largest, w.Smallest, w.LargestError} {
			key := tally.Key(w.Kind, v) + tally.Shift(w.Kind, i)
			if tally.Single(w.Kind) {
				key = int64(int32(key))
			}
			ends[p*tally.PerEnds+i] = key
		}
		sums[p] = w.Sum
		at := exponents[l.Histogram(p):]
		for _, h := range [][]int64{w.Exponents, w.Errors} {
			for i, n := range h { // each store in another copy
				for turn := range n {
					at[int(turn)%tally.Turns(w.Kind)*len(h)+i]++
				}
			}
			at = at[len(h)*tally.Turns(w.Kind):]
		}
		got := l.Tally(p, counts, ends, sums, exponents)
		if got.Total != w.Total || got.Measured != w.Measured || got.Least != w.Least || got.Largest != w.Largest || got.Smallest != w.Smallest || got.LargestError != w.LargestError || got.Sum != w.Sum || tally.Histogram(w.Kind, got.Exponents)[0] != 1 || tally.Histogram(w.Kind, got.Exponents)[-2] != 1 {
			t.Errorf("%+v, not %+v", got, w)
		}
	}
}
