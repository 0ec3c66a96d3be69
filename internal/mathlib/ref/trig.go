package ref

import "math/big"

// reduce returns r and n with x = nπ/2 + r and |r| ≤ π/4, n modulo 4.
func (c *Ctx) reduce(x *big.Float) (r *big.Float, n int) {
	w := &Ctx{prec: c.prec + extra}
	halfPi := w.half(c.pi)
	q := w.quo(x, halfPi)
	q = w.add(q, w.float(0.5))
	k, _ := q.Int(nil)
	if q.Sign() < 0 && !q.IsInt() {
		k.Sub(k, big.NewInt(1)) // Int truncates, but the floor is wanted
	}
	r = w.sub(x, w.mul(halfPi, w.new().SetInt(k)))
	n = int(new(big.Int).And(k, big.NewInt(3)).Int64())
	return c.add(r, c.new()), n
}

func (c *Ctx) sin(r *big.Float) *big.Float { return c.series(c.factorials(r, 1, true)) }
func (c *Ctx) cos(r *big.Float) *big.Float { return c.series(c.factorials(r, 0, true)) }

// quadrant returns sin(r + nπ/2).
func (c *Ctx) quadrant(r *big.Float, n int) *big.Float {
	switch n & 3 {
	case 0:
		return c.sin(r)
	case 1:
		return c.cos(r)
	case 2:
		return c.neg(c.sin(r))
	}
	return c.neg(c.cos(r))
}

// Sin returns the sine.
func (c *Ctx) Sin(x *big.Float) *big.Float {
	r, n := c.reduce(x)
	return c.quadrant(r, n)
}

// Cos returns the cosine.
func (c *Ctx) Cos(x *big.Float) *big.Float {
	r, n := c.reduce(x)
	return c.quadrant(r, n+1)
}

// Tan returns the tangent.
func (c *Ctx) Tan(x *big.Float) *big.Float {
	r, n := c.reduce(x)
	return c.quo(c.quadrant(r, n), c.quadrant(r, n+1))
}

// Atan returns the arc tangent.
func (c *Ctx) Atan(x *big.Float) *big.Float {
	one := c.float(1)
	if a := c.new().Abs(x); a.Cmp(one) > 0 {
		r := c.sub(c.half(c.pi), c.Atan(c.quo(one, a)))
		if x.Sign() < 0 {
			r.Neg(r)
		}
		return r
	}
	const halvings = 3
	for range halvings { // atan x = 2 atan(x / (1 + √(1+x²)))
		root := c.new().Sqrt(c.add(one, c.mul(x, x)))
		x = c.quo(x, c.add(one, root))
	}
	return c.scale(c.atanSeries(x), halvings)
}

// Atan2 returns the angle of the point (x, y), which is not the origin.
func (c *Ctx) Atan2(y, x *big.Float) *big.Float {
	if x.Sign() == 0 {
		r := c.half(c.pi)
		if y.Sign() < 0 {
			r.Neg(r)
		}
		return r
	}
	r := c.Atan(c.quo(y, x))
	switch {
	case x.Sign() > 0:
		return r
	case y.Signbit():
		return c.sub(r, c.pi)
	}
	return c.add(r, c.pi)
}

// Asin returns the arc sine.
func (c *Ctx) Asin(x *big.Float) *big.Float {
	one := c.float(1)
	d := c.mul(c.sub(one, x), c.add(one, x))
	if d.Sign() == 0 {
		return c.mul(c.half(c.pi), x)
	}
	return c.Atan(c.quo(x, d.Sqrt(d)))
}

// Acos returns the arc cosine.
func (c *Ctx) Acos(x *big.Float) *big.Float {
	one := c.float(1)
	s := c.add(one, x)
	if s.Sign() == 0 {
		return c.add(c.pi, c.new())
	}
	q := c.quo(c.sub(one, x), s)
	return c.scale(c.Atan(q.Sqrt(q)), 1)
}

// Sinh returns the hyperbolic sine.
func (c *Ctx) Sinh(x *big.Float) *big.Float {
	if x.MantExp(nil) <= 0 {
		return c.series(c.factorials(x, 1, false))
	}
	return c.half(c.sub(c.Exp(x), c.Exp(c.neg(x))))
}

// Cosh returns the hyperbolic cosine.
func (c *Ctx) Cosh(x *big.Float) *big.Float {
	return c.half(c.add(c.Exp(x), c.Exp(c.neg(x))))
}

// Tanh returns the hyperbolic tangent.
func (c *Ctx) Tanh(x *big.Float) *big.Float { return c.quo(c.Sinh(x), c.Cosh(x)) }
