package mathlib

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/randtest"
	"github.com/gotaichi/ti/internal/target"
)

var fusedSeeds = randtest.New("fused", "fused.first", "thousands of fused products", 20, 2)

// exactly returns ab + c rounded once to a kind of digits bits whose last place is 2^least at least.
func exactly(a, b, c float64, digits, least int) float64 {
	if a == 0 || b == 0 || math.IsInf(a, 0) || math.IsInf(b, 0) || a != a || b != b || c != c {
		return a*b + c
	}
	if math.IsInf(c, 0) {
		return c
	}
	wide := func(v float64) *big.Float { return new(big.Float).SetPrec(8000).SetFloat64(v) }
	x := wide(a)
	x.Mul(x, wide(b)).Add(x, wide(c))
	if x.Sign() == 0 {
		return 0 // +0, since no argument is 0 but c
	}
	// As many digits as there are above the least place.
	n := min(digits, x.MantExp(nil)-least)
	if n <= 0 { // at most half of the least place, or more than half
		tie := new(big.Float).SetMantExp(big.NewFloat(1), least-1)
		small := 0.0
		if new(big.Float).Abs(x).Cmp(tie) > 0 {
			small = math.Ldexp(1, least)
		}
		return math.Copysign(small, float64(x.Sign()))
	}
	v, _ := new(big.Float).SetPrec(uint(n)).Set(x).Float64()
	return v
}

// hardProducts calls f with arguments that are hard to get right in a kind of digits bits, with exponents of ±range:
// ties, sums that nearly vanish, results that are denormal or overflow, and what is special.
func hardProducts(rng *rand.Rand, digits, exponents, least int, f func(a, b, c float64)) {
	special := []float64{0, 1, 2, 3, math.Ldexp(1, least), math.Ldexp(1, least+1), math.Ldexp(3, least), math.Ldexp(1, least+digits-1),
		math.Ldexp(1, least+digits) - math.Ldexp(1, least), math.Ldexp(1, exponents-1), math.Ldexp(2-math.Ldexp(1, 1-digits), exponents-1), inf, nan}
	pick := func() float64 {
		v := special[rng.IntN(len(special))]
		if rng.IntN(2) == 0 {
			v = -v
		}
		return v
	}
	// number has few or many bits, often close to a power of two.
	number := func(exp int) float64 {
		m := 1 + rng.Float64()
		switch rng.IntN(4) {
		case 0:
			m = 1 + float64(rng.IntN(8))*math.Ldexp(1, 1-digits)
		case 1:
			m = 2 - float64(rng.IntN(8))*math.Ldexp(1, 1-digits)
		case 2:
			m = 1 + float64(rng.IntN(64))/64
		}
		return math.Ldexp(m*float64(1-2*rng.IntN(2)), exp)
	}
	all := func() int { return rng.IntN(exponents-least-1) + least }
	for range 1000 {
		ea, eb, ec := all(), all(), all()
		switch rng.IntN(6) {
		case 0: // c beside the product
			ec = ea + eb + rng.IntN(2*digits+6) - digits - 3
		case 1: // a denormal result
			eb = least + rng.IntN(digits+8) - ea - 4
			ec = least + rng.IntN(digits+8) - 4
		case 2: // one that is about to overflow
			eb = exponents - ea - rng.IntN(4)
			ec = exponents - rng.IntN(digits+4)
		}
		a, b, c := number(ea), number(eb), number(ec)
		switch rng.IntN(12) {
		case 0: // a sum that nearly vanishes, or does
			c = -a * b
		case 1:
			c = math.Nextafter(-a*b, 0)
		case 2:
			a = pick()
		case 3:
			b, c = pick(), pick()
		case 4:
			c = pick()
		case 5:
			a, b, c = pick(), pick(), pick()
		}
		f(a, b, c)
	}
}

// TestFused computes fused products without the instruction, by the test machine and as compiled, vectorised code, and
// compares every bit with the exact ones.
func TestFused(t *testing.T) {
	slow := target.Traits{VectorBits: 128}
	lib := Library{Target: slow}
	wide, narrow := newLoop(t, ir.OpFma, ir.F64, slow), newLoop(t, ir.OpFma, ir.F32, slow)
	one := map[ir.Kind]*machine{}
	for _, k := range []ir.Kind{ir.F16, ir.F32, ir.F64} {
		one[k] = newMachine(lib.Func(ir.OpFma, ir.Scalar(k)))
	}
	run := func(k ir.Kind, a, b, c float64) float64 {
		return ir.FloatValue(k, one[k].call([]uint64{ir.FloatBits(k, a)}, []uint64{ir.FloatBits(k, b)}, []uint64{ir.FloatBits(k, c)})[0])
	}
	fusedSeeds.Each(t, func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(5, seed))
		var a, b, c []float64
		hardProducts(rng, 53, 1024, -1074, func(x, y, z float64) { a, b, c = append(a, x), append(b, y), append(c, z) })
		out := make([]float64, len(a))
		apply(wide, a, b, c, out)
		for i := range a {
			want := exactly(a[i], b[i], c[i], 53, -1074)
			if !same(want, math.FMA(a[i], b[i], c[i])) {
				t.Fatalf("the test's fma(%x, %x, %x) is %x, that of Go %x", a[i], b[i], c[i], want, math.FMA(a[i], b[i], c[i]))
			}
			if !same(out[i], want) || !same(run(ir.F64, a[i], b[i], c[i]), want) {
				t.Fatalf("f64: fma(%x, %x, %x) is %x, and %x by the machine; want %x", a[i], b[i], c[i], out[i], run(ir.F64, a[i], b[i], c[i]), want)
			}
		}

		var a32, b32, c32 []float32
		hardProducts(rng, 24, 128, -149, func(x, y, z float64) {
			a32, b32, c32 = append(a32, float32(x)), append(b32, float32(y)), append(c32, float32(z))
		})
		out32 := make([]float32, len(a32))
		apply(narrow, a32, b32, c32, out32)
		for i := range a32 {
			x, y, z := float64(a32[i]), float64(b32[i]), float64(c32[i])
			want := exactly(x, y, z, 24, -149)
			if got := float64(out32[i]); !same(got, float64(float32(want))) || !same(run(ir.F32, x, y, z), got) {
				t.Fatalf("f32: fma(%x, %x, %x) is %x, and %x by the machine; want %x", x, y, z, got, run(ir.F32, x, y, z), want)
			}
		}

		hardProducts(rng, 11, 16, -24, func(x, y, z float64) {
			x, y, z = toHalf(x), toHalf(y), toHalf(z)
			if got, want := run(ir.F16, x, y, z), toHalf(exactly(x, y, z, 11, -24)); !same(got, want) {
				t.Fatalf("f16: fma(%x, %x, %x) is %x, want %x", x, y, z, got, want)
			}
		})
	})
}

func toHalf(v float64) float64 { return ir.FloatValue(ir.F16, ir.FloatBits(ir.F16, v)) }
