package sparsert

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// LockFree returns the functions that f is made of where very many threads run, of which none may wait for another one, and where blocks are no
// addresses: values of kind block, whose memory the op blockptr gives. Callees come before callers.
func (f Function) LockFree() []*ir.Func {
	e := func(name string, results ...ir.Type) *lockFree { return &lockFree{newEmitter(name, results...)} }
	z := e("ti.zero").zero()
	t := e("ti.take", word).take(z)
	switch f.Does {
	case Grow:
		g := e("ti.give").give()
		return []*ir.Func{z, t, g, e(f.Name(), ref).grow(t, g)}
	case Find:
		return []*ir.Func{e(f.Name(), ref).find(f.Rank)}
	}
	g, look := e("ti.give").give(), e(Function{Does: Find, Rank: f.Rank}.Name(), ref).find(f.Rank)
	return []*ir.Func{z, t, g, look, e(f.Name(), ref).enter(f.Rank, t, g, look)}
}

var ref = ir.Scalar(ir.BlockRef)

// A lockFree writes a function in which no thread waits.
type lockFree struct{ *emitter }

// memory is where the memory of a block begins, which a word at an offset from p refers to.
func (e *lockFree) memory(p value, offset int64) value {
	return e.Op(ir.OpBlockPtr, e.load(ref, p, offset))
}

// behind is the block so many bytes behind another one.
func (e *lockFree) behind(block, bytes value) value {
	return e.Emit(ir.NewOp(ir.OpOffset, e.Pos, []ir.Type{ref}, block, bytes))
}

// none is no block.
func (e *lockFree) none() value { return e.Const(ref, 0) }

// block is the block in a slot.
func (e *lockFree) block(control, bytes, slot value) value {
	return e.behind(e.load(ref, control, layout.ControlRegion), e.Op(ir.OpMul, slot, bytes))
}

// zero makes the function (block ptr, bytes i64) that zeroes a block.
func (e *lockFree) zero() *ir.Func {
	block, bytes := e.param(ptr, "block"), e.param(word, "bytes")
	e.loop([]value{e.num(0)}, func(l *ir.Op, vs []value) {
		e.store(e.plus(block, vs[0]), 0, e.num(0))
		i := e.Op(ir.OpAdd, vs[0], e.num(8))
		e.If(e.Op(ir.OpEq, i, bytes), nil, func() { e.leave(l) }, func() { e.next(l, i) })
		e.leave(l) // never reached
	})
	e.Return()
	return e.fn
}

// take makes the function (control ptr, bytes i64) i64 that takes a free slot, whose block is zero: its number, or -1 if there is none. A slot that another
// thread has given back comes first. Many threads come to the same place, and all but one give theirs back: so a task needs far more slots than it fills.
func (e *lockFree) take(zero *ir.Func) *ir.Func {
	control, bytes := e.param(ptr, "control"), e.param(word, "bytes")
	none := func() { e.Return(e.num(-1)) }
	failed := e.loadIn(ir.Relaxed, word, control, layout.ControlFailed)
	e.returnIf(e.Op(ir.OpNe, failed, e.num(0)), none)

	given, next := e.givenBack(control)
	e.loop([]value{e.loadIn(ir.Acquire, bits, given, 0)}, func(l *ir.Op, vs []value) {
		first := e.Op(ir.OpAnd, vs[0], e.bits(givenMask))
		e.If(e.Op(ir.OpEq, first, e.bits(0)), nil, func() { e.leave(l) }, func() { e.Yield() })
		slot := e.Op(ir.OpSub, e.Convert(first, ir.I64), e.num(1))
		second := e.loadIn(ir.Relaxed, bits, next(slot), 0)
		was := e.atomic(ir.AcqRel, ir.AtomicCAS, given, vs[0], e.changed(vs[0], second))
		e.returnIf(e.Op(ir.OpEq, was, vs[0]), func() { e.Return(slot) })
		e.next(l, was)
	})

	// The count may go below 0, so that a thread looks before it subtracts: it cannot wrap.
	e.when(e.Op(ir.OpGt, e.loadIn(ir.Relaxed, word, control, layout.ControlCount), e.num(0)), func() {
		old := e.atomic(ir.Plain, ir.AtomicSub, e.at(control, layout.ControlCount), e.num(1))
		e.returnIf(e.Op(ir.OpGt, old, e.num(0)), func() {
			stack := e.memory(control, layout.ControlFree)
			e.Return(e.load(word, e.plus(stack, e.Op(ir.OpMul, e.Op(ir.OpSub, old, e.num(1)), e.num(8))), 0))
		})
	})

	// Neither can the top, of which threads that find no slot look several times.
	limit := e.load(word, control, layout.ControlLimit)
	e.returnIf(e.Op(ir.OpGe, e.loadIn(ir.Relaxed, word, control, layout.ControlTop), limit), none)
	slot := e.atomic(ir.Plain, ir.AtomicAdd, e.at(control, layout.ControlTop), e.num(1))
	e.returnIf(e.Op(ir.OpGe, slot, limit), none)
	used := e.load(word, e.memory(control, layout.ControlCaches), layout.CacheUsed)
	e.when(e.Op(ir.OpLt, slot, used), func() {
		e.Call(zero, e.Op(ir.OpBlockPtr, e.block(control, bytes, slot)), bytes)
	})
	e.Return(slot)
	return e.fn
}

