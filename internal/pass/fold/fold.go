package fold

import (
	"math"
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
)

// Op computes a pure op whose operands are all constants, as the language defines it (see package ir). It is not ok for an op that has
// no value at compile time. All lanes of a constant are equal, so one is computed.
func Op(o *ir.Op) (result uint64, ok bool) {
	if len(o.Results) != 1 || len(o.Args) == 0 || len(o.Args) > 3 || !o.Code.Is(ir.Pure) {
		return 0, false
	}
	var a [3]uint64
	for i, v := range o.Args {
		if a[i], ok = ir.ConstOf(v); !ok {
			return 0, false
		}
	}
	from, to := o.Args[0].Type.Kind, o.Results[0].Type.Kind
	switch o.Code {
	case ir.OpConvert:
		return foldConvert(from, to, a[0])
	case ir.OpBitcast:
		return foldBitcast(from, to, a[0])
	case ir.OpSplat, ir.OpAny, ir.OpAll, ir.OpStopGrad, ir.OpUnique:
		return a[0], true
	case ir.OpSelect:
		if a[0] != 0 {
			return a[1], true
		}
		return a[2], true
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		return ir.BoolBits(Compare(o.Code, from, a[0], a[1])), true
	case ir.OpShl, ir.OpShr:
		return foldShift(o.Code, from, a[0], o.Args[1].Type.Kind, a[1]), true
	case ir.OpTotal, ir.OpLookup, ir.OpCall, ir.OpCell, ir.OpOffset, ir.OpPtr, ir.OpElem:
		return 0, false
	}
	switch {
	case from.IsFloat():
		return float(o.Code, from, len(o.Args), a)
	case from == ir.Bool:
		return foldBool(o.Code, a)
	case from.IsInt():
		return foldInt(o.Code, from, a)
	}
	return 0, false
}

func foldBool(code ir.Code, a [3]uint64) (uint64, bool) {
	switch code {
	case ir.OpNot:
		return a[0] ^ 1, true
	case ir.OpAnd:
		return a[0] & a[1], true
	case ir.OpOr:
		return a[0] | a[1], true
	case ir.OpXor:
		return a[0] ^ a[1], true
	}
	return 0, false
}

// Compare compares two numbers. A NaN is unequal to every number, and neither less nor greater.
func Compare(code ir.Code, k ir.Kind, a, b uint64) bool {
	less, equal, ordered := false, a == b, true
	switch {
	case k.IsFloat():
		x, y := ir.FloatValue(k, a), ir.FloatValue(k, b)
		less, equal, ordered = x < y, x == y, x == x && y == y
	case k.IsSigned():
		less = int64(a) < int64(b)
	default:
		less = a < b
	}
	switch code {
	case ir.OpEq:
		return equal
	case ir.OpNe:
		return !equal
	case ir.OpLt:
		return less
	case ir.OpLe:
		return less || equal
	case ir.OpGt:
		return ordered && !less && !equal
	default: // ge
		return ordered && !less
	}
}

// foldShift shifts as Go does. A negative count acts like a very large one.
func foldShift(code ir.Code, k ir.Kind, a uint64, countKind ir.Kind, count uint64) uint64 {
	if countKind.IsSigned() && int64(count) < 0 {
		count = math.MaxUint64
	}
	width := uint64(k.Bits())
	switch {
	case code == ir.OpShl && count >= width:
		return 0
	case code == ir.OpShl:
		return ir.IntBits(k, int64(a<<count))
	case k.IsSigned():
		return ir.IntBits(k, int64(a)>>min(count, 63))
	case count >= width:
		return 0
	}
	return a >> count
}

// foldConvert converts between scalar kinds.
func foldConvert(from, to ir.Kind, a uint64) (uint64, bool) {
	switch {
	case from == to:
		return a, true
	case from.IsFloat():
		x := ir.FloatValue(from, a)
		switch {
		case to == ir.Bool:
			return ir.BoolBits(x != 0), true
		case to.IsFloat():
			return ir.FloatBits(to, x), true
		case to.IsInt():
			return saturate(x, to), true
		}
	case from.IsInt() || from == ir.Bool:
		switch {
		case to == ir.Bool:
			return ir.BoolBits(a != 0), true
		case to.IsInt():
			return ir.IntBits(to, int64(a)), true
		case to == ir.F32 && from == ir.U64: // directly, so that it rounds once
			return uint64(math.Float32bits(float32(a))), true
		case to == ir.F32:
			return uint64(math.Float32bits(float32(int64(a)))), true
		case to.IsFloat() && from == ir.U64:
			return ir.FloatBits(to, float64(a)), true
		case to.IsFloat():
			return ir.FloatBits(to, float64(int64(a))), true
		}
	}
	return 0, false
}

