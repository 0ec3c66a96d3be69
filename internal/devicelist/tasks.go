package devicelist

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// The numbers of the tasks. Each is given three addresses, of entries 0 to 2 of its table of bases: a description, the gate of the launch, and what is known of its task. Check
// has instead of the description a number of words to look at, and their addresses.
const (
	Open = iota
	Count
	Sum
	Total
	Write
	Again
	Check
	NumTasks
)

// Words of the gate of a launch, which is open at first.
const (
	GateMost  = iota // no iteration from that number on is run: [GateOpen], or 0 when the launch has stopped
	GateTask         // then: of which task, counted from 1
	GateCause        // and why
	GateWords
)

// GateOpen is more iterations than there are.
const GateOpen = 1 << 62

// The causes of a stop.
const (
	NoMemory = 1 + iota // for a block that the task before wanted
	NoRoom              // for the entries of a list
)

// Words of what is known of a task.
const (
	TaskNumber = iota // counted from 1
	TaskInner         // iterations for each entry of its list
	TaskLast          // not 0 if the list is the one that the task runs over
	TaskMost          // then the iterations that it has come here; 0 if the launch has stopped
	TaskWords
)

// Bases is how many addresses a task is given.
const Bases = 3

// Tasks returns the tasks by their numbers.
func Tasks() (all [NumTasks]*ir.Task) {
	for i, f := range [NumTasks]func(e *emitter){Open: (*emitter).open, Count: (*emitter).count, Sum: (*emitter).sum, Total: (*emitter).total, Write: (*emitter).write, Again: (*emitter).again, Check: (*emitter).check} {
		t := &ir.Task{Name: "lists", Index: i, Body: &ir.Block{}}
		e := &emitter{Builder: ir.NewBuilder(t.Body)}
		if most := [NumTasks]int64{Count: Threads, Sum: Group, Write: Threads}[i]; most > 0 {
			t.Loop, t.Dims = 1, []ir.Dim{{Kind: ir.I64, Hi: ir.Bound{Const: most}}}
			e.number = t.Body.AddParam(word, "number")
		}
		e.description, e.gate, e.of = e.base(0), e.base(1), e.base(2)
		f(e)
		if e.number != nil {
			e.Jump(ir.OpContinue, nil)
		} else {
			e.Return()
		}
		all[i] = t
	}
	return all
}

// open counts the changes on the way to the node, and begins a list that is not complete.
func (e *emitter) open() {
	head := e.ptrAt(e.description, wordHead)
	chain := e.ptrAt(e.description, wordChainAt)
	stamp := e.times(e.at(e.description, wordChain), []value{e.num(1)}, func(i value, vs []value) []value {
		node := e.ptrOf(chain, i)
		changed := e.Op(ir.OpNe, e.load(word, node, layout.ControlChanged), e.num(0))
		e.when(changed, func() {
			e.store(node, layout.ControlChanged, e.num(0))
			e.store(node, layout.ControlVersion, e.Op(ir.OpAdd, e.load(word, node, layout.ControlVersion), e.num(1)))
		})
		return []value{e.Op(ir.OpAdd, vs[0], e.load(word, node, layout.ControlVersion))}
	})[0]
	runs := e.Op(ir.OpNe, e.at(e.gate, GateMost), e.num(0))
	making := e.Op(ir.OpAnd, runs, e.Op(ir.OpNe, stamp, e.at(head, HeadStamp)))
	all := e.Op(ir.OpMul, e.at(e.ptrAt(e.description, wordAbove), HeadLength), e.at(e.description, wordTotal))
	e.set(head, HeadMaking, e.Op(ir.OpSelect, making, e.num(1), e.num(0)))
	e.set(head, HeadWork, e.Op(ir.OpSelect, making, all, e.num(0)))
	e.set(head, HeadNext, stamp)
}

