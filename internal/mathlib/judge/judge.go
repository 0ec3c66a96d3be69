package judge

import (
	"math"
	"math/big"
)

// precision is that of the arithmetic: 200 bits, 64 that cancel where an argument is next to 1, and some to round in.
const precision = 360

// widePrecision is that of π, as reducing the largest arguments needs it.
const widePrecision = precision + 1100

// A Judge has the constants.
type Judge struct{ pi, ln2 *big.Float }

// New computes the constants.
func New() *Judge {
	j := &Judge{pi: gaussLegendre(widePrecision)}
	const k = 400
	j.ln2 = quo(j.logOfHuge(new(big.Float).SetMantExp(num(1), k)), num(k))
	return j
}

func wide(prec uint) *big.Float            { return new(big.Float).SetPrec(prec) }
func num(v float64) *big.Float             { return wide(precision).SetFloat64(v) }
func add(a, b *big.Float) *big.Float       { return wide(precision).Add(a, b) }
func sub(a, b *big.Float) *big.Float       { return wide(precision).Sub(a, b) }
func mul(a, b *big.Float) *big.Float       { return wide(precision).Mul(a, b) }
func quo(a, b *big.Float) *big.Float       { return wide(precision).Quo(a, b) }
func sqrt(a *big.Float) *big.Float         { return wide(precision).Sqrt(a) }
func scale(a *big.Float, n int) *big.Float { return wide(precision).SetMantExp(a, n) }
func neg(a *big.Float) *big.Float          { return wide(precision).Neg(a) }

// negligible reports whether a is too small to change b.
func negligible(a, b *big.Float) bool {
	return a.Sign() == 0 || a.MantExp(nil) < b.MantExp(nil)-precision-4
}

// gaussLegendre returns π.
func gaussLegendre(prec uint) *big.Float {
	new := func() *big.Float { return wide(prec) }
	one := new().SetInt64(1)
	a, b := one, new().Sqrt(new().SetFloat64(0.5))
	t, p := new().SetFloat64(0.25), one
	for range 12 { // each doubles the digits
		mean := new().Add(a, b)
		mean.SetMantExp(mean, -1)
		b = new().Sqrt(new().Mul(a, b))
		d := new().Sub(a, mean)
		t = new().Sub(t, new().Mul(p, new().Mul(d, d)))
		p = new().SetMantExp(p, 1)
		a = mean
	}
	sum := new().Add(a, b)
	return new().Quo(new().Mul(sum, sum), new().SetMantExp(t, 2))
}

// logOfHuge returns the logarithm of s, which is above 2^200: π / 2 agm(1, 4/s).
func (j *Judge) logOfHuge(s *big.Float) *big.Float {
	a, b := num(1), quo(num(4), s)
	for {
		d, mean := sub(a, b), scale(add(a, b), -1)
		if negligible(mul(d, d), mul(a, a)) { // so the next means would be equal
			return quo(j.pi, scale(mean, 1))
		}
		a, b = mean, sqrt(mul(a, b))
	}
}

// Pi returns π with some thousand bits.
func (j *Judge) Pi() *big.Float { return new(big.Float).Copy(j.pi) }

// Log returns the natural logarithm of x > 0.
func (j *Judge) Log(x *big.Float) *big.Float {
	if x.Cmp(num(1)) == 0 {
		return num(0)
	}
	m := 200 - x.MantExp(nil)
	return sub(j.logOfHuge(scale(x, m)), mul(num(float64(m)), j.ln2))
}

// Log2 returns the binary logarithm of x > 0.
func (j *Judge) Log2(x *big.Float) *big.Float { return quo(j.Log(x), j.ln2) }

// Exp returns e to the x, which the exponents of big.Float hold.
func (j *Judge) Exp(x *big.Float) *big.Float {
	n, _ := quo(x, j.ln2).Float64()
	n = math.Round(n)
	r := sub(x, mul(num(n), j.ln2))
	start, _ := r.Float64()
	y := num(math.Exp(start))
	for range 3 { // from 50 bits to 400
		y = add(y, mul(y, sub(r, j.Log(y))))
	}
	return scale(y, int(n))
}

// Exp2 returns 2 to the x.
func (j *Judge) Exp2(x *big.Float) *big.Float { return j.Exp(mul(x, j.ln2)) }

// Pow returns x to the y for x > 0.
func (j *Judge) Pow(x, y *big.Float) *big.Float { return j.Exp(mul(y, j.Log(x))) }

// sinCos returns sine and cosine of any x.
func (j *Judge) sinCos(x *big.Float) (sin, cos *big.Float) {
	halfPi := wide(widePrecision).SetMantExp(j.pi, -1)
	q := wide(widePrecision).Quo(x, halfPi)
	n, _ := q.Add(q, wide(widePrecision).SetFloat64(math.Copysign(0.5, float64(x.Sign())))).Int(nil)
	r := wide(widePrecision).Sub(x, wide(widePrecision).Mul(halfPi, wide(widePrecision).SetInt(n)))
	s, c := halved(wide(precision).Set(r))
	switch new(big.Int).And(n, big.NewInt(3)).Int64() {
	case 1:
		return c, neg(s)
	case 2:
		return neg(s), neg(c)
	case 3:
		return neg(c), s
	}
	return s, c
}

