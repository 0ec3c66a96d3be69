package mathlib

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
)

// The ops that functions of the library are made of, computed on the bits of scalars: IEEE 754's, rounded once.

// An operation computes the bits of a scalar from those of up to three.
type operation = func(x, y, z uint64) uint64

// primitive returns what computes o.
func primitive(o *ir.Op) operation {
	from, to := o.Args[0].Type.Kind, o.Results[0].Type.Kind
	var f operation
	switch {
	case o.Code == ir.OpSelect:
		return choose
	case o.Code == ir.OpConvert:
		return func(x, _, _ uint64) uint64 { return convert(from, to, x) }
	case o.Code == ir.OpBitcast:
		return func(x, _, _ uint64) uint64 { return bitcast(to, x) }
	case from == ir.F32:
		f = op32(o.Code)
	case from == ir.F64:
		f = op64(o.Code)
	case from == ir.Bool:
		f = opBool(o.Code)
	default:
		f = intOp(o.Code, from)
	}
	if f == nil {
		panic(fmt.Sprintf("mathlib: nothing computes %s of %s", o.Code, from))
	}
	return f
}

func choose(c, x, y uint64) uint64 {
	if c != 0 {
		return x
	}
	return y
}

func bitcast(to ir.Kind, v uint64) uint64 {
	if to.Size() == 4 {
		v &= math.MaxUint32
	}
	if to.IsInt() {
		return ir.IntBits(to, int64(v))
	}
	return v
}

func convert(from, to ir.Kind, v uint64) uint64 {
	switch {
	case from.IsFloat() && to.IsFloat():
		return ir.FloatBits(to, ir.FloatValue(from, v))
	case to.IsInt():
		return ir.IntBits(to, int64(v))
	case to == ir.F64 && from.IsSigned():
		return math.Float64bits(float64(int64(v)))
	case to == ir.F64:
		return math.Float64bits(float64(v))
	case from.IsSigned():
		return bits32(float32(int64(v)))
	}
	return bits32(float32(v))
}

func of32(x uint64) float32   { return math.Float32frombits(uint32(x)) }
func bits32(v float32) uint64 { return uint64(math.Float32bits(v)) }
func of64(x uint64) float64   { return math.Float64frombits(x) }
func bits64(v float64) uint64 { return math.Float64bits(v) }

// op32 returns what computes an op of f32; nil if the library has no such op.
func op32(code ir.Code) operation {
	switch code {
	case ir.OpAdd:
		return func(x, y, _ uint64) uint64 { return bits32(of32(x) + of32(y)) }
	case ir.OpSub:
		return func(x, y, _ uint64) uint64 { return bits32(of32(x) - of32(y)) }
	case ir.OpMul:
		return func(x, y, _ uint64) uint64 { return bits32(of32(x) * of32(y)) }
	case ir.OpDiv:
		return func(x, y, _ uint64) uint64 { return bits32(of32(x) / of32(y)) }
	case ir.OpNeg:
		return func(x, _, _ uint64) uint64 { return x ^ 1<<31 }
	case ir.OpAbs:
		return func(x, _, _ uint64) uint64 { return x &^ (1 << 31) }
	case ir.OpSqrt:
		return func(x, _, _ uint64) uint64 { return bits32(float32(math.Sqrt(float64(of32(x))))) }
	case ir.OpTrunc:
		return func(x, _, _ uint64) uint64 { return bits32(float32(math.Trunc(float64(of32(x))))) }
	case ir.OpFloor:
		return func(x, _, _ uint64) uint64 { return bits32(float32(math.Floor(float64(of32(x))))) }
	case ir.OpRem:
		return func(x, y, _ uint64) uint64 { return bits32(float32(math.Mod(float64(of32(x)), float64(of32(y))))) }
	case ir.OpFma:
		return func(x, y, z uint64) uint64 { return bits32(fma32(of32(x), of32(y), of32(z))) }
	case ir.OpEq:
		return func(x, y, _ uint64) uint64 { return ir.BoolBits(of32(x) == of32(y)) }
	case ir.OpNe:
		return func(x, y, _ uint64) uint64 { return ir.BoolBits(of32(x) != of32(y)) }
	case ir.OpLt:
		return func(x, y, _ uint64) uint64 { return ir.BoolBits(of32(x) < of32(y)) }
	case ir.OpGt:
		return func(x, y, _ uint64) uint64 { return ir.BoolBits(of32(x) > of32(y)) }
	case ir.OpIsNaN:
		return func(x, _, _ uint64) uint64 { return ir.BoolBits(of32(x) != of32(x)) }
	}
	return nil
}

