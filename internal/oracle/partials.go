package oracle

import (
	"fmt"
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// partials has the partial derivatives of each op on floats that gives floats, at operands x, where the result is y. They are
// computed in double precision. At kinks they are what the table in docs/gradients.md says.
var partials = map[ir.Code]func(x []float64, y float64) [3]float64{
	ir.OpNeg: func([]float64, float64) [3]float64 { return [3]float64{-1} },
	ir.OpAbs: of(func(x float64) float64 {
		switch {
		case x > 0:
			return 1
		case x < 0:
			return -1
		}
		return 0
	}),
	ir.OpSqrt:  of(func(x float64) float64 { return 1 / (2 * math.Sqrt(x)) }),
	ir.OpRsqrt: of(func(x float64) float64 { return -1 / (2 * x * math.Sqrt(x)) }),
	ir.OpCbrt:  of(func(x float64) float64 { return 1 / (3 * math.Pow(math.Cbrt(x), 2)) }),
	ir.OpSin:   of(math.Cos),
	ir.OpCos:   of(func(x float64) float64 { return -math.Sin(x) }),
	ir.OpTan:   of(func(x float64) float64 { return 1 / math.Pow(math.Cos(x), 2) }),
	ir.OpAsin:  of(func(x float64) float64 { return 1 / math.Sqrt(1-x*x) }),
	ir.OpAcos:  of(func(x float64) float64 { return -1 / math.Sqrt(1-x*x) }),
	ir.OpAtan:  of(func(x float64) float64 { return 1 / (1 + x*x) }),
	ir.OpSinh:  of(math.Cosh),
	ir.OpCosh:  of(math.Sinh),
	ir.OpTanh:  of(func(x float64) float64 { return math.Pow(math.Cosh(x), -2) }),
	ir.OpExp:   of(math.Exp),
	ir.OpExp2:  of(func(x float64) float64 { return math.Exp2(x) * math.Ln2 }),
	ir.OpLog:   of(func(x float64) float64 { return 1 / x }),
	ir.OpLog2:  of(func(x float64) float64 { return math.Log2E / x }),

	ir.OpSign: constant, ir.OpFloor: constant, ir.OpCeil: constant, ir.OpRound: constant, ir.OpTrunc: constant,
	ir.OpFloorDiv: constant, ir.OpBitcast: constant, ir.OpStopGrad: constant,

	ir.OpAdd: func([]float64, float64) [3]float64 { return [3]float64{1, 1} },
	ir.OpSub: func([]float64, float64) [3]float64 { return [3]float64{1, -1} },
	ir.OpMul: func(x []float64, _ float64) [3]float64 { return [3]float64{x[1], x[0]} },
	ir.OpDiv: func(x []float64, _ float64) [3]float64 { return [3]float64{1 / x[1], -x[0] / x[1] / x[1]} },
	// The remainders are x - n*y with an integer n, constant but at steps.
	ir.OpRem: func(x []float64, _ float64) [3]float64 { return [3]float64{1, -math.Trunc(x[0] / x[1])} },
	ir.OpMod: func(x []float64, _ float64) [3]float64 { return [3]float64{1, -flooredQuotient(ir.F64, x[0], x[1])} },
	ir.OpMin: func(x []float64, _ float64) [3]float64 { return chosen(x[0] <= x[1]) },
	ir.OpMax: func(x []float64, _ float64) [3]float64 { return chosen(x[0] >= x[1]) },
	ir.OpPow: func(x []float64, y float64) [3]float64 {
		var byBase, byExponent float64 // x⁰ is constant, and so is what is 0
		if x[1] != 0 {
			byBase = x[1] * math.Pow(x[0], x[1]-1)
		}
		if x[0] != 0 && y != 0 {
			byExponent = y * math.Log(x[0])
		}
		return [3]float64{byBase, byExponent}
	},
	ir.OpAtan2: func(x []float64, _ float64) [3]float64 {
		r := math.Hypot(x[0], x[1])
		if r == 0 {
			return [3]float64{}
		}
		return [3]float64{x[1] / r / r, -x[0] / r / r}
	},
	ir.OpFma: func(x []float64, _ float64) [3]float64 { return [3]float64{x[1], x[0], 1} },
}

// of makes the entry of a function of one operand out of its derivative.
func of(f func(float64) float64) func([]float64, float64) [3]float64 {
	return func(x []float64, _ float64) [3]float64 { return [3]float64{f(x[0])} }
}

func constant([]float64, float64) [3]float64 { return [3]float64{} }

// chosen is for ops that give one of two operands.
func chosen(first bool) [3]float64 {
	if first {
		return [3]float64{1, 0}
	}
	return [3]float64{0, 1}
}

func noPartials(c ir.Code) error {
	return fmt.Errorf("oracle: the tape knows no partial derivatives of %s", c)
}
