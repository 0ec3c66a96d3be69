package packet

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of packets for loops whose limits differ between lanes, such as a loop over the neighbours of a particle.

// own returns the loops over ranges whose limits differ between lanes.
func (a *packetInfo) own() []*ir.Op {
	var loops []*ir.Op
	ir.Visit(a.t.Body, func(o *ir.Op) bool {
		if o.Code == ir.OpFor && (a.varying[o.Args[0]] || a.varying[o.Args[1]]) {
			loops = append(loops, o)
		}
		return true
	})
	return loops
}

// untied returns a copy of a body in which each of these loops has a counter of its own, so that a lane leaves it at its own limit. It
// also returns the new loops; nil if one of them cannot be rewritten.
func untied(body *ir.Block, loops []*ir.Op) (*ir.Block, []*ir.Op) {
	for _, o := range loops {
		if !continuesAtEnd(o) {
			return nil, nil
		}
	}
	to := ir.NewCloner(nil)
	body = to.Block(body)
	var copies []*ir.Op
	for _, o := range loops {
		o = to.Ops[o]
		untie(o)
		copies = append(copies, o)
	}
	return body, copies
}

// continuesAtEnd reports whether o continues only at the end of its body.
func continuesAtEnd(o *ir.Op) bool {
	n := 0
	ir.Visit(o.Regions[0], func(p *ir.Op) bool {
		if p.Code == ir.OpContinue && p.Target == o {
			n++
		}
		return true
	})
	last := o.Regions[0].Terminator()
	return n == 1 && last.Code == ir.OpContinue && last.Target == o
}

// untie replaces a loop over a range by a loop that runs until its index is at the limit.
func untie(o *ir.Op) {
	body, limit := o.Regions[0], o.Args[1]
	o.Code, o.Flags = ir.OpLoop, 0
	o.Args = append(o.Args[:1:1], o.Args[2:]...)

	head := ir.NewBuilder(&ir.Block{})
	head.Pos = o.Pos
	index := body.Params[0]
	inside := head.Op(ir.OpLt, index, limit)
	check := ir.NewOp(ir.OpIf, o.Pos, nil, inside)
	head.Emit(check)
	head.In(check.Regions[0], func() { head.Yield() })
	head.In(check.Regions[1], func() { head.Jump(ir.OpBreak, o, body.Params[1:]...) })
	end := body.Ops[len(body.Ops)-1]
	ops := append(head.Block.Ops, body.Ops[:len(body.Ops)-1]...)

	tail := ir.NewBuilder(&ir.Block{Ops: ops})
	tail.Pos = end.Pos
	next := tail.NoWrap(ir.OpAdd, index, tail.Int(index.Type, 1))
	tail.Jump(ir.OpContinue, o, append([]*ir.Value{next}, end.Args...)...)
	body.Ops = tail.Block.Ops
}

// sideBySideWithin reports whether the accesses of a loop's iterations are contiguous, and LLVM could vectorise the loop: it has no
// jumps, no inner loops, no sums with a fixed order, and carries only reductions.
func (a *packetInfo) sideBySideWithin(loop *ir.Op) bool {
	body := loop.Regions[0]
	index := body.Params[0]
	within := map[*ir.Value]bool{}
	for _, v := range body.Params[1:] {
		within[v] = true
	}
	jumps, plain := 0, true
	ir.Visit(body, func(o *ir.Op) bool {
		for _, v := range o.Results {
			within[v] = true
		}
		if o.Code == ir.OpBreak || o.Code == ir.OpContinue {
			jumps++
		}
		plain = plain && !o.Code.Is(ir.Loop) && !o.Flags.Has(ir.Strict) && !a.byLane[o]
		return true
	})
	if !plain || jumps > 2 { // untie adds two jumps
		return false
	}
	if !a.onlyReduces(loop) {
		return false
	}
	beside := true
	ir.Visit(body, func(o *ir.Op) bool {
		if a.gathers[o] {
			stride, linear := a.r.Stride(o.Args[0], index, within)
			beside = beside && linear && (stride == 0 || stride == int64(accessKind(o).Size()))
		}
		return true
	})
	return beside
}

// onlyReduces reports whether the values that a loop carries are used only for reductions, such as sums.
func (a *packetInfo) onlyReduces(loop *ir.Op) bool {
	in := map[*ir.Op]*ir.Block{}
	var enter func(b *ir.Block)
	enter = func(b *ir.Block) {
		for _, o := range b.Ops {
			in[o] = b
			for _, r := range o.Regions {
				enter(r)
			}
		}
	}
	enter(loop.Regions[0])
	for i, v := range loop.Regions[0].Params[1:] {
		if !a.isReduced(v, i+1, in, map[*ir.Value]bool{}) {
			return false
		}
	}
	return true
}

// isReduced reports whether a part of a reduction, which begins with a parameter of a loop, is used only in the reduction, and becomes
// that parameter of the next iteration. The blocks are those with the loop's ops.
func (a *packetInfo) isReduced(v *ir.Value, param int, in map[*ir.Op]*ir.Block, visited map[*ir.Value]bool) bool {
	if visited[v] {
		return true
	}
	visited[v] = true
	terms := map[*ir.Block]int{}
	for _, o := range a.users[v] {
		reduced := true
		switch o.Code {
		case ir.OpContinue:
			reduced = o.Args[param] == v
		case ir.OpYield:
			reduced = a.isReduced(in[o].Parent.Results[slices.Index(o.Args, v)], param, in, visited)
		case ir.OpSelect:
			reduced = o.Args[0] != v && a.isReduced(o.Results[0], param, in, visited)
		case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpMin, ir.OpMax:
			terms[in[o]]++
			reduced = terms[in[o]] == 1 && a.isReduced(o.Results[0], param, in, visited)
		case ir.OpBreak, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe: // as in a search for the minimum
		default:
			reduced = false
		}
		if !reduced {
			return false
		}
	}
	return true
}
