package quant

import (
	"math"

	"github.com/gotaichi/ti/internal/scalar"
)

// This file has the loops over many numbers. They compute what Encode, EncodeInt, Decode, Number,
// EncodeGroup and DecodeGroup do, with what depends on the form taken out of the loop.

// Decodes stores in vs the real numbers whose codes begin at a bit of words.
func (c *Coder) Decodes(vs []float64, words []uint64, bit int64) {
	words = words[:len(vs)]
	up, down := uint(64-int64(c.Width())-bit), uint(64-c.Width())
	keep := int64(-1)
	if c.Unsigned {
		keep = int64(c.Mask)
	}
	switch {
	case c.Class == Float:
		c.decodeFloats(vs, words, bit)
	case c.Class == Fixed && c.Single:
		step := float32(c.Step)
		for i, w := range words {
			vs[i] = float64(float32(int64(w<<(up&63))>>(down&63)&keep) * step)
		}
	default:
		for i, w := range words {
			vs[i] = float64(int64(w<<(up&63))>>(down&63)&keep) * c.Step
		}
		c.narrowAll(vs)
	}
}

// narrowAll rounds to the kind of the numbers, as narrow does.
func (c *Coder) narrowAll(vs []float64) {
	if c.Kind != scalar.F32 {
		return
	}
	for i, v := range vs {
		vs[i] = float64(float32(v))
	}
}

func (c *Coder) decodeFloats(vs []float64, words []uint64, bit int64) {
	low, sign := ones(c.Exp+c.Digits), uint64(1)<<(c.Exp+c.Digits)
	if c.Unsigned {
		sign = 0
	}
	add, up := uint64(bias64-c.Bias)<<c.Digits, uint(digits64-c.Digits)
	to63 := uint(63 - c.Exp - c.Digits)
	least, most := uint64(1)<<c.Digits, c.Max
	for i, w := range words {
		w >>= uint(bit & 63)
		u := min(w&low, most)
		bits := (u+add)<<(up&63) | w&sign<<(to63&63)
		if u < least {
			bits = 0
		}
		vs[i] = math.Float64frombits(bits)
	}
}

// Numbers stores in ns the codes that begin at a bit of words, as Number has them.
func (c *Coder) Numbers(ns []int64, words []uint64, bit int64) {
	words = words[:len(ns)]
	up, down := uint(64-int64(c.Width())-bit), uint(64-c.Width())
	if c.Unsigned {
		for i, w := range words {
			ns[i] = int64(w << (up & 63) >> (down & 63))
		}
		return
	}
	for i, w := range words {
		ns[i] = int64(w<<(up&63)) >> (down & 63)
	}
}

// EncodeInts puts the codes of integers into words, from a bit on where they have zeros.
func (c *Coder) EncodeInts(words []uint64, ns []int64, bit int64) {
	words = words[:len(ns)]
	by := uint(bit & 63)
	switch {
	case c.Wrap:
		for i, n := range ns {
			words[i] |= uint64(n) & c.Mask << by
		}
	case c.Kind.IsUnsigned() || c.Kind == scalar.Bool:
		hi := uint64(c.Hi)
		for i, n := range ns {
			words[i] |= min(uint64(n), hi) << by
		}
	default:
		for i, n := range ns {
			words[i] |= uint64(min(max(n, c.Lo), c.Hi)) & c.Mask << by
		}
	}
}

// RoundBits is a number to which adding another leaves that, rounded to even, in the low 51 bits.
const RoundBits = 0x1.8p52

// Encodes puts the codes of real numbers into words, from a bit on where they have zeros.
func (c *Coder) Encodes(words []uint64, vs []float64, bit int64) {
	words = words[:len(vs)]
	by := uint(bit & 63)
	switch {
	case c.Class == Fixed && c.Bits <= 51:
		lo, hi := float64(c.Lo), float64(c.Hi)
		k, k32 := c.K, float32(c.K)
		for i, v := range vs {
			x := float64(v * k)
			if c.Single {
				x = float64(float32(v) * k32)
			}
			if x > hi {
				x = hi
			} else if !(x >= lo) {
				if x = lo; v != v {
					x = 0
				}
			}
			words[i] |= math.Float64bits(x+RoundBits) & c.Mask << by
		}
	case c.Class == Float:
		c.encodeFloats(words, vs, by)
	default:
		for i, v := range vs {
			words[i] |= c.Encode(v) << by
		}
	}
}

