package oracle

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mathlib"
)

// less compares two values of kind k.
func less(k ir.Kind, x, y uint64) bool {
	switch {
	case k.IsFloat():
		return ir.FloatValue(k, x) < ir.FloatValue(k, y)
	case k.IsSigned():
		return int64(x) < int64(y)
	}
	return x < y
}

// equal compares two values of kind k.
func equal(k ir.Kind, x, y uint64) bool {
	if k.IsFloat() {
		return ir.FloatValue(k, x) == ir.FloatValue(k, y)
	}
	return x == y
}

// unary computes an op of one operand x of kind k; to is the kind of the result.
func unary(c ir.Code, k, to ir.Kind, x uint64) uint64 {
	switch {
	case c == ir.OpConvert:
		return convert(k, to, x)
	case c == ir.OpStopGrad || c == ir.OpUnique:
		return x
	case c == ir.OpBitcast:
		return canonical(to, x)
	case k.IsFloat():
		return unaryFloat(c, k, x)
	case k == ir.Bool:
		return x ^ 1 // not; any and all of one lane come only with lanes
	}
	return ir.IntBits(k, unaryInt(c, k, int64(x)))
}

func unaryInt(c ir.Code, k ir.Kind, x int64) int64 {
	negative := k.IsSigned() && x < 0
	word := uint64(x) << (64 - k.Bits()) >> (64 - k.Bits())
	switch c {
	case ir.OpNeg:
		return -x
	case ir.OpNot:
		return ^x
	case ir.OpAbs:
		if negative {
			return -x
		}
		return x
	case ir.OpSign:
		switch {
		case negative:
			return -1
		case x != 0:
			return 1
		}
		return 0
	case ir.OpPopcount:
		return int64(bits.OnesCount64(word))
	case ir.OpClz:
		return int64(bits.LeadingZeros64(word) - (64 - k.Bits()))
	}
	panic("oracle: " + c.String() + " of an integer")
}

func unaryFloat(c ir.Code, k ir.Kind, x uint64) uint64 {
	v := ir.FloatValue(k, x)
	switch c {
	case ir.OpNeg:
		return x ^ 1<<(k.Bits()-1)
	case ir.OpIsNaN:
		return ir.BoolBits(v != v)
	case ir.OpIsInf:
		return ir.BoolBits(math.IsInf(v, 0))
	case ir.OpAbs:
		return x &^ (1 << (k.Bits() - 1))
	}
	if c.Is(ir.Math) {
		return mathlib.Eval(c, k, x)
	}
	return ir.FloatBits(k, roundedFloat(c, v))
}

// roundedFloat computes an op whose result a second rounding to a narrower kind does no harm to.
func roundedFloat(c ir.Code, v float64) float64 {
	switch c {
	case ir.OpSqrt:
		return math.Sqrt(v)
	case ir.OpFloor:
		return math.Floor(v)
	case ir.OpCeil:
		return math.Ceil(v)
	case ir.OpRound:
		return math.Round(v)
	case ir.OpTrunc:
		return math.Trunc(v)
	case ir.OpRoundEven:
		return math.RoundToEven(v)
	case ir.OpSign:
		if v > 0 {
			return 1
		} else if v < 0 {
			return -1
		}
		return v // a zero or NaN
	}
	panic("oracle: " + c.String() + " of a float")
}

// convert computes the conversion of x from kind k to kind to.
func convert(k, to ir.Kind, x uint64) uint64 {
	switch {
	case to == ir.Bool:
		return ir.BoolBits(!equal(k, x, 0))
	case k.IsFloat() && to.IsFloat():
		return ir.FloatBits(to, ir.FloatValue(k, x))
	case k.IsFloat():
		return saturate(to, ir.FloatValue(k, x))
	case !to.IsFloat():
		return ir.IntBits(to, int64(x))
	case to == ir.F32 && k.IsSigned(): // directly, so that it is rounded once
		return uint64(math.Float32bits(float32(int64(x))))
	case to == ir.F32:
		return uint64(math.Float32bits(float32(x)))
	case k.IsSigned():
		return ir.FloatBits(to, float64(int64(x)))
	}
	return ir.FloatBits(to, float64(x))
}

// saturate truncates v to the integer kind to.
func saturate(to ir.Kind, v float64) uint64 {
	v = math.Trunc(v)
	lo, hi := 0.0, math.Ldexp(1, to.Bits()) // lo ≤ result < hi
	if to.IsSigned() {
		lo, hi = -hi/2, hi/2
	}
	switch {
	case v != v:
		return 0
	case v < lo && to.IsSigned():
		return ir.IntBits(to, math.MinInt64>>(64-to.Bits()))
	case v < lo:
		return 0
	case v >= hi && to.IsSigned():
		return math.MaxInt64 >> (64 - to.Bits())
	case v >= hi:
		return math.MaxUint64 >> (64 - to.Bits())
	case to.IsSigned():
		return ir.IntBits(to, int64(v))
	}
	return uint64(v)
}

// shift computes x of kind k shifted by count, of kind ck: by Go's rules, a
// negative count being like a huge one.
func shift(c ir.Code, k ir.Kind, x uint64, ck ir.Kind, count uint64) uint64 {
	n := count // 64 and more give what Go's shifts give
	if ck.IsSigned() && int64(count) < 0 {
		n = math.MaxUint64
	}
	switch {
	case c == ir.OpShl:
		return ir.IntBits(k, int64(x<<n))
	case k.IsSigned():
		return uint64(int64(x) >> n)
	}
	return x >> n
}

