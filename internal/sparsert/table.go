package sparsert

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// An entry of a table is two words: the tag, and the address of a block.
const (
	entryBytes = 16
	entryBlock = 8
	locks      = 64 // a line each
	lockBytes  = 64
)

// multiplier is that of the hash function; package sparse has the same.
const multiplier = 0x9e3779b97f4a7c15

// A table is what find and enter know of one: its header, and the tag of the coordinates.
type table struct {
	header     value
	tag        value
	region     value // with the locks and the levels
	log, first value // of the number of entries of level 0, and the number
}

// coords adds a parameter for each coordinate.
func (e *emitter) coords(rank int) []value {
	cs := make([]value, rank)
	for i := range cs {
		cs[i] = e.param(ir.Scalar(ir.I32), fmt.Sprint("c", i))
	}
	return cs
}

// tag hashes coordinates. It is 2 at least, since tag 0 is that of an entry never used and
// 1 that of a removed one.
func (e *emitter) tag(coords []value) value {
	h := e.bits(0)
	for _, c := range coords {
		x := e.Op(ir.OpXor, h, e.Convert(e.Convert(c, ir.U32), ir.U64))
		m := e.Op(ir.OpMul, x, e.bits(multiplier))
		h = e.Op(ir.OpXor, m, e.Op(ir.OpShr, m, e.bits(32)))
	}
	return e.Op(ir.OpSelect, e.Op(ir.OpLt, h, e.bits(2)), e.Op(ir.OpAdd, h, e.bits(2)), h)
}

// table reads the header at an offset from base.
func (e *emitter) table(base, offset value, coords []value) *table {
	t := &table{header: e.plus(base, offset), tag: e.tag(coords)}
	t.region = e.load(ptr, t.header, layout.TableRegion)
	t.log = e.load(bits, t.header, layout.TableLog)
	t.first = e.power(t.log)
	return t
}

// power is 2 to the n, which is below 64. Saying so saves a comparison.
func (e *emitter) power(n value) value {
	return e.Op(ir.OpShl, e.bits(1), e.Op(ir.OpAnd, n, e.bits(63)))
}

// probe goes through the entries of a level from the one that the tag says. Look writes what
// is done with an entry, and continues, returns or leaves the loop; it goes on by calling
// next. After all entries of the level the loop ends as well.
func (e *emitter) probe(t *table, size value, look func(entry value, leave, next func())) {
	before := e.Op(ir.OpSub, size, t.first)
	offset := e.Op(ir.OpAdd, e.Op(ir.OpMul, before, e.bits(entryBytes)), e.bits(layout.TableLocks))
	start := e.plus(t.region, e.Convert(offset, ir.I64))
	mask := e.Op(ir.OpSub, size, e.bits(1))
	e.loop([]value{e.Op(ir.OpShr, t.tag, e.bits(6)), size}, func(l *ir.Op, vs []value) {
		i, left := vs[0], vs[1]
		entry := e.plus(start, e.Convert(e.Op(ir.OpMul, e.Op(ir.OpAnd, i, mask), e.bits(entryBytes)), ir.I64))
		look(entry, func() { e.leave(l) }, func() {
			fewer := e.Op(ir.OpSub, left, e.bits(1))
			e.If(e.Op(ir.OpEq, fewer, e.bits(0)), nil, func() { e.leave(l) }, func() {
				e.next(l, e.Op(ir.OpAdd, i, e.bits(1)), fewer)
			})
			e.leave(l) // never reached
		})
	})
}

// find makes the function (base ptr, table i64, coordinates i32) ptr that finds the block
// with these coordinates in the table at an offset from base; null if it is not there.
func find(rank int) *ir.Func {
	e := newEmitter(Function{Find, rank}.Name(), ptr)
	e.fn.Effects.Writes = 0
	base, offset := e.param(ptr, "base"), e.param(word, "table")
	coords := e.coords(rank)
	t := e.table(base, offset, coords)
	lowest := e.load(bits, t.header, layout.TableLowest)
	highest := e.loadIn(ir.Acquire, bits, t.header, layout.TableHighest)
	e.loop([]value{highest}, func(levels *ir.Op, vs []value) {
		level := vs[0]
		e.probe(t, e.power(e.Op(ir.OpAdd, t.log, level)), func(entry value, leave, next func()) {
			tag := e.loadIn(ir.Acquire, bits, entry, 0)
			e.returnIf(e.Op(ir.OpEq, tag, e.bits(0)), leave)
			e.when(e.Op(ir.OpEq, tag, t.tag), func() {
				block := e.loadIn(ir.Acquire, ptr, entry, entryBlock)
				e.when(e.Op(ir.OpNe, block, e.null()), func() {
					same := e.Int(ir.Scalar(ir.Bool), 1)
					for i, c := range coords {
						same = e.Op(ir.OpAnd, same, e.Op(ir.OpEq, e.load(c.Type, block, int64(4*i)), c))
					}
					e.returnIf(same, func() { e.Return(block) })
				})
			})
			next()
		})
		e.returnIf(e.Op(ir.OpLe, level, lowest), func() { e.Return(e.null()) })
		e.next(levels, e.Op(ir.OpSub, level, e.bits(1)))
	})
	e.Return(e.null()) // never reached: the loop returns
	return e.fn
}

