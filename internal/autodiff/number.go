package autodiff

import (
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
)

// iteration emits the number of an iteration of a parallel loop, in the order in which a serial one would run, and before the loop
// how many there are.
func iteration(b, before *ir.Builder, loop *ir.Op) (n, count *ir.Value) {
	i64 := ir.Scalar(ir.I64)
	for i, p := range loop.Regions[0].Params {
		k := b.Convert(p, ir.I64)
		var low, size *ir.Value
		if loop.Code == ir.OpParFor {
			low = before.Convert(loop.Args[2*i], ir.I64)
			size = before.Op(ir.OpMax, before.Op(ir.OpSub, before.Convert(loop.Args[2*i+1], ir.I64), low), before.Int(i64, 0))
		} else {
			least := int64(0)
			if i < len(loop.Field.Origin) {
				least = loop.Field.Origin[i]
			}
			low = before.Int(i64, least)
			if n, at := loop.Field.Extent(i); at != nil {
				size = before.Length(at, ir.I64)
			} else {
				size = before.Int(i64, n)
			}
		}
		k = b.Op(ir.OpSub, k, low)
		if n == nil {
			n, count = k, size
			continue
		}
		n, count = b.Op(ir.OpAdd, b.Op(ir.OpMul, n, size), k), before.Op(ir.OpMul, count, size)
	}
	return n, count
}

// mostIterations is how many iterations a loop over active cells may have at most, as far as its field tells; 0 for other loops. Nodes without
// sizes leave all numbers of their type.
func mostIterations(loop *ir.Op) float64 {
	if loop.Code != ir.OpFieldFor || !loop.Field.Sparse {
		return 0
	}
	n := 1.0
	for _, size := range loop.Field.Shape {
		n *= float64(size)
	}
	return n
}

// numberOf emits the number of an accumulation that step counts in an iteration of a parallel loop, below 1<<loopShift. Those of the iteration and
// of the step share the bits. Where a loop over active cells may have too many iterations for that, the number mixes the indices: then no iteration is
// the lowest, and of two with the same number and the same value either takes the adjoint.
func (x *extremaIn) numberOf(b, before *ir.Builder, loop *ir.Op, step *ir.Value) *ir.Value {
	i64 := ir.Scalar(ir.I64)
	most, shift := mostIterations(loop), stepShift
	if most > 1<<(loopShift-stepShift) && !x.inLoop {
		shift = bits.Len(uint(len(x.found) - 1))
	}
	room := loopShift - shift // bits for the iteration
	var it *ir.Value
	if most > float64(uint64(1)<<room) {
		it = b.Convert(b.Op(ir.OpShr, mixed(b, loop), b.Int(i64, int64(64-room))), ir.I64)
	} else {
		it, _ = iteration(b, before, loop)
	}
	return b.Op(ir.OpAdd, b.Op(ir.OpShl, it, b.Int(i64, int64(shift))), step)
}

// mixer is 2⁶⁴ divided by the golden ratio, as an odd number.
const mixer = -0x61c8864680b583eb

// mixed emits 64 bits that depend on all indices of an iteration.
func mixed(b *ir.Builder, loop *ir.Op) *ir.Value {
	u64 := ir.Scalar(ir.U64)
	h := b.Int(u64, 1)
	for _, p := range loop.Regions[0].Params {
		h = b.Op(ir.OpMul, b.Op(ir.OpXor, h, b.Convert(p, ir.U64)), b.Int(u64, mixer))
		h = b.Op(ir.OpXor, h, b.Op(ir.OpShr, h, b.Int(u64, 32)))
	}
	return b.Op(ir.OpMul, h, b.Int(u64, mixer))
}
