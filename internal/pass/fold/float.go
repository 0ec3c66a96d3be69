package fold

import (
	"math"
	"math/big"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mathlib"
)

// float computes float ops other than comparisons and conversions. Narrow
// kinds are computed in double precision and rounded once more, which for the
// basic operations gives what one rounding would: double precision has more than
// twice their digits (S. Figueroa: When is double rounding innocuous? SIGNUM
// Newsletter 30, 1995).
func float(code ir.Code, k ir.Kind, n int, a [3]uint64) (uint64, bool) {
	if code.Is(ir.Math) {
		return mathlib.Eval(code, k, a[:n]...), true
	}
	x := ir.FloatValue(k, a[0])
	round := func(v float64) float64 { return ir.FloatValue(k, ir.FloatBits(k, v)) }
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
		return ir.FloatBits(k, f(x, ir.FloatValue(k, a[1]), round)), true
	}
	if code != ir.OpFma {
		return 0, false
	}
	y, z := ir.FloatValue(k, a[1]), ir.FloatValue(k, a[2])
	if k == ir.F64 {
		return ir.FloatBits(k, math.FMA(x, y, z)), true
	}
	return ir.FloatBits(k, narrowFMA(x, y, z, round)), true
}

// narrowFMA computes x*y+z, rounded once, for numbers of at most single
// precision.
func narrowFMA(x, y, z float64, round func(float64) float64) float64 {
	p := x * y // exact
	if s := p + z; s == 0 || math.IsInf(s, 0) || s != s {
		return round(s)
	}
	exact := new(big.Float).SetPrec(2000)
	exact.Add(new(big.Float).SetFloat64(p), new(big.Float).SetFloat64(z))
	s, _ := exact.Float64()
	if exact.Cmp(new(big.Float).SetFloat64(s)) != 0 {
		// Round to odd, so that the second rounding sees on which side s lies.
		if b := math.Float64bits(s); b&1 == 0 {
			down := exact.Cmp(new(big.Float).SetFloat64(s)) < 0
			if down == (s > 0) {
				b--
			} else {
				b++
			}
			s = math.Float64frombits(b)
		}
	}
	return round(s)
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

// binary has the float ops of two operands; round rounds to the op's precision,
// for those that are made of several steps.
var binary = map[ir.Code]func(x, y float64, round func(float64) float64) float64{
	ir.OpAdd: func(x, y float64, _ func(float64) float64) float64 { return x + y },
	ir.OpSub: func(x, y float64, _ func(float64) float64) float64 { return x - y },
	ir.OpMul: func(x, y float64, _ func(float64) float64) float64 { return x * y },
	ir.OpDiv: func(x, y float64, _ func(float64) float64) float64 { return x / y },
	ir.OpRem: func(x, y float64, _ func(float64) float64) float64 { return math.Mod(x, y) },
	ir.OpMin: func(x, y float64, _ func(float64) float64) float64 { return minNaN(x, y) },
	ir.OpMax: func(x, y float64, _ func(float64) float64) float64 { return -minNaN(-x, -y) },
	ir.OpFloorDiv: func(x, y float64, round func(float64) float64) float64 {
		return math.Floor(round(x / y))
	},
	ir.OpMod: func(x, y float64, round func(float64) float64) float64 {
		return x - round(y*math.Floor(round(x/y)))
	},
}

// minNaN is the smaller number; NaN if either is, even beside an infinity.
func minNaN(x, y float64) float64 {
	if x != x || y != y {
		return math.NaN()
	}
	return math.Min(x, y)
}
