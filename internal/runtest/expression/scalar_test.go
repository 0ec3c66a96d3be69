package expression

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/gotaichi/ti/internal/runtest"
)

func integerGroups() []group {
	return []group{
		integers[int8]("i8"), integers[int16]("i16"), integers[int32]("i32"), integers[int64]("i64"),
		integers[uint8]("u8"), integers[uint16]("u16"), integers[uint32]("u32"), integers[uint64]("u64"),
		shifts[int8, int32]("i8"), shifts[int32, uint8]("i32"), shifts[int64, int64]("i64"),
		shifts[uint8, uint32]("u8"), shifts[uint32, int32]("u32"), shifts[uint64, int8]("u64"),
		{name: "bool", exprs: []expr{
			{text: "a && b", want: func(a, b bool) bool { return a && b }},
			{text: "a || b", want: func(a, b bool) bool { return a || b }},
			{text: "!a", want: func(a, b bool) bool { return !a }},
			{text: "a == b", want: func(a, b bool) bool { return a == b }},
			{text: "a != b", want: func(a, b bool) bool { return a != b }},
			{text: "i32(a) + 2*i32(b)", want: func(a, b bool) int32 { return runtest.Number[int32](a) + 2*runtest.Number[int32](b) }},
			{text: "f32(a)", want: func(a, b bool) float32 { return runtest.Number[float32](a) }},
			{text: "u8(a)", want: func(a, b bool) uint8 { return runtest.Number[uint8](a) }},
			{text: "ifelse(a, 1.5, 2.5)", want: func(a, b bool) float32 { return runtest.IfElse[float32](a, 1.5, 2.5) }},
		}},
	}
}

func div[T runtest.Integer](a, b T) T {
	if b == 0 {
		return 0
	}
	return a / b
}

// pow multiplies bit by bit of the exponent; a negative one takes the integer part of
// the inverse.
func pow[T, E runtest.Integer](a T, n E) T {
	if n < 0 {
		switch {
		case a == 1 || a == T(0)-1 && a < 0 && n%2 == 0:
			return 1
		case a == T(0)-1 && a < 0:
			return a
		}
		return 0
	}
	r := T(1)
	for ; n > 0; n /= 2 {
		if n%2 != 0 {
			r *= a
		}
		a *= a
	}
	return r
}

func floorDiv[T runtest.Integer](a, b T) T {
	if q := div(a, b); b != 0 && a%b != 0 && (a < 0) != (b < 0) {
		return q - 1
	} else {
		return q
	}
}

func width[T runtest.Integer]() int { var z T; return int(unsafe.Sizeof(z)) * 8 }

func word[T runtest.Integer](a T) uint64 { return uint64(a) << (64 - width[T]()) >> (64 - width[T]()) }

func sign[T runtest.Integer](a T) T {
	switch {
	case a > 0:
		return 1
	case a < 0:
		return T(0) - 1
	}
	return 0
}

