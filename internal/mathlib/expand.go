package mathlib

import "github.com/gotaichi/ti/internal/ir"

// Expand replaces every op of k that is a transcendental function.
//
// Input: any form of a kernel. Output: the same without such ops. A function
// without branches is written out in place, so that the vectoriser, and passes
// that follow, see plain arithmetic. One with a rare path becomes a call, which
// the vectoriser replaces by a call of a lane variant; the functions, and the
// variants that Options.VectorBits asks for, are put in front of k.Funcs.
func Expand(k *ir.Kernel, o Options) {
	x := &expander{lib: &Library{Options: o}, subst: map[*ir.Value]*ir.Value{}}
	blocks := k.Blocks()
	for _, b := range blocks {
		x.block(b)
	}
	for _, b := range blocks {
		ir.Substitute(b, x.subst)
	}
	k.Funcs = append(append([]*ir.Func(nil), x.lib.Funcs()...), k.Funcs...)
}

// hasRarePath reports whether the function of code branches.
func hasRarePath(code ir.Code) bool {
	return code == ir.OpSin || code == ir.OpCos || code == ir.OpTan
}

type expander struct {
	lib   *Library
	subst map[*ir.Value]*ir.Value // results of ops that were written out
}

func (x *expander) block(b *ir.Block) {
	out := ir.NewBuilder(&ir.Block{Ops: make([]*ir.Op, 0, len(b.Ops))})
	out.Flags = ir.Strict
	for _, o := range b.Ops {
		for _, r := range o.Regions {
			x.block(r)
		}
		switch {
		case !o.Code.Is(ir.Math):
			out.Emit(o)
		case hasRarePath(o.Code):
			out.Emit(x.call(o))
		default:
			out.Pos = o.Pos
			x.subst[o.Result()] = expand(x.lib.Options, out, o.Code, o.Args)
		}
	}
	b.Ops = out.Block.Ops
}

// call turns o into a call, and makes the variants for a vectoriser.
func (x *expander) call(o *ir.Op) *ir.Op {
	t := o.Result().Type
	code := o.Code
	o.Func = x.lib.Func(code, t)
	o.Code, o.Flags = ir.OpCall, 0
	if t.Lanes > 1 {
		return o
	}
	bits := t.Kind.Bits()
	if t.Kind == ir.F16 { // computed in f32
		bits = 32
	}
	for _, width := range []int{x.lib.Options.VectorBits, x.lib.Options.VectorBits / 2} {
		if n := width / bits; n > 1 {
			x.lib.Func(code, ir.Vec(t.Kind, n))
		}
	}
	return o
}
