package simulator

import (
	"math"
	"math/bits"
)

// An onTwo computes from two scalars. Integers have zeros above their bits, bools are 0 or 1, floats are their bits. ok is false where the result is not defined.
type onTwo func(a, b uint64) (v uint64, ok bool)

// An onOne computes from one.
type onOne func(a uint64) (v uint64, ok bool)

func signed(v uint64, bits int) int64 { return int64(v<<(64-bits)) >> (64 - bits) }

func truth(b bool) (uint64, bool) {
	if b {
		return 1, true
	}
	return 0, true
}

// value and bitsOf convert between floats of 32 or 64 bits and numbers that hold them.
func value(v uint64, n int) float64 {
	if n == 32 {
		return float64(math.Float32frombits(uint32(v)))
	}
	return math.Float64frombits(v)
}

func bitsOf(f float64, n int) uint64 {
	if n == 32 {
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// binaryOf is what an instruction computes from scalars of n bits; nil if it is none for two.
func binaryOf(op uint32, n int) onTwo {
	if f := integerOf(op, n); f != nil {
		return f
	}
	if f := comparisonOf(op, n); f != nil {
		return f
	}
	return floatOf(op, n)
}

func integerOf(op uint32, n int) onTwo {
	m := mask(n)
	plain := func(f func(a, b uint64) uint64) onTwo {
		return func(a, b uint64) (uint64, bool) { return f(a, b) & m, true }
	}
	shift := func(f func(a, b uint64) uint64) onTwo {
		return func(a, b uint64) (uint64, bool) { return f(a, b) & m, b < uint64(n) }
	}
	divide := func(f func(a, b uint64) uint64) onTwo {
		return func(a, b uint64) (uint64, bool) {
			if b == 0 {
				return 0, false
			}
			return f(a, b) & m, true
		}
	}
	overflows := func(a, b uint64) bool { return a == 1<<(n-1) && b == m }
	switch op {
	case opIAdd, opAtomicIAdd, opGroupNonUniformIAdd:
		return plain(func(a, b uint64) uint64 { return a + b })
	case opISub, opAtomicISub:
		return plain(func(a, b uint64) uint64 { return a - b })
	case opIMul:
		return plain(func(a, b uint64) uint64 { return a * b })
	case opBitwiseAnd, opLogicalAnd, opAtomicAnd, opGroupNonUniformBitAnd:
		return plain(func(a, b uint64) uint64 { return a & b })
	case opBitwiseOr, opLogicalOr, opAtomicOr, opGroupNonUniformBitOr:
		return plain(func(a, b uint64) uint64 { return a | b })
	case opBitwiseXor, opAtomicXor, opGroupNonUniformBitXor:
		return plain(func(a, b uint64) uint64 { return a ^ b })
	case opAtomicExchange:
		return plain(func(_, b uint64) uint64 { return b })
	case opAtomicSMin, opGroupNonUniformSMin:
		return plain(func(a, b uint64) uint64 { return uint64(min(signed(a, n), signed(b, n))) })
	case opAtomicSMax, opGroupNonUniformSMax:
		return plain(func(a, b uint64) uint64 { return uint64(max(signed(a, n), signed(b, n))) })
	case opAtomicUMin, opGroupNonUniformUMin:
		return plain(func(a, b uint64) uint64 { return min(a, b) })
	case opAtomicUMax, opGroupNonUniformUMax:
		return plain(func(a, b uint64) uint64 { return max(a, b) })
	case opShiftLeftLogical:
		return shift(func(a, b uint64) uint64 { return a << b })
	case opShiftRightLogical:
		return shift(func(a, b uint64) uint64 { return a >> b })
	case opShiftRightArithmetic:
		return shift(func(a, b uint64) uint64 { return uint64(signed(a, n) >> min(b, 63)) })
	case opUDiv:
		return divide(func(a, b uint64) uint64 { return a / b })
	case opUMod:
		return divide(func(a, b uint64) uint64 { return a % b })
	case opSDiv:
		f := divide(func(a, b uint64) uint64 { return uint64(signed(a, n) / signed(b, n)) })
		return func(a, b uint64) (uint64, bool) { v, ok := f(a, b); return v, ok && !overflows(a, b) }
	case opSRem:
		f := divide(func(a, b uint64) uint64 { return uint64(signed(a, n) % signed(b, n)) })
		return func(a, b uint64) (uint64, bool) { v, ok := f(a, b); return v, ok && !overflows(a, b) }
	}
	return nil
}

// comparisonOf has those of scalars of n bits.
func comparisonOf(op uint32, n int) onTwo {
	unsigned := func(f func(a, b uint64) bool) onTwo {
		return func(a, b uint64) (uint64, bool) { return truth(f(a, b)) }
	}
	whole := func(f func(a, b int64) bool) onTwo {
		return func(a, b uint64) (uint64, bool) { return truth(f(signed(a, n), signed(b, n))) }
	}
	real := func(f func(a, b float64) bool) onTwo {
		return func(a, b uint64) (uint64, bool) { return truth(f(value(a, n), value(b, n))) }
	}
	switch op {
	case opIEqual, opLogicalEqual:
		return unsigned(func(a, b uint64) bool { return a == b })
	case opINotEqual, opLogicalNotEqual:
		return unsigned(func(a, b uint64) bool { return a != b })
	case opUGreaterThan:
		return unsigned(func(a, b uint64) bool { return a > b })
	case opUGreaterThanEqual:
		return unsigned(func(a, b uint64) bool { return a >= b })
	case opULessThan:
		return unsigned(func(a, b uint64) bool { return a < b })
	case opULessThanEqual:
		return unsigned(func(a, b uint64) bool { return a <= b })
	case opSGreaterThan:
		return whole(func(a, b int64) bool { return a > b })
	case opSGreaterThanEqual:
		return whole(func(a, b int64) bool { return a >= b })
	case opSLessThan:
		return whole(func(a, b int64) bool { return a < b })
	case opSLessThanEqual:
		return whole(func(a, b int64) bool { return a <= b })
	case opFOrdEqual:
		return real(func(a, b float64) bool { return a == b })
	case opFUnordNotEqual:
		return real(func(a, b float64) bool { return a != b })
	case opFOrdNotEqual:
		return real(func(a, b float64) bool { return a < b || a > b })
	case opFUnordEqual:
		return real(func(a, b float64) bool { return !(a < b || a > b) })
	case opFOrdLessThan:
		return real(func(a, b float64) bool { return a < b })
	case opFOrdGreaterThan:
		return real(func(a, b float64) bool { return a > b })
	case opFOrdLessThanEqual:
		return real(func(a, b float64) bool { return a <= b })
	case opFOrdGreaterThanEqual:
		return real(func(a, b float64) bool { return a >= b })
	case opFUnordLessThan:
		return real(func(a, b float64) bool { return !(a >= b) })
	case opFUnordGreaterThan:
		return real(func(a, b float64) bool { return !(a <= b) })
	case opFUnordLessThanEqual:
		return real(func(a, b float64) bool { return !(a > b) })
	case opFUnordGreaterThanEqual:
		return real(func(a, b float64) bool { return !(a < b) })
	}
	return nil
}

func floatOf(op uint32, n int) onTwo {
	real := func(f32 func(a, b float32) float32, f64 func(a, b float64) float64) onTwo {
		if n == 32 {
			return func(a, b uint64) (uint64, bool) {
				return uint64(math.Float32bits(f32(math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))))), true
			}
		}
		return func(a, b uint64) (uint64, bool) {
			return math.Float64bits(f64(math.Float64frombits(a), math.Float64frombits(b))), true
		}
	}
	switch op {
	case opFAdd, opGroupNonUniformFAdd:
		return real(func(a, b float32) float32 { return a + b }, func(a, b float64) float64 { return a + b })
	case opFSub:
		return real(func(a, b float32) float32 { return a - b }, func(a, b float64) float64 { return a - b })
	case opFMul:
		return real(func(a, b float32) float32 { return a * b }, func(a, b float64) float64 { return a * b })
	case opFDiv:
		return real(func(a, b float32) float32 { return a / b }, func(a, b float64) float64 { return a / b })
	}
	return nil
}