func integers[T runtest.Integer](name string) group {
	return group{name: name, exprs: []expr{
		{text: "a + b", want: func(a, b T) T { return a + b }},
		{text: "a - b", want: func(a, b T) T { return a - b }},
		{text: "a * b", want: func(a, b T) T { return a * b }},
		{text: "a / b", want: div[T]},
		{text: "a % b", want: runtest.Rem[T]},
		{text: "a / 7", want: func(a, b T) T { return a / 7 }},
		{text: "a % 8", want: func(a, b T) T { return a % 8 }},
		{text: "a / 16", want: func(a, b T) T { return a / 16 }},
		{text: "floorDiv(a, b)", want: floorDiv[T]},
		{text: "mod(a, b)", want: runtest.FloorMod[T]},
		{text: "mod(a, 8)", want: func(a, b T) T { return runtest.FloorMod(a, 8) }},
		{text: "floorDiv(a, 10)", want: func(a, b T) T { return floorDiv(a, 10) }},
		{text: "pow(a, b)", want: pow[T, T]},
		{text: "pow(a, 0)", want: func(a, b T) T { return 1 }},
		{text: "pow(a, 1)", want: func(a, b T) T { return a }},
		{text: "pow(a, 7)", want: func(a, b T) T { return a * a * a * a * a * a * a }},
		{text: "pow(a, 12)", want: func(a, b T) T { return pow(a, T(12)) }},
		{text: "pow(3, b)", want: func(a, b T) T { return pow(T(3), b) }},
		{text: "pow(a, i64(b))", want: func(a, b T) T { return pow(a, int64(b)) }},
		{text: "pow(a, u8(b))", want: func(a, b T) T { return pow(a, uint8(b)) }},
		{text: "a & b", want: func(a, b T) T { return a & b }},
		{text: "a | b", want: func(a, b T) T { return a | b }},
		{text: "a ^ b", want: func(a, b T) T { return a ^ b }},
		{text: "a &^ b", want: func(a, b T) T { return a &^ b }},
		{text: "-a", want: func(a, b T) T { return -a }},
		{text: "^a", want: func(a, b T) T { return ^a }},
		{text: "+a", want: func(a, b T) T { return a }},
		{text: "a == b", want: func(a, b T) bool { return a == b }},
		{text: "a != b", want: func(a, b T) bool { return a != b }},
		{text: "a < b", want: func(a, b T) bool { return a < b }},
		{text: "a <= b", want: func(a, b T) bool { return a <= b }},
		{text: "a > b", want: func(a, b T) bool { return a > b }},
		{text: "a >= b", want: func(a, b T) bool { return a >= b }},
		{text: "a < b && a != 3 || b == 7", want: func(a, b T) bool { return a < b && a != 3 || b == 7 }},
		{text: "min(a, b)", want: func(a, b T) T { return min(a, b) }},
		{text: "max(a, b, 5)", want: func(a, b T) T { return max(a, b, 5) }},
		{text: "clamp(a, 2, 50)", want: func(a, b T) T { return min(max(a, 2), 50) }},
		{text: "abs(a)", want: func(a, b T) T { return runtest.IfElse(a < 0, -a, a) }},
		{text: "sign(a)", want: func(a, b T) T { return sign(a) }},
		{text: "sqr(a)", want: func(a, b T) T { return a * a }},
		{text: "popcount(a)", want: func(a, b T) T { return T(bits.OnesCount64(word(a))) }},
		{text: "clz(a)", want: func(a, b T) T { return T(bits.LeadingZeros64(word(a)) - 64 + width[T]()) }},
		{text: "(a + b) * (a - b) + a*a%5", want: func(a, b T) T { return (a+b)*(a-b) + a*a%5 }},
	}}
}

// Shifts by any count; a negative one is like a huge one.
func shifts[T, C runtest.Integer](name string) group {
	shl := func(a T, n C) T {
		if n < 0 {
			return 0
		}
		return a << n
	}
	shr := func(a T, n C) T {
		if n < 0 && T(0)-1 > 0 {
			return 0
		} else if n < 0 {
			return a >> (width[T]() - 1)
		}
		return a >> n
	}
	return group{name: "shifts of " + name, exprs: []expr{
		{text: "a << b", want: shl},
		{text: "a >> b", want: shr},
		{text: "a << 3", want: func(a T, n C) T { return a << 3 }},
		{text: "a >> 2", want: func(a T, n C) T { return a >> 2 }},
		{text: "a << (b & 7)", want: func(a T, n C) T { return a << (n & 7) }},
		{text: "a >> (b & 7)", want: func(a T, n C) T { return a >> (n & 7) }},
	}}
}

func floatGroups() []group {
	return append(floatsOf[float32]("f32"), floatsOf[float64]("f64")...)
}

