package conformance

import (
	"math"
	"testing"

	"github.com/gotaichi/ti/internal/runtest"
)

// Comparisons, minimum and maximum, and what becomes of NaN, infinities and the sign
// of zero.
//
//conform:theme floats
func TestConformFloats(t *testing.T) {
	nan, inf, zero := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	conform(t, []behaviour{
		{"NaN is not equal to itself", "a == a", []any{nan}, false},
		{"NaN differs from itself", "a != a", []any{nan}, true},
		{"NaN is not less", "a < b", []any{nan, 1.0}, false},
		{"NaN is not greater or equal", "a >= b", []any{nan, 1.0}, false},
		{"not less is not the same as greater or equal", "!(a < b)", []any{float32(nan), float32(1)}, true},
		{"the zeros are equal", "a == b", []any{0.0, zero}, true},
		{"no zero is less than the other", "a < b", []any{zero, 0.0}, false},
		{"infinity is greater than all numbers", "a > b", []any{inf, math.MaxFloat64}, true},
		{"infinities are equal", "a == b", []any{inf, inf}, true},
		{"a vector with a NaN is not equal to itself", "vec2(a, 1) == vec2(a, 1)", []any{float32(nan)}, false},
		{"min", "min(a, b)", []any{2.0, -3.0}, -3.0},
		{"max of three", "max(a, b, c)", []any{2.0, 7.0, 5.0}, 7.0},
		{"min of a NaN is NaN", "min(a, b)", []any{nan, 1.0}, nan},
		{"min with a NaN behind is NaN", "min(a, b)", []any{1.0, nan}, nan},
		{"max of a NaN is NaN", "max(a, b)", []any{float32(nan), float32(1)}, float32(nan)},
		{"max with a NaN is NaN beside infinity", "max(a, b)", []any{inf, nan}, nan},
		{"min of infinity", "min(a, b)", []any{inf, 1.0}, 1.0},
		{"min of unsigned numbers", "min(a, b)", []any{uint32(0xffffffff), uint32(1)}, uint32(1)},
		{"max of signed numbers", "max(a, b)", []any{int8(-1), int8(1)}, int8(1)},
		{"clamp below", "clamp(a, 0, 1)", []any{float32(-2)}, float32(0)},
		{"clamp above", "clamp(a, 0, 1)", []any{float32(2)}, float32(1)},
		{"clamp of a NaN is NaN", "clamp(a, 0, 1)", []any{float32(nan)}, float32(nan)},
		{"isnan", "isnan(a)", []any{nan}, true},
		{"isnan of infinity", "isnan(a)", []any{inf}, false},
		{"isinf of a negative infinity", "isinf(a)", []any{float32(-inf)}, true},
		{"isinf of NaN", "isinf(a)", []any{nan}, false},

		{"mod next to a multiple is not negative", "mod(a, b)", []any{1.0, 0.1}, math.Mod(1, 0.1)},
		{"floorDiv next to a multiple", "floorDiv(a, b)", []any{1.0, 0.1}, 9.0},
		{"mod of a small negative number is less than the divisor", "mod(a, b)", []any{float32(-1e-20), float32(1)}, math.Nextafter32(1, 0)},
		{"floorDiv of a small negative number", "floorDiv(a, b)", []any{float32(-1e-40), float32(1e30)}, float32(-1)},
		{"mod of a huge quotient", "mod(a, b)", []any{1e300, 0.7}, math.Mod(1e300, 0.7)},
		{"mod of zero has the sign of the divisor", "mod(a, b)", []any{4.0, -2.0}, zero},
		{"mod by infinity", "mod(a, b)", []any{3.0, inf}, 3.0},
		{"mod by zero is NaN", "mod(a, b)", []any{3.0, 0.0}, nan},
		{"floorDiv by zero is infinite", "floorDiv(a, b)", []any{-3.0, 0.0}, -inf},
		{"fma of a product that nearly vanishes", "fma(a, b, c)", []any{float32(1 + 0x1p-12), float32(1 + 0x1p-12), float32(-1 - 0x1p-11)}, float32(0x1p-24)},
		{"fma of doubles rounds once", "fma(a, b, c)", []any{1 + 0x1p-30, 1 - 0x1p-30, -1.0}, -0x1p-60},

		{"infinity less infinity is NaN", "a - b", []any{inf, inf}, nan},
		{"zero times infinity is NaN", "a * b", []any{0.0, inf}, nan},
		{"NaN goes through a sum", "a + b", []any{nan, 1.0}, nan},
		{"NaN times zero is NaN", "a * 0", []any{float32(nan)}, float32(nan)},
		{"a number less itself is NaN for infinity", "a - a", []any{float32(inf)}, float32(nan)},
		{"a sum too large is infinite", "a + b", []any{math.MaxFloat64, math.MaxFloat64}, inf},
		{"a product too small is 0", "a * b", []any{float32(1e-30), float32(1e-30)}, float32(0)},
		{"small factors one by one", "a * 0x1p-100 * 0x1p-60", []any{float32(0x1p+127)}, float32(0x1p-33)},
		{"small factors one by one in f64", "a * 0x1p-1000 * 0x1p-100", []any{0x1p+1000}, 0x1p-100},
		{"denormals are numbers", "a / 2", []any{float32(0x1p-126)}, float32(0x1p-127)},
		{"the smallest denormal is not 0", "a > 0", []any{float32(0x1p-149)}, true},
		{"the negative of 0 is -0", "-a", []any{0.0}, zero},
		{"0 + -0 is 0", "a + b", []any{0.0, zero}, 0.0},
		{"-0 + -0 is -0", "a + b", []any{zero, zero}, zero},
		{"a number less itself is 0", "a - b", []any{1.5, 1.5}, 0.0},
		{"the product with a negative zero", "a * b", []any{-1.0, 0.0}, zero},

		{"sqrt of a negative is NaN", "sqrt(a)", []any{-1.0}, nan},
		{"sqrt of -0 is -0", "sqrt(a)", []any{zero}, zero},
		{"sqrt is rounded correctly", "sqrt(a)", []any{float32(2)}, float32(math.Sqrt2)},
		{"log of 0 is negative infinity", "log(a)", []any{0.0}, -inf},
		{"log of a negative is NaN", "log(a)", []any{float32(-1)}, float32(nan)},
		{"exp of infinity", "exp(a)", []any{inf}, inf},
		{"exp of negative infinity is 0", "exp(a)", []any{-inf}, 0.0},
		{"sin of infinity is NaN", "sin(a)", []any{float32(inf)}, float32(nan)},
		{"sin of -0 is -0", "sin(a)", []any{zero}, zero},
		{"acos out of range is NaN", "acos(a)", []any{2.0}, nan},
		{"pow of anything and 0 is 1", "pow(a, b)", []any{nan, 0.0}, 1.0},
		{"pow of a negative and an odd integer", "pow(a, b)", []any{-2.0, 3.0}, -8.0},
		{"pow of a negative and a fraction is NaN", "pow(a, b)", []any{-2.0, 0.5}, nan},
		{"atan2 of 0 and a negative is pi", "atan2(a, b)", []any{0.0, -1.0}, math.Pi},
		{"atan2 of -0 and a negative is -pi", "atan2(a, b)", []any{zero, -1.0}, -math.Pi},
		{"hypot of numbers whose squares overflow", "hypot(a, b)", []any{0x3p600, -0x4p600}, 0x5p600},
		{"hypot of an infinity and NaN is infinite", "hypot(a, b)", []any{nan, -inf}, inf},

		{"floor", "floor(a)", []any{-1.5}, -2.0},
		{"ceil of a negative fraction is -0", "ceil(a)", []any{-0.5}, zero},
		{"round goes away from zero at a half", "round(a)", []any{2.5}, 3.0},
		{"round of a negative half", "round(a)", []any{-2.5}, -3.0},
		{"round of the largest number below a half", "round(a)", []any{0.49999999999999994}, 0.0},
		{"round of f32 below a half", "round(a)", []any{float32(0.49999997)}, float32(0)},
		{"trunc", "trunc(a)", []any{float32(-2.7)}, float32(-2)},
		{"floor of a large number", "floor(a)", []any{float32(1e30)}, float32(1e30)},
		{"floor of NaN", "floor(a)", []any{nan}, nan},
		{"sign of a negative", "sign(a)", []any{-3.5}, -1.0},
		{"sign of 0", "sign(a)", []any{0.0}, 0.0},
		{"sign of NaN", "sign(a)", []any{nan}, nan},
		{"sign of an integer", "sign(a)", []any{int32(-9)}, int32(-1)},
		{"sign of an unsigned", "sign(a)", []any{uint8(9)}, uint8(1)},
		{"abs of -0", "abs(a)", []any{zero}, 0.0},
		{"abs of negative infinity", "abs(a)", []any{float32(-inf)}, float32(inf)},
		{"fma rounds once", "fma(a, a, b)", []any{float32(1 + 0x1p-12), float32(-1 - 0x1p-11)}, float32(0x1p-24)},
		{"f16 fma rounds once", "fma(a, a, b)", []any{runtest.Half(1 + 0x1p-6), runtest.Half(-1 - 0x1p-5)}, runtest.Half(0x1p-12)},
		{"each sum of f16 is rounded", "a + b - a", []any{runtest.Half(2048), runtest.Half(1)}, runtest.Half(0)},
	})
}

