package conformance

import (
	"math"
	"testing"

	"github.com/gotaichi/ti/internal/runtest"
)

// Conversions between the scalar types.
//
//conform:theme conversions
func TestConformCasts(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	conform(t, []behaviour{
		{"a float truncates towards zero", "i32(a)", []any{float32(2.9)}, int32(2)},
		{"a negative float truncates towards zero", "i32(a)", []any{float32(-2.9)}, int32(-2)},
		{"a float that is too large saturates", "i32(a)", []any{float32(3e9)}, int32(math.MaxInt32)},
		{"a float that is too small saturates", "i32(a)", []any{float32(-3e9)}, int32(math.MinInt32)},
		{"the first float beyond i32 saturates", "i32(a)", []any{float32(1 << 31)}, int32(math.MaxInt32)},
		{"infinity saturates", "i32(a)", []any{inf}, int32(math.MaxInt32)},
		{"negative infinity saturates", "i64(a)", []any{-inf}, int64(math.MinInt64)},
		{"NaN becomes 0", "i32(a)", []any{nan}, int32(0)},
		{"NaN becomes 0 in u64", "u64(a)", []any{nan}, uint64(0)},
		{"a negative float is 0 in an unsigned type", "u32(a)", []any{float32(-1)}, uint32(0)},
		{"a negative fraction is 0 in an unsigned type", "u8(a)", []any{-0.5}, uint8(0)},
		{"u32 takes what i32 does not", "u32(a)", []any{3e9}, uint32(3_000_000_000)},
		{"u64 takes what i64 does not", "u64(a)", []any{1e19}, uint64(10_000_000_000_000_000_000)},
		{"u64 saturates", "u64(a)", []any{1e20}, uint64(math.MaxUint64)},
		{"i8 saturates", "i8(a)", []any{300.0}, int8(127)},
		{"i8 saturates below", "i8(a)", []any{-300.0}, int8(-128)},
		{"u8 saturates", "u8(a)", []any{float32(256)}, uint8(255)},
		{"i16 saturates", "i16(a)", []any{float32(1e30)}, int16(math.MaxInt16)},
		{"i64 of a large double is exact", "i64(a)", []any{0x1p62}, int64(1 << 62)},

		{"a narrower integer keeps the low bits", "i8(a)", []any{int32(300)}, int8(44)},
		{"of a negative too", "u8(a)", []any{int32(-1)}, uint8(255)},
		{"a wider signed integer keeps its sign", "i64(a)", []any{int8(-5)}, int64(-5)},
		{"a wider unsigned integer is filled with zeros", "i32(a)", []any{uint8(200)}, int32(200)},
		{"a signed number in a wider unsigned type wraps", "u64(a)", []any{int32(-1)}, uint64(math.MaxUint64)},
		{"signed and unsigned have the same bits", "i32(a)", []any{uint32(0xffffffff)}, int32(-1)},
		{"i64 to u32", "u32(a)", []any{int64(1<<40 + 7)}, uint32(7)},

		{"a large integer rounds to the nearest float", "f32(a)", []any{int32(1<<24 + 1)}, float32(1 << 24)},
		{"a tie goes to the even one", "f32(a)", []any{int32(1<<24 + 3)}, float32(1<<24 + 4)},
		{"an i64 rounds once", "f32(a)", []any{int64(1<<60 + 1<<36 + 1)}, float32(1<<60 + 1<<37)},
		{"a u64 with its high bit set is positive", "f64(a)", []any{uint64(1 << 63)}, 0x1p63},
		{"the largest u64", "f32(a)", []any{uint64(math.MaxUint64)}, float32(0x1p64)},
		{"u32 to f32 is positive", "f32(a)", []any{uint32(0x80000000)}, float32(1 << 31)},
		{"f64 rounds to f32", "f32(a)", []any{0.1}, float32(0.1)},
		{"a double too large for f32 is infinite", "f32(a)", []any{1e300}, float32(inf)},
		{"f32 to f64 is exact", "f64(a)", []any{float32(0.1)}, float64(float32(0.1))},
		{"NaN stays NaN", "f64(a)", []any{float32(nan)}, nan},
		{"f16 rounds once from a double", "f16(a)", []any{1 + 0x1p-11 + 0x1p-40}, runtest.Half(1 + 0x1p-10)},
		{"f16 of a tie is even", "f16(a)", []any{1 + 0x1p-11}, runtest.Half(1)},
		{"f16 becomes infinite at 65520", "f16(a)", []any{int32(65520)}, runtest.Half(inf)},
		{"f16 of 65519 is the largest", "f16(a)", []any{int32(65519)}, runtest.Half(65504)},
		{"f16 has denormals", "f16(a)", []any{float32(0x1.8p-24)}, runtest.Half(0x1p-23)},
		{"f16 to an integer truncates", "i32(a)", []any{runtest.Half(-2.75)}, int32(-2)},
		{"f16 infinity saturates", "u16(a)", []any{runtest.Half(inf)}, uint16(math.MaxUint16)},

		{"true is 1", "i32(a)", []any{true}, int32(1)},
		{"false is 0.0", "f64(a)", []any{false}, 0.0},
		{"any number but 0 is true", "bool(a)", []any{int32(-7)}, true},
		{"0 is false", "bool(a)", []any{uint8(0)}, false},
		{"a small float is true", "bool(a)", []any{float32(1e-40)}, true},
		{"a negative zero is false", "bool(a)", []any{math.Copysign(0, -1)}, false},
		{"NaN is true", "bool(a)", []any{nan}, true},
	})
}

// Integers wrap at their width.
//
//conform:theme wrapping
func TestConformWrapping(t *testing.T) {
	conform(t, []behaviour{
		{"the sum of i32", "a + b", []any{int32(math.MaxInt32), int32(1)}, int32(math.MinInt32)},
		{"the difference of i32", "a - b", []any{int32(math.MinInt32), int32(1)}, int32(math.MaxInt32)},
		{"the product of i32", "a * b", []any{int32(1 << 20), int32(1 << 12)}, int32(0)},
		{"the negative of the smallest", "-a", []any{int32(math.MinInt32)}, int32(math.MinInt32)},
		{"abs of the smallest", "abs(a)", []any{int32(math.MinInt32)}, int32(math.MinInt32)},
		{"the sum of u8", "a + b", []any{uint8(200), uint8(100)}, uint8(44)},
		{"the difference of u8", "a - b", []any{uint8(1), uint8(2)}, uint8(255)},
		{"the negative of an unsigned", "-a", []any{uint32(1)}, uint32(math.MaxUint32)},
		{"the sum of i8", "a + b", []any{int8(127), int8(1)}, int8(-128)},
		{"the product of i16", "a * b", []any{int16(300), int16(300)}, int16(24464)},
		{"the product of u16", "a * b", []any{uint16(300), uint16(300)}, uint16(24464)},
		{"the sum of i64", "a + b", []any{int64(math.MaxInt64), int64(1)}, int64(math.MinInt64)},
		{"the product of u64", "a * b", []any{uint64(1 << 63), uint64(2)}, uint64(0)},
		{"a step on the way", "a + b - b", []any{int8(100), int8(100)}, int8(100)},
	})
}
