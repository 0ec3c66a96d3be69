package spirv

import "github.com/gotaichi/ti/internal/ir"

// This file has the threads of a workgroup put their results together. Where the epilogue of a task adds an accumulator to memory, the values of all
// threads are combined in shared memory first, and one thread adds what comes out: one atomic a workgroup, not one a thread.
//
// All threads have to reach a barrier. So what a thread does with its iterations is a function of its own, from which it may return at any point, and
// behind which the threads meet. A thread that has ended early, since the launch is to end, brings what changes nothing.
//
// Subgroup operations would save some of the barriers. They need features of the device for each width of numbers, and another way where these are missing.

// sharedSlots is how many words of 32 bits a thread has in shared memory, so that a workgroup of 1,024 threads has no more than 16 KiB of it together
// with the counts of rounds: what each device has at least.
const sharedSlots = 3

// apart returns the updates of memory in the epilogue of a task for which threads combine their values: updates of a place that is the same for all
// threads, whose old value nothing uses.
func apart(t *ir.Task) (all []*ir.Op) {
	if t.Epilogue == nil || inOrder(t) {
		return nil
	}
	used := map[*ir.Value]bool{}
	ir.Visit(t.Epilogue, func(o *ir.Op) bool {
		for _, v := range o.Args {
			used[v] = true
		}
		return true
	})
	for _, o := range t.Epilogue.Ops {
		if o.Code != ir.OpAtomic || o.Flags.Has(ir.NonAtomic) || o.Order != ir.Plain || used[o.Results[0]] || len(o.Args) != 2 {
			continue
		}
		if _, ok := joins(o); ok && everywhere(o.Args[0]) {
			all = append(all, o)
		}
	}
	return all
}

// joins returns the operation by which two values for an update become one: what is subtracted is added up.
func joins(o *ir.Op) (k ir.AtomicKind, ok bool) {
	switch k = o.Atomic; k {
	case ir.AtomicSub:
		return ir.AtomicAdd, true
	case ir.AtomicAdd, ir.AtomicMin, ir.AtomicMax, ir.AtomicAnd, ir.AtomicOr, ir.AtomicXor, ir.AtomicLAnd, ir.AtomicLOr:
		return k, true
	}
	return k, false
}

// everywhere reports whether a value that is no value of a loop is the same in all threads: it is computed of constants and of what the task is given.
func everywhere(v *ir.Value) bool {
	o := v.Def
	if o == nil {
		return false
	}
	switch o.Code {
	case ir.OpConst, ir.OpBase, ir.OpFrame, ir.OpArgPtr, ir.OpParam, ir.OpLen:
		return true
	case ir.OpOffset, ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpShl, ir.OpConvert:
		for _, a := range o.Args {
			if !everywhere(a) {
				return false
			}
		}
		return true
	}
	return false
}

// together writes a task whose threads combine their values for some updates.
func (f *function) together(t *ir.Task, updates []*ir.Op) {
	work := f.newFunction()
	work.task, work.signature, work.topology, work.bounded = f.task, f.signature, f.topology, f.bounded
	work.later, work.results = map[*ir.Op]bool{}, []ir.Type{ir.Scalar(ir.Bool)}
	for _, o := range updates {
		work.later[o] = true
		work.results = append(work.results, o.Args[1].Type, ir.Scalar(ir.Ptr))
	}
	result := f.resultType(work.results)
	if work.iterations(t); work.reached {
		done := []id{f.boolean(true)}
		for _, o := range updates {
			done = append(done, work.use(o.Args[1]), work.use(o.Args[0]))
		}
		work.do(opReturnValue, work.inst(opCompositeConstruct, result, done...))
	}
	if f.failed = work.failed; f.failed != nil {
		return
	}
	n := f.id()
	work.finish(n, result, f.global(opTypeFunction, 0, result), nil, nil)

	r := f.inst(opFunctionCall, result, n)
	finished := f.inst(opCompositeExtract, f.kind(ir.Bool), r, 0)
	values := make([]id, len(updates))
	for i, o := range updates {
		k := o.Args[1].Type.Kind
		v := f.inst(opCompositeExtract, f.kind(k), r, uint32(1+2*i))
		values[i] = f.inst(opSelect, f.kind(k), finished, v, f.literal(k, o.Atomic.Identity(k)))
		f.values[o.Args[0]] = f.inst(opCompositeExtract, f.integer(64), r, uint32(2+2*i))
	}
	f.shareWords(updates)
	rest := values
	for _, some := range rooms(updates) {
		f.meet(some, rest[:len(some)])
		rest = rest[len(some):]
	}
	first := f.inst(opIEqual, f.kind(ir.Bool), f.inst(opLoad, f.integer(32), f.index), f.word(0))
	f.when(f.inst(opLogicalAnd, f.kind(ir.Bool), first, finished), func() {
		for i, o := range updates {
			f.values[o.Args[1]] = values[i]
			f.atomic(o)
		}
	})
}