// op64 is op32 for f64.
func op64(code ir.Code) operation {
	switch code {
	case ir.OpAdd:
		return func(x, y, _ uint64) uint64 { return bits64(of64(x) + of64(y)) }
	case ir.OpSub:
		return func(x, y, _ uint64) uint64 { return bits64(of64(x) - of64(y)) }
	case ir.OpMul:
		return func(x, y, _ uint64) uint64 { return bits64(of64(x) * of64(y)) }
	case ir.OpDiv:
		return func(x, y, _ uint64) uint64 { return bits64(of64(x) / of64(y)) }
	case ir.OpNeg:
		return func(x, _, _ uint64) uint64 { return x ^ 1<<63 }
	case ir.OpAbs:
		return func(x, _, _ uint64) uint64 { return x &^ (1 << 63) }
	case ir.OpSqrt:
		return func(x, _, _ uint64) uint64 { return bits64(math.Sqrt(of64(x))) }
	case ir.OpTrunc:
		return func(x, _, _ uint64) uint64 { return bits64(math.Trunc(of64(x))) }
	case ir.OpFloor:
		return func(x, _, _ uint64) uint64 { return bits64(math.Floor(of64(x))) }
	case ir.OpRem:
		return func(x, y, _ uint64) uint64 { return bits64(math.Mod(of64(x), of64(y))) }
	case ir.OpFma:
		return func(x, y, z uint64) uint64 { return bits64(math.FMA(of64(x), of64(y), of64(z))) }
	case ir.OpEq:
		return func(x, y, _ uint64) uint64 { return ir.BoolBits(of64(x) == of64(y)) }
	case ir.OpNe:
		return func(x, y, _ uint64) uint64 { return ir.BoolBits(of64(x) != of64(y)) }
	case ir.OpLt:
		return func(x, y, _ uint64) uint64 { return ir.BoolBits(of64(x) < of64(y)) }
	case ir.OpGt:
		return func(x, y, _ uint64) uint64 { return ir.BoolBits(of64(x) > of64(y)) }
	case ir.OpIsNaN:
		return func(x, _, _ uint64) uint64 { return ir.BoolBits(of64(x) != of64(x)) }
	}
	return nil
}

// opBool is op32 for bool.
func opBool(code ir.Code) operation {
	switch code {
	case ir.OpAnd:
		return func(x, y, _ uint64) uint64 { return x & y }
	case ir.OpOr:
		return func(x, y, _ uint64) uint64 { return x | y }
	case ir.OpXor:
		return func(x, y, _ uint64) uint64 { return x ^ y }
	case ir.OpNe:
		return func(x, y, _ uint64) uint64 { return x ^ y }
	case ir.OpNot:
		return func(x, _, _ uint64) uint64 { return x ^ 1 }
	}
	return nil
}

// fma32 is xy + z, rounded once: the product is exact in f64, and where the sum is not, it is rounded to the one of
// its neighbours whose last bit is 1, which tells the second rounding on which side the sum lies.
func fma32(x, y, z float32) float32 {
	p, c := float64(x)*float64(y), float64(z)
	s := p + c
	v := s - p
	lost := (p - (s - v)) + (c - v)
	if b := math.Float64bits(s); lost != 0 && lost == lost && b&1 == 0 {
		if (lost > 0) == (s > 0) {
			b++
		} else {
			b--
		}
		s = math.Float64frombits(b)
	}
	return float32(s)
}

// intOp returns what computes an op of integers of kind k; nil if the library has no such op.
func intOp(code ir.Code, k ir.Kind) operation {
	wrap := func(v uint64) uint64 { return ir.IntBits(k, int64(v)) }
	switch code {
	case ir.OpAdd:
		return func(x, y, _ uint64) uint64 { return wrap(x + y) }
	case ir.OpSub:
		return func(x, y, _ uint64) uint64 { return wrap(x - y) }
	case ir.OpMul:
		return func(x, y, _ uint64) uint64 { return wrap(x * y) }
	case ir.OpShl: // counts are never negative
		return func(x, y, _ uint64) uint64 { return wrap(x << y) }
	case ir.OpShr:
		if k.IsSigned() {
			return func(x, y, _ uint64) uint64 { return uint64(int64(x) >> y) }
		}
		return func(x, y, _ uint64) uint64 { return x >> y }
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		return opBool(code)
	case ir.OpNot:
		return func(x, _, _ uint64) uint64 { return wrap(^x) }
	case ir.OpClz:
		return func(x, _, _ uint64) uint64 { return uint64(bits.LeadingZeros64(x) - 64 + k.Bits()) }
	case ir.OpEq:
		return func(x, y, _ uint64) uint64 { return ir.BoolBits(x == y) }
	case ir.OpNe:
		return func(x, y, _ uint64) uint64 { return ir.BoolBits(x != y) }
	case ir.OpLt:
		if k.IsSigned() {
			return func(x, y, _ uint64) uint64 { return ir.BoolBits(int64(x) < int64(y)) }
		}
		return func(x, y, _ uint64) uint64 { return ir.BoolBits(x < y) }
	case ir.OpMax: // of signed numbers
		return func(x, y, _ uint64) uint64 { return uint64(max(int64(x), int64(y))) }
	}
	return nil
}