// givenMask is where the word layout.CacheGiven has the first slot.
const givenMask = 1<<32 - 1

// givenBack is where the list of slots that were given back begins, and where it has the slot behind another one: behind the stack there is a word for each slot.
func (e *lockFree) givenBack(control value) (given value, next func(slot value) value) {
	caches := e.memory(control, layout.ControlCaches)
	return e.at(caches, layout.CacheGiven), func(slot value) value {
		place := e.Op(ir.OpAdd, e.load(word, caches, layout.CacheSlots), slot)
		return e.plus(e.memory(control, layout.ControlFree), e.Op(ir.OpMul, place, e.num(8)))
	}
}

// changed is the word at the beginning of the list with another first slot. It counts its changes, so that a thread which has found a slot there does
// not take the word for the same when the slot was taken and given back since.
func (e *lockFree) changed(was, first value) value {
	changes := e.Op(ir.OpAdd, e.Op(ir.OpAnd, was, e.bits(^uint64(givenMask))), e.bits(1<<32))
	return e.Op(ir.OpOr, changes, first)
}

// give makes the function (control ptr, slot i64) that gives back a slot that was not needed, whose block is zero. Threads take from the stack at the
// same time, where a place that is not filled yet could be taken: so it goes to a list.
func (e *lockFree) give() *ir.Func {
	control, slot := e.param(ptr, "control"), e.param(word, "slot")
	given, next := e.givenBack(control)
	behind, first := next(slot), e.Convert(e.Op(ir.OpAdd, slot, e.num(1)), ir.U64)
	e.loop([]value{e.loadIn(ir.Relaxed, bits, given, 0)}, func(l *ir.Op, vs []value) {
		e.storeIn(ir.Relaxed, behind, 0, e.Op(ir.OpAnd, vs[0], e.bits(givenMask)))
		was := e.atomic(ir.AcqRel, ir.AtomicCAS, given, vs[0], e.changed(vs[0], first))
		e.returnIf(e.Op(ir.OpEq, was, vs[0]), func() { e.Return() })
		e.next(l, was)
	})
	e.Return() // never reached: the loop returns
	return e.fn
}

// attempts is how often a thread that finds no slot looks again whether another thread has made the block, or given a slot back. They may all have been
// taken by threads that come to the same few places, which need only some accesses to memory until they fill them or give them back.
const attempts = 1024

// findEvery is how many attempts there are between two searches in a table, which take up to layout.TableProbes rounds a level. If each attempt had one, a thread would run more
// rounds than llvmpipe has for it; that ends loops then, and a block that was not found was an address that nobody has. It is a power of two, and divides attempts.
const findEvery = 16

// withSlot takes a slot, after there has looked whether the block was made, in which case it returns. Use does what the slot was taken for, and returns as well.
// Where there is no slot the thread tries again, and looks whether the block was made each time, or every so many times; without any in the end, the allocation has failed, and the dump
// block is returned.
//
// Use belongs to the round of the loop in which the slot was taken: threads of a subgroup that leave a loop wait for those that are still in it, and must not do so
// with slots that the others look for.
func (e *lockFree) withSlot(take *ir.Func, control, bytes value, every int64, there func(), use func(slot value)) {
	e.loop([]value{e.num(attempts)}, func(l *ir.Op, vs []value) {
		if every == 1 {
			there()
		} else {
			e.when(e.Op(ir.OpEq, e.Op(ir.OpAnd, vs[0], e.num(every-1)), e.num(0)), there)
		}
		slot := e.Call(take, control, bytes)[0]
		e.returnIf(e.Op(ir.OpGe, slot, e.num(0)), func() { use(slot) })
		failed := e.Op(ir.OpNe, e.loadIn(ir.Relaxed, word, control, layout.ControlFailed), e.num(0))
		e.returnIf(e.Op(ir.OpOr, failed, e.Op(ir.OpEq, vs[0], e.num(0))), func() {
			e.storeIn(ir.Relaxed, control, layout.ControlFailed, e.num(1))
			e.Return(e.load(ref, control, layout.ControlDump))
		})
		e.next(l, e.Op(ir.OpSub, vs[0], e.num(1)))
	})
	e.Return(e.none()) // never reached: the loop returns
}