// binaryOp computes an op of two operands of kind k.
func binaryOp(c ir.Code, k ir.Kind, x, y uint64) uint64 {
	switch c {
	case ir.OpEq:
		return ir.BoolBits(equal(k, x, y))
	case ir.OpNe:
		return ir.BoolBits(!equal(k, x, y))
	case ir.OpLt:
		return ir.BoolBits(less(k, x, y))
	case ir.OpLe:
		return ir.BoolBits(less(k, x, y) || equal(k, x, y))
	case ir.OpGt:
		return ir.BoolBits(less(k, y, x))
	case ir.OpGe:
		return ir.BoolBits(less(k, y, x) || equal(k, x, y))
	}
	if c.Is(ir.Math) {
		return mathlib.Eval(c, k, x, y)
	}
	if k.IsFloat() {
		return ir.FloatBits(k, binaryFloat(c, k, ir.FloatValue(k, x), ir.FloatValue(k, y)))
	}
	return ir.IntBits(k, int64(binaryInt(c, k, x, y)))
}

func binaryInt(c ir.Code, k ir.Kind, x, y uint64) uint64 {
	switch c {
	case ir.OpAdd:
		return x + y
	case ir.OpSub:
		return x - y
	case ir.OpMul:
		return x * y
	case ir.OpAnd:
		return x & y
	case ir.OpOr:
		return x | y
	case ir.OpXor:
		return x ^ y
	case ir.OpMin:
		if less(k, y, x) {
			return y
		}
		return x
	case ir.OpMax:
		if less(k, x, y) {
			return y
		}
		return x
	}
	if y == 0 {
		return 0 // all that divide
	}
	if k.IsSigned() {
		return uint64(divideSigned(c, int64(x), int64(y)))
	}
	switch c {
	case ir.OpDiv, ir.OpFloorDiv:
		return x / y
	case ir.OpRem, ir.OpMod:
		return x % y
	}
	panic("oracle: " + c.String() + " of integers")
}

func divideSigned(c ir.Code, x, y int64) int64 {
	q, r := x/y, x%y
	switch c {
	case ir.OpDiv:
		return q
	case ir.OpRem:
		return r
	}
	if r != 0 && (r < 0) != (y < 0) { // the exact quotient is negative and no integer
		q, r = q-1, r+y
	}
	if c == ir.OpFloorDiv {
		return q
	}
	return r
}

// binaryFloat computes in double precision; one rounding more does no harm to
// sums, products and quotients of the narrower kinds.
func binaryFloat(c ir.Code, k ir.Kind, x, y float64) float64 {
	switch c {
	case ir.OpAdd:
		return x + y
	case ir.OpSub:
		return x - y
	case ir.OpMul:
		return x * y
	case ir.OpDiv:
		return x / y
	case ir.OpRem:
		return math.Mod(x, y)
	case ir.OpFloorDiv:
		return flooredQuotient(k, x, y)
	case ir.OpMod:
		return flooredRemainder(k, x, y)
	case ir.OpMin:
		return min(x, y) // unlike math.Min, NaN also beside -Inf
	case ir.OpMax:
		return max(x, y)
	}
	panic("oracle: " + c.String() + " of floats")
}

// flooredRemainder is x - y⌊x/y⌋ of the exact quotient, rounded once to kind k; it has the sign of y, and is never a finite y.
func flooredRemainder(k ir.Kind, x, y float64) float64 {
	r := math.Mod(x, y) // exact, with the sign of x
	if r != 0 && math.Signbit(r) != math.Signbit(y) {
		r += y
	}
	bits := ir.FloatBits(k, math.Abs(r))
	if limit := ir.FloatBits(k, math.Abs(y)); bits == limit && !math.IsInf(y, 0) && r == r {
		bits-- // the number before
	}
	return math.Copysign(ir.FloatValue(k, bits), y)
}

// flooredQuotient is ⌊x/y⌋ of the exact quotient, rounded once to kind k, or the rounded quotient if that has more digits than k.
func flooredQuotient(k ir.Kind, x, y float64) float64 {
	if math.IsInf(y, 0) && math.Abs(x) > 0 && !math.IsInf(x, 0) && math.Signbit(x) != math.Signbit(y) {
		return -1
	}
	near, most := x/y, map[ir.Kind]float64{ir.F16: math.Inf(1), ir.F32: 1 << 24, ir.F64: 1 << 53}[k]
	if near != near || math.IsInf(x, 0) || math.IsInf(y, 0) || y == 0 || math.Abs(near) > most {
		return near // what is finite is a whole number, or 0
	}
	exact := new(big.Rat).SetFloat64(x)
	exact.Quo(exact, new(big.Rat).SetFloat64(y))
	floor := new(big.Int).Div(exact.Num(), exact.Denom()) // the denominator is positive
	if floor.Sign() == 0 {
		return math.Copysign(0, near)
	}
	q, _ := new(big.Float).SetInt(floor).Float64()
	return q
}

// fma computes x*y+z rounded once to kind k.
func fma(k ir.Kind, x, y, z uint64) uint64 {
	a, b, c := ir.FloatValue(k, x), ir.FloatValue(k, y), ir.FloatValue(k, z)
	if k == ir.F64 {
		return math.Float64bits(math.FMA(a, b, c))
	}
	// The product is exact. The sum is rounded to odd: where it is not exact, the
	// neighbour with an odd last bit tells the next rounding on which side it lies.
	p := a * b
	s := p + c
	t := s - p
	lost := (p - (s - t)) + (c - t)
	if lost != 0 && !math.IsInf(s, 0) && lost == lost && math.Float64bits(s)&1 == 0 {
		if (lost > 0) == (s > 0) {
			s = math.Float64frombits(math.Float64bits(s) + 1)
		} else {
			s = math.Float64frombits(math.Float64bits(s) - 1)
		}
	}
	return ir.FloatBits(k, s)
}
