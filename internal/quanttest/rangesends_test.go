package quanttest

import (
	"math"
	"testing"

	"github.com/gotaichi/ti"
)

// TestRangesEnds stores numbers and then NaNs over them, so that a report has what was counted at the stores alone: of zeros, infinities and
// NaNs of either sign by themselves and together with others.
func TestRangesEnds(t *testing.T) {
	const n = 1 << 11
	const source = "package e\n\nvar (\n\tU, V, W field[u64]\n\tS field[f32]\n\tD field[f64]\n)\n\nfunc Store() {\n\tfor p := range S {\n\t\tx := bitcast[f64](U[p])\n\t\tS[p], D[p] = f32(x), x\n\t}\n\tfor p := range S {\n\t\tS[p], D[p] = f32(bitcast[f64](V[p])), bitcast[f64](W[p])\n\t}\n}\n"
	rt := newRuntime(t, ti.Config{Threads: 2})
	var s struct {
		U, V, W ti.Field[uint64]
		S       ti.Field[float32]
		D       ti.Field[float64]
		Store   func() error
	}
	rt.Place(ti.Shape{n}, &s.U, &s.V, &s.W, &s.S, &s.D)
	if err := rt.Load(source, &s); err != nil {
		t.Fatal(err)
	}
	same := func(a, b float64) bool { return a == b || a != a && b != b }
	nan := math.NaN()
	minus := math.Copysign(nan, -1)
	s.V.Fill(math.Float64bits(nan))
	s.W.Fill(math.Float64bits(minus))
	s.S.Fill(float32(nan))
	s.D.Fill(nan)
	inf, zero := math.Inf(1), math.Copysign(0, -1)
	for _, numbers := range [][]float64{
		{nan}, {minus}, {nan, minus}, {0}, {zero}, {0, zero, nan}, {inf}, {-inf}, {inf, -inf, minus}, {nan, -3}, {minus, 2.5, 0}, {0, -0x1p-140}, {zero, 0x1p-149, inf},
		{-math.MaxFloat32, nan}, {math.MaxFloat32, -0x1p-10, minus}, {-1, -2, -1.5}, {7, 3, 5}, {1, -1, 0, inf},
	} {
		for p := range n {
			s.U.Set(math.Float64bits(numbers[p%len(numbers)]), p)
		}
		least, largest, smallest := inf, -inf, inf
		for _, v := range numbers {
			if v == v {
				least, largest = min(least, v), max(largest, v)
				if v != 0 {
					smallest = min(smallest, math.Abs(v))
				}
			}
		}
		if least > largest { // of no number
			least, largest = nan, nan
		}
		if math.IsInf(smallest, 1) {
			smallest = 0
		}
		rs, err := rt.Ranges(s.Store, ti.RangeOptions{}, &s.S, &s.D)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rs {
			if !same(r.Least, least) || !same(r.Largest, largest) || !same(r.SmallestMagnitude, smallest) {
				t.Errorf("%v in %s: least %v, largest %v, smallest %v, not %v, %v, %v", numbers, r.Field, r.Least, r.Largest, r.SmallestMagnitude, least, largest, smallest)
			}
		}
	}
}

// TestRangesExponents computes enough to be counted by vectors, and stores numbers whose exponents spread little or much within a span of a loop, down to the lowest ones, with zeros between.
func TestRangesExponents(t *testing.T) {
	const n = 90*512 + 77
	const source = "package e\n\nvar U field[u32]\nvar S field[f32]\n\nfunc Store(one, no f32) {\n\tfor p := range S {\n\t\tx := bitcast[f32](U[p])\n\t\tS[p] = (((x*one+no)*one+no)*one + no) * one\n\t}\n\tfor p := range S {\n\t\tS[p] = 0\n\t}\n}\n"
	for _, threads := range []int{1, 3} {
		rt := newRuntime(t, ti.Config{Threads: threads})
		var s struct {
			U     ti.Field[uint32]
			S     ti.Field[float32]
			Store func(one, no float32) error
		}
		rt.Place(ti.Shape{n}, &s.U, &s.S)
		if err := rt.Load(source, &s); err != nil {
			t.Fatal(err)
		}
		want := map[int]int64{}
		for p := range n {
			h := p * 2654435761 >> 7
			e := 0 // as in the bits of the number
			switch p / 512 % 10 {
			case 0:
			case 1:
				e = 127
			case 2:
				e = 110 + h%40
			case 3:
				e = h % 9
			case 4:
				e = h % 16
			case 5:
				e = h % 17
			case 6:
				e = (h % 2) * 254
			case 7:
				e = h % 256
			default:
				e = 120 + h%4*(p%3)
			}
			s.U.Set(uint32(e)<<23|uint32(h)&1<<31, p)
			if e > 0 && e < 255 {
				want[e-127]++
			}
		}
		rs, err := rt.Ranges(func() error { return s.Store(1, 0) }, ti.RangeOptions{}, &s.S)
		if err != nil {
			t.Fatal(err)
		}
		for e := -130; e <= 130; e++ {
			if got := rs[0].Exponents[e]; got != want[e] {
				t.Errorf("%d threads: %d numbers with exponent %d, not %d", threads, got, e, want[e])
			}
		}
	}
}