// enter makes the function (base ptr, table, control, bytes, changed i64, coordinates i32)
// ptr that finds a block, or makes it and puts it into the table.
func enter(rank int, take, find *ir.Func) *ir.Func {
	e := newEmitter(Function{Enter, rank}.Name(), ptr)
	base, offset := e.param(ptr, "base"), e.param(word, "table")
	controls, bytes, changed := e.param(word, "control"), e.param(word, "bytes"), e.param(word, "changed")
	coords := e.coords(rank)
	look := append([]value{base, offset}, coords...)
	there := e.Call(find, look...)[0]
	e.returnIf(e.Op(ir.OpNe, there, e.null()), func() { e.Return(there) })

	t := e.table(base, offset, coords)
	lock := e.plus(t.region, e.Convert(e.Op(ir.OpMul, e.Op(ir.OpAnd, t.tag, e.bits(locks-1)), e.bits(lockBytes)), ir.I64))
	unlock := func() { e.storeIn(ir.Release, lock, 0, e.num(0)) }
	e.loop(nil, func(l *ir.Op, _ []value) {
		was := e.atomic(ir.Acquire, ir.AtomicXchg, lock, e.num(1))
		e.If(e.Op(ir.OpEq, was, e.num(0)), nil, func() { e.leave(l) }, func() { e.next(l) })
		e.leave(l) // never reached
	})
	again := e.Call(find, look...)[0] // another thread may have made it meanwhile
	e.returnIf(e.Op(ir.OpNe, again, e.null()), func() { unlock(); e.Return(again) })

	control := e.plus(base, controls)
	slot := e.Call(take, control, bytes)[0]
	e.returnIf(e.Op(ir.OpLt, slot, e.num(0)), func() {
		unlock()
		e.Return(e.load(ptr, control, layout.ControlDump))
	})
	block := e.block(control, bytes, slot)
	for i, c := range coords {
		e.store(block, int64(4*i), c)
	}
	e.insert(t, block, func() {
		e.storeIn(ir.Relaxed, e.plus(base, changed), layout.ControlChanged, e.num(1))
		unlock()
		e.Return(block)
	})
	e.Return(e.null()) // never reached: the loop returns
	return e.fn
}

// insert puts a block into an entry of the highest level, or adds levels until one has
// room, and then runs done, which returns.
func (e *emitter) insert(t *table, block value, done func()) {
	number := e.atomic(ir.Plain, ir.AtomicAdd, e.at(t.header, layout.TableUsed), e.bits(1))
	e.loop(nil, func(l *ir.Op, _ []value) {
		level := e.loadIn(ir.Acquire, bits, t.header, layout.TableHighest)
		size := e.power(e.Op(ir.OpAdd, t.log, level))
		all := e.Op(ir.OpSub, e.Op(ir.OpShl, size, e.bits(1)), t.first)
		most := e.Op(ir.OpSub, all, e.Op(ir.OpShr, all, e.bits(2)))
		e.when(e.Op(ir.OpLt, number, most), func() {
			e.probe(t, size, func(entry value, _, next func()) {
				was := e.atomic(ir.AcqRel, ir.AtomicCAS, entry, e.bits(0), t.tag)
				e.returnIf(e.Op(ir.OpEq, was, e.bits(0)), func() {
					e.storeIn(ir.Release, entry, entryBlock, block)
					done()
				})
				next()
			})
		})
		e.atomic(ir.AcqRel, ir.AtomicCAS, e.at(t.header, layout.TableHighest), level, e.Op(ir.OpAdd, level, e.bits(1)))
		e.next(l)
	})
}
