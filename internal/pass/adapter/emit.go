package adapter

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/quant"
)

// An Emitter appends adapters for words of up to 32 bits, as u32, or of 64, as u64.
type Emitter struct {
	*ir.Builder
	Word ir.Kind // U32 or U64: the type of arithmetic on words
}

// op appends an op, strict if it computes with floats.
func (e *Emitter) op(code ir.Code, args ...*ir.Value) *ir.Value {
	v := e.Op(code, args...)
	if v.Type.Kind.IsFloat() || args[0].Type.Kind.IsFloat() {
		v.Def.Flags |= ir.Strict
	}
	return v
}

// to appends a strict conversion.
func (e *Emitter) to(v *ir.Value, k ir.Kind) *ir.Value {
	w := e.Convert(v, k)
	if w != v && (k.IsFloat() || v.Type.Kind.IsFloat()) {
		w.Def.Flags |= ir.Strict
	}
	return w
}

func (e *Emitter) num(k ir.Kind, v uint64) *ir.Value {
	return e.Const(ir.Scalar(k), ir.IntBits(k, int64(v)))
}

func (e *Emitter) real(k ir.Kind, v float64) *ir.Value { return e.Float(ir.Scalar(k), v) }

// bits is the width of words.
func (e *Emitter) bits() int64 { return int64(e.Word.Bits()) }

func ones(n int64) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// A Span is the position of a code in a word: n bits from Shift on, or from Shift plus Dynamic if that is not nil.
type Span struct {
	Shift, Bits int64
	Dynamic     *ir.Value // u32
}

// Extract returns the code in a word, with zeros above it.
func (e *Emitter) Extract(w *ir.Value, s Span) *ir.Value {
	w = e.down(w, s)
	if s.Dynamic == nil && s.Shift+s.Bits == e.bits() {
		return w
	}
	return e.op(ir.OpAnd, w, e.num(e.Word, ones(s.Bits)))
}

// Signed returns the code in a word as a signed number.
func (e *Emitter) Signed(w *ir.Value, s Span) *ir.Value {
	up := e.bits() - s.Bits
	if s.Dynamic != nil {
		w = e.down(w, s)
	} else {
		up -= s.Shift
	}
	if up > 0 {
		w = e.op(ir.OpShl, w, e.num(ir.U32, uint64(up)))
	}
	v := e.Bitcast(w, signed(e.Word))
	if n := e.bits() - s.Bits; n > 0 {
		v = e.op(ir.OpShr, v, e.num(ir.U32, uint64(n)))
	}
	return v
}

// down shifts the code to the low bits.
func (e *Emitter) down(w *ir.Value, s Span) *ir.Value {
	if by := e.shift(s); by != nil {
		w = e.op(ir.OpShr, w, by)
	}
	return w
}

// shift returns the number of bits by which a code is shifted; nil for 0.
func (e *Emitter) shift(s Span) *ir.Value {
	switch {
	case s.Dynamic == nil && s.Shift == 0:
		return nil
	case s.Dynamic == nil:
		return e.num(ir.U32, uint64(s.Shift))
	case s.Shift == 0:
		return s.Dynamic
	}
	return e.op(ir.OpAdd, s.Dynamic, e.num(ir.U32, uint64(s.Shift)))
}

// Place returns a word that has a code in its place, and zeros elsewhere. The bits of code above its width must be 0.
func (e *Emitter) Place(code *ir.Value, s Span) *ir.Value {
	if by := e.shift(s); by != nil {
		code = e.op(ir.OpShl, code, by)
	}
	return code
}

// Cleared returns a word with zeros in place of the code.
func (e *Emitter) Cleared(w *ir.Value, s Span) *ir.Value {
	mask := e.num(e.Word, ones(s.Bits)<<s.Shift)
	if s.Dynamic != nil {
		mask = e.Place(e.num(e.Word, ones(s.Bits)), s)
	}
	return e.op(ir.OpAnd, w, e.op(ir.OpNot, mask))
}

