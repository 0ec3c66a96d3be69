package pass

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/target"
)

// keyed reports whether an accumulator holds the keys of floats instead of floats:
// integers in the same order. The smallest and largest of numbers among which a NaN wins
// are no reduction to LLVM before version 19, so that it makes no vectors of the loop;
// those of integers are. Zeros of both signs have an order then, which strict maths does
// not give them.
func (s *state) keyed(c *cell) bool {
	return !s.opts.Target.Provides(target.FloatMax) && !s.opts.Strict && c.typ.Lanes <= 1 && (c.typ.Kind == ir.F32 || c.typ.Kind == ir.F64) &&
		(c.kind == ir.AtomicMin || c.kind == ir.AtomicMax)
}

// keyKind returns the kind of the keys of a kind of floats.
func keyKind(k ir.Kind) ir.Kind {
	if k == ir.F64 {
		return ir.I64
	}
	return ir.I32
}

// key appends the key of a float: its bits, of which all but the sign are negated below
// zero. A NaN has the key that wins.
func key(b *ir.Builder, v *ir.Value, kind ir.AtomicKind) *ir.Value {
	t := v.Type.With(keyKind(v.Type.Kind))
	nan := b.Const(t, nanKey(v.Type.Kind, kind))
	return b.Op(ir.OpSelect, b.Op(ir.OpIsNaN, v), nan, flip(b, b.Bitcast(v, t.Kind)))
}

// fromKey appends the float of a key.
func fromKey(b *ir.Builder, k *ir.Value, to ir.Kind) *ir.Value { return b.Bitcast(flip(b, k), to) }

// flip goes from bits to keys and back.
func flip(b *ir.Builder, v *ir.Value) *ir.Value {
	lo, _ := analysis.KindRange(v.Type.Kind)
	below := b.Op(ir.OpShr, v, b.Int(v.Type, int64(v.Type.Kind.Bits()-1)))
	return b.Op(ir.OpOr, b.Op(ir.OpXor, v, below), b.Op(ir.OpAnd, v, b.Int(v.Type, lo)))
}

// nanKey returns a key that belongs to a NaN and wins: beyond those of the infinities.
func nanKey(k ir.Kind, kind ir.AtomicKind) uint64 {
	lo, hi := analysis.KindRange(keyKind(k))
	if kind == ir.AtomicMin {
		return ir.IntBits(keyKind(k), lo)
	}
	return ir.IntBits(keyKind(k), hi)
}

// firstKey returns the key of the infinity that such an accumulator starts with.
func firstKey(k ir.Kind, kind ir.AtomicKind) uint64 {
	inf := math.Inf(1)
	if kind == ir.AtomicMax {
		inf = math.Inf(-1)
	}
	bits := int64(math.Float64bits(inf))
	if k == ir.F32 {
		bits = int64(int32(math.Float32bits(float32(inf))))
	}
	_, hi := analysis.KindRange(keyKind(k))
	return ir.IntBits(keyKind(k), bits^(bits>>63&hi))
}
