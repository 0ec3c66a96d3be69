package tally_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/quant/exact"
	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/tally"
)

// narrow rounds a number to a kind.
func narrow(k scalar.Kind, v float64) float64 {
	return ir.FloatValue(k, ir.FloatBits(k, v))
}

// numberOf returns the number that a code stands for.
func numberOf(f quant.Format, k scalar.Kind, code uint64) float64 {
	switch b := exact.Decode(f, k, code); k {
	case scalar.F16:
		return half.To64(uint16(b))
	case scalar.F32:
		return float64(math.Float32frombits(uint32(b)))
	default:
		return math.Float64frombits(b)
	}
}

// roundings returns what storing v in a form may make of it: the nearest number, or the ones that the least and the
// largest random bits choose.
func roundings(f quant.Format, k scalar.Kind, v float64) (stored []float64) {
	draws := []exact.Rounding{{}}
	if f.Stochastic {
		draws = []exact.Rounding{{Random: true}, {Random: true, Draw: math.MaxUint32}}
	}
	for _, d := range draws {
		stored = append(stored, numberOf(f, k, exact.Encode(f, k, ir.FloatBits(k, v), d)))
	}
	return stored
}

// randomTally counts random numbers, of which some are not below zero and some all alike.
func randomTally(r *rand.Rand) *tally.Tally {
	in := tally.New([]scalar.Kind{scalar.F16, scalar.F32, scalar.F64}[r.IntN(3)])
	scale := math.Ldexp(1, r.IntN(40)-20)
	if in.Kind == scalar.F16 {
		scale = math.Ldexp(1, r.IntN(12)-6)
	}
	low, deep := []float64{0, -1}[r.IntN(2)], r.IntN(12)
	for range 1 + r.IntN(20) {
		in.Number(narrow(in.Kind, scale*(low+r.Float64()*(1-low))*math.Ldexp(1, -r.IntN(deep+1))))
	}
	return in
}

// hardest returns numbers of a range that a form may store badly: its ends, some between them, and what lies halfway
// between two numbers of the form and next to that.
func hardest(r *rand.Rand, of tally.Range, f quant.Format) (out []float64) {
	try := []float64{of.Least, of.Largest, of.Smallest, -of.Smallest}
	for range 8 {
		v := narrow(of.Kind, of.Least+r.Float64()*(of.Largest-of.Least)*math.Ldexp(1, -r.IntN(4)))
		c := exact.Encode(f, of.Kind, ir.FloatBits(of.Kind, v), exact.Rounding{})
		for _, next := range []uint64{c - 1, c + 1} {
			middle := (numberOf(f, of.Kind, c) + numberOf(f, of.Kind, next)) / 2
			try = append(try, v, middle, middle*(1+0x1p-23), middle*(1-0x1p-23))
		}
	}
	for _, v := range try {
		if v = narrow(of.Kind, v); v >= of.Least && v <= of.Largest && (v == 0 || math.Abs(v) >= of.Smallest) {
			out = append(out, v)
		}
	}
	return out
}

// TestSuggest checks that the forms for random ranges keep the error within the tolerance, and clamp nothing.
func TestSuggest(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	suggested := 0
	for range 250 {
		in := randomTally(r)
		of, ok := tally.RangeOf(in)
		if !ok {
			t.Fatalf("%+v is no range", in)
		}
		of.Stochastic = r.IntN(2) == 0
		tolerance := math.Pow(2, -1-32*r.Float64())
		loss := tolerance * max(math.Abs(of.Least), math.Abs(of.Largest))
		formats := of.Suggest(tolerance)
		suggested += len(formats)
		for i, f := range formats {
			if i > 0 && f.Width() < formats[i-1].Width() || f.Width() >= of.Width() {
				t.Errorf("%v are not in the order of their bits, or save none of %v", formats, of.Kind)
			}
			if f.Stochastic != of.Stochastic {
				t.Errorf("%v for %+v", f, of)
			}
			if lo, hi := quant.New(f, of.Kind).Ends(false); lo > of.Least || hi < of.Largest {
				t.Errorf("%v clamps numbers of %+v", f, of)
			}
			for _, v := range hardest(r, of, f) {
				for _, stored := range roundings(f, of.Kind, v) {
					if e := math.Abs(stored - v); e > loss {
						t.Fatalf("%v for %+v and %v: %v is off by %v, not %v", f, of, tolerance, v, e, loss)
					}
				}
			}
		}
		if f, ok := of.Shared(tolerance, 2); ok {
			checkShared(t, r, of, f, loss)
		}
	}
	if suggested < 350 {
		t.Errorf("%d forms were suggested", suggested)
	}
}

// checkShared stores the ends of a range, and random numbers of it, with one exponent.
func checkShared(t *testing.T, r *rand.Rand, of tally.Range, f quant.Format, loss float64) {
	c := quant.New(f, of.Kind)
	codes := make([]uint64, 2)
	for range 20 {
		vs := []float64{of.Least, of.Largest}
		if r.IntN(2) == 0 {
			vs[r.IntN(2)] = narrow(of.Kind, of.Least+r.Float64()*(of.Largest-of.Least))
		}
		e := c.EncodeGroup(vs, codes)
		for i, v := range vs {
			if d := math.Abs(c.DecodeGroup(codes[i], e) - v); d > loss {
				t.Fatalf("%v shared for %+v: %v is off by %v, not %v", f, of, v, d, loss)
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
		{scalar.U64, 0, 1 << 62, quant.Format{Class: quant.Int, Bits: 63, Unsigned: true}},
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
