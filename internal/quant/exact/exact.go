package exact

import (
	"math"
	"math/big"

	"github.com/gotaichi/ti/internal/half"
	"github.com/gotaichi/ti/internal/quant"
	"github.com/gotaichi/ti/internal/scalar"
)

// A Rounding says how a number between two codes is stored.
type Rounding struct {
	Draw   uint32 // random bits
	Random bool   // round up where the draw says so, else to nearest
}

func pow2(n int) *big.Rat {
	if n < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(-n)))
	}
	return new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(n)))
}

func mul(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }
func div(a, b *big.Rat) *big.Rat { return new(big.Rat).Quo(a, b) }
func whole(n int64) *big.Rat     { return new(big.Rat).SetInt64(n) }

// real returns the number that bits of a kind are; ok is false for a NaN, and infinities are
// numbers larger than all others.
func real(k scalar.Kind, bits uint64) (v *big.Rat, ok bool) {
	f := 0.0
	switch k {
	case scalar.F16:
		f = half.To64(uint16(bits))
	case scalar.F32:
		f = float64(math.Float32frombits(uint32(bits)))
	default:
		f = math.Float64frombits(bits)
	}
	switch {
	case math.IsNaN(f):
		return new(big.Rat), false
	case math.IsInf(f, 0):
		v := pow2(5000)
		if f < 0 {
			v.Neg(v)
		}
		return v, true
	}
	return new(big.Rat).SetFloat64(f), true
}

// bitsOf rounds v to a kind.
func bitsOf(k scalar.Kind, v *big.Rat) uint64 {
	switch k {
	case scalar.F16:
		f, _ := v.Float64() // v has few digits, so that nothing is rounded here
		return uint64(half.From64(f))
	case scalar.F32:
		f, _ := v.Float32()
		return uint64(math.Float32bits(f))
	}
	f, _ := v.Float64()
	return math.Float64bits(f)
}

// integer returns an integer held as the IR does, sign or zero extended.
func integer(k scalar.Kind, bits uint64) *big.Int {
	if k.IsSigned() {
		return big.NewInt(int64(bits))
	}
	return new(big.Int).SetUint64(bits)
}

// floor returns the largest integer that is not above v.
func floor(v *big.Rat) *big.Int {
	return new(big.Int).Div(v.Num(), v.Denom()) // Euclidean, and the denominator is positive
}

// nearest rounds v to an integer, ties to even.
func nearest(v *big.Rat) *big.Int {
	n := floor(v)
	rest := new(big.Rat).Sub(v, new(big.Rat).SetInt(n))
	if c := rest.Cmp(big.NewRat(1, 2)); c > 0 || c == 0 && n.Bit(0) == 1 {
		n.Add(n, big.NewInt(1))
	}
	return n
}

// ends returns the lowest and highest number that an integer code stands for.
func ends(f quant.Format) (lo, hi *big.Int) {
	one := big.NewInt(1)
	if f.Unsigned {
		return new(big.Int), new(big.Int).Sub(new(big.Int).Lsh(one, uint(f.Bits)), one)
	}
	hi = new(big.Int).Lsh(one, uint(f.Bits-1))
	return new(big.Int).Neg(hi), new(big.Int).Sub(hi, one)
}

func clamp(n, lo, hi *big.Int) *big.Int {
	if n.Cmp(lo) < 0 {
		return lo
	}
	if n.Cmp(hi) > 0 {
		return hi
	}
	return n
}

// number returns the integer that a code of n bits stands for.
func number(code uint64, n int, unsigned bool) *big.Int {
	v := new(big.Int).SetUint64(code)
	mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(n)), big.NewInt(1))
	v.And(v, mask)
	if !unsigned && v.Bit(n-1) == 1 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(n)))
	}
	return v
}

// code returns the low n bits of an integer.
func code(v *big.Int, n int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(n))
	return new(big.Int).Mod(v, m).Uint64()
}

// single reports whether the arithmetic of a fixed-point form is that of f32.
func single(f quant.Format, k scalar.Kind) bool {
	lo, hi := ends(f)
	limit := big.NewInt(1 << 20)
	return k != scalar.F64 && hi.Cmp(limit) <= 0 && new(big.Int).Neg(lo).Cmp(limit) <= 0
}

