package packet

import "github.com/gotaichi/ti/internal/ir"

// This file is the part of packets that has loops whose limits differ between lanes, as over the neighbours of a particle.

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

// untied returns a copy of a body in which each of these loops counts by itself, so that a lane leaves it at its own end, and
// the loops there; nil if one of them cannot.
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

// continuesAtEnd reports whether the next iteration of o begins nowhere else than at the end of its body.
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

// untie makes a loop that runs until its index is at the limit of one over a range.
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

// sideBySideWithin reports whether the accesses of a loop's iterations lie side by side, and nothing keeps LLVM's vectoriser
// from taking several of them together: neither a jump, nor a loop within, nor sums that have to be in order.
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
	if !plain || jumps > 2 { // the ways out and on of a loop that counts by itself
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
