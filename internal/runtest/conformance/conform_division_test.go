package conformance

import (
	"math"
	"testing"
)

// Quotients and remainders of integers and floats, by the signs of both.
//
//conform:theme integer division
func TestConformDivision(t *testing.T) {
	i, u := func(v int32) any { return v }, func(v uint32) any { return v }
	conform(t, []behaviour{
		{"integers truncate", "a / b", []any{i(7), i(2)}, i(3)},
		{"a negative dividend truncates towards zero", "a / b", []any{i(-7), i(2)}, i(-3)},
		{"a negative divisor truncates towards zero", "a / b", []any{i(7), i(-2)}, i(-3)},
		{"two negatives", "a / b", []any{i(-7), i(-2)}, i(3)},
		{"an exact negative quotient", "a / b", []any{i(-8), i(2)}, i(-4)},
		{"a remainder has the sign of the dividend", "a % b", []any{i(-7), i(3)}, i(-1)},
		{"a negative divisor does not change a remainder", "a % b", []any{i(7), i(-3)}, i(1)},
		{"both negative", "a % b", []any{i(-7), i(-3)}, i(-1)},
		{"mod rounds down", "mod(a, b)", []any{i(-7), i(3)}, i(2)},
		{"mod has the sign of the divisor", "mod(a, b)", []any{i(7), i(-3)}, i(-2)},
		{"mod of both negative", "mod(a, b)", []any{i(-7), i(-3)}, i(-1)},
		{"mod that is exact", "mod(a, b)", []any{i(-6), i(3)}, i(0)},
		{"floorDiv rounds down", "floorDiv(a, b)", []any{i(-7), i(3)}, i(-3)},
		{"floorDiv by a negative", "floorDiv(a, b)", []any{i(7), i(-3)}, i(-3)},
		{"floorDiv of both negative", "floorDiv(a, b)", []any{i(-7), i(-3)}, i(2)},
		{"a quotient by zero is 0", "a / b", []any{i(5), i(0)}, i(0)},
		{"a remainder by zero is 0", "a % b", []any{i(5), i(0)}, i(0)},
		{"mod by zero is 0", "mod(a, b)", []any{i(5), i(0)}, i(0)},
		{"floorDiv by zero is 0", "floorDiv(a, b)", []any{i(-5), i(0)}, i(0)},
		{"an unsigned quotient by zero is 0", "a / b", []any{u(5), u(0)}, u(0)},
		{"an unsigned remainder by zero is 0", "a % b", []any{u(5), u(0)}, u(0)},
		{"the smallest by -1 wraps", "a / b", []any{i(math.MinInt32), i(-1)}, i(math.MinInt32)},
		{"the remainder of the smallest by -1 is 0", "a % b", []any{i(math.MinInt32), i(-1)}, i(0)},
		{"the smallest i8 by -1 wraps", "a / b", []any{int8(-128), int8(-1)}, int8(-128)},
		{"the smallest i64 by -1 wraps", "a / b", []any{int64(math.MinInt64), int64(-1)}, int64(math.MinInt64)},
		{"floorDiv of the smallest by -1 wraps", "floorDiv(a, b)", []any{i(math.MinInt32), i(-1)}, i(math.MinInt32)},
		{"an unsigned number with its high bit set is large", "a / b", []any{u(0xfffffff0), u(16)}, u(0x0fffffff)},
		{"an unsigned remainder of a large number", "a % b", []any{u(0xffffffff), u(10)}, u(5)},
		{"u8 divides as unsigned", "a / b", []any{uint8(200), uint8(3)}, uint8(66)},
		{"u64 divides as unsigned", "a / b", []any{uint64(1 << 63), uint64(3)}, uint64(1<<63) / 3},
		{"i16 divides as signed", "a / b", []any{int16(-300), int16(7)}, int16(-42)},
		{"a constant divisor that is a power of two truncates too", "a / 4", []any{i(-7)}, i(-1)},
		{"a constant remainder by a power of two has the sign of the dividend", "a % 4", []any{i(-7)}, i(-3)},
		{"mod by a constant power of two", "mod(a, 4)", []any{i(-7)}, i(1)},
		{"floorDiv by a constant power of two", "floorDiv(a, 4)", []any{i(-7)}, i(-2)},
		{"division by the constant -1", "a / -1", []any{i(7)}, i(-7)},

		{"a float over zero is infinite", "a / b", []any{float32(1), float32(0)}, float32(math.Inf(1))},
		{"over a negative zero it is negative", "a / b", []any{float32(1), float32(math.Copysign(0, -1))}, float32(math.Inf(-1))},
		{"zero over zero is NaN", "a / b", []any{0.0, 0.0}, math.NaN()},
		{"infinity over infinity is NaN", "a / b", []any{math.Inf(1), math.Inf(1)}, math.NaN()},
		{"a float over infinity is zero with its sign", "a / b", []any{-1.0, math.Inf(1)}, math.Copysign(0, -1)},
		{"mod of floats rounds down", "mod(a, b)", []any{-7.5, 2.0}, 0.5},
		{"mod by a negative float", "mod(a, b)", []any{7.5, -2.0}, -0.5},
		{"floorDiv of floats", "floorDiv(a, b)", []any{-7.5, 2.0}, -4.0},
		{"fract is at least 0", "fract(a)", []any{-1.25}, 0.75},
		{"an integer over a float is a float", "a / b", []any{i(1), float32(4)}, float32(0.25)},
		{"a float constant makes a quotient a float", "1.0 / a", []any{i(4)}, float32(0.25)},
	})
}
