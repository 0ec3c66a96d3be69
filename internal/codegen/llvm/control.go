package llvm

import (
	"fmt"
	"strings"

	"github.com/gotaichi/ti/internal/ir"
)

// ops translates the ops of b up to the first point that nothing reaches.
func (f *function) ops(b *ir.Block) {
	for _, o := range b.Ops {
		if f.cur == nil || f.err != nil {
			return
		}
		f.op(o)
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

// loopHint is the metadata of a loop. Where its iterations are independent it becomes
// vectors, even if it is short: LLVM would take that for a reason to unroll it.
func (f *function) loopHint(o *ir.Op) string {
	switch {
	case o.Flags.Has(ir.Rolled):
		return f.loopNode(`!"llvm.loop.unroll.disable"`, `!"llvm.loop.vectorize.enable", i1 false`)
	case o.Flags.Has(ir.Dependent) && f.m.reorders():
		return f.loopNode(`!"llvm.loop.vectorize.enable", i1 false`)
	case o.Flags.Has(ir.Scattered):
		// Two vectors at once: more reads to wait for, and not yet more values than registers.
		width := fmt.Sprintf(`!"llvm.loop.vectorize.width", i32 %d`, f.vectorWidth(o))
		return f.loopNode(`!"llvm.loop.vectorize.enable", i1 true`, width, `!"llvm.loop.interleave.count", i32 2`)
	case o.Flags.Has(ir.Independent):
		width := fmt.Sprintf(`!"llvm.loop.vectorize.width", i32 %d`, f.vectorWidth(o))
		return f.loopNode(`!"llvm.loop.unroll.disable"`, `!"llvm.loop.vectorize.enable", i1 true`, width)
	}
	return f.unrollHint(o)
}

// vectorWidth is how many iterations of a loop a vector should hold: as many as fill a
// register with most of the numbers in the body. LLVM would go by the widest of them,
// such as the sum in double precision of what is computed in single precision.
func (f *function) vectorWidth(o *ir.Op) int {
	var count [9]int
	ir.Visit(o.Regions[0], func(o *ir.Op) bool {
		for _, r := range o.Results {
			if r.Type.Kind.IsFloat() || o.Code == ir.OpLoad && r.Type.Kind.IsInt() {
				count[r.Type.Kind.Size()]++
			}
		}
		return true
	})
	size := 4
	if count[8] > count[4] {
		size = 8
	}
	return max(f.m.opts.VectorBits/8/size, 1)
}

// loopNode is the metadata of a loop with properties.
func (f *function) loopNode(properties ...string) string {
	var nodes []string
	for _, p := range properties {
		nodes = append(nodes, f.m.node("!{"+p+"}"))
	}
	self := fmt.Sprintf("!%d", f.m.nodes)
	return ", !llvm.loop " + f.m.node(fmt.Sprintf("distinct !{%s, %s}", self, strings.Join(nodes, ", ")))
}

// unrollHint is the metadata of a loop over the cells of a row in the interior of a
// small block. LLVM makes no vectors of loops of fewer than 16 iterations, but finds
// them in the code of an unrolled one. Longer ones stay loops where the task prefetches:
// processors foresee where an instruction that is run again and again accesses memory
// next, but not that one of many does.
func (f *function) unrollHint(o *ir.Op) string {
	const most, small = 15, 60
	lo, ok1 := ir.IntOf(o.Args[0])
	hi, ok2 := ir.IntOf(o.Args[1])
	if !ok1 || !ok2 || f.task == nil || len(f.task.Lists) == 0 || hi-lo < 2 || hi-lo > most && !f.ahead || o.Regions[0].Size() > small {
		return ""
	}
	inner := false
	ir.Visit(o.Regions[0], func(o *ir.Op) bool {
		inner = inner || o.Code.Is(ir.Loop)
		return true
	})
	if inner {
		return ""
	}
	if hi-lo > most {
		return f.loopNode(`!"llvm.loop.unroll.disable"`)
	}
	return f.loopNode(`!"llvm.loop.unroll.full"`)
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
