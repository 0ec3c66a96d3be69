package spirv

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// A loop is a construct that can be left, or gone on with, from within: a loop, or a block that runs once.
type loop struct {
	op      *ir.Op // nil for the loop over the iterations of a task
	merge   id     // where it is left to
	cont    id     // where it goes on
	carried []id   // variables for the operands of continue
	results []id   // variables for those of break
	through []jump // that leave it on their way out
}

// A jump is one over several loops.
type jump struct {
	number uint32
	to     *loop
	brk    bool
}

// ops translates the ops of b up to the first point that nothing reaches.
func (f *function) ops(b *ir.Block) {
	for _, o := range b.Ops {
		if !f.reached || f.failed != nil {
			return
		}
		f.op(o)
	}
}

// op translates one op.
func (f *function) op(o *ir.Op) {
	for _, v := range o.Results {
		if v.Type.Lanes > 1 {
			f.unsupported(o, "vectors of several iterations")
			return
		}
	}
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
		f.ret(o)
	case ir.OpCall:
		f.call(o)
	case ir.OpAlloc, ir.OpBase, ir.OpArgPtr, ir.OpFrame, ir.OpOffset, ir.OpCell, ir.OpParam, ir.OpLen, ir.OpKey, ir.OpOrdinal, ir.OpWorker:
		f.place(o)
	case ir.OpLoad, ir.OpStore, ir.OpAtomic, ir.OpLookup:
		if !f.later[o] {
			f.memoryOp(o)
		}
	case ir.OpFail:
		f.fail(o)
	case ir.OpPrefetch, ir.OpIteration:
	case ir.OpPoll:
		f.poll()
	case ir.OpRecord:
		f.record(o)
	case ir.OpEntry, ir.OpListMask, ir.OpFollow, ir.OpGrow, ir.OpFind, ir.OpEnter, ir.OpRoot, ir.OpBlockPtr:
		f.values[o.Results[0]] = f.lookUp(o)
	case ir.OpYield:
	default:
		f.arithmetic(o)
	}
}

// hold makes variables for values.
func (f *function) hold(vs []*ir.Value) (all []id) {
	for _, v := range vs {
		all = append(all, f.variableOf(v))
	}
	return all
}

func (f *function) variableOf(v *ir.Value) id { return f.variable(f.kind(v.Type.Kind)) }

// set stores values to variables, at once.
func (f *function) set(to []id, vs []*ir.Value) {
	for i, v := range f.uses(vs) {
		f.do(opStore, to[i], v)
	}
}

// get reads variables as values.
func (f *function) get(vs []*ir.Value, from []id) {
	for i, v := range vs {
		f.values[v] = f.inst(opLoad, f.kind(v.Type.Kind), from[i])
	}
}

func (f *function) ifOp(o *ir.Op) {
	then, els, after := f.id(), f.id(), f.id()
	results := f.hold(o.Results)
	f.choose(f.use(o.Args[0]), then, els, after)
	met := false
	for i, n := range []id{then, els} {
		f.label(n)
		f.ops(o.Regions[i])
		if t := o.Regions[i].Terminator(); f.reached && t != nil && t.Code == ir.OpYield {
			f.set(results, t.Args)
		}
		met = met || f.reached
		f.branch(after)
	}
	f.label(after)
	f.after(met, o.Results, results)
}

// after goes on behind a construct, with its results, or ends the block if nothing gets there.
func (f *function) after(met bool, vs []*ir.Value, from []id) {
	if met {
		f.get(vs, from)
		return
	}
	f.do(opUnreachable)
	f.reached = false
}

// enter begins a loop, whose body is at the block that it returns. The current point is behind the header.
func (f *function) enter(l *loop, head id) {
	l.merge, l.cont = f.id(), f.id()
	f.branch(head)
	f.label(head)
	f.do(opLoopMerge, l.merge, l.cont, 0)
	first := f.id()
	f.branch(first)
	f.label(first)
	f.limitRounds(true)
	f.loops = append(f.loops, l)
}

// close ends a loop: the current point is in its continue block.
func (f *function) close(l *loop, head id) {
	f.do(opBranch, head)
	f.loops = f.loops[:len(f.loops)-1]
	f.label(l.merge)
	f.escapes(l)
}

// escapes goes on with jumps over l, behind it.
func (f *function) escapes(l *loop) {
	if len(l.through) == 0 {
		return
	}
	number := f.inst(opLoad, f.integer(32), f.escape)
	for _, j := range l.through {
		f.when(f.inst(opIEqual, f.kind(ir.Bool), number, f.word(j.number)), func() { f.jump(j) })
	}
}

