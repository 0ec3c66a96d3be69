package quanttest

import (
	"math"
	"strings"
	"testing"

	"github.com/gotaichi/ti"
)

// element is a member in each kind.
type element struct {
	A float32
	B [2]float64
	C int8
	D uint64
	E bool
}

// numbers are those of an element, as real numbers.
func (e element) numbers() []float64 {
	d := 0.0
	if e.E {
		d = 1
	}
	return []float64{float64(e.A), e.B[0], e.B[1], float64(e.C), float64(e.D), d}
}

// TestRangesContents compares what a report has of the contents of fields in all layouts with the numbers that the host reads one by one.
func TestRangesContents(t *testing.T) {
	const m, n = 6, 7000
	for name, place := range map[string]func(rt *ti.Runtime, f *ti.Field[element]){
		"contiguous": func(rt *ti.Runtime, f *ti.Field[element]) { rt.Place(ti.Shape{m, n}, f) },
		"in blocks": func(rt *ti.Runtime, f *ti.Field[element]) {
			rt.NewTree().Dense(ti.IJ, 3, 1000).Dense(ti.IJ, 2, 7).Place(f)
		},
		"in sparse cells": func(rt *ti.Runtime, f *ti.Field[element]) {
			rt.NewTree().Pointer(ti.IJ, 3, 1000).Bitmasked(ti.IJ, 2, 7).Place(f)
		},
		"members in sparse trees": func(rt *ti.Runtime, f *ti.Field[element]) {
			for _, e := range ti.Members(f) {
				rt.NewTree().Pointer(ti.IJ, 3, 1000).Dense(ti.IJ, 2, 7).Place(e)
			}
		},
		"packed": func(rt *ti.Runtime, f *ti.Field[element]) {
			e := ti.Members(f)
			cell := rt.NewTree().Dense(ti.J, n).Dense(ti.I, m)
			cell.BitStruct(64).Place(e[0], ti.QuantFixed(21, 4)).PlaceShared(ti.QuantFloat(6, 14), e[1]).Place(e[2], ti.QuantInt(5)).Place(e[4], ti.QuantInt(1).Unsigned())
			cell.Place(e[3])
		},
		"packed in sparse cells": func(rt *ti.Runtime, f *ti.Field[element]) {
			e := ti.Members(f)
			cell := rt.NewTree().Bitmasked(ti.J, n).Dense(ti.I, m)
			cell.BitStruct(32).Place(e[0], ti.QuantFloat(5, 12)).Place(e[2], ti.QuantInt(5).Wrap())
			cell.Place(e[1]).Place(e[3]).Place(e[4])
		},
	} {
		rt := newRuntime(t, ti.Config{Threads: 3})
		var f ti.Field[element]
		place(rt, &f)
		sparse := strings.Contains(name, "sparse")
		for i := range m {
			for j := range n {
				h := i*n + j
				if sparse && h%5 == 0 {
					continue
				}
				v := element{A: float32(math.Sin(float64(h))) * 3, B: [2]float64{math.Ldexp(1, h%30-15), -float64(h % 11)}, C: int8(h % 13), D: uint64(h) << 40, E: h%3 > 0}
				switch h {
				case n + 2:
					v.A = float32(math.NaN())
				case n + 3:
					v.B[1] = math.Inf(-1)
				case n + 4:
					v.A = -1e-41
				}
				f.Set(v, i, j)
			}
		}
		rs, err := rt.Ranges(func() error { return nil }, ti.RangeOptions{}, &f)
		if err != nil {
			t.Fatal(err)
		}
		least, largest, smallest, exponents := math.Inf(1), math.Inf(-1), math.Inf(1), map[int]int64{}
		for _, e := range f.All() {
			for k, v := range e.numbers() {
				if v != v {
					continue
				}
				least, largest = min(least, v), max(largest, v)
				if v != 0 {
					smallest = min(smallest, math.Abs(v))
				}
				small := 0x1p-1022
				if k == 0 {
					small = 0x1p-126
				}
				if math.Abs(v) >= small && !math.IsInf(v, 0) {
					exponents[math.Ilogb(v)]++
				}
			}
		}
		r := rs[0]
		if r.Least != least || r.Largest != largest || r.SmallestMagnitude != smallest {
			t.Errorf("%s: least %v, largest %v, smallest %v, not %v, %v, %v", name, r.Least, r.Largest, r.SmallestMagnitude, least, largest, smallest)
		}
		for e := -1100; e < 1100; e++ {
			if r.Exponents[e] != exponents[e] {
				t.Errorf("%s: %d numbers with exponent %d, not %d", name, r.Exponents[e], e, exponents[e])
			}
		}
	}
}
