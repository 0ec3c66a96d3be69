package ir

import (
	"math"

	"github.com/gotaichi/ti/internal/half"
)

// Constants are held in 64 bits: integers sign- or zero-extended after their
// kind, bools as 0 or 1, floats as the IEEE bits of their own width.

// IntBits returns the bits of the integer v, wrapped to kind k.
func IntBits(k Kind, v int64) uint64 {
	switch k {
	case Bool:
		return uint64(v) & 1
	case I8:
		return uint64(int64(int8(v)))
	case I16:
		return uint64(int64(int16(v)))
	case I32:
		return uint64(int64(int32(v)))
	case U8:
		return uint64(uint8(v))
	case U16:
		return uint64(uint16(v))
	case U32:
		return uint64(uint32(v))
	}
	return uint64(v)
}

// FloatBits returns the bits of v rounded to the float kind k.
func FloatBits(k Kind, v float64) uint64 {
	switch k {
	case F32:
		return uint64(math.Float32bits(float32(v)))
	case F16:
		return uint64(half.From64(v))
	}
	return math.Float64bits(v)
}

// FloatValue returns the number that bits stand for in the float kind k.
func FloatValue(k Kind, bits uint64) float64 {
	switch k {
	case F32:
		return float64(math.Float32frombits(uint32(bits)))
	case F16:
		return half.To64(uint16(bits))
	}
	return math.Float64frombits(bits)
}

// BoolBits returns 1 for true.
func BoolBits(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// ConstOf returns the bits of v if it is the result of a const op.
func ConstOf(v *Value) (bits uint64, ok bool) {
	if v != nil && v.Def != nil && v.Def.Code == OpConst {
		return v.Def.Bits, true
	}
	return 0, false
}

// IsConst reports whether v is the result of a const op.
func IsConst(v *Value) bool {
	_, ok := ConstOf(v)
	return ok
}

// IsInt reports whether v is the constant integer n.
func IsInt(v *Value, n int64) bool {
	c, ok := IntOf(v)
	return ok && c == n
}

// IntOf returns the number that v is if it is a constant integer.
func IntOf(v *Value) (n int64, ok bool) {
	bits, ok := ConstOf(v)
	if !ok || !v.Type.Kind.IsInt() {
		return 0, false
	}
	return int64(bits), true
}

// Identity returns the bits of the number e of kind k for which combining e and x
// by a gives x, for every x: what an accumulator starts with. For sums it is 0,
// also of floats, so that fresh memory serves; -0 alone becomes 0 by it.
func (a AtomicKind) Identity(k Kind) uint64 {
	integer := k.IsInt() || k == Bool
	switch a {
	case AtomicMul, AtomicLAnd:
		if integer {
			return 1
		}
		return FloatBits(k, 1)
	case AtomicAnd:
		return IntBits(k, -1)
	case AtomicMin:
		switch {
		case !integer:
			return FloatBits(k, math.Inf(1))
		case k.IsSigned():
			return 1<<(k.Bits()-1) - 1
		}
		return IntBits(k, -1)
	case AtomicMax:
		switch {
		case !integer:
			return FloatBits(k, math.Inf(-1))
		case k.IsSigned():
			return IntBits(k, -1<<(k.Bits()-1))
		}
	}
	return 0
}
