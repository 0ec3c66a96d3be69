package algebra

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// This file compares square roots without computing them. A correctly rounded root increases with its operand, so it is below a constant
// exactly if the operand is below a limit. The limit is found here by computing the roots of the numbers near the square.

// compareRoot compares x with a limit instead of comparing its root with a constant, if x is never negative: the root of a negative number
// is NaN, for which no comparison holds.
func (s *simplifier) compareRoot(o *ir.Op, c float64) *ir.Value {
	d := DefOf(o.Args[0], ir.OpSqrt)
	if d == nil || !natural(d.Args[0], 8) {
		return nil
	}
	x := d.Args[0]
	limit, ok := rootLimit(x.Type.Kind, o.Code, c)
	if !ok {
		return nil
	}
	return s.make(o, 0, o.Code, x, s.bits(o, x.Type, ir.FloatBits(x.Type.Kind, limit)))
}

// rootLimit returns the number to compare x with, instead of its root with c, for x of 0 and above: the least x with a root of at least c
// for < and >=, the largest with a root of at most c for <= and >.
func rootLimit(k ir.Kind, code ir.Code, c float64) (limit float64, ok bool) {
	root, next := math.Sqrt, math.Nextafter
	switch k {
	case ir.F32:
		root = func(x float64) float64 { return float64(float32(math.Sqrt(x))) } // correct although it is rounded twice
		next = func(x, to float64) float64 { return float64(math.Nextafter32(float32(x), float32(to))) }
	case ir.F64:
	default:
		return 0, false
	}
	x := ir.FloatValue(k, ir.FloatBits(k, c*c))
	if !(c >= 0) || math.IsInf(x, 0) {
		return 0, false
	}
	inf := math.Inf(1)
	for x > 0 && root(x) >= c {
		x = next(x, 0)
	}
	for root(x) < c {
		x = next(x, inf)
	}
	switch code {
	case ir.OpLt, ir.OpGe:
		return x, true
	case ir.OpLe, ir.OpGt:
		for n := next(x, inf); root(n) <= c; n = next(n, inf) {
			x = n
		}
		if root(x) > c { // c is the root of no number
			x = next(x, 0)
		}
		return x, !math.IsInf(x, 0)
	}
	return 0, false
}

// natural reports whether v is at least 0 or NaN. It visits ops up to this depth.
func natural(v *ir.Value, depth int) bool {
	if c, ok := floatOf(v); ok {
		return !(c < 0)
	}
	o := v.Def
	if o == nil || depth == 0 {
		return false
	}
	of := func(i int) bool { return natural(o.Args[i], depth-1) }
	switch o.Code {
	case ir.OpAbs, ir.OpSqrt, ir.OpExp, ir.OpExp2:
		return true
	case ir.OpMul:
		return o.Args[0] == o.Args[1] || of(0) && of(1)
	case ir.OpFma:
		return (o.Args[0] == o.Args[1] || of(0) && of(1)) && of(2)
	case ir.OpAdd, ir.OpMin:
		return of(0) && of(1)
	case ir.OpMax:
		return of(0) || of(1)
	case ir.OpSelect:
		return of(1) && of(2)
	}
	return false
}
