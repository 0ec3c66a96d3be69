package conformance

import (
	"testing"

	"github.com/gotaichi/ti/internal/runtest"
)

// Shifts by any count, and operations on bits.
//
//conform:theme shifts and bits
func TestConformShifts(t *testing.T) {
	conform(t, []behaviour{
		{"to the left", "a << b", []any{int32(3), int32(4)}, int32(48)},
		{"bits fall out at the left", "a << b", []any{int32(0x40000001), int32(2)}, int32(4)},
		{"into the sign", "a << b", []any{int32(1), int32(31)}, int32(-1 << 31)},
		{"to the left by the width is 0", "a << b", []any{int32(1), int32(32)}, int32(0)},
		{"to the left by more is 0", "a << b", []any{int32(-1), int32(1000)}, int32(0)},
		{"to the left by a negative count is like a huge one", "a << b", []any{int32(1), int32(-1)}, int32(0)},
		{"a signed number keeps its sign", "a >> b", []any{int32(-16), int32(2)}, int32(-4)},
		{"rounding down", "a >> b", []any{int32(-1), int32(1)}, int32(-1)},
		{"a negative number by the width is -1", "a >> b", []any{int32(-5), int32(32)}, int32(-1)},
		{"a positive number by the width is 0", "a >> b", []any{int32(5), int32(32)}, int32(0)},
		{"a negative number by a negative count is -1", "a >> b", []any{int32(-5), int32(-3)}, int32(-1)},
		{"an unsigned number fills with zeros", "a >> b", []any{uint32(0x80000000), int32(4)}, uint32(0x08000000)},
		{"an unsigned number by the width is 0", "a >> b", []any{uint32(0xffffffff), uint32(32)}, uint32(0)},
		{"i8 to the left wraps", "a << b", []any{int8(65), int8(1)}, int8(-126)},
		{"u8 to the left wraps", "a << b", []any{uint8(200), uint8(1)}, uint8(144)},
		{"i8 by 8", "a << b", []any{int8(1), int8(8)}, int8(0)},
		{"i16 to the right", "a >> b", []any{int16(-256), int16(4)}, int16(-16)},
		{"u16 to the right", "a >> b", []any{uint16(0xff00), uint16(4)}, uint16(0x0ff0)},
		{"i64 by more than 31", "a << b", []any{int64(1), int32(40)}, int64(1 << 40)},
		{"i64 to the right by 63", "a >> b", []any{int64(-1 << 62), int64(63)}, int64(-1)},
		{"u64 by 64", "a >> b", []any{uint64(1 << 63), int32(64)}, uint64(0)},
		{"a narrow count shifts a wide number", "a << b", []any{int64(1), uint8(33)}, int64(1 << 33)},
		{"a wide count shifts a narrow number", "a << b", []any{uint8(1), uint64(1 << 32)}, uint8(0)},
		{"a count that is constant", "a >> 31", []any{int32(-7)}, int32(-1)},
		{"a constant that is shifted", "i32(1) << a", []any{int32(5)}, int32(32)},
	})
}

// Operations on bits.
//
//conform:theme shifts and bits
func TestConformBits(t *testing.T) {
	conform(t, []behaviour{
		{"and", "a & b", []any{int32(12), int32(10)}, int32(8)},
		{"or", "a | b", []any{int32(12), int32(10)}, int32(14)},
		{"xor", "a ^ b", []any{int32(12), int32(10)}, int32(6)},
		{"and not", "a &^ b", []any{int32(12), int32(10)}, int32(4)},
		{"complement", "^a", []any{int32(12)}, int32(-13)},
		{"complement of an unsigned", "^a", []any{uint8(12)}, uint8(243)},
		{"and of a negative", "a & b", []any{int32(-1), int32(0x7fff)}, int32(0x7fff)},
		{"and with a literal", "a & 0xff", []any{int32(-1)}, int32(255)},
		{"xor of i64", "a ^ b", []any{int64(-1), int64(1 << 40)}, ^int64(1 << 40)},
		{"or of u16", "a | b", []any{uint16(0xf000), uint16(0x000f)}, uint16(0xf00f)},
		{"not of a bool", "!a", []any{true}, false},
		{"popcount of a negative", "popcount(a)", []any{int32(-1)}, int32(32)},
		{"popcount of i8", "popcount(a)", []any{int8(-1)}, int8(8)},
		{"popcount of 0", "popcount(a)", []any{uint64(0)}, uint64(0)},
		{"clz of 0 is the width", "clz(a)", []any{int32(0)}, int32(32)},
		{"clz of 1", "clz(a)", []any{uint32(1)}, uint32(31)},
		{"clz of a negative is 0", "clz(a)", []any{int32(-1)}, int32(0)},
		{"clz of u8", "clz(a)", []any{uint8(16)}, uint8(3)},
		{"clz of i64", "clz(a)", []any{int64(1)}, int64(63)},
		{"bitcast of a float", "bitcast[u32](a)", []any{float32(1)}, uint32(0x3f800000)},
		{"bitcast to a float", "bitcast[f32](a)", []any{uint32(0xc0000000)}, float32(-2)},
		{"bitcast of a double", "bitcast[i64](a)", []any{-1.0}, int64(-0x4010000000000000)},
		{"bitcast of a half", "bitcast[u16](a)", []any{runtest.Half(1)}, uint16(0x3c00)},
		{"bitcast keeps the sign of zero", "bitcast[u32](-a)", []any{float32(0)}, uint32(0x80000000)},
	})
}