// grow makes the function (base ptr, control, bytes, changed i64, place ptr) block: as that of [Function.IR], but for how blocks are named.
func (e *lockFree) grow(take, give *ir.Func) *ir.Func {
	base, controls, bytes, changed, place := e.param(ptr, "base"), e.param(word, "control"), e.param(word, "bytes"), e.param(word, "changed"), e.param(ptr, "place")
	control := e.plus(base, controls)
	e.withSlot(take, control, bytes, 1, func() {
		there := e.loadIn(ir.Acquire, ref, place, 0)
		e.returnIf(e.Op(ir.OpNe, there, e.none()), func() { e.Return(there) })
	}, func(slot value) {
		block := e.block(control, bytes, slot)
		first := e.atomic(ir.AcqRel, ir.AtomicCAS, place, e.none(), block)
		e.returnIf(e.Op(ir.OpEq, first, e.none()), func() {
			e.storeIn(ir.Relaxed, e.plus(base, changed), layout.ControlChanged, e.num(1))
			e.Return(block)
		})
		e.Call(give, control, slot)
		e.Return(first)
	})
	return e.fn
}

// probe goes through the levels of a table, from the lowest one. In a level it begins with the entry that the tag says, and looks at layout.TableProbes
// entries; in the lowest level also at those behind, up to the reach of what the host has put. All threads look for coordinates in this order, and put a block
// into the first entry without one, so no coordinates come twice. Look writes what is done with an entry, and calls next to go on. Behind the last entry of
// level most comes end, which returns.
func (e *lockFree) probe(t *table, lowest, most value, look func(level, entry value, next func()), end func()) {
	reach := e.load(bits, t.header, layout.TableReach)
	e.loop([]value{lowest}, func(levels *ir.Op, vs []value) {
		level := vs[0]
		size := e.power(e.Op(ir.OpAdd, t.log, level))
		first := e.Op(ir.OpSelect, e.Op(ir.OpEq, level, lowest), e.Op(ir.OpMax, reach, e.bits(layout.TableProbes)), e.bits(layout.TableProbes))
		offset := e.Op(ir.OpAdd, e.Op(ir.OpMul, e.Op(ir.OpSub, size, t.first), e.bits(entryBytes)), e.bits(layout.TableLocks))
		start := e.plus(t.region, e.Convert(offset, ir.I64))
		mask := e.Op(ir.OpSub, size, e.bits(1))
		e.loop([]value{e.Op(ir.OpShr, t.tag, e.bits(6)), e.Op(ir.OpMin, first, size)}, func(l *ir.Op, vs []value) {
			i, left := vs[0], vs[1]
			entry := e.plus(start, e.Convert(e.Op(ir.OpMul, e.Op(ir.OpAnd, i, mask), e.bits(entryBytes)), ir.I64))
			look(level, entry, func() {
				fewer := e.Op(ir.OpSub, left, e.bits(1))
				e.If(e.Op(ir.OpEq, fewer, e.bits(0)), nil, func() { e.leave(l) }, func() {
					e.next(l, e.Op(ir.OpAdd, i, e.bits(1)), fewer)
				})
				e.leave(l) // never reached
			})
		})
		e.returnIf(e.Op(ir.OpGe, level, most), end)
		e.next(levels, e.Op(ir.OpAdd, level, e.bits(1)))
	})
}

// openTable reads the header at an offset from base.
func (e *lockFree) openTable(base, offset value, coords []value) *table {
	t := &table{header: e.plus(base, offset), tag: e.tag(coords)}
	t.region = e.memory(t.header, layout.TableRegion)
	t.log = e.load(bits, t.header, layout.TableLog)
	t.first = e.power(t.log)
	return t
}

// same reports whether a block has these coordinates, which its memory begins with.
func (e *lockFree) same(block value, coords []value) value {
	at := e.Op(ir.OpBlockPtr, block)
	same := e.Int(ir.Scalar(ir.Bool), 1)
	for i, c := range coords {
		same = e.Op(ir.OpAnd, same, e.Op(ir.OpEq, e.load(c.Type, at, int64(4*i)), c))
	}
	return same
}

