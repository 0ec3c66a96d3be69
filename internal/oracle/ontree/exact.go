package ontree

import (
	"math"
	"math/big"

	"github.com/gotaichi/ti/internal/typed"
)

// This file has operations on floats that are defined by exact numbers, rounded once.

// fma is x*y+z.
func (a *arithmetic) fma(x, y, z uint64) uint64 {
	u, v, w := real(a.s, x), real(a.s, y), real(a.s, z)
	if a.s == typed.F64 {
		return rounded(a.s, math.FMA(u, v, w))
	}
	plain := u*v + w
	if math.IsInf(plain, 0) || plain != plain || plain == 0 {
		return rounded(a.s, plain) // exact, or no number
	}
	exact := new(big.Float).SetPrec(2000).SetFloat64(u)
	exact.Mul(exact, big.NewFloat(v).SetPrec(2000))
	exact.Add(exact, big.NewFloat(w).SetPrec(2000))
	return rounded(a.s, towardsOdd(exact))
}

// towardsOdd is the float64 next to x on one side or the other, whose last bit is 1 if it is not x: rounded to a type of less
// than half the digits it gives what x does.
func towardsOdd(x *big.Float) float64 {
	v, side := x.Float64()
	if side == big.Exact || math.Float64bits(v)&1 != 0 || math.IsInf(v, 0) {
		return v
	}
	if (side == big.Below) == (v > 0) || v == 0 { // v < x
		return math.Float64frombits(math.Float64bits(v) + 1)
	}
	return math.Float64frombits(math.Float64bits(v) - 1)
}

// floorOf is ⌊x/y⌋ of finite numbers.
func floorOf(x, y float64) *big.Int {
	q := new(big.Rat).Quo(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y))
	return new(big.Int).Div(q.Num(), q.Denom()) // rounds down, as the denominator is positive
}

func finite(x float64) bool { return !math.IsInf(x, 0) && x == x }

// digits are those of a float type.
func digits(s typed.Scalar) int {
	switch s {
	case typed.F16:
		return 11
	case typed.F32:
		return 24
	}
	return 53
}

// floorDiv is ⌊x/y⌋, or the quotient itself if that has more digits than the type.
func floorDiv(s typed.Scalar, x, y float64) uint64 {
	q := real(s, binary(typed.Div, s, rounded(s, x), rounded(s, y)))
	switch {
	case !finite(x) || y != y || y == 0 || s != typed.F16 && math.Abs(q) > math.Ldexp(1, digits(s)):
		return rounded(s, q)
	case math.IsInf(y, 0) && x != 0 && math.Signbit(x) != math.Signbit(y):
		return rounded(s, -1)
	case math.IsInf(y, 0):
		return rounded(s, q)
	}
	n := floorOf(x, y)
	if n.Sign() == 0 {
		return rounded(s, math.Copysign(0, x/y))
	}
	v, _ := new(big.Float).SetInt(n).Float64()
	return rounded(s, v)
}

// floorMod is x - y⌊x/y⌋, with the sign of y. It is never y, but for infinite numbers.
func floorMod(s typed.Scalar, x, y float64) uint64 {
	switch {
	case !finite(x) || y != y || y == 0:
		return rounded(s, math.NaN())
	case math.IsInf(y, 0) && x != 0 && math.Signbit(x) != math.Signbit(y):
		return rounded(s, y)
	case math.IsInf(y, 0):
		return rounded(s, math.Copysign(x, y))
	}
	rest := new(big.Rat).Mul(new(big.Rat).SetInt(floorOf(x, y)), new(big.Rat).SetFloat64(y))
	rest.Sub(new(big.Rat).SetFloat64(x), rest)
	f := new(big.Float).SetPrec(3000).SetRat(rest)
	r := rounded(s, math.Copysign(towardsOdd(f), y))
	if s == typed.F64 {
		v, _ := f.Float64()
		r = rounded(s, math.Copysign(v, y))
	}
	if r == rounded(s, y) {
		r-- // the number before
	}
	return r
}
