package mathlib

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

// Expand replaces every op of k that is a transcendental function.
//
// Input: any form of a kernel. Output: the same without such ops. A function
// without branches is written out in place, so that the vectoriser, and passes
// that follow, see plain arithmetic. One with a rare path becomes a call, which
// the vectoriser replaces by a call of a lane variant; the functions, and the
// variants for its vectors, are put in front of k.Funcs.
func Expand(k *ir.Kernel, t target.Traits) {
	x := &expander{lib: &Library{Target: t}, subst: map[*ir.Value]*ir.Value{}, calls: map[*ir.Func][]call{}}
	for _, f := range k.Funcs {
		x.calls[f] = x.expand(f.Body)
	}
	if k.Body != nil {
		x.expand(k.Body)
	}
	for _, t := range k.Tasks {
		x.variants(t, x.expand(t.Blocks()...))
	}
	k.Funcs = append(append([]*ir.Func(nil), x.lib.Funcs()...), k.Funcs...)
}

// A call is one of a function with a rare path, on scalars of a kind.
type call struct {
	code ir.Code
	kind ir.Kind
}

// expand replaces the ops in blocks and returns the calls that it has made.
func (x *expander) expand(blocks ...*ir.Block) []call {
	x.made = nil
	for _, b := range blocks {
		x.block(b)
	}
	for _, b := range blocks {
		ir.Substitute(b, x.subst)
	}
	return x.made
}

// variants makes the lane variants that a vectoriser may want for a task: for the calls
// made in it, and in functions that it calls, which LLVM may inline.
func (x *expander) variants(t *ir.Task, calls []call) {
	visited := map[*ir.Func]bool{}
	var visit func(b *ir.Block)
	visit = func(b *ir.Block) {
		ir.Visit(b, func(o *ir.Op) bool {
			if f := o.Func; f != nil && !visited[f] {
				visited[f] = true
				calls = append(calls, x.calls[f]...)
				visit(f.Body)
			}
			return true
		})
	}
	for _, b := range t.Blocks() {
		visit(b)
	}
	wide := widest(t.Blocks())
	for _, c := range calls {
		bits := c.kind.Bits()
		if c.kind == ir.F16 { // computed in f32
			bits = 32
		}
		// As many lanes as fit a vector, and as many as fit beside wider numbers.
		for _, b := range []int{bits, max(bits, wide)} {
			if n := x.lib.Target.VectorBits / b; n > 1 {
				if f := x.lib.Func(c.code, ir.Vec(c.kind, n)); !slices.Contains(t.Variants, f) {
					t.Variants = append(t.Variants, f)
				}
			}
		}
	}
}

// hasRarePath reports whether the function of code branches.
func hasRarePath(code ir.Code) bool {
	return code == ir.OpSin || code == ir.OpCos || code == ir.OpTan
}

type expander struct {
	lib   *Library
	subst map[*ir.Value]*ir.Value // results of ops that were written out

	made  []call              // in the blocks that are being expanded
	calls map[*ir.Func][]call // in each function of the kernel
}

// widest returns the width in bits of the widest number that is loaded or
// stored. It tells how many iterations a vectoriser takes at once.
func widest(blocks []*ir.Block) int {
	bits := 0
	for _, b := range blocks {
		ir.Visit(b, func(o *ir.Op) bool {
			switch o.Code {
			case ir.OpLoad, ir.OpAtomic:
				bits = max(bits, o.Result().Type.Kind.Bits())
			case ir.OpStore:
				bits = max(bits, o.Args[1].Type.Kind.Bits())
			}
			return true
		})
	}
	return bits
}

func (x *expander) block(b *ir.Block) {
	out := ir.NewBuilder(&ir.Block{Ops: make([]*ir.Op, 0, len(b.Ops))})
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
			x.subst[o.Result()] = x.lib.expand(out, o.Code, o.Args)
		}
	}
	b.Ops = out.Block.Ops
}

// call turns o into a call.
func (x *expander) call(o *ir.Op) *ir.Op {
	t := o.Result().Type
	code := o.Code
	o.Func = x.lib.Func(code, t)
	o.Code, o.Flags = ir.OpCall, 0
	if t.Lanes == 1 {
		x.made = append(x.made, call{code, t.Kind})
	}
	return o
}
