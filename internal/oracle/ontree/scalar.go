package ontree

import (
	"math"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/typed"
)

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type float interface{ float32 | float64 }

// number is the value of an integer or bool as an int64; of a u64 its bits.
func number(s typed.Scalar, x uint64) int64 {
	switch s {
	case typed.I8:
		return int64(int8(x))
	case typed.I16:
		return int64(int16(x))
	case typed.I32:
		return int64(int32(x))
	}
	return int64(x)
}

// word keeps the bits of an integer that its type has.
func word(s typed.Scalar, x uint64) uint64 {
	switch s {
	case typed.Bool:
		return x & 1
	case typed.I8, typed.U8:
		return uint64(uint8(x))
	case typed.I16, typed.U16:
		return uint64(uint16(x))
	case typed.I32, typed.U32:
		return uint64(uint32(x))
	}
	return x
}

// real is the value of a float.
func real(s typed.Scalar, x uint64) float64 {
	switch s {
	case typed.F16:
		return half.To64(uint16(x))
	case typed.F32:
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

// rounded is a float rounded to its type.
func rounded(s typed.Scalar, v float64) uint64 {
	switch s {
	case typed.F16:
		return uint64(half.From64(v))
	case typed.F32:
		return uint64(math.Float32bits(float32(v)))
	}
	return math.Float64bits(v)
}

// constant is a whole number, or a float, of any type.
func constant(s typed.Scalar, v float64) uint64 {
	if s.IsFloat() {
		return rounded(s, v)
	}
	return word(s, uint64(int64(v)))
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// unary computes -x, !x and ^x.
func unary(op typed.Op, s typed.Scalar, x uint64) uint64 {
	switch {
	case op == typed.Neg && s.IsFloat():
		return x ^ 1<<(s.Bits()-1) // the sign, of NaN too
	case op == typed.Neg:
		return word(s, -x)
	}
	return word(s, ^x)
}

// binary computes an operator on two numbers, or bools, of one type.
func binary(op typed.Op, s typed.Scalar, x, y uint64) uint64 {
	switch s {
	case typed.Bool:
		return onBools(op, x != 0, y != 0)
	case typed.I8:
		return onInts(op, s, int8(x), int8(y))
	case typed.I16:
		return onInts(op, s, int16(x), int16(y))
	case typed.I32:
		return onInts(op, s, int32(x), int32(y))
	case typed.I64:
		return onInts(op, s, int64(x), int64(y))
	case typed.U8:
		return onInts(op, s, uint8(x), uint8(y))
	case typed.U16:
		return onInts(op, s, uint16(x), uint16(y))
	case typed.U32:
		return onInts(op, s, uint32(x), uint32(y))
	case typed.U64:
		return onInts(op, s, x, y)
	case typed.F16: // each operation in single precision
		return onFloats(op, s, half.To32(uint16(x)), half.To32(uint16(y)), func(v float32) uint64 { return uint64(half.From32(v)) })
	case typed.F32:
		return onFloats(op, s, math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y)), func(v float32) uint64 { return uint64(math.Float32bits(v)) })
	}
	return onFloats(op, s, math.Float64frombits(x), math.Float64frombits(y), math.Float64bits)
}

func onBools(op typed.Op, x, y bool) uint64 {
	switch op {
	case typed.And, typed.LAnd, typed.Min:
		return truth(x && y)
	case typed.Or, typed.LOr, typed.Max:
		return truth(x || y)
	case typed.Xor, typed.Ne:
		return truth(x != y)
	case typed.Eq:
		return truth(x == y)
	case typed.AndNot:
		return truth(x && !y)
	}
	notCovered("operator %s of bools", op)
	return 0
}

// compare computes a comparison; ok is false for another operator.
func compare[T integer | float](op typed.Op, x, y T) (r, ok bool) {
	switch op {
	case typed.Eq:
		return x == y, true
	case typed.Ne:
		return x != y, true
	case typed.Lt:
		return x < y, true
	case typed.Le:
		return x <= y, true
	case typed.Gt:
		return x > y, true
	case typed.Ge:
		return x >= y, true
	}
	return false, false
}

func onInts[T integer](op typed.Op, s typed.Scalar, x, y T) uint64 {
	if r, ok := compare(op, x, y); ok {
		return truth(r)
	}
	var r T
	switch op {
	case typed.Add:
		r = x + y
	case typed.Sub:
		r = x - y
	case typed.Mul:
		r = x * y
	case typed.Div:
		if y != 0 {
			r = x / y
		}
	case typed.Rem:
		if y != 0 {
			r = x % y
		}
	case typed.And:
		r = x & y
	case typed.Or:
		r = x | y
	case typed.Xor:
		r = x ^ y
	case typed.AndNot:
		r = x &^ y
	case typed.Min:
		r = min(x, y)
	case typed.Max:
		r = max(x, y)
	default:
		notCovered("operator %s of integers", op)
	}
	return word(s, uint64(r))
}

func onFloats[T float](op typed.Op, _ typed.Scalar, x, y T, bits func(T) uint64) uint64 {
	if r, ok := compare(op, x, y); ok {
		return truth(r)
	}
	var r T
	switch op {
	case typed.Add:
		r = x + y
	case typed.Sub:
		r = x - y
	case typed.Mul:
		r = x * y
	case typed.Div:
		r = x / y
	case typed.Min:
		r = min(x, y) // NaN beside a NaN
	case typed.Max:
		r = max(x, y)
	default:
		notCovered("operator %s of floats", op)
	}
	return bits(r)
}

// shift computes x << n and x >> n for a count of another type. A negative count is like one that is too large.
func shift(op typed.Op, s typed.Scalar, x uint64, of typed.Scalar, count uint64) uint64 {
	n := number(of, count)
	if of != typed.U64 && n < 0 || of == typed.U64 && count > math.MaxInt64 {
		n = math.MaxInt64
	}
	switch {
	case op == typed.Shl:
		return word(s, x<<n)
	case s.IsSigned():
		return word(s, uint64(number(s, x)>>n))
	}
	return x >> n
}

// convert converts a number or bool.
func convert(from, to typed.Scalar, x uint64) uint64 {
	switch {
	case from == to:
		return x
	case to == typed.Bool && from.IsFloat():
		return truth(real(from, x) != 0)
	case to == typed.Bool:
		return truth(x != 0)
	case from.IsFloat() && to.IsFloat():
		return rounded(to, real(from, x))
	case from.IsFloat():
		return saturated(to, real(from, x))
	case !to.IsFloat():
		return word(to, uint64(number(from, x)))
	case to == typed.F32 && from == typed.U64:
		return uint64(math.Float32bits(float32(x)))
	case to == typed.F32:
		return uint64(math.Float32bits(float32(number(from, x))))
	case from == typed.U64:
		return rounded(to, float64(x))
	}
	return rounded(to, float64(number(from, x)))
}

// saturated is a float without its fraction as an integer: the nearest one there is, and 0 for NaN.
func saturated(to typed.Scalar, v float64) uint64 {
	if v != v {
		return 0
	}
	v = math.Trunc(v)
	if to.IsUnsigned() {
		switch limit := math.Ldexp(1, to.Bits()); {
		case v <= 0:
			return 0
		case v >= limit:
			return word(to, math.MaxUint64)
		}
		return uint64(v)
	}
	switch limit := math.Ldexp(1, to.Bits()-1); {
	case v < -limit:
		return word(to, uint64(int64(-1)<<(to.Bits()-1)))
	case v >= limit:
		return 1<<(to.Bits()-1) - 1
	}
	return word(to, uint64(int64(v)))
}
