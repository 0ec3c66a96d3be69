package mathlib

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mathlib/judge"
	"github.com/gotaichi/ti/internal/target"
)

var inf, nan, negZero = math.Inf(1), math.NaN(), math.Copysign(0, -1)

// same distinguishes zeros by their sign, and treats all NaNs as equal.
func same(a, b float64) bool {
	return math.IsNaN(a) && math.IsNaN(b) || a == b && math.Signbit(a) == math.Signbit(b)
}

func TestSpecialValues(t *testing.T) {
	tests := []struct {
		code        ir.Code
		args, wants []float64
	}{
		{ir.OpRsqrt, []float64{0, negZero, inf, -1, 1, 4}, []float64{inf, -inf, 0, nan, 1, 0.5}},
		{ir.OpCbrt, []float64{0, negZero, inf, -inf, 1, -1, 8, -27}, []float64{0, negZero, inf, -inf, 1, -1, 2, -3}},
		{ir.OpSin, []float64{0, negZero, inf, -inf}, []float64{0, negZero, nan, nan}},
		{ir.OpCos, []float64{0, negZero, inf, -inf}, []float64{1, 1, nan, nan}},
		{ir.OpTan, []float64{0, negZero, inf, -inf}, []float64{0, negZero, nan, nan}},
		{ir.OpAsin, []float64{0, negZero, 1.5, -inf}, []float64{0, negZero, nan, nan}},
		{ir.OpAcos, []float64{1, 1.5, -1.5, inf}, []float64{0, nan, nan, nan}},
		{ir.OpAtan, []float64{0, negZero}, []float64{0, negZero}},
		{ir.OpSinh, []float64{0, negZero, inf, -inf, 1000, -1000}, []float64{0, negZero, inf, -inf, inf, -inf}},
		{ir.OpCosh, []float64{0, negZero, inf, -inf, 1000, -1000}, []float64{1, 1, inf, inf, inf, inf}},
		{ir.OpTanh, []float64{0, negZero, inf, -inf, 1000, -1000}, []float64{0, negZero, 1, -1, 1, -1}},
		{ir.OpExp, []float64{0, negZero, inf, -inf, 1e30, -1e30}, []float64{1, 1, inf, 0, inf, 0}},
		{ir.OpExp2, []float64{0, negZero, inf, -inf, 1e30, -1e30, 10, -3, -149}, []float64{1, 1, inf, 0, inf, 0, 1024, 0.125, 0x1p-149}},
		{ir.OpLog, []float64{1, 0, negZero, inf, -1, -inf}, []float64{0, -inf, -inf, inf, nan, nan}},
		{ir.OpLog2, []float64{1, 0, negZero, inf, -1, -inf, 8, 0x1p-140}, []float64{0, -inf, -inf, inf, nan, nan, 3, -140}},
	}
	for _, tt := range tests {
		for _, l := range libraries() {
			for _, k := range []ir.Kind{ir.F32, ir.F64} {
				m := newMachine(l.Func(tt.code, ir.Scalar(k)))
				for i, x := range append(slices.Clone(tt.args), nan) {
					want := nan
					if i < len(tt.wants) {
						want = tt.wants[i]
					}
					got := ir.FloatValue(k, m.call([]uint64{ir.FloatBits(k, x)})[0])
					if !same(got, want) {
						t.Errorf("%v(%v) of %v, %+v: got %v, want %v", tt.code, x, k, l, got, want)
					}
				}
			}
		}
	}
}

// TestPairs holds pow and atan2 of all pairs of special numbers against Go's. As
// Go's pow is not very exact, finite results need only be near.
func TestPairs(t *testing.T) {
	vs := []float64{0, 1, 2, 3, 0.5, 1.5, 2.5, 1e-30, 1e30, 0x1p-140, 0x1.fffffep127, 0x1p23, 0x1p23 + 1, 0x1p24, inf, nan}
	for _, v := range slices.Clone(vs) {
		vs = append(vs, -v)
	}
	for _, l := range libraries() {
		for _, k := range []ir.Kind{ir.F32, ir.F64} {
			for _, f := range []struct {
				code ir.Code
				f    func(x, y float64) float64
			}{{ir.OpPow, math.Pow}, {ir.OpAtan2, math.Atan2}} {
				m := newMachine(l.Func(f.code, ir.Scalar(k)))
				for _, x := range vs {
					for _, y := range vs {
						want := ir.FloatValue(k, ir.FloatBits(k, f.f(x, y)))
						got := ir.FloatValue(k, m.call([]uint64{ir.FloatBits(k, x)}, []uint64{ir.FloatBits(k, y)})[0])
						if same(got, want) {
							continue
						}
						special := want == 0 || got == 0 || want != want || got != got || math.IsInf(want, 0) || math.IsInf(got, 0) || want*got < 0
						if special || ulps(got, big.NewFloat(want), k) > 64 {
							t.Errorf("%v(%v, %v) of %v, %+v: got %v, want %v", f.code, x, y, k, l, got, want)
						}
					}
				}
			}
		}
	}
}