func signed(k ir.Kind) ir.Kind {
	if k.Bits() == 64 {
		return ir.I64
	}
	return ir.I32
}

// pick appends a select.
func (e *Emitter) pick(c, x, y *ir.Value) *ir.Value { return e.op(ir.OpSelect, c, x, y) }

// limit returns x clamped to [lo, hi].
func (e *Emitter) limit(x, lo, hi *ir.Value) *ir.Value {
	x = e.pick(e.op(ir.OpLt, x, hi), x, hi)
	return e.pick(e.op(ir.OpGt, x, lo), x, lo)
}

// uniform converts a draw to a number in [0, 1).
func (e *Emitter) uniform(draw *ir.Value, k ir.Kind) *ir.Value {
	if k == ir.F64 {
		return e.op(ir.OpMul, e.to(e.to(draw, ir.I64), k), e.real(k, 0x1p-32))
	}
	top := e.Bitcast(e.op(ir.OpShr, draw, e.num(ir.U32, 8)), ir.I32)
	return e.op(ir.OpMul, e.to(top, k), e.real(k, 0x1p-24))
}

// Encode returns the code of a number, with zeros above it. Draw is a random u32, if the form rounds stochastically.
func (e *Emitter) Encode(c *quant.Coder, v, draw *ir.Value) *ir.Value {
	switch c.Class {
	case quant.Int:
		return e.encodeInt(c, v)
	case quant.Fixed:
		return e.masked(c, e.steps(c, v, draw, float64(c.Lo), float64(c.Hi)))
	}
	return e.encodeFloat(c, v, draw)
}

// masked returns the code of a signed or unsigned integer.
func (e *Emitter) masked(c *quant.Coder, v *ir.Value) *ir.Value {
	code := e.Convert(v, e.Word)
	if c.Unsigned && !c.Wrap || int64(c.Bits) >= e.bits() {
		return code
	}
	return e.op(ir.OpAnd, code, e.num(e.Word, c.Mask))
}

func (e *Emitter) encodeInt(c *quant.Coder, v *ir.Value) *ir.Value {
	k := v.Type.Kind
	switch {
	case k == ir.Bool:
		return e.Convert(v, e.Word)
	case c.Wrap || k.Bits() == c.Bits && k.IsUnsigned() == c.Unsigned:
		return e.masked(c, v)
	case k.IsUnsigned():
		v = e.op(ir.OpMin, v, e.num(k, uint64(c.Hi)))
	default:
		v = e.op(ir.OpMax, e.op(ir.OpMin, v, e.num(k, uint64(c.Hi))), e.num(k, uint64(c.Lo)))
	}
	return e.masked(c, v)
}

// steps returns v divided by the step of a fixed-point form, as a whole number in [lo, hi].
func (e *Emitter) steps(c *quant.Coder, v, draw *ir.Value, lo, hi float64) *ir.Value {
	k, whole := ir.F64, ir.I64
	if c.Single {
		k = ir.F32
	}
	if lo >= -1<<31 && hi <= 1<<31-1 {
		whole = ir.I32
	}
	v = e.to(v, k)
	x := e.pick(e.op(ir.OpIsNaN, v), e.real(k, 0), e.op(ir.OpMul, v, e.real(k, c.K)))
	x = e.limit(x, e.real(k, lo), e.real(k, hi))
	if !c.Stochastic && k == ir.F32 && lo >= -mostRounded && hi <= mostRounded {
		return e.rounded(x)
	}
	if !c.Stochastic {
		x = e.op(ir.OpRoundEven, x)
	} else {
		f := e.op(ir.OpFloor, x)
		up := e.op(ir.OpGt, e.op(ir.OpSub, x, f), e.uniform(draw, k))
		x = e.pick(up, e.op(ir.OpAdd, f, e.real(k, 1)), f)
	}
	n := e.to(x, whole)
	n.Def.Flags |= ir.NoWrap
	return n
}