// rounded rounds v to f32 or f64; what is too large becomes very large.
func rounded(v *big.Rat, toSingle bool) *big.Rat {
	f, _ := v.Float64()
	if toSingle {
		g, _ := v.Float32()
		f = float64(g)
	}
	if math.IsInf(f, 0) {
		return mul(pow2(5000), whole(int64(v.Sign())))
	}
	return new(big.Rat).SetFloat64(f)
}

// steps returns v/step of a fixed-point form, as it is rounded.
func steps(f quant.Format, k scalar.Kind, v *big.Rat) *big.Rat {
	s := single(f, k)
	return rounded(mul(v, rounded(div(codesIn(f), new(big.Rat).SetFloat64(f.Limit)), s)), s)
}

// codesIn returns the number of steps in the limit.
func codesIn(f quant.Format) *big.Rat {
	if f.Unsigned {
		return pow2(f.Bits)
	}
	return pow2(f.Bits - 1)
}

// share returns the draw as a number from 0 to below 1.
func share(r Rounding, toSingle bool) *big.Rat {
	if toSingle {
		return mul(whole(int64(r.Draw>>8)), pow2(-24))
	}
	return mul(whole(int64(r.Draw)), pow2(-32))
}

// round rounds the number of steps to one between lo and hi.
func round(x *big.Rat, lo, hi *big.Int, r Rounding, toSingle bool) *big.Int {
	n := nearest(x)
	if r.Random {
		n = floor(x)
		if rest := new(big.Rat).Sub(x, new(big.Rat).SetInt(n)); rest.Cmp(share(r, toSingle)) > 0 {
			n.Add(n, big.NewInt(1))
		}
	}
	return clamp(n, lo, hi)
}

// Encode returns the code that storing a number gives.
func Encode(f quant.Format, k scalar.Kind, bits uint64, r Rounding) uint64 {
	if f.Class == quant.Int {
		n := integer(k, bits)
		if lo, hi := ends(f); !f.Wrap {
			n = clamp(n, lo, hi)
		}
		return code(n, f.Bits)
	}
	v, ok := real(k, bits)
	switch {
	case !ok:
		return 0
	case f.Class == quant.Float:
		return encodeFloat(f, k, v, r)
	}
	lo, hi := ends(f)
	return code(round(steps(f, k, v), lo, hi, r, single(f, k)), f.Bits)
}

// Decode returns the bits of the number that a code stands for.
func Decode(f quant.Format, k scalar.Kind, c uint64) uint64 {
	switch f.Class {
	case quant.Int:
		n := number(c, f.Bits, f.Unsigned)
		if n.Sign() < 0 {
			return uint64(n.Int64())
		}
		return n.Uint64()
	case quant.Fixed:
		s := single(f, k)
		step := rounded(div(new(big.Rat).SetFloat64(f.Limit), codesIn(f)), s)
		v := mul(new(big.Rat).SetInt(number(c, f.Bits, f.Unsigned)), step)
		return bitsOf(k, rounded(v, s))
	}
	return bitsOf(k, decodeFloat(f, k, c))
}

// Add returns the code that adding a number to the one of code c gives, or subtracting it,
// for integers and fixed point.
func Add(f quant.Format, k scalar.Kind, c, bits uint64, subtract bool, r Rounding) uint64 {
	lo, hi := ends(f)
	var n *big.Int
	if f.Class == quant.Int {
		n = integer(k, bits)
	} else {
		v, _ := real(k, bits)
		if subtract && r.Random { // a remainder is rounded in the direction of what is added
			v.Neg(v)
			subtract = false
		}
		far := new(big.Int).Sub(hi, lo)
		n = round(steps(f, k, v), new(big.Int).Neg(far), far, r, single(f, k))
	}
	if subtract {
		n = new(big.Int).Neg(n)
	}
	sum := new(big.Int).Add(number(c, f.Bits, f.Unsigned), n)
	if !f.Wrap {
		sum = clamp(sum, lo, hi)
	}
	return code(sum, f.Bits)
}
