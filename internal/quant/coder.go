package quant

import (
	"math"
	"math/big"

	"github.com/gotaichi/ti/internal/scalar"
)

// A Coder is a form with its constants for numbers of one kind.
type Coder struct {
	Format
	Kind scalar.Kind
	Mask uint64 // of a code

	// Of Int and Fixed: the ends of the range of codes. Hi is that of an int64, or of a uint64
	// for a form of 64 bits without sign.
	Lo, Hi int64

	// Of Fixed: the arithmetic is that of f32 if Single, else of f64. K is 1/step.
	Single  bool
	K, Step float64

	// Of Float: digits of the fraction, bias, and the largest code without sign that form and
	// kind both have.
	Digits, Bias int
	Max          uint64
	half         uint64 // bits of half the smallest number: up to there numbers are stored as 0
}

// New returns the coder of a form for a kind. The form must do for it; see [Format.Check].
func New(f Format, k scalar.Kind) *Coder {
	c := &Coder{Format: f, Kind: k, Mask: ones(f.Width())}
	switch f.Class {
	case Int, Fixed:
		if c.Lo, c.Hi = -1<<(f.Bits-1), 1<<(f.Bits-1)-1; f.Unsigned {
			c.Lo, c.Hi = 0, int64(c.Mask) // -1 for 64 bits
		}
	case Float:
		c.Digits, c.Bias = f.digits(), 1<<(f.Exp-1)-1
		top := min(1<<f.Exp-1, c.Bias+1<<(precisionOf(k).exp-1)-1)
		c.half = math.Float64bits(math.Ldexp(1, -c.Bias))
		c.Max = uint64(top)<<c.Digits | ones(c.Digits)
	}
	if f.Class == Fixed {
		c.scale()
	}
	return c
}

// scale rounds step and its inverse once each, as the arithmetic of the form has them.
func (c *Coder) scale() {
	limit := new(big.Rat).SetFloat64(c.Limit)
	codes := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(c.exponent())))
	step, k := new(big.Rat).Quo(limit, codes), new(big.Rat).Quo(codes, limit)
	// The magnitude of a code is 2^20 at most.
	if c.Single = c.Kind != scalar.F64 && (c.Bits <= 20 || c.Bits == 21 && !c.Unsigned); c.Single {
		s, _ := step.Float32()
		n, _ := k.Float32()
		c.Step, c.K = float64(s), float64(n)
		return
	}
	c.Step, _ = step.Float64()
	c.K, _ = k.Float64()
}

func ones(n int) uint64 {
	if n >= 64 {
		return math.MaxUint64
	}
	return 1<<n - 1
}

// Number returns a code as the number that it is, c in the table of the package: with its sign
// in all bits of the int64.
func (c *Coder) Number(code uint64) int64 {
	code &= c.Mask
	if c.Unsigned || c.Class == Float {
		return int64(code)
	}
	shift := 64 - c.Bits
	return int64(code<<shift) >> shift
}

// EncodeInt returns the code of an integer, as an int64 or, of an unsigned kind, a uint64.
func (c *Coder) EncodeInt(v int64) uint64 {
	switch {
	case c.Wrap:
	case c.Kind.IsUnsigned() || c.Kind == scalar.Bool:
		v = int64(min(uint64(v), uint64(c.Hi)))
	default:
		v = min(max(v, c.Lo), c.Hi)
	}
	return uint64(v) & c.Mask
}

// Encode returns the code of a real number, rounded to nearest.
func (c *Coder) Encode(v float64) uint64 {
	if c.Class == Float {
		return c.encodeFloat(v)
	}
	return uint64(c.round(c.scaled(v), float64(c.Lo), float64(c.Hi))) & c.Mask
}

// scaled returns v/step as the arithmetic of the form has it.
func (c *Coder) scaled(v float64) float64 {
	if c.Single {
		return float64(float32(v) * float32(c.K))
	}
	return float64(v * c.K)
}

// round returns the whole number next to x between lo and hi.
func (c *Coder) round(x, lo, hi float64) int64 {
	if x != x {
		return 0
	}
	return int64(math.RoundToEven(min(max(x, lo), hi)))
}

// Decode returns the real number of a code.
func (c *Coder) Decode(code uint64) float64 {
	switch {
	case c.Class == Float:
		return c.decodeFloat(code & c.Mask)
	case c.Class == Int:
		return float64(c.Number(code))
	case c.Single:
		return float64(float32(c.Number(code)) * float32(c.Step))
	}
	return c.narrow(float64(c.Number(code)) * c.Step)
}

// narrow rounds to the kind of the numbers.
func (c *Coder) narrow(v float64) float64 {
	if c.Kind == scalar.F32 {
		return float64(float32(v))
	}
	return v
}

// Precision returns how far a number and what is stored of it are apart at most, between the ends and for
// one that shares no exponent: absolute, and in addition relative to the number that is stored.
func (c *Coder) Precision() (absolute, relative float64) {
	arithmetic := map[scalar.Kind]float64{scalar.F16: 0x1p-9, scalar.F32: 0x1p-22, scalar.F64: 0x1p-51}[c.Kind]
	share := 0.5 // of the distance of two codes
	if c.Stochastic {
		share = 1
	}
	if c.Class == Float {
		return share * math.Ldexp(1, 1-c.Bias), share*math.Ldexp(1, -c.Digits) + arithmetic
	}
	return share * c.Step, arithmetic
}

const (
	digits64 = 52
	bias64   = 1023
	inf64    = 0x7ff << digits64
)

// encodeFloat rounds in the bits of a float64.
func (c *Coder) encodeFloat(v float64) uint64 {
	bits := math.Float64bits(v)
	u := bits &^ (1 << 63)
	negative := bits != u
	switch {
	case u > inf64, negative && c.Unsigned, u <= c.half:
		return 0 // NaN, below the range, and up to half of the smallest number
	}
	if cut := digits64 - c.Digits; cut > 0 {
		u += 1<<(cut-1) - 1 + u>>cut&1
		u >>= cut
	}
	code := int64(u) - int64(bias64-c.Bias)<<c.Digits
	u = min(uint64(max(code, 1<<c.Digits)), c.Max)
	if negative {
		u |= 1 << (c.Exp + c.Digits)
	}
	return u
}

func (c *Coder) decodeFloat(code uint64) float64 {
	u := min(code&ones(c.Exp+c.Digits), c.Max)
	if u>>c.Digits == 0 {
		return 0
	}
	bits := (u + uint64(bias64-c.Bias)<<c.Digits) << (digits64 - c.Digits)
	v := math.Float64frombits(bits)
	if !c.Unsigned && code>>(c.Exp+c.Digits)&1 != 0 {
		v = -v
	}
	return v
}

// Ends returns the numbers between which the form clamps: the lowest and the highest that it has,
// where numbers share an exponent if shared is set.
func (c *Coder) Ends(shared bool) (lo, hi float64) {
	switch {
	case c.Class == Int:
		return float64(c.Lo), float64(uint64(c.Hi))
	case c.Class == Fixed:
		return c.Decode(uint64(c.Lo)), c.Decode(uint64(c.Hi))
	}
	if hi = c.decodeFloat(c.Max); shared {
		hi = c.Largest()
	}
	if !c.Unsigned {
		lo = -hi
	}
	return lo, hi
}
