package pass

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// This file has what the passes that replace atomics (nonatomic, reduce, private) share: the update without atomicity, and the
// identity of an operation.

// plainUpdate appends to b the load, operation and store that the atomic op o
// stands for, and returns the old value.
func plainUpdate(b *ir.Builder, o *ir.Op, place *ir.Value) *ir.Value {
	t := o.Results[0].Type
	old := b.Load(t, place)
	if o.Atomic == ir.AtomicLoad {
		return old
	}
	b.Store(place, b.Updated(o.Atomic, old, o.Args[1:]))
	return old
}

// mergeKind returns the kind of atomic that merges partial results of kind into the whole: partial differences, for example,
// are added. It returns AtomicNone if partial results of this kind cannot be merged.
func mergeKind(kind ir.AtomicKind) ir.AtomicKind {
	switch kind {
	case ir.AtomicSub:
		return ir.AtomicAdd
	case ir.AtomicAdd, ir.AtomicMul, ir.AtomicMin, ir.AtomicMax,
		ir.AtomicAnd, ir.AtomicOr, ir.AtomicXor, ir.AtomicLAnd, ir.AtomicLOr:
		return kind
	}
	return ir.AtomicNone
}

// identity returns the bits with which the accumulator of a reduction starts. For a sum of floats that is -0, since x + -0 = x
// also for x = -0.
func identity(kind ir.AtomicKind, k ir.Kind) uint64 {
	if kind == ir.AtomicAdd && k.IsFloat() {
		return ir.FloatBits(k, math.Copysign(0, -1))
	}
	return kind.Identity(k)
}