// Comparisons of integers by their type.
//
//conform:theme comparisons
func TestConformComparisons(t *testing.T) {
	conform(t, []behaviour{
		{"signed", "a < b", []any{int32(-1), int32(1)}, true},
		{"unsigned", "a < b", []any{uint32(0xffffffff), uint32(1)}, false},
		{"i8", "a > b", []any{int8(127), int8(-128)}, true},
		{"u8", "a > b", []any{uint8(128), uint8(127)}, true},
		{"i64", "a <= b", []any{int64(math.MinInt64), int64(math.MaxInt64)}, true},
		{"u64", "a >= b", []any{uint64(math.MaxUint64), uint64(0)}, true},
		{"equal", "a == b", []any{int16(-1), int16(-1)}, true},
		{"not equal", "a != b", []any{int16(-1), int16(1)}, true},
		{"an integer and a float compare as floats", "a < b", []any{int32(2), float32(2.5)}, true},
		{"an integer and a float constant", "a > 0.5", []any{int32(1)}, true},
		{"bools", "a == b", []any{true, false}, false},
		{"chains need &&", "a < b && b < c", []any{int32(1), int32(2), int32(3)}, true},
		{"|| of both", "a || b", []any{false, true}, true},
		{"ifelse", "ifelse(a < b, a, b)", []any{int32(4), int32(3)}, int32(3)},
	})
}

