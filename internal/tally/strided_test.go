package tally_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/tally"
)

// TestStrided compares counts of many numbers with those of one at a time: of zeros, infinities, NaNs and subnormals of either sign, and others.
func TestStrided(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1), 1e-42, -1e-42, math.SmallestNonzeroFloat64, 1.5, -2, 1e30}
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		var numbers []float64
		for range n % 7 {
			v := special[rnd.IntN(len(special))]
			if rnd.IntN(3) == 0 {
				v = math.Ldexp(rnd.NormFloat64(), rnd.IntN(80)-40)
			}
			numbers = append(numbers, v)
		}
		type pair struct {
			other float32
			small float32
			large float64
			whole int16
		}
		pairs := make([]pair, len(numbers)+1)
		for i, v := range numbers {
			pairs[i] = pair{float32(math.NaN()), float32(v), v, int16(n * i)}
		}
		step := unsafe.Sizeof(pairs[0])
		for _, c := range []struct {
			kind  scalar.Kind
			of    tally.Strided
			value func(i int) float64
		}{
			{scalar.F32, tally.Strided{At: unsafe.Pointer(&pairs[0].small)}, func(i int) float64 { return float64(float32(numbers[i])) }},
			{scalar.F64, tally.Strided{At: unsafe.Pointer(&pairs[0].large)}, func(i int) float64 { return numbers[i] }},
			{scalar.I16, tally.Strided{At: unsafe.Pointer(&pairs[0].whole), Value: func(at unsafe.Pointer) float64 { return float64(*(*int16)(at)) }},
				func(i int) float64 { return float64(n * i) }},
		} {
			c.of.Step, c.of.N = step, len(numbers)
			got, want, ends, wantEnds := tally.New(c.kind), tally.New(c.kind), tally.New(c.kind), tally.New(c.kind)
			got.Numbers(c.of)
			ends.Extents(c.of)
			for i := range numbers {
				want.Number(c.value(i))
				wantEnds.Extent(c.value(i))
			}
			for what, p := range map[string][2]*tally.Tally{"numbers": {got, want}, "extents": {ends, wantEnds}} {
				bits := func(t *tally.Tally) []uint64 {
					return []uint64{math.Float64bits(t.Least), math.Float64bits(t.Largest), math.Float64bits(t.Smallest)}
				}
				if !slices.Equal(bits(p[0]), bits(p[1])) || !slices.Equal(p[0].Exponents, p[1].Exponents) {
					t.Fatalf("%s of %v as %v: least %v, largest %v, smallest %v, not %v, %v, %v; or other exponents", what, numbers, c.kind,
						p[0].Least, p[0].Largest, p[0].Smallest, p[1].Least, p[1].Largest, p[1].Smallest)
				}
			}
		}
	}
}