func floatsOf[T runtest.Float](name string) []group {
	one := func(f func(float64) float64) any { return func(a, b T) T { return T(f(float64(a))) } }
	return []group{{name: name, exprs: []expr{
		{text: "a + b", want: func(a, b T) T { return a + b }},
		{text: "a - b", want: func(a, b T) T { return a - b }},
		{text: "a * b", want: func(a, b T) T { return a * b }},
		{text: "a / b", want: func(a, b T) T { return a / b }},
		{text: "a + 1", want: func(a, b T) T { return a + 1 }},
		{text: "2 * a", want: func(a, b T) T { return 2 * a }},
		{text: "a / 4", want: func(a, b T) T { return a / 4 }},
		{text: "-a", want: func(a, b T) T { return -a }},
		{text: "a == b", want: func(a, b T) bool { return a == b }},
		{text: "a != b", want: func(a, b T) bool { return a != b }},
		{text: "a < b", want: func(a, b T) bool { return a < b }},
		{text: "a <= b", want: func(a, b T) bool { return a <= b }},
		{text: "a > b", want: func(a, b T) bool { return a > b }},
		{text: "a >= b", want: func(a, b T) bool { return a >= b }},
		{text: "!(a < b)", want: func(a, b T) bool { return !(a < b) }},
		{text: "min(a, b)", want: func(a, b T) T { return min(a, b) }},
		{text: "max(a, b)", want: func(a, b T) T { return max(a, b) }},
		{text: "abs(a)", want: one(math.Abs)},
		{text: "sign(a)", want: func(a, b T) T { return runtest.IfElse(a > 0, 1, runtest.IfElse(a < 0, -1, a)) }},
		{text: "floor(a)", want: one(math.Floor)},
		{text: "ceil(a)", want: one(math.Ceil)},
		{text: "round(a)", want: one(math.Round)},
		{text: "trunc(a)", want: one(math.Trunc)},
		{text: "fract(a)", want: func(a, b T) T { return a - T(math.Floor(float64(a))) }},
		{text: "sqr(a)", want: func(a, b T) T { return a * a }},
		{text: "isnan(a)", want: func(a, b T) bool { return a != a }},
		{text: "isinf(a)", want: func(a, b T) bool { return math.IsInf(float64(a), 0) }},
		{text: "isnan(a + b) || isinf(a)", want: func(a, b T) bool { s := a + b; return s != s || math.IsInf(float64(a), 0) }},
		{text: "step(a, b)", want: func(a, b T) T { return runtest.IfElse[T](b < a, 0, 1) }},
		{text: "ifelse(a < b, a, b)", want: func(a, b T) T { return runtest.IfElse(a < b, a, b) }},
	}}, {name: name + " rounded", pools: []any{tame[T](), tame[T]()}, exprs: []expr{
		{text: "mod(a, b)", want: func(a, b T) T { return T(runtest.FloorModFloat(float64(a), float64(b))) }, ulps: 1},
		{text: "floorDiv(a, b)", want: func(a, b T) T { return T(runtest.FloorDivFloat(float64(a), float64(b), 1<<24)) }},
		{text: "fma(a, b, 1)", want: func(a, b T) T { return T(math.FMA(float64(a), float64(b), 1)) }, ulps: 1},
		{text: "mix(a, b, 0.25)", want: func(a, b T) T { return a + (b-a)*0.25 }, ulps: 8},
		{text: "clamp(a, -1, b*b + 1)", want: func(a, b T) T { return T(min(max(a, -1), b*b+1)) }, ulps: 2},
		{text: "smoothstep(0, 4, a)", want: func(a, b T) T {
			t := min(max(a/4, 0), 1)
			return t * t * (3 - 2*t)
		}, ulps: 8},
		{text: "radians(a)", want: func(a, b T) T { return T(float64(a) * math.Pi / 180) }, ulps: 2},
		{text: "degrees(a)", want: func(a, b T) T { return T(float64(a) * 180 / math.Pi) }, ulps: 2},
		{text: "a*b + 3*a - b/2", want: func(a, b T) T { return a*b + 3*a - b/2 }, ulps: 64},
		{text: "pi * a", want: func(a, b T) T { return T(math.Pi) * a }, ulps: 1},
		{text: "ifelse(b > 100, inf, a)", want: func(a, b T) T { return runtest.IfElse(b > 100, T(math.Inf(1)), a) }},
	}}}
}

// tame returns numbers that cannot overflow.
func tame[T runtest.Float]() []T {
	return []T{0.25, 1, 1.5, 2.75, 3, 7.125, 10, 100, 1000.5, -0.5, -1.25, -3, -20.5, 0.1, 0.7, 12.3}
}