// jump goes to the end of a loop around, or to its next round. Values are in their variables.
func (f *function) jump(j jump) {
	inner := f.loops[len(f.loops)-1]
	switch {
	case inner != j.to:
		if j.number == 0 {
			if f.escape == 0 {
				f.escape = f.variable(f.integer(32))
			}
			f.jumps++
			j.number = f.jumps
			f.do(opStore, f.escape, f.word(j.number))
		}
		inner.through = append(inner.through, j)
		f.branch(inner.merge)
		return
	case j.number != 0:
		f.do(opStore, f.escape, f.word(0))
	}
	if j.brk {
		f.branch(inner.merge)
	} else {
		f.branch(inner.cont)
	}
}

func (f *function) jumpOp(o *ir.Op) {
	for i := len(f.loops) - 1; i >= 0; i-- {
		l := f.loops[i]
		if l.op != o.Target {
			continue
		}
		if o.Code == ir.OpBreak {
			f.set(l.results, o.Args)
		} else {
			f.set(l.carried, o.Args)
		}
		f.jump(jump{to: l, brk: o.Code == ir.OpBreak})
		return
	}
	f.unsupported(o, "such a jump")
}

func (f *function) blockOp(o *ir.Op) {
	l, head := &loop{op: o, results: f.hold(o.Results)}, f.id()
	f.enter(l, head)
	f.ops(o.Regions[0])
	if t := o.Regions[0].Terminator(); f.reached && t != nil && t.Code == ir.OpYield {
		f.set(l.results, t.Args)
	}
	f.branch(l.merge)
	f.label(l.cont)
	f.close(l, head)
	f.get(o.Results, l.results)
}

func (f *function) loopOp(o *ir.Op) {
	params := o.Regions[0].Params
	l, head := &loop{op: o, carried: f.hold(params), results: f.hold(o.Results)}, f.id()
	f.set(l.carried, o.Args)
	f.enter(l, head)
	f.get(params, l.carried)
	f.ops(o.Regions[0])
	f.branch(l.cont)
	f.label(l.cont)
	f.close(l, head)
	f.get(o.Results, l.results)
}

// forOp has the results of a break in the variables of what is carried.
func (f *function) forOp(o *ir.Op) {
	params := o.Regions[0].Params
	index, kind := f.variableOf(params[0]), params[0].Type.Kind
	l, head := &loop{op: o, carried: f.hold(params[1:])}, f.id()
	l.results = l.carried
	f.do(opStore, index, f.use(o.Args[0]))
	f.set(l.carried, o.Args[2:])
	hi := f.use(o.Args[1])
	f.enter(l, head)
	f.get(params[:1], []id{index})
	body, done := f.id(), f.id()
	f.choose(f.compare(ir.OpLt, kind, f.use(params[0]), hi), body, done, body)
	f.label(done)
	f.branch(l.merge)
	f.label(body)
	f.get(params[1:], l.carried)
	f.ops(o.Regions[0])
	f.branch(l.cont)
	f.label(l.cont)
	t := f.kind(kind)
	f.do(opStore, index, f.inst(opIAdd, t, f.inst(opLoad, t, index), f.number(kind.Bits(), 1)))
	f.close(l, head)
	f.get(o.Results, l.results)
}

// limitRounds ends the thread where the driver would soon end its loops. Counts says that a round begins, which the subgroup counts once.
func (f *function) limitRounds(counts bool) {
	u32, yes := f.integer(32), f.kind(ir.Bool)
	f.when(f.inst(opINotEqual, yes, f.limit, f.word(0)), func() {
		slot := f.inst(opAccessChain, f.pointer(classWorkgroup, u32), f.rounds, f.inst(opLoad, u32, f.subgroup))
		if counts {
			f.when(f.inst(opGroupNonUniformElect, yes, f.word(3)), func() {
				f.do(opStore, slot, f.inst(opIAdd, u32, f.inst(opLoad, u32, slot), f.word(1)))
			})
		}
		f.when(f.inst(opUGreaterThan, yes, f.inst(opLoad, u32, slot), f.limit), func() {
			f.storeAt(ir.U32, f.pushed(launch.PushLimit), f.word(1))
			f.leave()
		})
	})
}

// poll ends the thread if the launch is to end.
func (f *function) poll() {
	u32 := f.integer(32)
	word := f.inst(opAtomicLoad, u32, f.placeOf(f.pushed(launch.PushStop), u32), f.word(1), f.word(0))
	f.when(f.inst(opINotEqual, f.kind(ir.Bool), word, f.word(0)), f.leave)
}
