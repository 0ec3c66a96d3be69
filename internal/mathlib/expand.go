package mathlib

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

// Expand replaces every op of k that is a transcendental function, mod and floorDiv of floats, and fused products where
// the target has no instruction for them.
//
// Input: any form of a kernel. Output: the same without such ops. A function
// without branches is written out in place, so that the vectoriser, and passes
// that follow, see plain arithmetic. One with a rare path becomes a call, which
// the vectoriser replaces by a call of a lane variant; the functions, and the
// variants for its vectors, are put in front of k.Funcs. Without strict maths ops that are not
// strict by themselves get quick functions.
func Expand(k *ir.Kernel, t target.Traits, strict bool) {
	x := &expander{lib: &Library{Target: t, Quick: !strict}, subst: map[*ir.Value]*ir.Value{}, calls: map[*ir.Func][]call{}}
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

// A call is one of a function with a rare path, on scalars.
type call = key

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
		for _, n := range x.lib.lanes(c, wide) {
			c.t.Lanes = uint32(n)
			if f := x.lib.function(c); !slices.Contains(t.Variants, f) {
				t.Variants = append(t.Variants, f)
			}
		}
	}
}

// lanes returns of how many lanes a vectoriser may want variants of a function, where the widest number has wide bits.
func (l *Library) lanes(c call, wide int) (all []int) {
	bits := c.t.Kind.Bits()
	if c.t.Kind == ir.F16 { // computed in f32
		bits = 32
	}
	// As many lanes as fit a vector, and as many as fit beside wider numbers.
	all = []int{l.Target.VectorBits / bits, l.Target.VectorBits / max(bits, wide)}
	// LLVM makes vectors of half the length of what is left of a loop of such long ones. A short function without a
	// variant for them would stand there once for each lane. A long one is called, and a variant would take more time to compile.
	const long, short = 16, 32
	if all[0] >= long && l.function(c).Body.Size() <= short {
		all = append(all, all[0]/2)
	}
	return slices.DeleteFunc(all, func(n int) bool { return n <= 1 })
}

// staysCall reports whether the function of k is called: it branches, or vectors of it are made in another
// way than single numbers.
func (l *Library) staysCall(k key) bool {
	switch k.code {
	case ir.OpSin, ir.OpCos, ir.OpTan, ir.OpMod:
		return true
	case ir.OpFma: // of f64 it is long
		return k.t.Kind == ir.F64
	case ir.OpExp, ir.OpExp2, ir.OpSinh, ir.OpCosh, ir.OpTanh:
		return k.t.Kind != ir.F64 && k.t.Lanes == 1 && l.Target.VectorBits >= 32*scaleLanes && l.Target.Provides(target.Scales)
	}
	return k.quick
}

// expands reports whether o is computed by the library. Few targets have an instruction for fused products of f16.
func (l *Library) expands(o *ir.Op) bool {
	if o.Code == ir.OpFma && l.Target.Provides(target.FMA) {
		return o.Result().Type.Kind == ir.F16
	}
	if o.Code == ir.OpFma && o.Result().Type.Kind == ir.F32 && l.Target.Provides(target.FusedSingle) {
		return false
	}
	return len(o.Results) == 1 && Has(o.Code, o.Result().Type)
}

type expander struct {
	lib   *Library
	subst map[*ir.Value]*ir.Value // results of ops that were written out

	made  []call              // in the blocks that are being expanded
	calls map[*ir.Func][]call // in each function of the kernel
}

// widest returns the width in bits of the widest number that is loaded or
// stored, or float that another is converted to. It determines how many iterations a vectoriser takes at once.
func widest(blocks []*ir.Block) int {
	bits := 0
	for _, b := range blocks {
		ir.Visit(b, func(o *ir.Op) bool {
			switch o.Code {
			case ir.OpLoad, ir.OpAtomic:
				bits = max(bits, o.Result().Type.Kind.Bits())
			case ir.OpStore:
				bits = max(bits, o.Args[1].Type.Kind.Bits())
			case ir.OpConvert:
				if k := o.Result().Type.Kind; k.IsFloat() {
					bits = max(bits, k.Bits())
				}
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
		if !x.lib.expands(o) {
			out.Emit(o)
			continue
		}
		if k := x.key(o); x.lib.staysCall(k) {
			out.Emit(x.call(o, k))
		} else {
			out.Pos = o.Pos
			x.subst[o.Result()] = x.lib.expand(out, k, o.Args)
		}
	}
	b.Ops = out.Block.Ops
}

// key returns what computes o.
func (x *expander) key(o *ir.Op) key {
	t := o.Result().Type
	if o.Flags.Has(ir.Strict) {
		return x.lib.strictKey(o.Code, t)
	}
	return key{code: o.Code, t: t, quick: x.lib.Quick && x.lib.hasQuick(o.Code, t.Kind)}
}

// call turns o into a call of the function of k.
func (x *expander) call(o *ir.Op, k key) *ir.Op {
	o.Func = x.lib.function(k)
	o.Code, o.Flags = ir.OpCall, 0
	if k.t.Lanes == 1 {
		x.made = append(x.made, k)
	}
	return o
}
