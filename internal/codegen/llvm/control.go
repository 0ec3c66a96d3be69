package llvm

import (
	"github.com/gotaichi/ti/internal/ir"
)

// ops translates the ops of b up to the first point that nothing reaches.
func (f *function) ops(b *ir.Block) {
	for i := 0; i < len(b.Ops); {
		if f.cur == nil || f.err != nil {
			return
		}
		if n := f.sums(b.Ops[i:]); n > 0 {
			i += n
			continue
		}
		f.op(b.Ops[i])
		i++
	}
}

// op translates one op at the current block.
func (f *function) op(o *ir.Op) {
	switch o.Code {
	case ir.OpIf:
		f.ifOp(o)
	case ir.OpFor:
		f.forOp(o)
	case ir.OpLoop:
		f.loopOp(o)
	case ir.OpBlock:
		f.blockOp(o)
	case ir.OpContinue, ir.OpBreak:
		f.jumpOp(o)
	case ir.OpReturn:
		f.ret(o.Args)
		f.cur = nil
	case ir.OpCall:
		f.call(o)
	case ir.OpAlloc, ir.OpBase, ir.OpArgPtr, ir.OpFrame, ir.OpOffset, ir.OpCell, ir.OpParam, ir.OpLen, ir.OpKey, ir.OpOrdinal, ir.OpWorker:
		f.place(o)
	case ir.OpLoad, ir.OpStore, ir.OpAtomic, ir.OpLookup, ir.OpFail, ir.OpRecord, ir.OpPrefetch:
		f.memory(o)
	case ir.OpPoll:
		f.poll()
	case ir.OpEntry, ir.OpListMask, ir.OpFollow, ir.OpGrow, ir.OpFind, ir.OpEnter:
		f.storeOp(o)
	default:
		f.arithmetic(o)
	}
}

// jumpOp translates continue and break; region takes care of yield.
func (f *function) jumpOp(o *ir.Op) {
	switch t := f.targets[o.Target]; {
	case o.Code == ir.OpContinue && o.Target == nil && f.next != nil:
		f.jump(f.next.cont)
	case o.Code == ir.OpContinue && t.cont != nil:
		f.jump(t.cont, f.uses(o.Args)...)
	case o.Code == ir.OpBreak && t.brk != nil:
		f.jump(t.brk, f.uses(o.Args)...)
	default:
		f.fail(o, "the jump leads nowhere")
	}
}

// region translates a region that ends in a yield, which jumps to after, or in
// another jump.
func (f *function) region(b *ir.Block, after *block) {
	t := b.Terminator()
	if t == nil || t.Code != ir.OpYield {
		f.ops(b)
		return
	}
	f.ops(&ir.Block{Ops: b.Ops[:len(b.Ops)-1]})
	if f.cur != nil {
		f.jump(after, f.uses(t.Args)...)
	}
}

func (f *function) ifOp(o *ir.Op) {
	then, els, after := f.block("then"), f.block("else"), f.block("join")
	f.phis(after, o.Results)
	weights := ""
	if o.Flags.Has(ir.Seldom) {
		weights = f.m.hardlyEver()
	}
	f.weighed(f.use(o.Args[0]), then, els, weights)
	f.cur = then
	if uses, ok := f.aside(o.Regions[0]); ok && o.Flags.Has(ir.Seldom) {
		f.jump(after, f.callAside(o.Regions[0], uses)...)
	} else {
		f.region(o.Regions[0], after)
	}
	f.cur = els
	f.region(o.Regions[1], after)
	f.enter(after)
}

func (f *function) blockOp(o *ir.Op) {
	after := f.block("left")
	f.phis(after, o.Results)
	f.targets[o] = jumpTarget{brk: after}
	f.region(o.Regions[0], after)
	f.enter(after)
}

func (f *function) loopOp(o *ir.Op) {
	head, after := f.block("loop"), f.block("left")
	f.phis(head, o.Regions[0].Params)
	f.phis(after, o.Results)
	f.targets[o] = jumpTarget{brk: after, cont: head}
	f.jump(head, f.uses(o.Args)...)
	f.cur = head
	f.ops(o.Regions[0])
	f.enter(after)
}

// forOp makes: head(i, carried): i < hi ? body : after; body … latch: i+1, head.
func (f *function) forOp(o *ir.Op) {
	params := o.Regions[0].Params
	head, body, latch, after := f.block("for"), f.block("body"), f.block("next"), f.block("left")
	f.phis(head, params)
	var carried []*phi
	for _, p := range params[1:] {
		carried = append(carried, f.phi(latch, typ(p.Type)))
	}
	f.phis(after, o.Results)
	f.targets[o] = jumpTarget{brk: after, cont: latch}

	lo, hi := o.Args[0], o.Args[1]
	f.jump(head, append([]string{f.use(lo)}, f.uses(o.Args[2:])...)...)
	f.cur = head
	i := f.use(params[0])
	more := f.inst("icmp %s %s %s, %s", less(lo.Type.Kind), typ(lo.Type), i, f.use(hi))
	f.branch(more, body, after, f.uses(params[1:])...)
	f.cur = body
	f.ops(o.Regions[0])
	if f.enter(latch); f.cur != nil {
		values := []string{f.increment(lo.Type, i)}
		for _, p := range carried {
			values = append(values, p.name)
		}
		hint := f.loopHint(o)
		f.flow(head, values)
		f.do("br label %%%s%s", head.label, hint)
		f.cur = nil
	}
	f.enter(after)
}

// increment adds one to an index that is below its limit, so that it fits.
func (f *function) increment(t ir.Type, i string) string {
	if t.Kind.IsUnsigned() {
		return f.inst("add nuw %s %s, 1", typ(t), i)
	}
	return f.inst("add nsw %s %s, 1", typ(t), i)
}

// less is the comparison of integers of kind k.
func less(k ir.Kind) string {
	if k.IsUnsigned() {
		return "ult"
	}
	return "slt"
}
