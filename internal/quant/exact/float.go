package exact

import (
	"math/big"

	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/scalar"
)

// digits returns the digits of a float's fraction.
func digits(f quant.Format) int {
	if f.Unsigned {
		return f.Frac
	}
	return f.Frac - 1
}

func bias(f quant.Format) int { return 1<<(f.Exp-1) - 1 }

// topOf returns the largest exponent that form and kind both have.
func topOf(f quant.Format, k scalar.Kind) int {
	largest := map[scalar.Kind]int{scalar.F16: 15, scalar.F32: 127, scalar.F64: 1023}[k]
	return min(1<<f.Exp-1, largest+bias(f))
}

// magnitude returns 2^(E-b)·(1+d/2^m).
func magnitude(f quant.Format, e int, d *big.Int) *big.Rat {
	one := new(big.Int).Lsh(big.NewInt(1), uint(digits(f)))
	return mul(new(big.Rat).SetInt(one.Add(one, d)), pow2(e-bias(f)-digits(f)))
}

func encodeFloat(f quant.Format, k scalar.Kind, v *big.Rat, r Rounding) uint64 {
	m := digits(f)
	negative := v.Sign() < 0
	if negative && f.Unsigned {
		return 0
	}
	v = new(big.Rat).Abs(v)
	last := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(m)), big.NewInt(1))
	smallest, largest := magnitude(f, 1, new(big.Int)), magnitude(f, topOf(f, k), last)
	e, d := 0, new(big.Int)
	switch {
	case v.Cmp(largest) >= 0:
		e, d = topOf(f, k), last
	case v.Cmp(smallest) < 0:
		part := div(v, smallest)
		if r.Random && part.Cmp(share(r, k != scalar.F64)) > 0 || !r.Random && part.Cmp(big.NewRat(1, 2)) > 0 {
			e = 1
		}
	default:
		for e = 1; v.Cmp(magnitude(f, e+1, new(big.Int))) >= 0; e++ {
		}
		x := new(big.Rat).Sub(mul(v, pow2(bias(f)+m-e)), pow2(m))
		if d = nearest(x); r.Random {
			d = up(x, r, m, k)
		}
		if d.Cmp(last) > 0 {
			e, d = e+1, new(big.Int)
		}
		if e > topOf(f, k) {
			e, d = topOf(f, k), last
		}
	}
	if e == 0 {
		return 0
	}
	c := uint64(e)<<m | d.Uint64()
	if negative {
		c |= 1 << (f.Exp + m)
	}
	return c
}

// up rounds x up or down by the draw, whose high bits are added to the digits of the number
// that the form has not.
func up(x *big.Rat, r Rounding, m int, k scalar.Kind) *big.Int {
	cut := 23 - m
	if k == scalar.F64 {
		cut = 52 - m
	}
	n := floor(x)
	rest := mul(new(big.Rat).Sub(x, new(big.Rat).SetInt(n)), pow2(cut)) // whole
	draw := new(big.Int).SetUint64(uint64(r.Draw))
	if cut <= 32 {
		draw.Rsh(draw, uint(32-cut))
	} else {
		draw.Lsh(draw, uint(cut-32))
	}
	if rest.Add(rest, new(big.Rat).SetInt(draw)).Cmp(pow2(cut)) >= 0 {
		n.Add(n, big.NewInt(1))
	}
	return n
}

func decodeFloat(f quant.Format, k scalar.Kind, c uint64) *big.Rat {
	m := digits(f)
	e, d := int(c>>m)&(1<<f.Exp-1), new(big.Int).SetUint64(c&(1<<m-1))
	if e == 0 {
		return new(big.Rat)
	}
	if top := topOf(f, k); e > top {
		e, d = top, new(big.Int).SetUint64(1<<m-1)
	}
	v := magnitude(f, e, d)
	if !f.Unsigned && c>>(f.Exp+m)&1 == 1 {
		v.Neg(v)
	}
	return v
}

// EncodeGroup returns the fractions and the exponent that storing numbers which share one gives.
func EncodeGroup(f quant.Format, k scalar.Kind, bits []uint64) (codes []uint64, exponent uint64) {
	top := 1<<f.Exp - 1
	for e := 0; ; e++ {
		if codes, fits := fractions(f, k, bits, e); fits || e == top {
			return codes, uint64(e)
		}
	}
}

// fractions rounds the fractions for an exponent, and reports whether all fit. Those that do not
// are clamped.
func fractions(f quant.Format, k scalar.Kind, bits []uint64, e int) (codes []uint64, fits bool) {
	m := digits(f)
	most := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(m)), big.NewInt(1))
	least := new(big.Int).Neg(most)
	if f.Unsigned {
		least = new(big.Int)
	}
	fits = true
	for _, b := range bits {
		v, _ := real(k, b)
		if f.Unsigned && v.Sign() < 0 {
			v = new(big.Rat)
		}
		n := nearest(mul(v, pow2(bias(f)+m-e)))
		c := clamp(n, least, most)
		fits = fits && c.Cmp(n) == 0
		codes = append(codes, code(c, f.Frac))
	}
	return codes, fits
}

// DecodeGroup returns the bits of the number that a fraction with an exponent stands for.
func DecodeGroup(f quant.Format, k scalar.Kind, c, exponent uint64) uint64 {
	return bitsOf(k, mul(new(big.Rat).SetInt(number(c, f.Frac, f.Unsigned)), pow2(int(exponent)-bias(f)-digits(f))))
}