// powArguments returns arguments of pow of kind k whose power may be any number: bases of all sizes, near 1 and
// subnormal, and exponents that make the power as large as wanted, or nearly too large or too small.
func powArguments(rng *rand.Rand, k ir.Kind) (x, y float64) {
	most := map[ir.Kind]float64{ir.F32: 150, ir.F64: 1076}[k]
	switch rng.IntN(4) {
	case 0: // of any size
		x = math.Exp2((2*rng.Float64() - 1) * (most - 2))
	case 1: // nearer and nearer to 1
		x = 1 + (rng.Float64()-0.5)*math.Exp2(-rng.Float64()*float64(digits(k)))
	case 2:
		x = 0.5 + 1.5*rng.Float64()
	default: // a few digits, so that some powers are exact
		x = math.Ldexp(float64(1+rng.IntN(64)), rng.IntN(9)-4)
	}
	power := (2*rng.Float64() - 1) * most
	if rng.IntN(3) == 0 { // the least and the greatest numbers
		border := map[ir.Kind][]float64{ir.F32: {128, -126, -149, -150}, ir.F64: {1024, -1022, -1074, -1075}}[k]
		power = border[rng.IntN(len(border))] + rng.Float64()*1e-3 - 5e-4
	}
	x = round(k, x)
	y = power / math.Log2(x)
	if rng.IntN(4) == 0 {
		y = math.Round(y)
	}
	return x, round(k, y)
}

func round(k ir.Kind, v float64) float64 { return ir.FloatValue(k, ir.FloatBits(k, v)) }

// TestPairAccuracy samples pow and atan2.
func TestPairAccuracy(t *testing.T) {
	j := judge.New()
	n := 400
	if *long {
		n = 30000
	}
	for _, l := range libraries() {
		for _, k := range []ir.Kind{ir.F32, ir.F64} {
			testPairAccuracy(t, j, fmt.Sprintf("%v fma=%v quick=%v", k, l.Target.Provides(target.FMA), l.Quick), k, n, l.Func)
		}
	}
	for _, k := range []ir.Kind{ir.F32, ir.F64} {
		l := Library{Target: target.Traits{Has: target.FMA}}
		testPairAccuracy(t, j, fmt.Sprintf("%v strict", k), k, n, l.StrictFunc)
	}
}

func testPairAccuracy(t *testing.T, j *judge.Judge, name string, k ir.Kind, n int, function func(ir.Code, ir.Type) *ir.Func) {
	rng := rand.New(rand.NewPCG(7, 7))
	pow, atan2 := computed(function(ir.OpPow, ir.Scalar(k))), computed(function(ir.OpAtan2, ir.Scalar(k)))
	var worstPow, worstAtan2 float64
	for range n {
		x, y := powArguments(rng, k)
		if x != 1 && x > 0 && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
			u := pair(pow, k, x, y, j.Pow)
			if u > worstPow {
				worstPow = u
				if u > maxULP {
					t.Errorf("%s: pow(%x, %x) is off by %.3f ulp", name, x, y, u)
				}
			}
		}
		spread := 40
		if rng.IntN(2) == 0 {
			spread = map[ir.Kind]int{ir.F32: 250, ir.F64: 2000}[k]
		}
		s := round(k, math.Ldexp(rng.Float64()-0.5, rng.IntN(spread)-spread/2))
		r := round(k, math.Ldexp(rng.Float64()-0.5, rng.IntN(spread)-spread/2))
		if s != 0 {
			worstAtan2 = max(worstAtan2, pair(atan2, k, s, r, j.Atan2))
		}
	}
	t.Logf("%s: %.3f ulp in pow, %.3f in atan2", name, worstPow, worstAtan2)
	if worstPow > maxULP || worstAtan2 > maxULP {
		t.Errorf("%s: the error is %.3f ulp in pow and %.3f in atan2, at most %d are allowed", name, worstPow, worstAtan2, maxULP)
	}
}

func pair(compute func(args ...uint64) uint64, k ir.Kind, x, y float64, f func(x, y *big.Float) *big.Float) float64 {
	got := ir.FloatValue(k, compute(ir.FloatBits(k, x), ir.FloatBits(k, y)))
	return ulps(got, f(new(big.Float).SetFloat64(x), new(big.Float).SetFloat64(y)), k)
}
