package ref

import (
	"math"
	"math/big"
)

// A Ctx holds the precision and the constants that depend on it.
type Ctx struct {
	prec    uint
	pi, ln2 *big.Float // of extra precision, for reducing huge arguments
}

// extra is how many bits more the constants have: the exponent range of a
// float64 and the bits that cancel next to a multiple of π/2.
const extra = 1024 + 128

// New returns a context that computes with prec bits.
func New(prec uint) *Ctx {
	wide := &Ctx{prec: prec + extra}
	c := &Ctx{prec: prec}
	// Machin: π = 16 atan(1/5) - 4 atan(1/239).
	a := wide.mul(wide.float(16), wide.atanSeries(wide.quo(wide.float(1), wide.float(5))))
	b := wide.mul(wide.float(4), wide.atanSeries(wide.quo(wide.float(1), wide.float(239))))
	c.pi = wide.sub(a, b)
	// ln 2 = 2 atanh(1/3).
	c.ln2 = wide.mul(wide.float(2), wide.atanhSeries(wide.quo(wide.float(1), wide.float(3))))
	return c
}

// Pi returns π with some thousand bits.
func (c *Ctx) Pi() *big.Float { return new(big.Float).Copy(c.pi) }

// Ln2 returns ln 2 with some thousand bits.
func (c *Ctx) Ln2() *big.Float { return new(big.Float).Copy(c.ln2) }

func (c *Ctx) new() *big.Float                { return new(big.Float).SetPrec(c.prec) }
func (c *Ctx) float(v float64) *big.Float     { return c.new().SetFloat64(v) }
func (c *Ctx) add(a, b *big.Float) *big.Float { return c.new().Add(a, b) }
func (c *Ctx) sub(a, b *big.Float) *big.Float { return c.new().Sub(a, b) }
func (c *Ctx) mul(a, b *big.Float) *big.Float { return c.new().Mul(a, b) }
func (c *Ctx) quo(a, b *big.Float) *big.Float { return c.new().Quo(a, b) }
func (c *Ctx) neg(a *big.Float) *big.Float    { return c.new().Neg(a) }
func (c *Ctx) half(a *big.Float) *big.Float   { return c.scale(a, -1) }

func (c *Ctx) scale(a *big.Float, n int) *big.Float { return c.new().SetMantExp(a, n) }

// series sums term(0) + term(1) + … until a term no longer counts.
func (c *Ctx) series(term func(k int) *big.Float) *big.Float {
	sum := c.new()
	for k := 0; ; k++ {
		t := term(k)
		if t.Sign() == 0 || sum.Sign() != 0 && t.MantExp(nil) < sum.MantExp(nil)-int(c.prec)-8 {
			return sum
		}
		sum = c.add(sum, t)
	}
}

// powers returns a function of k that gives ±x^(2k+1)/(2k+1), to be called with
// rising k; alternate makes odd terms negative.
func (c *Ctx) powers(x *big.Float, alternate bool) func(k int) *big.Float {
	p, x2 := c.add(x, c.new()), c.mul(x, x)
	return func(k int) *big.Float {
		if k > 0 {
			p = c.mul(p, x2)
		}
		t := c.quo(p, c.float(float64(2*k+1)))
		if alternate && k%2 == 1 {
			t.Neg(t)
		}
		return t
	}
}

func (c *Ctx) atanSeries(x *big.Float) *big.Float  { return c.series(c.powers(x, true)) }
func (c *Ctx) atanhSeries(x *big.Float) *big.Float { return c.series(c.powers(x, false)) }

// factorials returns a function of k that gives the terms x^(2k+first)/(2k+first)!
// with alternating signs if wanted.
func (c *Ctx) factorials(x *big.Float, first int, alternate bool) func(k int) *big.Float {
	t, x2 := c.float(1), c.mul(x, x)
	if first == 1 {
		t = c.add(x, c.new())
	}
	return func(k int) *big.Float {
		if k > 0 {
			n := 2*k + first
			t = c.quo(c.mul(t, x2), c.float(float64(n*(n-1))))
			if alternate {
				t.Neg(t)
			}
		}
		return c.add(t, c.new())
	}
}

// Exp returns e to the x.
func (c *Ctx) Exp(x *big.Float) *big.Float {
	q, _ := c.quo(x, c.ln2).Float64()
	n := math.RoundToEven(q)
	w := &Ctx{prec: c.prec + 64}
	r := w.sub(x, w.mul(c.ln2, w.float(n)))
	r = w.scale(r, -8)
	// e^r - 1 = sinh + (cosh - 1), summed as one series.
	term := w.float(1)
	e := w.series(func(k int) *big.Float {
		term = w.quo(w.mul(term, r), w.float(float64(k+1)))
		return term
	})
	for range 8 { // (1+e)² - 1
		e = w.add(w.scale(e, 1), w.mul(e, e))
	}
	return c.scale(w.add(e, w.float(1)), int(n))
}

// Exp2 returns 2 to the x.
func (c *Ctx) Exp2(x *big.Float) *big.Float {
	w := &Ctx{prec: c.prec + 64, ln2: c.ln2}
	return c.add(w.Exp(w.mul(x, c.ln2)), c.new())
}

// Log returns the natural logarithm.
func (c *Ctx) Log(x *big.Float) *big.Float {
	m := new(big.Float)
	e := x.MantExp(m)
	if f, _ := m.Float64(); f < math.Sqrt2/2 {
		m.SetMantExp(m, 1)
		e--
	}
	one := c.float(1)
	l := c.scale(c.atanhSeries(c.quo(c.sub(m, one), c.add(m, one))), 1)
	if e == 0 {
		return l
	}
	return c.add(l, c.mul(c.ln2, c.float(float64(e))))
}

// Log2 returns the binary logarithm.
func (c *Ctx) Log2(x *big.Float) *big.Float { return c.quo(c.Log(x), c.ln2) }

// Pow returns x to the y for positive x.
func (c *Ctx) Pow(x, y *big.Float) *big.Float {
	w := &Ctx{prec: c.prec + 64, ln2: c.ln2}
	return c.add(w.Exp(w.mul(y, w.Log(x))), c.new())
}

// Cbrt returns the cube root.
func (c *Ctx) Cbrt(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return c.new()
	}
	w := &Ctx{prec: c.prec + 64, ln2: c.ln2}
	r := w.Exp(w.quo(w.Log(w.new().Abs(x)), w.float(3)))
	if x.Sign() < 0 {
		r.Neg(r)
	}
	return c.add(r, c.new())
}

// Rsqrt returns 1/√x.
func (c *Ctx) Rsqrt(x *big.Float) *big.Float { return c.quo(c.float(1), c.new().Sqrt(x)) }
