package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

// contractBuiltins contracts the arithmetic of builtins: an add or sub of a product becomes one fused op.
//
// Input: tasks whose ops in builtins are marked. Output: without marks; if the target has fused products, each marked add or sub of
// a marked product is fused, and the other adds and subs are strict. Products are not, so that the program may add to them.
//
// LLVM contracts ops of one basic block when it selects instructions. The vector body of a loop has selects where its scalar
// remainder has branches, so that a product may be in another block than its sum, and be rounded. An element's last bit would
// then depend on whether its iteration runs in a vector, and so on the number of threads. That is allowed for a*b + c of a
// program, but not for a builtin.
//
// A sum that a loop carries is not made strict, since vectors reassociate it.
func contractBuiltins(k *ir.Kernel, t target.Traits) {
	for _, b := range k.Blocks() {
		if t.Provides(target.FMA) {
			fuseIn(b)
		}
		ir.Visit(b, func(o *ir.Op) bool {
			if o.Flags.Has(ir.Builtin) {
				o.Flags &^= ir.Builtin
				if o.Code != ir.OpMul && !isCarried(o) {
					o.Flags |= ir.Strict
				}
			}
			return true
		})
	}
}

// isCarried reports whether an operand of o is a parameter of a block, such as a value that a loop carries.
func isCarried(o *ir.Op) bool { return o.Args[0].Def == nil || o.Args[1].Def == nil }

// fuseIn fuses marked ops of b and of its regions.
func fuseIn(b *ir.Block) {
	out := ir.NewBuilder(&ir.Block{Ops: make([]*ir.Op, 0, len(b.Ops))})
	out.Flags = ir.Strict
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			fuseIn(r)
		}
		if (o.Code == ir.OpAdd || o.Code == ir.OpSub) && o.Flags.Has(ir.Builtin) && !isCarried(o) {
			out.Pos = o.Pos
			fuseSum(out, o)
		}
		out.Emit(o)
	}
	b.Ops = out.Block.Ops
}

// fuseSum turns o into a fused op if it can, where b stands.
func fuseSum(b *ir.Builder, o *ir.Op) {
	x, y := o.Args[0], o.Args[1]
	negate := func(v *ir.Value, sub bool) *ir.Value {
		if sub {
			return b.Op(ir.OpNeg, v)
		}
		return v
	}
	sub := o.Code == ir.OpSub
	switch p, q := builtinProduct(x), builtinProduct(y); {
	case q != nil && (sub || p == nil): // x - ab in one instruction
		o.Args = []*ir.Value{negate(q.Args[0], sub), q.Args[1], x}
	case p != nil:
		o.Args = []*ir.Value{p.Args[0], p.Args[1], negate(y, sub)}
	default:
		return
	}
	o.Code, o.Flags = ir.OpFma, ir.Strict
}

// builtinProduct returns the op that v is the result of, if it is a marked product of f32 or f64.
func builtinProduct(v *ir.Value) *ir.Op {
	if d := v.Def; d != nil && d.Code == ir.OpMul && d.Flags.Has(ir.Builtin) && v.Type.Kind != ir.F16 {
		return d
	}
	return nil
}
