package ontree

import (
	"math"
	"math/bits"

	"github.com/gotaichi/ti/internal/typed"
)

// builtin evaluates a call of a builtin function.
func (m *machine) builtin(e *typed.Builtin) []uint64 {
	switch e.Fn {
	case typed.LenFn:
		n := m.length(m.slices[e.Args[0].(*typed.VarRef).Var].len)
		return []uint64{convert(m.int, typed.ScalarOf(e.T), n)}
	case typed.Col:
		return m.column(e)
	}
	args := make([][]uint64, len(e.Args))
	for i, a := range e.Args {
		args[i] = m.expr(a)
	}
	if len(m.kindsOf(e.T)) == 0 {
		return nil
	}
	switch e.Fn {
	case typed.Random, typed.Randn:
		v := make([]uint64, len(m.kindsOf(e.T)))
		for i, s := range m.kindsOf(e.T) {
			if e.Fn == typed.Randn {
				v[i] = m.normal(s)
			} else {
				v[i] = m.uniform(s)
			}
		}
		return v
	case typed.IfElse:
		return ifElse(args[0], args[1], args[2])
	case typed.Bitcast, typed.LoopUnique, typed.StopGrad:
		return args[0]
	case typed.AssumeInRange:
		return m.assumeInRange(e, args)
	}
	s := typed.ScalarOf(e.Args[0].Type())
	a := &arithmetic{m, s}
	if v, ok := a.onVectors(e, args); ok {
		return v
	}
	if v, ok := a.onMatrices(e, args); ok {
		return v
	}
	v := make([]uint64, len(args[0]))
	for i := range v {
		x := make([]uint64, len(args))
		for k := range args {
			x[k] = args[k][i]
		}
		v[i] = a.onNumbers(e, x)
	}
	return v
}

// column evaluates col(m, j). Of a matrix that is a place only that column is read.
func (m *machine) column(e *typed.Builtin) []uint64 {
	d := typed.Dims(e.Args[0].Type())
	p := *m.place(e.Args[0])
	p.pos = e.Pos
	s := typed.ScalarOf(e.Args[1].Type())
	j := number(s, m.expr(e.Args[1])[0])
	if j < 0 || j >= int64(d[1]) {
		p.outside, j = true, 0
	}
	var comps []int
	for r := range d[0] {
		comps = append(comps, p.comps[r*d[1]+int(j)])
	}
	p.comps = comps
	return m.load(&p)
}

// ifElse chooses by one condition, or by one for each component.
func ifElse(cond, a, b []uint64) []uint64 {
	v := make([]uint64, len(a))
	for i := range v {
		c := cond[0]
		if len(cond) > 1 {
			c = cond[i]
		}
		if v[i] = b[i]; c != 0 {
			v[i] = a[i]
		}
	}
	return v
}

// assumeInRange brings numbers to where they are promised to be: from lo to below hi, counted from base.
func (m *machine) assumeInRange(e *typed.Builtin, args [][]uint64) []uint64 {
	own := typed.ScalarOf(e.T)
	wide := own
	if !own.IsSigned() {
		wide = typed.I64 // differences have signs
	}
	v := make([]uint64, len(args[0]))
	for i := range v {
		of := func(k int) uint64 {
			return convert(typed.ScalarOf(e.Args[k].Type()), wide, args[k][min(i, len(args[k])-1)])
		}
		away := binary(typed.Sub, wide, of(0), of(1))
		most := binary(typed.Sub, wide, of(3), word(wide, 1))
		away = binary(typed.Min, wide, binary(typed.Max, wide, away, of(2)), most)
		v[i] = convert(wide, own, binary(typed.Add, wide, of(1), away))
	}
	return v
}

// arithmetic is arithmetic on numbers of one type.
type arithmetic struct {
	m *machine
	s typed.Scalar
}

func (a *arithmetic) add(x, y uint64) uint64 { return binary(typed.Add, a.s, x, y) }
func (a *arithmetic) sub(x, y uint64) uint64 { return binary(typed.Sub, a.s, x, y) }
func (a *arithmetic) mul(x, y uint64) uint64 { return binary(typed.Mul, a.s, x, y) }
func (a *arithmetic) div(x, y uint64) uint64 { return binary(typed.Div, a.s, x, y) }
func (a *arithmetic) min(x, y uint64) uint64 { return binary(typed.Min, a.s, x, y) }
func (a *arithmetic) max(x, y uint64) uint64 { return binary(typed.Max, a.s, x, y) }
func (a *arithmetic) less(x, y uint64) bool  { return binary(typed.Lt, a.s, x, y) != 0 }
func (a *arithmetic) neg(x uint64) uint64    { return unary(typed.Neg, a.s, x) }
func (a *arithmetic) num(v float64) uint64   { return constant(a.s, v) }
func (a *arithmetic) clamp(x, lo, hi uint64) uint64 {
	return a.min(a.max(x, lo), hi) // hi wins if they cross
}

