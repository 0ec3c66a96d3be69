package floatkey

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// Kind returns the kind of the keys of a kind of floats.
func Kind(k ir.Kind) ir.Kind {
	if k == ir.F64 {
		return ir.I64
	}
	return ir.I32
}

// Of appends the key of a float: its bits, with all bits but the sign inverted if it is negative. A NaN has the key that wins.
func Of(b *ir.Builder, v *ir.Value, kind ir.AtomicKind) *ir.Value {
	t := v.Type.With(Kind(v.Type.Kind))
	wins := b.Const(t, nan(v.Type.Kind, kind))
	return b.Op(ir.OpSelect, b.Op(ir.OpIsNaN, v), wins, Flip(b, b.Bitcast(v, t.Kind)))
}

// Float appends the float of a key.
func Float(b *ir.Builder, k *ir.Value, to ir.Kind) *ir.Value { return b.Bitcast(Flip(b, k), to) }

// Flip converts bits to keys and back.
func Flip(b *ir.Builder, v *ir.Value) *ir.Value {
	lo, _ := analysis.KindRange(v.Type.Kind)
	below := b.Op(ir.OpShr, v, b.Int(v.Type, int64(v.Type.Kind.Bits()-1)))
	return b.Op(ir.OpOr, b.Op(ir.OpXor, v, below), b.Op(ir.OpAnd, v, b.Int(v.Type, lo)))
}

// nan returns the key of a NaN that wins: beyond those of the infinities.
func nan(k ir.Kind, kind ir.AtomicKind) uint64 {
	lo, hi := analysis.KindRange(Kind(k))
	if kind == ir.AtomicMin {
		return ir.IntBits(Kind(k), lo)
	}
	return ir.IntBits(Kind(k), hi)
}

// Infinity returns the key of the infinity with which a minimum or maximum starts.
func Infinity(k ir.Kind, kind ir.AtomicKind) uint64 {
	inf := math.Inf(1)
	if kind == ir.AtomicMax {
		inf = math.Inf(-1)
	}
	bits := int64(math.Float64bits(inf))
	if k == ir.F32 {
		bits = int64(int32(math.Float32bits(float32(inf))))
	}
	_, hi := analysis.KindRange(Kind(k))
	return ir.IntBits(Kind(k), bits^(bits>>63&hi))
}
