package typed

import (
	"go/constant"
	"math"
	"strings"

	"github.com/gotaichi/ti/internal/half"
)

// A Num is an exact compile-time number or truth value, or an infinity, NaN or negative
// zero, which go/constant lacks. The zero Num is a number not known yet: a host constant
// in a check without binding, or a number computed from one.
type Num struct {
	v       constant.Value // nil: special or unknown
	special float64        // infinite or NaN, if isSpec
	isSpec  bool
	negZero bool // v is zero, and stands for the float -0
}

// IntNum, UintNum, FloatNum and BoolNum make numbers.
func IntNum(i int64) Num { return Num{v: constant.MakeInt64(i)} }

func UintNum(u uint64) Num { return Num{v: constant.MakeUint64(u)} }

func BoolNum(b bool) Num { return Num{v: constant.MakeBool(b)} }

// FloatNum makes a number of a float, infinities, NaN and -0 included.
func FloatNum(f float64) Num {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return Num{special: f, isSpec: true}
	}
	return Num{v: constant.MakeFloat64(f), negZero: f == 0 && math.Signbit(f)}
}

// isZero reports whether the number is a zero of either sign.
func (n Num) isZero() bool { return n.v != nil && !n.IsBool() && constant.Sign(n.v) == 0 }

// negative reports whether the number, which has a value, has a minus sign.
func (n Num) negative() bool { return n.negZero || constant.Sign(n.v) < 0 }

// Signbit reports whether the number, which is known, has a minus sign, as -0 does.
func (n Num) Signbit() bool {
	if n.isSpec {
		return math.Signbit(n.special)
	}
	return n.negative()
}

// Known reports whether the number is known.
func (n Num) Known() bool { return n.v != nil || n.isSpec }

// Bool returns a truth value; false for a number.
func (n Num) Bool() bool {
	return n.v != nil && n.v.Kind() == constant.Bool && constant.BoolVal(n.v)
}

// Int returns the number as an int64, wrapping around: the bits of a u64.
func (n Num) Int() int64 {
	if n.v == nil {
		return 0
	}
	if n.v.Kind() == constant.Bool {
		if constant.BoolVal(n.v) {
			return 1
		}
		return 0
	}
	v := constant.ToInt(n.v)
	if v.Kind() != constant.Int {
		f, _ := constant.Float64Val(n.v)
		return int64(f)
	}
	if i, ok := constant.Int64Val(v); ok {
		return i
	}
	u, _ := constant.Uint64Val(v)
	return int64(u)
}

// Float returns the number rounded to a float64.
func (n Num) Float() float64 {
	if n.isSpec {
		return n.special
	}
	if n.v == nil || n.v.Kind() == constant.Bool {
		return float64(n.Int())
	}
	if n.negZero {
		return math.Copysign(0, -1)
	}
	f, _ := constant.Float64Val(n.v)
	return f
}

// Bits returns the number's bits in type s: two's complement in the low s.Bits()
// bits, or the IEEE form of a float. This is what lowering puts into the IR.
func (n Num) Bits(s Scalar) uint64 {
	switch {
	case s == F16:
		return uint64(half.From64(n.Float()))
	case s == F32:
		return uint64(math.Float32bits(float32(n.Float())))
	case s == F64:
		return math.Float64bits(n.Float())
	case s == U64 || s == I64:
		return uint64(n.Int())
	}
	return uint64(n.Int()) & (1<<s.Bits() - 1)
}

// Exact returns the number as it would be written, in full.
func (n Num) Exact() string {
	if n.v == nil || n.negZero {
		return n.String()
	}
	return n.v.ExactString()
}

func (n Num) IsBool() bool { return n.v != nil && n.v.Kind() == constant.Bool }

func (n Num) IsInt() bool { return n.v != nil && n.v.Kind() == constant.Int }

// GoValue returns the number as a bool, int64, uint64 or float64.
func (n Num) GoValue() any {
	switch {
	case n.IsBool():
		return n.Bool()
	case !n.IsInt():
		return n.Float()
	case n.Int() < 0 && !strings.HasPrefix(n.String(), "-"):
		return uint64(n.Int())
	}
	return n.Int()
}