// mostRounded is the largest f32 that rounded accepts.
const mostRounded = 1 << 21

// rounded rounds x to the nearest whole number, ties to even. The sum with a number whose last place is 1 is rounded in the same way,
// and has the whole number in its lowest bits: one op, whereas rounding and conversion would be three instructions on most processors.
func (e *Emitter) rounded(x *ir.Value) *ir.Value {
	const magic = 0x1.8p23
	m := e.real(ir.F32, magic)
	n := e.op(ir.OpSub, e.Bitcast(e.op(ir.OpAdd, x, m), ir.I32), e.num(ir.I32, uint64(math.Float32bits(magic))))
	n.Def.Flags |= ir.NoWrap
	return n
}

// Decode returns the number of kind k whose code is in a word.
func (e *Emitter) Decode(c *quant.Coder, w *ir.Value, s Span, k ir.Kind) *ir.Value {
	switch {
	case c.Class == quant.Float:
		return e.decodeFloat(c, w, s, k)
	case k == ir.Bool:
		return e.op(ir.OpNe, e.Extract(w, s), e.num(e.Word, 0))
	}
	n := e.number(c, w, s)
	if c.Class == quant.Int {
		return e.Convert(n, k)
	}
	real := ir.F64
	if c.Single {
		real = ir.F32
	}
	return e.to(e.op(ir.OpMul, e.to(n, real), e.real(real, c.Step)), k)
}

// number returns the code in a word as an integer, signed if the form is or if the code fits a signed one.
func (e *Emitter) number(c *quant.Coder, w *ir.Value, s Span) *ir.Value {
	if !c.Unsigned {
		return e.Signed(w, s)
	}
	v := e.Extract(w, s)
	if int64(c.Bits) < e.bits() {
		v = e.Bitcast(v, signed(e.Word))
	}
	return v
}

// Add returns the code after adding v to the number in a word, or subtracting it, for integer and fixed-point forms.
func (e *Emitter) Add(c *quant.Coder, w *ir.Value, s Span, v, draw *ir.Value, subtract bool) *ir.Value {
	if c.Class == quant.Int {
		return e.addInt(c, w, s, v, subtract)
	}
	if subtract && c.Stochastic { // a remainder is rounded in the direction of the addend
		v, subtract = e.op(ir.OpNeg, v), false
	}
	far := float64(c.Hi) - float64(c.Lo)
	return e.addCode(c, w, s, e.steps(c, v, draw, -far, far), subtract)
}

// addCode returns the code of the sum of the one in a word and n. The absolute value of n is at most the distance of the form's ends.
func (e *Emitter) addCode(c *quant.Coder, w *ir.Value, s Span, n *ir.Value, subtract bool) *ir.Value {
	k := ir.I64
	if e.sumsFit(c) {
		k = ir.I32
	}
	sum := e.sum(e.to(e.number(c, w, s), k), e.to(n, k), subtract)
	sum.Def.Flags |= ir.NoWrap
	return e.masked(c, e.clamped(c, sum))
}

// Increment returns the change of a code if v is added to a number of an integer or fixed-point form, or subtracted, and nothing
// clamps: an i64 with an absolute value of at most 2^33. An integer v has at most 32 bits.
func (e *Emitter) Increment(c *quant.Coder, v, draw *ir.Value, subtract bool) *ir.Value {
	if c.Class == quant.Int {
		v = e.Convert(v, ir.I64)
	} else {
		if subtract && c.Stochastic {
			v, subtract = e.op(ir.OpNeg, v), false
		}
		far := float64(c.Hi) - float64(c.Lo)
		v = e.to(e.steps(c, v, draw, -far, far), ir.I64)
	}
	if subtract {
		v = e.op(ir.OpNeg, v)
	}
	return v
}