// unaryOf is what an instruction computes from a scalar of type from; nil if it is none for one.
func unaryOf(op uint32, from, to *typ) onOne {
	n, m := from.bits, mask(max(1, to.bits))
	plain := func(f func(a uint64) uint64) onOne {
		return func(a uint64) (uint64, bool) { return f(a) & m, true }
	}
	switch op {
	case opSNegate:
		return plain(func(a uint64) uint64 { return -a })
	case opNot:
		return plain(func(a uint64) uint64 { return ^a })
	case opLogicalNot:
		return plain(func(a uint64) uint64 { return a ^ 1 })
	case opFNegate:
		return plain(func(a uint64) uint64 { return a ^ 1<<(n-1) })
	case opBitCount:
		return plain(func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) })
	case opUConvert, opConvertUToPtr:
		return plain(func(a uint64) uint64 { return a })
	case opSConvert:
		return plain(func(a uint64) uint64 { return uint64(signed(a, n)) })
	case opFConvert:
		return plain(func(a uint64) uint64 { return bitsOf(value(a, n), to.bits) })
	case opConvertSToF:
		return plain(func(a uint64) uint64 {
			if to.bits == 32 {
				return uint64(math.Float32bits(float32(signed(a, n))))
			}
			return math.Float64bits(float64(signed(a, n)))
		})
	case opConvertUToF:
		return plain(func(a uint64) uint64 {
			if to.bits == 32 {
				return uint64(math.Float32bits(float32(a)))
			}
			return math.Float64bits(float64(a))
		})
	case opConvertFToS:
		return func(a uint64) (uint64, bool) {
			f, limit := math.Trunc(value(a, n)), math.Ldexp(1, to.bits-1)
			if !(f >= -limit && f < limit) {
				return 0, false
			}
			return uint64(int64(f)) & m, true
		}
	case opConvertFToU:
		return func(a uint64) (uint64, bool) {
			f, limit := math.Trunc(value(a, n)), math.Ldexp(1, to.bits)
			if !(f >= 0 && f < limit) {
				return 0, false
			}
			return uint64(f), true
		}
	}
	return nil
}

// extended is what an instruction of GLSL.std.450 computes from a scalar of n bits.
func extended(number uint32, n int) onOne {
	real := func(f func(float64) float64) onOne {
		return func(a uint64) (uint64, bool) { return bitsOf(f(value(a, n)), n), true }
	}
	switch number {
	case extRoundEven:
		return real(math.RoundToEven)
	case extTrunc:
		return real(math.Trunc)
	case extFAbs:
		return func(a uint64) (uint64, bool) { return a &^ (1 << (n - 1)), true }
	case extFloor:
		return real(math.Floor)
	case extCeil:
		return real(math.Ceil)
	case extSqrt:
		return real(math.Sqrt) // a root of 32 bits that is rounded twice is the same
	case extFindUMsb:
		return func(a uint64) (uint64, bool) { return uint64(bits.Len64(a)-1) & mask(n), n == 32 }
	}
	return nil
}
