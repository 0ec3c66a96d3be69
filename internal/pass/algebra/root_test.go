package algebra

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gotaichi/ti/internal/ir"
)

// TestRootLimit compares the roots of numbers near a limit, and of some distant ones, with the constant for which the limit was computed.
func TestRootLimit(t *testing.T) {
	codes := map[ir.Code]func(a, b float64) bool{
		ir.OpLt: func(a, b float64) bool { return a < b }, ir.OpLe: func(a, b float64) bool { return a <= b },
		ir.OpGt: func(a, b float64) bool { return a > b }, ir.OpGe: func(a, b float64) bool { return a >= b },
	}
	r := rand.New(rand.NewPCG(3, 4))
	consts := []float64{0, 1, 2, 20, 0.1, 1e-30, 1e-45, 0x1p-149, 0x1p-126, 1e18, 1.8446742e19, 3, 0x1.fffffep0, 0x1.000002p0, 5e-324, 1e150, 1.3e154}
	for range 2000 {
		consts = append(consts, math.Ldexp(1+r.Float64(), r.IntN(110)-55))
	}
	for _, k := range []ir.Kind{ir.F32, ir.F64} {
		round := func(x float64) float64 { return ir.FloatValue(k, ir.FloatBits(k, x)) }
		for _, c := range consts {
			if c = round(c); math.IsInf(round(c*c), 0) {
				continue
			}
			for code, holds := range codes {
				limit, ok := rootLimit(k, code, c)
				if !ok || limit != round(limit) {
					t.Fatalf("%v: no limit for a root %v %v, but %v", k, code, c, limit)
				}
				around := []float64{0, math.Copysign(0, -1), 1, math.Inf(1), math.NaN(), round(c * c), round(math.MaxFloat64), round(math.MaxFloat32), 0x1p-149}
				x := math.Float64bits(limit)
				if k == ir.F32 {
					x = uint64(math.Float32bits(float32(limit)))
				}
				for d := range uint64(9) {
					y := max(x, 4) - 4 + d
					if k == ir.F32 {
						around = append(around, float64(math.Float32frombits(uint32(y))))
					} else {
						around = append(around, math.Float64frombits(y))
					}
				}
				for _, x := range around {
					if got, want := holds(x, limit), holds(round(math.Sqrt(x)), c); got != want {
						t.Fatalf("%v: %v %v %v is %v, and its root %v %v is %v", k, x, code, limit, got, round(math.Sqrt(x)), c, want)
					}
				}
			}
		}
	}
	for _, c := range []float64{-1, math.Inf(1), math.NaN(), 1e20, math.Copysign(1e-9, -1)} {
		if limit, ok := rootLimit(ir.F32, ir.OpLt, c); ok {
			t.Errorf("the limit for a root below %v is %v", c, limit)
		}
	}
	if _, ok := rootLimit(ir.F16, ir.OpLt, 1); ok {
		t.Error("there is a limit for half precision")
	}
}