// Constants that do not fit are errors of the source.
//
//conform:theme constants
func TestConformConstants(t *testing.T) {
	const (
		overflow  = 307
		quotient  = 308
		conform   = 302
		truncated = 314
	)
	reject(t, []mistake{
		{"too large for i8", "_ = i8(128)", overflow},
		{"too small for u8", "_ = u8(-1)", overflow},
		{"too large for i32", "var b i32 = 1 << 31; _ = b", overflow},
		{"too large for u64", "var b u64 = 1 << 64; _ = b", overflow},
		{"too large for f16", "var b f16 = 65520; _ = b", overflow},
		{"too large for f32", "var b f32 = 1e39; _ = b", overflow},
		{"beside a typed operand", "_ = u8(1) + 256", overflow},
		{"a quotient of 0", "_ = 1/3 * x", quotient},
		{"a fraction for an integer", "var b i32 = 1.5; _ = b", truncated},
		{"a fraction beside an integer that is assigned", "a = 1.5", truncated},
		{"f64 for f32", "var b f32 = f64(x); _ = b", conform},
		{"i64 for i32", "var b i32 = i64(a); _ = b", conform},
		{"i32 for u32", "var b u32 = a; _ = b", conform},
		{"f32 for f16", "var b f16 = x; _ = b", conform},
	})
}
