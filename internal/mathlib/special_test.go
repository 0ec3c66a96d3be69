package mathlib

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mathlib/ref"
	"github.com/gotaichi/ti/internal/target"
)

var inf, nan, negZero = math.Inf(1), math.NaN(), math.Copysign(0, -1)

// same tells zeros apart and takes NaNs for one.
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

// TestPairAccuracy samples pow and atan2.
func TestPairAccuracy(t *testing.T) {
	c := ref.New(200)
	n := 1500
	if *long {
		n = 100000
	}
	for _, l := range libraries() {
		o := fmt.Sprintf("fma=%v quick=%v", l.Target.Provides(target.FMA), l.Quick)
		for _, k := range []ir.Kind{ir.F32, ir.F64} {
			rng := rand.New(rand.NewPCG(7, 7))
			pow, atan2 := newMachine(l.Func(ir.OpPow, ir.Scalar(k))), newMachine(l.Func(ir.OpAtan2, ir.Scalar(k)))
			round := func(v float64) float64 { return ir.FloatValue(k, ir.FloatBits(k, v)) }
			var worstPow, worstAtan2 float64
			for range n {
				x := round(math.Exp2((rng.Float64() - 0.5) * math.Pow(2, rng.Float64()*24-16)))
				most := 150.0
				if k == ir.F64 {
					most = 1080
				}
				y := round((rng.Float64() - 0.5) * 2 * most / math.Log2(x))
				if x != 1 && x > 0 && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
					u := pair(pow, k, x, y, c.Pow)
					worstPow = max(worstPow, u)
				}
				s := round(math.Ldexp(rng.Float64()-0.5, rng.IntN(40)-20))
				r := round(math.Ldexp(rng.Float64()-0.5, rng.IntN(40)-20))
				worstAtan2 = max(worstAtan2, pair(atan2, k, s, r, c.Atan2))
			}
			t.Logf("%v, %s: %.3f ulp in pow, %.3f in atan2", k, o, worstPow, worstAtan2)
			if worstPow > maxULP || worstAtan2 > maxULP {
				t.Errorf("%v, %s: the error is %.3f ulp in pow and %.3f in atan2, at most %d are allowed", k, o, worstPow, worstAtan2, maxULP)
			}
		}
	}
}

func pair(m *machine, k ir.Kind, x, y float64, f func(x, y *big.Float) *big.Float) float64 {
	got := ir.FloatValue(k, m.call([]uint64{ir.FloatBits(k, x)}, []uint64{ir.FloatBits(k, y)})[0])
	return ulps(got, f(new(big.Float).SetFloat64(x), new(big.Float).SetFloat64(y)), k)
}
