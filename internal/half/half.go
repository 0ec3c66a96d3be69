package half

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

const (
	signBit   = 0x8000
	infinity  = 0x7c00
	quiet     = 0x0200 // of a NaN that does not signal
	nanBits   = infinity | quiet
	mantissa  = 10
	fieldMask = 1<<mantissa - 1
)

// From64 rounds v. A number of 65520 or more becomes infinite; a NaN keeps its
// sign and the upper bits of its payload, and does not signal.
func From64(v float64) uint16 {
	b := math.Float64bits(v)
	sign := uint16(b>>48) & signBit
	exp, frac := int(b>>52)&0x7ff-1023, b&(1<<52-1)
	switch {
	case exp == 1024 && frac != 0:
		return sign | nanBits | uint16(frac>>(52-mantissa))
	case exp > 15:
		return sign | infinity
	case exp < -25: // less than half of the smallest number
		return sign
	}
	m := frac | 1<<52
	drop := 52 - mantissa // bits of m that go
	if exp < -14 {        // denormal: fewer stay
		drop += -14 - exp
		exp = -15
	} else {
		m &^= 1 << 52
	}
	kept, rest, tie := m>>drop, m&(1<<drop-1), uint64(1)<<(drop-1)
	if rest > tie || rest == tie && kept&1 != 0 {
		kept++ // a carry out of the mantissa counts up the exponent, as it should
	}
	return sign | uint16(uint64(exp+15)<<mantissa+kept)
}

// From32 rounds v; see [From64].
func From32(v float32) uint16 {
	if v != v { // by its bits, since a conversion may make a signalling NaN quiet
		b := math.Float32bits(v)
		return uint16(b>>16)&signBit | nanBits | uint16(b>>(23-mantissa))&fieldMask
	}
	return From64(float64(v))
}

// To32 returns the value of h, which is exact.
func To32(h uint16) float32 {
	sign, exp, frac := uint32(h&signBit)<<16, uint32(h>>mantissa)&31, uint32(h&fieldMask)
	switch {
	case exp == 31:
		return math.Float32frombits(sign | 0xff<<23 | frac<<(23-mantissa))
	case exp != 0:
		return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<(23-mantissa))
	case frac == 0:
		return math.Float32frombits(sign)
	}
	// A denormal is normal in single precision: its leading one goes.
	shift := uint32(bits.LeadingZeros32(frac)) - (31 - mantissa)
	return math.Float32frombits(sign | (127-14-shift)<<23 | (frac<<shift&fieldMask)<<(23-mantissa))
}

// To64 returns the value of h, which is exact.
func To64(h uint16) float64 { return float64(To32(h)) }

// Format returns the shortest decimal number that rounds to h, as package fmt writes
// floats.
func Format(h uint16) string { return fmt.Sprint(Shortest(h)) }

// Shortest returns the float64 of the fewest decimal digits that rounds to h.
func Shortest(h uint16) float64 {
	v := To64(h)
	if v != v || math.IsInf(v, 0) {
		return v
	}
	for digits := 1; ; digits++ {
		s := strconv.FormatFloat(v, 'e', digits-1, 64)
		if short, err := strconv.ParseFloat(s, 64); err == nil && From64(short) == h {
			return short
		}
	}
}