// rooms divides updates into those whose values have room in shared memory at once.
func rooms(updates []*ir.Op) (all [][]*ir.Op) {
	slots := sharedSlots
	for _, o := range updates {
		if slots += slotsOf(o); slots > sharedSlots {
			all, slots = append(all, nil), slotsOf(o)
		}
		last := len(all) - 1
		all[last] = append(all[last], o)
	}
	return all
}

// shareWords makes room in shared memory for values of all threads.
func (f *function) shareWords(updates []*ir.Op) {
	slots, u32 := 0, f.integer(32)
	for _, some := range rooms(updates) {
		slots = max(slots, firstSlot(len(some), some))
	}
	size := f.word(uint32(slots))
	for _, n := range f.block {
		size = f.global(opSpecConstantOp, u32, opIMul, size, n)
	}
	f.words = f.module.variable(classWorkgroup, f.global(opTypeArray, 0, u32, size))
}

// slotsOf is how many words of shared memory the value of an update takes.
func slotsOf(o *ir.Op) int { return (o.Args[1].Type.Kind.Size() + 3) / 4 }

// meet replaces the values of the workgroup's first thread by those of all its threads together. In each round, the values of the upper half of the threads that are left go to the threads of the lower half. Of an odd number,
// that in the middle waits.
func (f *function) meet(updates []*ir.Op, values []id) {
	u32, yes := f.integer(32), f.kind(ir.Bool)
	index, left := f.inst(opLoad, u32, f.index), f.variable(u32)
	for i, o := range updates {
		f.share(i, updates, index, f.toWords(o.Args[1].Type.Kind, values[i]))
	}
	f.do(opStore, left, f.threadCount())
	head, check, round, next, done := f.id(), f.id(), f.id(), f.id(), f.id()
	f.branch(head)
	f.label(head)
	f.do(opLoopMerge, done, next, 0)
	f.branch(check)
	f.label(check)
	// At the barrier of the workgroup, what was written to its shared memory is there for all.
	f.do(opControlBarrier, f.word(2), f.word(2), f.word(0x108))
	n := f.inst(opLoad, u32, left)
	f.do(opBranchConditional, f.inst(opUGreaterThan, yes, n, f.word(1)), round, done)
	f.label(round)
	half := f.inst(opShiftRightLogical, u32, f.inst(opIAdd, u32, n, f.word(1)), f.word(1))
	f.do(opStore, left, half)
	f.when(f.inst(opULessThan, yes, index, f.inst(opISub, u32, n, half)), func() {
		other := f.inst(opIAdd, u32, index, half)
		for i, o := range updates {
			k := o.Args[1].Type.Kind
			joined := *o
			joined.Atomic, _ = joins(o)
			v := f.combine(&joined, k, f.shared(i, updates, index), []id{f.shared(i, updates, other)})
			f.share(i, updates, index, f.toWords(k, v))
		}
	})
	f.branch(next)
	f.label(next)
	f.do(opBranch, head)
	f.label(done)
	for i := range updates {
		values[i] = f.shared(i, updates, index)
	}
}

// sharedSlot returns a pointer to a word of shared memory: the one with a number, of those of a thread.
func (f *function) sharedSlot(slot int, thread id) id {
	u32 := f.integer(32)
	at := thread
	if slot > 0 {
		at = f.inst(opIAdd, u32, thread, f.inst(opIMul, u32, f.threadCount(), f.word(uint32(slot))))
	}
	return f.inst(opAccessChain, f.pointer(classWorkgroup, u32), f.words, at)
}

// firstSlot is that of an update's value.
func firstSlot(i int, updates []*ir.Op) (slot int) {
	for _, o := range updates[:i] {
		slot += slotsOf(o)
	}
	return slot
}

// share stores the words of a thread's value for an update.
func (f *function) share(i int, updates []*ir.Op, thread id, words []id) {
	for n, w := range words {
		f.do(opStore, f.sharedSlot(firstSlot(i, updates)+n, thread), w)
	}
}

// shared reads a thread's value for an update.
func (f *function) shared(i int, updates []*ir.Op, thread id) id {
	k, u32, u64 := updates[i].Args[1].Type.Kind, f.integer(32), f.integer(64)
	word := f.inst(opLoad, u32, f.sharedSlot(firstSlot(i, updates), thread))
	if k.Size() == 8 {
		high := f.inst(opLoad, u32, f.sharedSlot(firstSlot(i, updates)+1, thread))
		high = f.inst(opShiftLeftLogical, u64, f.inst(opUConvert, u64, high), f.number(64, 32))
		word = f.inst(opBitwiseOr, u64, high, f.inst(opUConvert, u64, word))
	}
	return f.fromWord(k, word, f.word(0))
}

// toWords returns the words that a value is kept in.
func (f *function) toWords(k ir.Kind, v id) []id {
	v = f.toWord(k, v, f.word(0), f.word(0))
	if k.Size() < 8 {
		return []id{v}
	}
	low, high := f.halves(v)
	return []id{low, high}
}
