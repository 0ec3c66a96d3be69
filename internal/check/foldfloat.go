package check

import (
	"math"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mathlib"
	"github.com/gotaichi/ti/internal/typed"
)

// An arithmetic computes with constants of scalar type s as compiled code does under strict maths with values: each
// operation on floats rounds once, and functions are those of the maths library. Integers and untyped floats stay
// exact.
type arithmetic struct {
	s    typed.Scalar
	over typed.Num // the first finite result too large for s; unknown if there was none
}

// fit rounds a result to s.
func (a *arithmetic) fit(v typed.Num) typed.Num {
	if !a.s.IsFloat() {
		return v
	}
	r, fit := typed.Represent(v, a.s)
	if fit == typed.TooLarge && !a.over.Known() {
		a.over = v
	}
	return r
}

func (a *arithmetic) binary(op typed.Op, x, y typed.Num) typed.Num {
	return a.fit(typed.FoldBinary(op, x, y, a.s))
}

func (a *arithmetic) add(x, y typed.Num) typed.Num { return a.binary(typed.Add, x, y) }
func (a *arithmetic) sub(x, y typed.Num) typed.Num { return a.binary(typed.Sub, x, y) }
func (a *arithmetic) mul(x, y typed.Num) typed.Num { return a.binary(typed.Mul, x, y) }
func (a *arithmetic) div(x, y typed.Num) typed.Num { return a.binary(typed.Div, x, y) }
func (a *arithmetic) neg(x typed.Num) typed.Num    { return typed.FoldUnary(typed.Neg, x, a.s) }

// number is a constant of a formula.
func (a *arithmetic) number(v float64) typed.Num { return a.fit(typed.FloatNum(v)) }

func (a *arithmetic) less(x, y typed.Num) bool {
	return typed.FoldBinary(typed.Lt, x, y, a.s).Bool()
}

func (a *arithmetic) equal(x, y typed.Num) bool {
	return typed.FoldBinary(typed.Eq, x, y, a.s).Bool()
}

func (a *arithmetic) abs(x typed.Num) typed.Num {
	if x.Signbit() {
		return a.neg(x)
	}
	return x
}

// rounded applies a function of package math that is exact, or rounds as IEEE 754 asks.
func (a *arithmetic) rounded(f func(float64) float64, x typed.Num) typed.Num {
	if !x.Known() {
		return x
	}
	return a.fit(typed.FloatNum(f(x.Float())))
}

// sqrt rounds to f64 and then to s, which gives what rounding once would.
func (a *arithmetic) sqrt(x typed.Num) typed.Num { return a.rounded(math.Sqrt, x) }

// function computes a function of the maths library, of untyped numbers as of f64.
func (a *arithmetic) function(code ir.Code, xs ...typed.Num) typed.Num {
	of := func(s typed.Scalar, k ir.Kind) float64 {
		bits := make([]uint64, len(xs))
		for i, x := range xs {
			bits[i] = x.Bits(s)
		}
		return ir.FloatValue(k, mathlib.Eval(code, k, bits...))
	}
	finite := true
	for _, x := range xs {
		if !x.Known() {
			return typed.Num{}
		}
		finite = finite && !math.IsInf(x.Float(), 0)
	}
	var r float64
	switch a.s {
	case typed.F16:
		r = of(typed.F16, ir.F16)
	case typed.F32:
		r = of(typed.F32, ir.F32)
	default:
		return typed.FloatNum(of(typed.F64, ir.F64))
	}
	if finite && math.IsInf(r, 0) {
		a.fit(typed.FloatNum(of(typed.F64, ir.F64))) // a power that is too large, or a pole
	}
	return typed.FloatNum(r)
}

// minimum and maximum are NaN if one of x and y is.
func (a *arithmetic) minimum(x, y typed.Num) typed.Num { return a.extremum(x, y, a.less(x, y)) }
func (a *arithmetic) maximum(x, y typed.Num) typed.Num { return a.extremum(x, y, !a.less(x, y)) }

func (a *arithmetic) extremum(x, y typed.Num, first bool) typed.Num {
	switch {
	case math.IsNaN(x.Float()):
		return x
	case math.IsNaN(y.Float()):
		return y
	case first:
		return x
	}
	return y
}

func (a *arithmetic) clamp(x, lo, hi typed.Num) typed.Num {
	return a.minimum(a.maximum(x, lo), hi)
}

// hypot is √(x²+y²), whose squares may be too large for s; see package lower for the formula.
func (a *arithmetic) hypot(x, y typed.Num) typed.Num {
	x, y = a.abs(x), a.abs(y)
	if a.less(x, y) {
		x, y = y, x
	}
	if math.IsInf(x.Float(), 0) || math.IsInf(y.Float(), 0) {
		return a.number(math.Inf(1))
	}
	if a.equal(x, a.number(0)) {
		return a.number(0)
	}
	r := a.div(y, x)
	return a.mul(x, a.sqrt(a.add(a.number(1), a.mul(r, r))))
}

// smoothstep is t²(3-2t) of the clamped position t of x between two edges.
func (a *arithmetic) smoothstep(lo, hi, x typed.Num) typed.Num {
	t := a.div(a.sub(x, lo), a.sub(hi, lo))
	t = a.clamp(t, a.number(0), a.number(1))
	return a.mul(a.mul(t, t), a.sub(a.number(3), a.mul(a.number(2), t)))
}

// elementwise computes an elementwise builtin of floats, whose arguments are known; false if fn is none.
func (a *arithmetic) elementwise(fn typed.Fn, x []typed.Num) (typed.Num, bool) {
	if code := libraryCode(fn); code != ir.BadCode {
		return a.function(code, x...), true
	}
	switch fn {
	case typed.Sqrt:
		return a.sqrt(x[0]), true
	case typed.Floor:
		return a.rounded(math.Floor, x[0]), true
	case typed.Ceil:
		return a.rounded(math.Ceil, x[0]), true
	case typed.Round:
		return a.rounded(math.Round, x[0]), true
	case typed.Trunc:
		return a.rounded(math.Trunc, x[0]), true
	case typed.Fract:
		return a.sub(x[0], a.rounded(math.Floor, x[0])), true
	case typed.Radians:
		return a.mul(x[0], a.number(math.Pi/180)), true
	case typed.Degrees:
		return a.mul(x[0], a.number(180/math.Pi)), true
	case typed.Hypot:
		return a.hypot(x[0], x[1]), true
	case typed.Mix:
		return a.add(x[0], a.mul(a.sub(x[1], x[0]), x[2])), true
	case typed.Step:
		if a.less(x[1], x[0]) {
			return a.number(0), true
		}
		return a.number(1), true
	case typed.Smoothstep:
		return a.smoothstep(x[0], x[1], x[2]), true
	}
	return typed.Num{}, false
}

// libraryCode returns the function of the maths library that a builtin is: the op of the same name. The library has no others.
func libraryCode(fn typed.Fn) ir.Code {
	if code, ok := ir.ParseCode(strings.ToLower(fn.String())); ok && mathlib.Has(code, ir.Scalar(ir.F64)) {
		return code
	}
	return ir.BadCode
}
