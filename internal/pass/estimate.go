package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/mathlib"
)

// estimateRoots computes reciprocal square roots of packets from the processor's estimate instruction.
//
// Input: a task in which packets are made, and transcendental ops. Output: the same, where
// 1/sqrt(x) and rsqrt(x) of many f32 are the estimate with one step of Newton's method, and
// a/sqrt(x) is a times that. A root and a division of 16 numbers keep the processor's divider
// busy for some 40 cycles, in which it could have done 80 other operations; the estimate and
// the step take eight.
//
// Only ops without the flag Strict are changed, in kernels without strict maths, since the last bits may differ. Scalar ops are not
// changed: LLVM vectorises loops of them, and has no estimate of this precision.
func estimateRoots(t *ir.Task) {
	subst := map[*ir.Value]*ir.Value{}
	for _, b := range t.Blocks() {
		estimateIn(b, subst)
	}
	for _, b := range t.Blocks() {
		ir.Substitute(b, subst)
	}
}

// estimateIn estimates roots in a block and in its regions.
func estimateIn(b *ir.Block, subst map[*ir.Value]*ir.Value) {
	out := ir.NewBuilder(&ir.Block{Ops: make([]*ir.Op, 0, len(b.Ops))})
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			estimateIn(r, subst)
		}
		x := rootOf(o)
		if x == nil {
			out.Emit(o)
			continue
		}
		out.Pos = o.Pos
		r := mathlib.EstimateRsqrt(out, x)
		if o.Code == ir.OpDiv && !isOne(o.Args[0]) {
			r = out.Op(ir.OpMul, o.Args[0], r)
		}
		subst[o.Result()] = r
	}
	b.Ops = out.Block.Ops
}

// rootOf returns x if o divides by its square root and may be estimated, else nil.
func rootOf(o *ir.Op) *ir.Value {
	if o.Flags.Has(ir.Strict) || o.Code != ir.OpDiv && o.Code != ir.OpRsqrt {
		return nil
	}
	if t := o.Result().Type; t.Kind != ir.F32 || t.Lanes < mathlib.EstimateLanes {
		return nil
	}
	if o.Code == ir.OpRsqrt {
		return o.Args[0]
	}
	root := o.Args[1].Def
	if root == nil || root.Code != ir.OpSqrt || root.Flags.Has(ir.Strict) {
		return nil
	}
	return root.Args[0]
}

// isOne reports whether all lanes of v are the constant 1.
func isOne(v *ir.Value) bool {
	if v.Def != nil && v.Def.Code == ir.OpSplat {
		v = v.Def.Args[0]
	}
	bits, ok := ir.ConstOf(v)
	return ok && bits == ir.FloatBits(v.Type.Kind, 1)
}
