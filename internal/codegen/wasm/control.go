package wasm

import (
	"fmt"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// ops translates the ops of b up to the first point that nothing reaches.
func (f *function) ops(b *ir.Block) {
	pending, around := f.pending, f.around
	f.around = len(b.Ops)
	for _, o := range b.Ops {
		if !f.reached || f.err != nil {
			break
		}
		f.pending = nil
		f.op(b, o)
		f.release()
	}
	f.pending, f.around = pending, around
}

// release frees what only the current op needed.
func (f *function) release() {
	for _, free := range f.pending {
		free()
	}
	f.pending = nil
}

// region translates a region of an op.
func (f *function) region(b *ir.Block) {
	f.regions = append(f.regions, region{})
	f.ops(b)
	last := len(f.regions) - 1
	frees := f.regions[last].frees
	f.regions = f.regions[:last]
	f.give(frees...)
}

// op translates one op of b.
func (f *function) op(b *ir.Block, o *ir.Op) {
	if f.vanishes(o) {
		return
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
		f.jumpOp(b, o)
	case ir.OpYield:
		if p := b.Parent; p != nil {
			f.assign(f.targets[p].results, o.Args)
		}
	case ir.OpReturn:
		f.ret(o)
	case ir.OpCall:
		f.call(o)
	case ir.OpParam, ir.OpLen, ir.OpKey, ir.OpOrdinal, ir.OpWorker, ir.OpBase, ir.OpArgPtr, ir.OpFrame:
		f.read(o)
	case ir.OpAlloc:
		f.alloc(o)
	case ir.OpStore:
		f.store(o)
	case ir.OpAtomic:
		f.atomic(o)
	case ir.OpFail:
		f.fail(o)
	case ir.OpRecord:
		f.record(o)
	case ir.OpPoll:
		f.poll()
	case ir.OpPrefetch, ir.OpIteration:
	default:
		f.value(b, o)
	}
}

// value translates an op that has one result and no effect but a read.
func (f *function) value(b *ir.Block, o *ir.Op) {
	if len(o.Results) != 1 {
		f.unsupported(o, o.Code.String())
		return
	}
	r := o.Results[0]
	switch splat := f.lone[o]; {
	case splat != nil:
		f.broadcast(o, splat)
	case o.Code == ir.OpSplat && o.Args[0].Def != nil && f.lone[o.Args[0].Def] == r:
	case o.Code.Is(ir.Pure) && f.uses[r] == 0:
	case r.Type.Lanes > 1:
		f.vector(o)
	case o.Code.Is(ir.Pure) && f.uses[r] == 1 && f.home[r] == b:
		f.later[r] = true
	default:
		f.compute(o)
		f.define(r)
	}
}

// variables makes locals for values that jumps set.
func (f *function) variables(vs []*ir.Value) (all []variable) {
	for _, v := range vs {
		locals := make([]uint32, f.parts(v))
		for i := range locals {
			locals[i] = f.take(f.typeOf(v))
		}
		all = append(all, variable{locals, f.laneBytes(v)})
	}
	return all
}

// assign sets variables, all at once. The lanes of a vector may be wider than those of its variable, since other uses may want all of their bits.
func (f *function) assign(to []variable, vs []*ir.Value) {
	for i, v := range vs {
		if v.Type.Lanes > 1 {
			f.pushLanes(v, to[i].lane)
		} else {
			f.pushAs(f.locals[to[i].locals[0]], v)
		}
	}
	for _, x := range slices.Backward(to[:len(vs)]) {
		for _, l := range slices.Backward(x.locals) {
			f.set(l)
		}
	}
}

// defined says that results are in variables.
func (f *function) defined(vs []*ir.Value, in []variable) {
	for i, v := range vs {
		f.at(v, in[i].locals...)
	}
}

func (f *function) ifOp(o *ir.Op) {
	results := f.variables(o.Results)
	f.targets[o] = jumpTarget{results: results}
	f.push(o.Args[0])
	f.open("if")
	f.region(o.Regions[0])
	met := f.reached
	f.reached = true
	if els := o.Regions[1]; len(els.Ops) > 1 || len(o.Results) > 0 || els.Terminator() == nil || els.Terminator().Code != ir.OpYield {
		f.do("else")
		f.region(els)
	}
	f.end()
	f.reached = f.reached || met
	f.defined(o.Results, results)
}

func (f *function) blockOp(o *ir.Op) {
	results := f.variables(o.Results)
	f.targets[o] = jumpTarget{brk: f.open("block"), results: results}
	f.region(o.Regions[0])
	f.end()
	f.reached = true
	f.defined(o.Results, results)
}

func (f *function) loopOp(o *ir.Op) {
	params := o.Regions[0].Params
	set, results := f.variables(params), f.variables(o.Results)
	f.assign(set, o.Args)
	f.pinAll(params, set)
	brk := f.open("block")
	f.targets[o] = jumpTarget{brk: brk, cont: f.open("loop"), set: set, results: results}
	f.region(o.Regions[0])
	f.end()
	f.end()
	f.reached = true
	for _, x := range set {
		f.give(x.locals...)
	}
	f.defined(o.Results, results)
}

func (f *function) pinAll(vs []*ir.Value, in []variable) {
	for i, v := range vs {
		f.pin(v, in[i].locals...)
	}
}

// forOp has the results of a break in the locals of what is carried. The limit is tested before the first iteration and behind each.
func (f *function) forOp(o *ir.Op) {
	params := o.Regions[0].Params
	t, kind := f.typeOf(params[0]), params[0].Type.Kind
	all := f.variables(params)
	index, set := all[0].locals[0], all[1:]
	f.assign(all, append([]*ir.Value{o.Args[0]}, o.Args[2:]...))
	hi := f.hold(o.Args[1])
	f.pin(params[0], index)
	f.pinAll(params[1:], set)
	less := compareName(ir.OpLt, t, kind)
	if f.get(index); !kind.IsSigned() {
		f.guard(t, o.Args[0], o.Args[1])
	}
	f.put(hi)
	f.guard(t, o.Args[1], o.Args[0])
	f.do(less)
	f.open("if")
	brk := label(f.depth) // behind the loop
	head := f.open("loop")
	next := f.open("block")
	f.targets[o] = jumpTarget{brk: brk, cont: next, set: set, results: set}
	f.region(o.Regions[0])
	f.end()
	f.get(index)
	f.number(t, 1)
	f.do(t.String() + ".add")
	f.set(index)
	f.get(index)
	f.put(hi)
	f.do(less)
	f.again(head)
	f.end()
	f.end()
	f.reached = true
	f.give(index)
	f.defined(o.Results, set)
}

// again goes back to the head of a loop if the word on the stack is not 0. A conditional jump would do, but to an engine that is an edge between a
// block with two exits and one with two entries, for which wazero does not use the flags of a comparison.
func (f *function) again(head label) { f.when(func() { f.br("br", head) }) }

// jumpOp translates continue and break. At the end of a loop's own body, a continue goes on behind it.
func (f *function) jumpOp(b *ir.Block, o *ir.Op) {
	to, ok := f.targets[o.Target]
	switch {
	case o.Target == nil && f.task && b == f.module.task.Body:
		f.reached = false // what follows is the next iteration
	case o.Target == nil && f.task:
		f.leave(f.next)
	case !ok:
		f.failed(fmt.Errorf("code for %s at line %d: the jump leads nowhere", o.Code, o.Pos.Line))
	case o.Code == ir.OpContinue:
		if f.assign(to.set, o.Args); o.Target.Code == ir.OpFor && b == o.Target.Regions[0] {
			f.reached = false // what follows is the next iteration
			return
		}
		f.leave(to.cont)
	default:
		f.assign(to.results, o.Args)
		f.leave(to.brk)
	}
}

// yieldEvery is how many polls lie between two calls of [launch.ModuleYield], a power of two.
const yieldEvery = 1 << 12

// poll ends the task, or the function with zeros, if the launch is to end. Another thread sets the word, so the load is an atomic one. That thread may
// have no processor as long as this one has it: so now and then the host is called, which lets others run.
func (f *function) poll() {
	if f.polls == nil {
		l := f.fresh(i32)
		f.polls = &l
	}
	f.get(*f.polls)
	f.word(1)
	f.do("i32.add")
	f.index("local.tee", *f.polls)
	f.word(yieldEvery - 1)
	f.do("i32.and")
	f.do("i32.eqz")
	f.when(func() { f.index("call", 0) })
	f.get(f.context(launch.CtxStop, i32))
	f.access("i32.atomic.load", 0)
	f.when(func() {
		for _, t := range f.results {
			f.zero(t)
		}
		f.do("return")
	})
}

func (f *function) ret(o *ir.Op) {
	if !f.task {
		for i, v := range o.Args {
			if v.Type.Lanes > 1 {
				f.pushLanes(v, f.wordBytes(v))
			} else {
				f.pushAs(kindType(f.fn.Results[i].Kind), v)
			}
		}
	}
	f.do("return")
	f.reached = false
}
