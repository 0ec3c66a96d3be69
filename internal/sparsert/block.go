package sparsert

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// How much a thread takes at once: about batchBytes, at most batchSlots, of slots that were
// never used, or claim slots of the stack.
const (
	batchBytes = 1 << 16
	batchSlots = 64
	claim      = 32
)

// zero makes the function (control ptr, bytes, slot, used i64) that zeroes the block in a
// slot of the region, if it is below used.
func zero() *ir.Func {
	e := newEmitter("ti.zero")
	control, bytes := e.param(ptr, "control"), e.param(word, "bytes")
	slot, used := e.param(word, "slot"), e.param(word, "used")
	e.returnIf(e.Op(ir.OpGe, slot, used), func() { e.Return() })
	block := e.block(control, bytes, slot)
	words := e.Op(ir.OpShr, bytes, e.num(3))
	e.loop([]value{e.num(0)}, func(l *ir.Op, vs []value) {
		e.store(e.plus(block, e.NoWrap(ir.OpMul, vs[0], e.num(8))), 0, e.num(0))
		i := e.NoWrap(ir.OpAdd, vs[0], e.num(1))
		e.If(e.Op(ir.OpEq, i, words), nil, func() { e.leave(l) }, func() { e.next(l, i) })
		e.leave(l) // never reached
	})
	e.Return()
	return e.fn
}

// take makes the function (control ptr, bytes i64) i64 that takes a free slot, whose block is
// zero: its number, or -1 if no memory is left. Control has the words of the kind of block,
// bytes is the size of a slot.
func take(clean *ir.Func) *ir.Func {
	e := newEmitter("ti.take", word)
	control, bytes := e.param(ptr, "control"), e.param(word, "bytes")
	none := func() { e.Return(e.num(-1)) }
	zero, one := e.num(0), e.num(1)

	failed := e.loadIn(ir.Relaxed, word, control, layout.ControlFailed)
	e.returnIf(e.Op(ir.OpNe, failed, zero), none)

	cache := e.cache(control)
	reserve := e.load(word, cache, layout.CacheReserve)
	e.returnIf(e.Op(ir.OpNe, reserve, zero), func() {
		e.store(cache, layout.CacheReserve, zero)
		e.Return(e.Op(ir.OpSub, reserve, one))
	})

	next := e.load(word, cache, layout.CacheNext)
	e.returnIf(e.Op(ir.OpLt, next, e.load(word, cache, layout.CacheEnd)), func() {
		e.store(cache, layout.CacheNext, e.Op(ir.OpAdd, next, one))
		e.Call(clean, control, bytes, next, e.load(word, cache, layout.CacheUsed))
		e.Return(next)
	})

	stack := e.load(ptr, control, layout.ControlFree)
	slotAt := func(i value) value { return e.load(word, e.plus(stack, e.Op(ir.OpMul, i, e.num(8))), 0) }
	end := e.load(word, cache, layout.CacheFree)
	e.returnIf(e.Op(ir.OpGt, end, e.load(word, cache, layout.CacheFreeStart)), func() {
		last := e.Op(ir.OpSub, end, one)
		e.store(cache, layout.CacheFree, last)
		e.Return(slotAt(last))
	})

	// The count may go below 0, so that a thread looks before it subtracts: it cannot wrap.
	count := e.at(control, layout.ControlCount)
	e.when(e.Op(ir.OpGt, e.loadIn(ir.Relaxed, word, control, layout.ControlCount), zero), func() {
		old := e.atomic(ir.Plain, ir.AtomicSub, count, e.num(claim))
		e.returnIf(e.Op(ir.OpGt, old, zero), func() {
			e.store(cache, layout.CacheFreeStart, e.Op(ir.OpMax, e.Op(ir.OpSub, old, e.num(claim)), zero))
			last := e.Op(ir.OpSub, old, one)
			e.store(cache, layout.CacheFree, last)
			e.Return(slotAt(last))
		})
	})

	limit := e.load(word, control, layout.ControlLimit)
	room := e.Convert(e.Op(ir.OpDiv, e.bits(batchBytes), e.Convert(bytes, ir.U64)), ir.I64)
	batch := e.Op(ir.OpMin, e.Op(ir.OpMax, room, one), e.num(batchSlots))
	top := e.atomic(ir.Plain, ir.AtomicAdd, e.at(control, layout.ControlTop), batch)
	e.returnIf(e.Op(ir.OpGe, top, limit), func() {
		e.storeIn(ir.Relaxed, control, layout.ControlFailed, one)
		none()
	})
	e.store(cache, layout.CacheNext, e.Op(ir.OpAdd, top, one))
	e.store(cache, layout.CacheEnd, e.Op(ir.OpMin, e.Op(ir.OpAdd, top, batch), limit))
	e.Call(clean, control, bytes, top, e.load(word, cache, layout.CacheUsed))
	e.Return(top)
	return e.fn
}

// cache is the place of the words of the thread that runs the task.
func (e *emitter) cache(control value) value {
	caches := e.load(ptr, control, layout.ControlCaches)
	return e.plus(caches, e.Op(ir.OpMul, e.OpOf(ir.OpWorker, word), e.num(layout.CacheBytes)))
}

// block is the address of the block in a slot.
func (e *emitter) block(control, bytes, slot value) value {
	return e.plus(e.load(ptr, control, layout.ControlRegion), e.Op(ir.OpMul, slot, bytes))
}

// grow makes the function (base ptr, control, bytes, changed i64, place ptr) ptr that makes
// a block, which is zero, and stores its address at an empty place. Control and changed
// are offsets from base of the words of the kind of block and of the node. If another
// thread comes first, or no memory is left, the result is its block or the dump block.
func grow(take *ir.Func) *ir.Func {
	e := newEmitter(Function{Does: Grow}.Name(), ptr)
	base, controls, bytes, changed, place := e.param(ptr, "base"), e.param(word, "control"), e.param(word, "bytes"), e.param(word, "changed"), e.param(ptr, "place")
	control := e.plus(base, controls)
	slot := e.Call(take, control, bytes)[0]
	e.returnIf(e.Op(ir.OpLt, slot, e.num(0)), func() { e.Return(e.load(ptr, control, layout.ControlDump)) })

	block := e.block(control, bytes, slot)
	first := e.atomic(ir.AcqRel, ir.AtomicCAS, place, e.null(), block)
	e.returnIf(e.Op(ir.OpEq, first, e.null()), func() {
		e.storeIn(ir.Relaxed, e.plus(base, changed), layout.ControlChanged, e.num(1))
		e.Return(block)
	})
	e.store(e.cache(control), layout.CacheReserve, e.Op(ir.OpAdd, slot, e.num(1)))
	e.Return(first)
	return e.fn
}