// candidates runs found for the candidates of the thread with a block: above is the entry above, i the number of the candidate there, and block the word that refers to the block. Each
// call is given what the one before has returned.
func (e *emitter) candidates(carried value, found func(above, i, block, carried value) value) value {
	d := e.description
	work, threads, total := e.at(e.ptrAt(d, wordHead), HeadWork), e.at(d, wordThreads), e.at(d, wordTotal)
	share := e.Op(ir.OpMax, e.over(e.Op(ir.OpSub, e.Op(ir.OpAdd, work, threads), e.num(1)), threads), e.num(threadLeast))
	begin := e.Op(ir.OpMin, e.Op(ir.OpMul, e.number, share), work)
	n := e.Op(ir.OpSub, e.Op(ir.OpMin, e.Op(ir.OpAdd, begin, share), work), begin)
	from, bytes := e.ptrAt(d, wordFrom), e.Op(ir.OpMul, e.at(d, wordFromWidth), e.num(8))
	first := e.over(begin, total)
	above := e.plus(from, e.Op(ir.OpMul, first, bytes))
	offset := e.at(d, wordFirst)
	last := e.times(n, []value{above, e.Op(ir.OpSub, begin, e.Op(ir.OpMul, first, total)), carried}, func(_ value, vs []value) []value {
		above, i, carried := vs[0], vs[1], vs[2]
		memory := e.Op(ir.OpBlockPtr, e.load(ref, above, 0))
		block := e.load(word, e.plus(memory, e.Op(ir.OpAdd, offset, e.distance(i))), 0)
		is := e.Op(ir.OpNe, block, e.num(0))
		carried = e.If(is, []ir.Type{word}, func() { e.Yield(found(above, i, block, carried)) }, func() { e.Yield(carried) })[0]
		next := e.Op(ir.OpAdd, i, e.num(1))
		behind := e.Op(ir.OpEq, next, total)
		return []value{e.plus(above, e.Op(ir.OpSelect, behind, bytes, e.num(0))), e.Op(ir.OpSelect, behind, e.num(0), next), carried}
	})
	return last[2]
}

// eachDim runs f for the dims of a candidate, from the innermost one outwards, with its place along each.
func (e *emitter) eachDim(i value, carried []value, f func(dim, along value, carried []value) []value) []value {
	dims, n := e.ptrAt(e.description, wordDimsAt), e.at(e.description, wordDims)
	all := e.times(n, append([]value{i}, carried...), func(k value, vs []value) []value {
		outwards := e.Op(ir.OpSub, e.Op(ir.OpSub, n, e.num(1)), k)
		dim := e.plus(dims, e.Op(ir.OpMul, outwards, e.num(8*dimWords)))
		size := e.at(dim, 0)
		rest := e.over(vs[0], size)
		return append([]value{rest}, f(dim, e.Op(ir.OpSub, vs[0], e.Op(ir.OpMul, rest, size)), vs[1:])...)
	})
	return all[1:]
}

// distance is how far a candidate is from the first one of its block.
func (e *emitter) distance(i value) value {
	return e.eachDim(i, []value{e.num(0)}, func(dim, along value, vs []value) []value {
		return []value{e.Op(ir.OpAdd, vs[0], e.Op(ir.OpMul, along, e.at(dim, 1)))}
	})[0]
}

// count notes how many blocks are behind the candidates of the thread.
func (e *emitter) count() {
	n := e.candidates(e.num(0), func(_, _, _, n value) value { return e.Op(ir.OpAdd, n, e.num(1)) })
	e.store(e.word(e.ptrAt(e.description, wordCounts), e.number), 0, n)
}

// running makes of n words the sums of those before each, and returns the sum of all.
func (e *emitter) running(words, n value) value {
	return e.times(n, []value{e.num(0)}, func(i value, vs []value) []value {
		at := e.word(words, i)
		was := e.load(word, at, 0)
		e.store(at, 0, vs[0])
		return []value{e.Op(ir.OpAdd, vs[0], was)}
	})[0]
}

// sum adds up the counts of a group.
func (e *emitter) sum() {
	d := e.description
	first := e.Op(ir.OpMul, e.number, e.num(Group))
	n := e.Op(ir.OpMin, e.Op(ir.OpSub, e.at(d, wordThreads), first), e.num(Group))
	all := e.running(e.word(e.ptrAt(d, wordCounts), first), n)
	e.store(e.word(e.ptrAt(d, wordSums), e.number), 0, all)
}