// onNumbers computes an elementwise builtin.
func (a *arithmetic) onNumbers(e *typed.Builtin, x []uint64) uint64 {
	switch e.Fn {
	case typed.Sin, typed.Cos, typed.Tan, typed.Asin, typed.Acos, typed.Atan, typed.Sinh, typed.Cosh, typed.Tanh,
		typed.Exp, typed.Exp2, typed.Log, typed.Log2, typed.Rsqrt, typed.Cbrt, typed.Atan2, typed.Pow:
		return a.m.env.Math(e.Fn, a.s, x...)
	case typed.MinFn:
		return a.min(x[0], x[1])
	case typed.MaxFn:
		return a.max(x[0], x[1])
	case typed.Clamp:
		return a.clamp(x[0], x[1], x[2])
	case typed.Sqr:
		return a.mul(x[0], x[0])
	case typed.IntPow:
		return a.power(x[0], x[1], typed.ScalarOf(e.Args[1].Type()))
	}
	if a.s.IsFloat() {
		return a.onFloat(e, x)
	}
	return a.onInteger(e, x)
}

func (a *arithmetic) onInteger(e *typed.Builtin, x []uint64) uint64 {
	n := number(a.s, x[0])
	negative := a.s.IsSigned() && n < 0
	switch e.Fn {
	case typed.Abs:
		if negative {
			return a.neg(x[0])
		}
		return x[0]
	case typed.Sign:
		switch {
		case negative:
			return word(a.s, ^uint64(0))
		case x[0] != 0:
			return 1
		}
		return 0
	case typed.Popcount:
		return uint64(bits.OnesCount64(x[0]))
	case typed.Clz:
		return uint64(bits.LeadingZeros64(x[0]) - 64 + a.s.Bits())
	case typed.FloorDiv, typed.Mod:
		q, r := binary(typed.Div, a.s, x[0], x[1]), binary(typed.Rem, a.s, x[0], x[1])
		if d := number(a.s, x[1]); a.s.IsSigned() && r != 0 && (number(a.s, r) < 0) != (d < 0) {
			q, r = a.sub(q, 1), a.add(r, x[1])
		}
		if e.Fn == typed.Mod {
			return r
		}
		return q
	}
	notCovered("builtin %s of integers", e.Fn)
	return 0
}

// power is a power of integers, modulo two to the width. One with a negative exponent is the integer part.
func (a *arithmetic) power(x, n uint64, of typed.Scalar) uint64 {
	if k := number(of, n); of.IsSigned() && k < 0 {
		switch {
		case x == 1:
			return 1
		case !a.s.IsSigned() || number(a.s, x) != -1:
			return 0
		case k%2 == 0:
			return 1
		}
		return x
	}
	r := word(a.s, 1)
	for ; n != 0; n >>= 1 {
		if n&1 != 0 {
			r = a.mul(r, x)
		}
		x = a.mul(x, x)
	}
	return r
}

func (a *arithmetic) onFloat(e *typed.Builtin, x []uint64) uint64 {
	v := real(a.s, x[0])
	switch e.Fn {
	case typed.IsNaN:
		return truth(v != v)
	case typed.IsInf:
		return truth(math.IsInf(v, 0))
	case typed.Abs:
		return x[0] &^ (1 << (a.s.Bits() - 1))
	case typed.Sign:
		switch {
		case v > 0:
			return a.num(1)
		case v < 0:
			return a.num(-1)
		}
		return x[0] // a zero or NaN
	case typed.Sqrt:
		return a.sqrt(x[0])
	case typed.Floor:
		return rounded(a.s, math.Floor(v))
	case typed.Ceil:
		return rounded(a.s, math.Ceil(v))
	case typed.Round:
		return rounded(a.s, math.Round(v))
	case typed.Trunc:
		return rounded(a.s, math.Trunc(v))
	case typed.Fract:
		return a.sub(x[0], rounded(a.s, math.Floor(v)))
	case typed.Radians:
		return a.mul(x[0], a.num(math.Pi/180))
	case typed.Degrees:
		return a.mul(x[0], a.num(180/math.Pi))
	case typed.Mix:
		return a.add(x[0], a.mul(a.sub(x[1], x[0]), x[2]))
	case typed.Step:
		if a.less(x[1], x[0]) {
			return a.num(0)
		}
		return a.num(1)
	case typed.Smoothstep:
		t := a.clamp(a.div(a.sub(x[2], x[0]), a.sub(x[1], x[0])), a.num(0), a.num(1))
		return a.mul(a.mul(t, t), a.sub(a.num(3), a.mul(a.num(2), t)))
	case typed.Hypot:
		return a.hypot(x[0], x[1])
	case typed.Fma:
		return a.fma(x[0], x[1], x[2])
	case typed.Mod:
		return floorMod(a.s, real(a.s, x[0]), real(a.s, x[1]))
	case typed.FloorDiv:
		return floorDiv(a.s, real(a.s, x[0]), real(a.s, x[1]))
	}
	notCovered("builtin %s of floats", e.Fn)
	return 0
}

func (a *arithmetic) sqrt(x uint64) uint64 { return rounded(a.s, math.Sqrt(real(a.s, x))) }

func (a *arithmetic) abs(x uint64) uint64 { return x &^ (1 << (a.s.Bits() - 1)) }

// hypot is √(x²+y²) as the larger one times √(1+r²), where r is their ratio.
func (a *arithmetic) hypot(x, y uint64) uint64 {
	x, y = a.abs(x), a.abs(y)
	if a.less(x, y) {
		x, y = y, x
	}
	if math.IsInf(real(a.s, x), 0) || math.IsInf(real(a.s, y), 0) {
		return a.num(math.Inf(1))
	}
	if real(a.s, x) == 0 {
		return a.num(0)
	}
	r := a.div(y, x)
	return a.mul(x, a.sqrt(a.add(a.num(1), a.mul(r, r))))
}