// Settled returns the code of the sum of the one in a word and an i64.
func (e *Emitter) Settled(c *quant.Coder, w *ir.Value, s Span, n *ir.Value) *ir.Value {
	return e.masked(c, e.clamped(c, e.op(ir.OpAdd, e.to(e.number(c, w, s), ir.I64), n)))
}

// sumsFit reports whether a code and its double fit into 32 bits, so that a vector has twice as many sums as of 64 bits.
func (e *Emitter) sumsFit(c *quant.Coder) bool { return e.Word == ir.U32 && c.Bits <= 29 }

func (e *Emitter) sum(x, y *ir.Value, subtract bool) *ir.Value {
	if subtract {
		return e.op(ir.OpSub, x, y)
	}
	return e.op(ir.OpAdd, x, y)
}

// clamped clamps a signed number to the range of the form.
func (e *Emitter) clamped(c *quant.Coder, v *ir.Value) *ir.Value {
	k := v.Type.Kind
	return e.op(ir.OpMax, e.op(ir.OpMin, v, e.num(k, uint64(c.Hi))), e.num(k, uint64(c.Lo)))
}

func (e *Emitter) addInt(c *quant.Coder, w *ir.Value, s Span, v *ir.Value, subtract bool) *ir.Value {
	k := v.Type.Kind
	switch {
	case c.Wrap || k == ir.Bool:
		return e.op(ir.OpAnd, e.sum(e.Extract(w, s), e.Convert(v, e.Word), subtract), e.num(e.Word, c.Mask))
	case k.Bits() <= 32 && e.sumsFit(c):
		far := c.Hi - c.Lo
		if k.Bits() < 32 {
			v, k = e.Convert(v, ir.I32), ir.I32
		}
		if v = e.op(ir.OpMin, v, e.num(k, uint64(far))); k.IsSigned() {
			v = e.op(ir.OpMax, v, e.num(k, uint64(-far)))
		}
		return e.addCode(c, w, s, e.Convert(v, ir.I32), subtract)
	case k.Bits() <= 32:
		old := e.to(e.number(c, w, s), ir.I64)
		return e.masked(c, e.clamped(c, e.sum(old, e.Convert(v, ir.I64), subtract)))
	case k.IsUnsigned():
		old, hi := e.Convert(e.Extract(w, s), ir.U64), e.num(ir.U64, c.Mask)
		sum := e.sum(old, v, subtract)
		if subtract {
			return e.Convert(e.pick(e.op(ir.OpGt, v, old), e.num(ir.U64, 0), sum), e.Word)
		}
		sum = e.pick(e.op(ir.OpLt, sum, old), hi, sum)
		return e.Convert(e.op(ir.OpMin, sum, hi), e.Word)
	}
	// The sum of two i64 may overflow. Its sign then differs from that of both.
	old := e.to(e.number(c, w, s), ir.I64)
	sum := e.sum(old, v, subtract)
	other := e.op(ir.OpXor, old, v)
	if !subtract {
		other = e.op(ir.OpNot, other)
	}
	zero := e.num(ir.I64, 0)
	over := e.op(ir.OpLt, e.op(ir.OpAnd, other, e.op(ir.OpXor, old, sum)), zero)
	end := e.pick(e.op(ir.OpLt, old, zero), e.num(ir.I64, 1<<63), e.num(ir.I64, 1<<63-1))
	return e.masked(c, e.clamped(c, e.pick(over, end, sum)))
}

// SameBits appends a comparison of the bits of two numbers.
func SameBits(b *ir.Builder, x, y *ir.Value) *ir.Value {
	if k := x.Type.Kind; k.IsFloat() {
		u := map[int]ir.Kind{16: ir.U16, 32: ir.U32, 64: ir.U64}[k.Bits()]
		x, y = b.Bitcast(x, u), b.Bitcast(y, u)
	}
	return b.Op(ir.OpEq, x, y)
}
