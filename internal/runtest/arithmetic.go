//go:build !ti_ahead

package runtest

import (
	"math"
	"math/big"

	"github.com/gotaichi/ti"
	"github.com/gotaichi/ti/internal/half"
)

// Integer are the integers of the language.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Float are its floats that Go has.
type Float interface{ ~float32 | ~float64 }

// Half rounds a float64 once.
func Half(v float64) ti.Float16 { return ti.Float16(half.From64(v)) }

// Float64 is the value of a half-precision number.
func Float64(h ti.Float16) float64 { return half.To64(uint16(h)) }

// Number is a bool as the language converts it.
func Number[T Integer | Float](b bool) T {
	if b {
		return 1
	}
	return 0
}

// IfElse is the builtin ifelse.
func IfElse[T any](c bool, a, b T) T {
	if c {
		return a
	}
	return b
}

// Rem is the operator %, which gives 0 for a divisor of 0.
func Rem[T Integer](a, b T) T {
	if b == 0 {
		return 0
	}
	return a % b
}

// FloorMod is the builtin mod: the remainder has the sign of the divisor.
func FloorMod[T Integer](a, b T) T {
	r := Rem(a, b)
	if r != 0 && (r < 0) != (b < 0) {
		r += b
	}
	return r
}

// FloorDivFloat is the builtin floorDiv of floats, not yet rounded to their type: the exact quotient rounded down, or x/y
// where that is above most.
func FloorDivFloat(x, y, most float64) float64 {
	q := x / y
	switch {
	case q != q || y == 0 || math.IsInf(x, 0) || math.Abs(q) > most:
		return q
	case math.IsInf(y, 0) && x != 0 && math.Signbit(x) != math.Signbit(y):
		return -1
	case math.IsInf(y, 0):
		return q
	}
	floor, _ := new(big.Float).SetInt(exactFloor(x, y)).Float64()
	return floor
}

// FloorModFloat is the builtin mod of floats, not yet rounded to their type: x - y⌊x/y⌋ of the exact quotient.
func FloorModFloat(x, y float64) float64 {
	switch {
	case x != x || y != y || y == 0 || math.IsInf(x, 0):
		return math.NaN()
	case math.IsInf(y, 0) && x != 0 && math.Signbit(x) != math.Signbit(y):
		return y
	case math.IsInf(y, 0):
		return x
	}
	whole := new(big.Rat).SetInt(exactFloor(x, y))
	rest := new(big.Rat).Sub(new(big.Rat).SetFloat64(x), whole.Mul(whole, new(big.Rat).SetFloat64(y)))
	r, _ := rest.Float64()
	return r
}

// exactFloor is ⌊x/y⌋ of finite numbers.
func exactFloor(x, y float64) *big.Int {
	q := new(big.Rat).Quo(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y))
	return new(big.Int).Div(q.Num(), q.Denom()) // the denominator is positive
}