// total adds up the sums of the groups, or the counts of the only one, and completes the head of a list that is made. Where there is too little room the launch stops, and nothing is written.
func (e *emitter) total() {
	d, head := e.description, e.ptrAt(e.description, wordHead)
	e.when(e.Op(ir.OpNe, e.at(head, HeadMaking), e.num(0)), func() {
		threads, counts, sums := e.at(d, wordThreads), e.ptrAt(d, wordCounts), e.ptrAt(d, wordSums)
		alone := e.Op(ir.OpLe, threads, e.num(Group))
		groups := e.over(e.Op(ir.OpAdd, threads, e.num(Group-1)), e.num(Group))
		all := e.running(e.Op(ir.OpSelect, alone, counts, sums), e.Op(ir.OpSelect, alone, threads, groups))
		e.when(alone, func() { e.store(sums, 0, e.num(0)) })
		fits := e.Op(ir.OpLe, all, e.at(d, wordRoom))
		e.set(head, HeadLength, all)
		e.set(head, HeadStamp, e.Op(ir.OpSelect, fits, e.at(head, HeadNext), e.num(0)))
		e.when(e.Op(ir.OpNot, fits), func() {
			e.set(head, HeadWork, e.num(0))
			e.stop(NoRoom)
		})
	})
	e.when(e.Op(ir.OpNe, e.at(e.of, TaskLast), e.num(0)), func() { e.most(head) })
}

// most notes how many iterations the task has that comes.
func (e *emitter) most(head value) {
	stopped := e.Op(ir.OpEq, e.at(e.gate, GateMost), e.num(0))
	all := e.Op(ir.OpMul, e.at(head, HeadLength), e.at(e.of, TaskInner))
	e.set(e.of, TaskMost, e.Op(ir.OpSelect, stopped, e.num(0), all))
}

// again is for one more task over a list that was made for a task before.
func (e *emitter) again() { e.most(e.ptrAt(e.description, wordHead)) }

// write writes the entries of the thread, behind those of the threads before.
func (e *emitter) write() {
	d := e.description
	group := e.over(e.number, e.num(Group))
	before := e.Op(ir.OpAdd, e.load(word, e.word(e.ptrAt(d, wordCounts), e.number), 0), e.load(word, e.word(e.ptrAt(d, wordSums), group), 0))
	width := e.at(d, wordWidth)
	e.candidates(before, func(above, i, block, n value) value {
		entry := e.word(e.ptrAt(d, wordTo), e.Op(ir.OpMul, n, width))
		e.entry(entry, width, above, i, block)
		return e.Op(ir.OpAdd, n, e.num(1))
	})
}

// entry writes one.
func (e *emitter) entry(entry, width, above, i, block value) {
	d := e.description
	e.store(entry, 0, block)
	e.times(e.Op(ir.OpSub, width, e.num(1)), nil, func(k value, _ []value) []value {
		e.store(e.word(entry, k), 8, e.num(0))
		return nil
	})
	add := func(place, v value) {
		at := e.word(entry, place)
		e.store(at, 0, e.Op(ir.OpAdd, e.load(word, at, 0), v))
	}
	from := e.ptrAt(d, wordCoordinatesAt)
	e.times(e.at(d, wordCoordinates), nil, func(k value, _ []value) []value {
		c := e.plus(from, e.Op(ir.OpMul, k, e.num(8*coordinateWords)))
		add(e.at(c, 2), e.Op(ir.OpMul, e.load(word, e.word(above, e.at(c, 0)), 0), e.at(c, 1)))
		return nil
	})
	e.eachDim(i, nil, func(dim, along value, _ []value) []value {
		add(e.at(dim, 3), e.Op(ir.OpMul, along, e.at(dim, 2)))
		return nil
	})
}

// check stops the launch where an allocation has failed.
func (e *emitter) check() {
	e.times(e.at(e.description, 0), nil, func(i value, _ []value) []value {
		failed := e.Op(ir.OpNe, e.load(word, e.ptrOf(e.plus(e.description, e.num(8)), i), 0), e.num(0))
		e.when(failed, func() { e.stop(NoMemory) })
		return nil
	})
}

// stop ends the launch, unless it has stopped.
func (e *emitter) stop(cause int64) {
	e.when(e.Op(ir.OpNe, e.at(e.gate, GateMost), e.num(0)), func() {
		e.set(e.gate, GateMost, e.num(0))
		e.set(e.gate, GateTask, e.at(e.of, TaskNumber))
		e.set(e.gate, GateCause, e.num(cause))
	})
}