// find makes the function (base ptr, table i64, coordinates i32) block that finds a block; none if it is not there. An entry is put by its block,
// and has its tag a little later.
func (e *lockFree) find(rank int) *ir.Func {
	e.fn.Effects.Writes = 0
	base, offset := e.param(ptr, "base"), e.param(word, "table")
	coords := e.coords(rank)
	t := e.openTable(base, offset, coords)
	highest := e.loadIn(ir.Acquire, bits, t.header, layout.TableHighest)
	none := func() { e.Return(e.none()) }
	e.probe(t, e.load(bits, t.header, layout.TableLowest), highest, func(_, entry value, next func()) {
		block := e.loadIn(ir.Acquire, ref, entry, entryBlock)
		tag := e.loadIn(ir.Relaxed, bits, entry, 0)
		e.returnIf(e.Op(ir.OpAnd, e.Op(ir.OpEq, block, e.none()), e.Op(ir.OpEq, tag, e.bits(0))), none)
		may := e.Op(ir.OpOr, e.Op(ir.OpEq, tag, t.tag), e.Op(ir.OpEq, tag, e.bits(0)))
		e.when(e.Op(ir.OpAnd, may, e.Op(ir.OpNe, block, e.none())), func() {
			e.returnIf(e.same(block, coords), func() { e.Return(block) })
		})
		next()
	}, none)
	e.Return(e.none()) // never reached: the loop returns
	return e.fn
}

// enter makes the function (base ptr, table, control, bytes, changed i64, coordinates i32) block that finds a block, or makes it and puts it into the
// table. Where another thread has put the same coordinates, its block is the one.
func (e *lockFree) enter(rank int, take, give, find *ir.Func) *ir.Func {
	base, offset := e.param(ptr, "base"), e.param(word, "table")
	controls, bytes, changed := e.param(word, "control"), e.param(word, "bytes"), e.param(word, "changed")
	coords := e.coords(rank)
	control := e.plus(base, controls)
	e.withSlot(take, control, bytes, findEvery, func() {
		there := e.Call(find, append([]value{base, offset}, coords...)...)[0]
		e.returnIf(e.Op(ir.OpNe, there, e.none()), func() { e.Return(there) })
	}, func(slot value) { e.put(base, offset, control, bytes, changed, slot, coords, give) })
	return e.fn
}

// put fills a slot with the block of coordinates and puts it into the table, or gives it back where another thread was first; then it returns the block.
func (e *lockFree) put(base, offset, control, bytes, changed, slot value, coords []value, give *ir.Func) {
	block := e.block(control, bytes, slot)
	at := e.Op(ir.OpBlockPtr, block)
	for i, c := range coords {
		e.store(at, int64(4*i), c)
	}
	t := e.openTable(base, offset, coords)
	most := e.Op(ir.OpSub, e.load(bits, t.header, layout.TableLevels), e.bits(1))
	e.probe(t, e.load(bits, t.header, layout.TableLowest), most, func(level, entry value, next func()) {
		removed := e.Op(ir.OpEq, e.loadIn(ir.Relaxed, bits, entry, 0), e.bits(1))
		e.when(e.Op(ir.OpNot, removed), func() {
			was := e.atomic(ir.AcqRel, ir.AtomicCAS, e.at(entry, entryBlock), e.none(), block)
			e.returnIf(e.Op(ir.OpEq, was, e.none()), func() {
				e.storeIn(ir.Release, entry, 0, t.tag)
				e.atomic(ir.Plain, ir.AtomicMax, e.at(t.header, layout.TableHighest), level)
				e.atomic(ir.Plain, ir.AtomicAdd, e.at(t.header, layout.TableUsed), e.bits(1))
				e.storeIn(ir.Relaxed, e.plus(base, changed), layout.ControlChanged, e.num(1))
				e.Return(block)
			})
			e.returnIf(e.same(was, coords), func() {
				for i, c := range coords {
					e.store(at, int64(4*i), e.Int(c.Type, 0))
				}
				e.Call(give, control, slot)
				e.Return(was)
			})
		})
		next()
	}, func() { // the slot is found as one that is lost
		e.storeIn(ir.Relaxed, control, layout.ControlFailed, e.num(1))
		e.Return(e.load(ref, control, layout.ControlDump))
	})
	e.Return(e.none()) // never reached: the loop returns
}