// saturate converts x to an integer kind: it truncates, clamps to the range of the kind, and converts NaN to 0.
func saturate(x float64, k ir.Kind) uint64 {
	width := k.Bits()
	lo, end := 0.0, math.Ldexp(1, width)
	if k.IsSigned() {
		lo, end = -math.Ldexp(1, width-1), math.Ldexp(1, width-1)
	}
	x = math.Trunc(x)
	switch {
	case x != x:
		return 0
	case x < lo:
		return ir.IntBits(k, int64(lo))
	case x >= end && k.IsSigned():
		return uint64(1)<<(width-1) - 1
	case x >= end:
		return ir.IntBits(k, -1)
	case k == ir.U64:
		return uint64(x)
	}
	return ir.IntBits(k, int64(x))
}

func foldBitcast(from, to ir.Kind, a uint64) (uint64, bool) {
	if from.Bits() != to.Bits() {
		return 0, false
	}
	if to.IsInt() {
		return ir.IntBits(to, int64(a)), true
	}
	if n := to.Bits(); n < 64 {
		a &= 1<<n - 1
	}
	return a, true
}

// foldInt computes integer ops other than comparisons, shifts and conversions.
func foldInt(code ir.Code, k ir.Kind, a [3]uint64) (uint64, bool) {
	x, y := int64(a[0]), int64(a[1])
	r := int64(0)
	switch code {
	case ir.OpNeg:
		r = -x
	case ir.OpNot:
		r = ^x
	case ir.OpAbs:
		if r = x; k.IsSigned() && x < 0 {
			r = -x
		}
	case ir.OpSign:
		switch {
		case k.IsSigned() && x < 0:
			r = -1
		case x != 0:
			r = 1
		}
	case ir.OpPopcount:
		r = int64(bits.OnesCount64(a[0] & mask(k)))
	case ir.OpClz:
		r = int64(bits.LeadingZeros64(a[0]&mask(k)) - (64 - k.Bits()))
	case ir.OpAdd:
		r = x + y
	case ir.OpSub:
		r = x - y
	case ir.OpMul:
		r = x * y
	case ir.OpAnd:
		r = x & y
	case ir.OpOr:
		r = x | y
	case ir.OpXor:
		r = x ^ y
	case ir.OpMin, ir.OpMax:
		if r = x; Compare(ir.OpLt, k, a[1], a[0]) == (code == ir.OpMin) {
			r = y
		}
	case ir.OpDiv, ir.OpRem, ir.OpFloorDiv, ir.OpMod:
		r = foldQuotient(code, k, a[0], a[1])
	default:
		return 0, false
	}
	return ir.IntBits(k, r), true
}

// mask has a one for each bit of k.
func mask(k ir.Kind) uint64 { return ^uint64(0) >> (64 - k.Bits()) }

// foldQuotient divides. Division by zero gives 0.
func foldQuotient(code ir.Code, k ir.Kind, a, b uint64) int64 {
	if b == 0 {
		return 0
	}
	if k.IsUnsigned() {
		if code == ir.OpDiv || code == ir.OpFloorDiv {
			return int64(a / b)
		}
		return int64(a % b)
	}
	x, y := int64(a), int64(b)
	if y == -1 { // the quotient wraps for the smallest integer
		if code == ir.OpDiv || code == ir.OpFloorDiv {
			return -x
		}
		return 0
	}
	q, r := x/y, x%y
	away := r != 0 && (r < 0) != (y < 0) // rounding down differs from truncation
	switch code {
	case ir.OpDiv:
		return q
	case ir.OpRem:
		return r
	case ir.OpFloorDiv:
		if away {
			q--
		}
		return q
	default: // mod
		if away {
			r += y
		}
		return r
	}
}
