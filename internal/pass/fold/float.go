package fold

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mathlib"
)

// float computes float ops other than comparisons and conversions. Narrow kinds are computed in double precision and rounded again.
// For the basic operations that gives the same as one rounding, since double precision has more than twice their digits (S. Figueroa:
// When is double rounding innocuous? SIGNUM Newsletter 30, 1995).
func float(code ir.Code, k ir.Kind, n int, a [3]uint64) (uint64, bool) {
	if mathlib.Has(code, ir.Scalar(k)) {
		return mathlib.Eval(code, k, a[:n]...), true
	}
	x := ir.FloatValue(k, a[0])
	switch n {
	case 1:
		switch code {
		case ir.OpNeg: // the sign of a NaN too
			return a[0] ^ 1<<(k.Bits()-1), true
		case ir.OpIsNaN:
			return ir.BoolBits(x != x), true
		case ir.OpIsInf:
			return ir.BoolBits(math.IsInf(x, 0)), true
		}
		f := unary[code]
		if f == nil {
			return 0, false
		}
		return ir.FloatBits(k, f(x)), true
	case 2:
		f := binary[code]
		if f == nil {
			return 0, false
		}
		return ir.FloatBits(k, f(x, ir.FloatValue(k, a[1]))), true
	}
	return 0, false
}

// unary has the float ops of one operand.
var unary = map[ir.Code]func(float64) float64{
	ir.OpAbs: math.Abs, ir.OpSqrt: math.Sqrt,
	ir.OpFloor: math.Floor, ir.OpCeil: math.Ceil, ir.OpRound: math.Round, ir.OpTrunc: math.Trunc, ir.OpRoundEven: math.RoundToEven,
	ir.OpSign: func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return x // zeros and NaN
	},
}

// binary has the float ops of two operands.
var binary = map[ir.Code]func(x, y float64) float64{
	ir.OpAdd: func(x, y float64) float64 { return x + y },
	ir.OpSub: func(x, y float64) float64 { return x - y },
	ir.OpMul: func(x, y float64) float64 { return x * y },
	ir.OpDiv: func(x, y float64) float64 { return x / y },
	ir.OpRem: math.Mod,
	ir.OpMin: minNaN,
	ir.OpMax: func(x, y float64) float64 { return -minNaN(-x, -y) },
}

// minNaN is the smaller number, and NaN if either is, even if the other is an infinity.
func minNaN(x, y float64) float64 {
	if x != x || y != y {
		return math.NaN()
	}
	return math.Min(x, y)
}
