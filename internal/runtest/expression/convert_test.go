package expression

import (
	"math"

	"github.com/gotaichi/ti/internal/runtest"
)

func conversionGroups() []group {
	return []group{
		fromInteger[int8]("i8"), fromInteger[int16]("i16"), fromInteger[int32]("i32"), fromInteger[int64]("i64"),
		fromInteger[uint8]("u8"), fromInteger[uint16]("u16"), fromInteger[uint32]("u32"), fromInteger[uint64]("u64"),
		fromFloat[float32]("f32"), fromFloat[float64]("f64"),
		{name: "bitcast", exprs: []expr{
			{text: "bitcast[u32](a)", want: func(a float32, b int32, c float64) uint32 { return math.Float32bits(a) }},
			{text: "bitcast[i32](a)", want: func(a float32, b int32, c float64) int32 { return int32(math.Float32bits(a)) }},
			{text: "bitcast[f32](b & 0x3fffffff)", want: func(a float32, b int32, c float64) float32 { return math.Float32frombits(uint32(b & 0x3fffffff)) }},
			{text: "bitcast[u32](b)", want: func(a float32, b int32, c float64) uint32 { return uint32(b) }},
			{text: "bitcast[u64](c)", want: func(a float32, b int32, c float64) uint64 { return math.Float64bits(c) }},
			{text: "bitcast[f64](bitcast[i64](c) ^ 1)", want: func(a float32, b int32, c float64) float64 {
				return math.Float64frombits(math.Float64bits(c) ^ 1)
			}},
		}},
		{name: "mixed", pools: []any{nil, tame[float32](), nil}, exprs: []expr{
			{text: "a + b", want: func(a int32, b float32, c uint8) float32 { return float32(a) + b }},
			{text: "b * a", want: func(a int32, b float32, c uint8) float32 { return b * float32(a) }},
			{text: "c / b", want: func(a int32, b float32, c uint8) float32 { return float32(c) / b }},
			{text: "a / 2.0", want: func(a int32, b float32, c uint8) float32 { return float32(a) / 2 }},
			{text: "0.5 * a", want: func(a int32, b float32, c uint8) float32 { return 0.5 * float32(a) }},
			{text: "1 + a/3", want: func(a int32, b float32, c uint8) int32 { return 1 + a/3 }},
			{text: "a < b", want: func(a int32, b float32, c uint8) bool { return float32(a) < b }},
			{text: "max(a, b)", want: func(a int32, b float32, c uint8) float32 { return max(float32(a), b) }},
			{text: "sqrt(c)", want: func(a int32, b float32, c uint8) float32 { return float32(math.Sqrt(float64(c))) }, ulps: 2},
			{text: "c + 200", want: func(a int32, b float32, c uint8) uint8 { return c + 200 }},
			{text: "ifelse(a > 0, b, 2)", want: func(a int32, b float32, c uint8) float32 { return runtest.IfElse(a > 0, b, 2) }},
		}},
	}
}

func fromInteger[T runtest.Integer](name string) group {
	return group{name: "from " + name, exprs: []expr{
		{text: "i8(a)", want: func(a T) int8 { return int8(a) }},
		{text: "i16(a)", want: func(a T) int16 { return int16(a) }},
		{text: "i32(a)", want: func(a T) int32 { return int32(a) }},
		{text: "i64(a)", want: func(a T) int64 { return int64(a) }},
		{text: "u8(a)", want: func(a T) uint8 { return uint8(a) }},
		{text: "u16(a)", want: func(a T) uint16 { return uint16(a) }},
		{text: "u32(a)", want: func(a T) uint32 { return uint32(a) }},
		{text: "u64(a)", want: func(a T) uint64 { return uint64(a) }},
		{text: "f32(a)", want: func(a T) float32 { return float32(a) }},
		{text: "f64(a)", want: func(a T) float64 { return float64(a) }},
		{text: "bool(a)", want: func(a T) bool { return a != 0 }},
		{text: "int(a)", want: func(a T) int32 { return int32(a) }},
		{text: "float(a)", want: func(a T) float32 { return float32(a) }},
	}}
}

// to truncates a float as kernels do: saturating, NaN gives 0.
func to[T runtest.Integer](v float64) T {
	lo, hi := 0.0, math.Ldexp(1, width[T]())
	var least, most T = 0, T(0) - 1
	if T(0)-1 < 0 {
		lo, hi = -hi/2, hi/2
		least = (T(0) - 1) << (width[T]() - 1)
		most = ^least
	}
	switch {
	case v != v:
		return 0
	case v <= lo:
		return least
	case v >= hi:
		return most
	case lo == 0 && width[T]() == 64:
		return T(uint64(v))
	}
	return T(int64(v))
}

func fromFloat[T runtest.Float](name string) group {
	return group{name: "from " + name, exprs: []expr{
		{text: "i8(a)", want: func(a T) int8 { return to[int8](float64(a)) }},
		{text: "i16(a)", want: func(a T) int16 { return to[int16](float64(a)) }},
		{text: "i32(a)", want: func(a T) int32 { return to[int32](float64(a)) }},
		{text: "i64(a)", want: func(a T) int64 { return to[int64](float64(a)) }},
		{text: "u8(a)", want: func(a T) uint8 { return to[uint8](float64(a)) }},
		{text: "u16(a)", want: func(a T) uint16 { return to[uint16](float64(a)) }},
		{text: "u32(a)", want: func(a T) uint32 { return to[uint32](float64(a)) }},
		{text: "u64(a)", want: func(a T) uint64 { return to[uint64](float64(a)) }},
		{text: "f32(a)", want: func(a T) float32 { return float32(a) }},
		{text: "f64(a)", want: func(a T) float64 { return float64(a) }},
		{text: "bool(a)", want: func(a T) bool { return a != 0 }},
	}}
}