func (c *Coder) encodeFloats(words []uint64, vs []float64, by uint) {
	cut := uint(max(0, digits64-c.Digits))
	half, odd := uint64(0), uint64(0)
	if cut > 0 {
		half, odd = 1<<(cut-1)-1, 1
	}
	below := int64(bias64-c.Bias) << c.Digits
	least, most := int64(1)<<c.Digits, int64(c.Max)
	to63 := uint(63 - c.Exp - c.Digits)
	sign := uint64(1) << 63
	if c.Unsigned {
		sign = 0
	}
	for i, v := range vs {
		bits := math.Float64bits(v)
		u := bits &^ (1 << 63)
		t := (u + half + u>>(cut&63)&odd) >> (cut & 63)
		code := uint64(min(max(int64(t)-below, least), most)) | bits&sign>>(to63&63)
		if u-c.half-1 > inf64-c.half-1 || c.Unsigned && bits != u { // zero, almost zero and NaN; negative
			code = 0
		}
		words[i] |= code << by
	}
}

// shared reports whether groups are computed by a table of powers of two: where all of them are
// ordinary numbers, and fractions short enough to be rounded by RoundBits.
func (c *Coder) shared() bool { return c.Exp <= 10 && c.Digits <= 50 }

// powers returns 2^(sign*(Bias+Digits-e)) for each exponent e.
func (c *Coder) powers(sign int) []float64 {
	pow := make([]float64, 1<<c.Exp)
	for e := range pow {
		pow[e] = math.Ldexp(1, sign*(c.Bias+c.Digits-e))
	}
	return pow
}

// DecodeGroups stores in vs the numbers whose fractions begin at a bit of words, and their exponents
// at another.
func (c *Coder) DecodeGroups(vs []float64, words []uint64, bit, exponent int64) {
	words = words[:len(vs)]
	mask := ones(c.Exp)
	if !c.shared() {
		for i, w := range words {
			vs[i] = c.DecodeGroup(w>>uint(bit&63), w>>uint(exponent&63)&mask)
		}
		return
	}
	pow := c.powers(-1)
	up, down := uint(64-int64(c.Frac)-bit), uint(64-c.Frac)
	keep := int64(-1)
	if c.Unsigned {
		keep = int64(ones(c.Frac))
	}
	for i, w := range words {
		vs[i] = float64(int64(w<<(up&63))>>(down&63)&keep) * pow[w>>uint(exponent&63)&mask]
	}
	c.narrowAll(vs)
}

// EncodeGroups puts the fractions of groups of numbers into words that are zero there, and their
// exponents: vs has the numbers of each member, and bits where its fractions begin.
func (c *Coder) EncodeGroups(words []uint64, vs [][]float64, bits []int64, exponent int64) {
	one, codes := make([]float64, len(vs)), make([]uint64, len(vs))
	encode := c.EncodeGroup
	if c.shared() {
		pow := c.powers(1)
		encode = func(vs []float64, codes []uint64) uint64 { return c.encodeGroup(vs, codes, pow) }
	}
	for i := range words {
		for k := range vs {
			one[k] = vs[k][i]
		}
		w := encode(one, codes) << uint(exponent&63)
		for k, code := range codes {
			w |= code << uint(bits[k]&63)
		}
		words[i] |= w
	}
}

// encodeGroup is EncodeGroup with a table of powers of two.
func (c *Coder) encodeGroup(vs []float64, codes []uint64, pow []float64) uint64 {
	most, end := float64(int64(1)<<c.Digits-1), c.Largest()
	largest := 0.0
	for _, v := range vs {
		if a := math.Abs(v); a > largest && (v > 0 || !c.Unsigned) {
			largest = a
		}
	}
	largest = min(largest, end)
	e := 0
	if largest > 0 {
		x := int(math.Float64bits(largest)>>digits64) - bias64 + 1 // largest < 2^x
		e = min(max(x+c.Bias, 0), len(pow)-1)
		if e < len(pow)-1 && math.RoundToEven(largest*pow[e]) > most {
			e++
		}
	}
	k, mask := pow[e], ones(c.Frac)
	for i, v := range vs {
		x := min(math.Abs(v), end) * k
		switch {
		case v != v, v < 0 && c.Unsigned:
			x = 0
		case x > most:
			x = most
		}
		n := math.Float64bits(x+RoundBits) & ones(51)
		if v < 0 {
			n = -n
		}
		codes[i] = n & mask
	}
	return uint64(e)
}
