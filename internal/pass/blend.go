package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/target"
)

// blendStores turns conditional stores into unconditional ones: if the condition is false, the old number is stored again. Without
// the masks of AVX-512, vectors of narrow numbers have no masked stores: LLVM would store the lanes one by one, five times as slowly.
//
// Input: a task with places made by ptr. Only stores to elements that belong to the iteration are changed, so that no other
// thread's number is overwritten, and only if the place is in range in all iterations. Output: the same form.
func blendStores(s *state, t *ir.Task) {
	machine := s.opts.Target
	if t.Body == nil || len(t.Dims) == 0 || machine.VectorBits == 0 || machine.Provides(target.Masks) {
		return
	}
	b := &blender{t: t, widest: 2, writes: map[*ir.Field]*analysis.WriteSet{}}
	if machine.VectorBits < 256 { // which has no masks at all
		b.widest = 8
	}
	body := analysis.LoopBodyOf(t.Body)
	ir.Visit(t.Body, func(o *ir.Op) bool {
		if o.Code == ir.OpStore || o.Code == ir.OpAtomic {
			if p := o.Args[0].Def; p != nil && p.Code == ir.OpPtr {
				b.writes[p.Field] = b.writes[p.Field].Add(body, analysis.Indices(p))
			}
		}
		return true
	})
	b.block(t.Body)
}

type blender struct {
	t      *ir.Task
	widest int // bytes of the widest numbers whose vectors have no masked stores
	writes map[*ir.Field]*analysis.WriteSet
}

func (b *blender) block(block *ir.Block) {
	var ops []*ir.Op
	for _, o := range block.Ops {
		for _, r := range o.Regions {
			b.block(r)
		}
		if o.Code == ir.OpIf && b.mayBlend(o) {
			ops = b.blend(ops, o)
		} else {
			ops = append(ops, o)
		}
	}
	block.Ops = ops
}

// mayBlend reports whether an if does nothing but store such numbers and compute cheap values.
func (b *blender) mayBlend(o *ir.Op) bool {
	then, other := o.Regions[0], o.Regions[1]
	if len(o.Results) > 0 || o.Flags.Has(ir.Seldom) || len(other.Ops) > 1 || other.Terminator().Code != ir.OpYield || then.Terminator().Code != ir.OpYield {
		return false
	}
	cost, narrow := 0, false
	for _, p := range then.Ops[:len(then.Ops)-1] {
		switch {
		case p.Code == ir.OpLoad && b.isSafe(p.Args[0].Def):
			cost++
		case p.Code == ir.OpStore && b.isSafe(p.Args[0].Def) && b.writes[p.Args[0].Def.Field].Unique:
			cost++
			narrow = narrow || p.Args[1].Type.Kind.Size() <= b.widest
		case p.Code == ir.OpPtr && b.isSafe(p):
		case p.Code.Is(ir.Pure) && p.Code != ir.OpLookup && !p.Flags.Has(ir.InBounds):
			cost += price(p)
		default:
			return false
		}
	}
	return narrow && cost <= maxSpeculated
}

// isSafe reports whether a place is in range in every iteration, because its indices are those of a loop over the field.
func (b *blender) isSafe(p *ir.Op) bool {
	if p == nil || p.Code != ir.OpPtr || p.Field.Sparse || p.Field.List || p.Field.View != nil || p.Flags.Has(ir.Dynamic) {
		return false
	}
	for axis, v := range p.Args {
		if v.Block != b.t.Body || v.Index >= len(b.t.Dims) {
			return false
		}
		d := b.t.Dims[v.Index]
		low := p.Field.Low(axis)
		if d.Lo.From != ir.FromConst || d.Hi.From != ir.FromConst || d.Lo.Const < low || d.Hi.Const > low+p.Field.Shape[axis] {
			return false
		}
	}
	return true
}

// blend appends the ops of an if to ops, without the condition.
func (b *blender) blend(ops []*ir.Op, o *ir.Op) []*ir.Op {
	block := &ir.Block{Ops: ops}
	build := ir.NewBuilder(block)
	then := o.Regions[0]
	for _, p := range then.Ops[:len(then.Ops)-1] {
		if p.Code == ir.OpStore {
			build.Pos = p.Pos
			old := build.Load(p.Args[1].Type, p.Args[0])
			p.Args[1] = build.Op(ir.OpSelect, o.Args[0], p.Args[1], old)
		}
		block.Ops = append(block.Ops, p)
	}
	return block.Ops
}