// halved returns sine and cosine of a small r from those of r/2^24.
func halved(r *big.Float) (sin, cos *big.Float) {
	const halvings = 24
	h := scale(r, -halvings)
	// v is the versine, 1 - cos, which keeps its digits where the cosine is near 1.
	s, v, term := num(0), num(0), h
	for k := 1; ; k += 2 {
		s = add(s, term)
		next := quo(mul(term, h), num(float64(k+1)))
		v = add(v, next)
		if negligible(next, v) || next.Sign() == 0 {
			break
		}
		term = neg(quo(mul(next, h), num(float64(k+2))))
	}
	for range halvings { // 1 - cos 2a = 4v - 2v², sin 2a = 2s(1-v)
		s = scale(mul(s, sub(num(1), v)), 1)
		v = sub(scale(v, 2), scale(mul(v, v), 1))
	}
	return s, sub(num(1), v)
}

// Sin, Cos and Tan are those of any x.
func (j *Judge) Sin(x *big.Float) *big.Float { s, _ := j.sinCos(x); return s }
func (j *Judge) Cos(x *big.Float) *big.Float { _, c := j.sinCos(x); return c }
func (j *Judge) Tan(x *big.Float) *big.Float { s, c := j.sinCos(x); return quo(s, c) }

// angle returns the angle of (x, y) for x ≥ 0, not both 0.
func (j *Judge) angle(y, x *big.Float) *big.Float {
	r := sqrt(add(mul(x, x), mul(y, y)))
	sin, cos := quo(y, r), quo(x, r)
	fs, _ := sin.Float64()
	fc, _ := cos.Float64()
	if fs == 0 { // too small for a float64: the angle's sine is the angle
		return quo(y, x)
	}
	a := num(math.Atan2(fs, fc))
	for range 3 { // adds the sine of what is missing
		s, c := halved(a)
		a = add(a, sub(mul(sin, c), mul(cos, s)))
	}
	return a
}

// Atan2 returns the angle of (x, y), not both 0.
func (j *Judge) Atan2(y, x *big.Float) *big.Float {
	if x.Sign() >= 0 {
		return j.angle(y, x)
	}
	a := j.angle(y, neg(x))
	if y.Sign() < 0 {
		return neg(add(j.pi, a))
	}
	return sub(j.pi, a)
}

// Atan returns the arc tangent.
func (j *Judge) Atan(x *big.Float) *big.Float { return j.angle(x, num(1)) }

// leg is √(1-x²).
func leg(x *big.Float) *big.Float { return sqrt(mul(sub(num(1), x), add(num(1), x))) }

// Asin and Acos are the arc sine and cosine of |x| ≤ 1.
func (j *Judge) Asin(x *big.Float) *big.Float { return j.Atan2(x, leg(x)) }
func (j *Judge) Acos(x *big.Float) *big.Float { return j.Atan2(leg(x), x) }

// Sinh, Cosh and Tanh are the hyperbolic functions.
func (j *Judge) Sinh(x *big.Float) *big.Float {
	if x.MantExp(nil) > 0 {
		e := j.Exp(x)
		return scale(sub(e, quo(num(1), e)), -1)
	}
	s, term := num(0), wide(precision).Set(x) // the series, since the difference would cancel
	for k := 1; term.Sign() != 0 && !negligible(term, x); k += 2 {
		s = add(s, term)
		term = quo(mul(term, mul(x, x)), num(float64((k+1)*(k+2))))
	}
	return s
}

func (j *Judge) Cosh(x *big.Float) *big.Float {
	e := j.Exp(x)
	return scale(add(e, quo(num(1), e)), -1)
}

func (j *Judge) Tanh(x *big.Float) *big.Float { return quo(j.Sinh(x), j.Cosh(x)) }

// Cbrt returns the cube root of any x.
func (j *Judge) Cbrt(x *big.Float) *big.Float {
	up := -x.MantExp(nil) / 3 * 3
	a := scale(x, up)
	start, _ := a.Float64()
	y := num(math.Cbrt(start))
	for range 3 {
		y = sub(y, quo(sub(mul(y, mul(y, y)), a), mul(num(3), mul(y, y))))
	}
	return scale(y, -up/3)
}

// Rsqrt returns 1/√x for x > 0.
func (j *Judge) Rsqrt(x *big.Float) *big.Float { return quo(num(1), sqrt(x)) }

// ULPs returns how far got is from want, in units of the last place that want has as a float of so many digits: 11, 24 or
// 53. Infinity counts as the number that follows the largest.
func ULPs(got float64, want *big.Float, digits int) float64 {
	most := map[int]int{11: 16, 24: 128, 53: 1024}[digits] // the largest number is below 2 to this
	limit := new(big.Float).SetMantExp(big.NewFloat(1), most)
	exact := new(big.Float).Copy(want)
	if exact.MantExp(nil) > most {
		exact.Copy(limit)
		if want.Sign() < 0 {
			exact.Neg(exact)
		}
	}
	g := new(big.Float).Copy(limit)
	switch {
	case math.IsNaN(got):
		return math.Inf(1)
	case math.IsInf(got, -1):
		g.Neg(g)
	case !math.IsInf(got, 1):
		g.SetFloat64(got)
	}
	least := 3 - most - digits // the smallest number is 2 to this
	unit := max(min(exact.MantExp(nil), most)-digits, least)
	d := sub(g, exact)
	r, _ := d.SetMantExp(d, -unit).Float64()
	return math.Abs(r)
}
