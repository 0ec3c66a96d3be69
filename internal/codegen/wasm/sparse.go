package wasm

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/sparsert"
)

// block translates the ops on lists and blocks of sparse trees. What is rare is in functions of the sparse runtime.
func (f *function) block(o *ir.Op) {
	t := f.typeOf(o.Results[0])
	switch o.Code {
	case ir.OpEntry:
		f.entryAddress(o)
		k := o.Results[0].Type.Kind
		f.access(t.String()+".load", uint64(8*o.Aux))
		if !is64(k) {
			f.fit(k)
		}
	case ir.OpListMask:
		f.entryAddress(o)
		f.pushAs(i32, o.Args[1])
		f.word(3)
		f.do("i32.shl")
		f.do("i32.add")
		f.access(t.String()+".load", uint64(8*o.Aux))
	case ir.OpFollow:
		f.follow(o, t)
	case ir.OpGrow:
		f.grow(o, t)
	case ir.OpFind:
		f.table(o, o.Args[2:])
		f.cut(i64, t)
		f.orZero(t, o.Args[1])
	case ir.OpEnter:
		f.table(o, o.Args[1:])
		f.cut(i64, t)
	}
}

// entryAddress puts the address of an entry of a list on the stack.
func (f *function) entryAddress(o *ir.Op) {
	list := f.module.task.Lists[o.Stride]
	f.get(f.slot(ir.SlotBase, int64(list.Base), i32, "i32.load"))
	f.pushAs(i32, o.Args[0])
	f.scale(int64(8 * list.Words()))
	f.do("i32.add")
}

// loadSlot reads the block that a slot refers to. Other threads may put one there, unless the op says otherwise.
func (f *function) loadSlot(at *ir.Value, t valType, alone bool) {
	offset := f.address(at)
	if alone {
		f.access(t.String()+".load", offset)
	} else {
		f.access(t.String()+".atomic.load", offset)
	}
}

// follow reads the address of a block, or takes the zero block.
func (f *function) follow(o *ir.Op, t valType) {
	f.loadSlot(o.Args[0], t, o.Flags.Has(ir.NonAtomic))
	f.orZero(t, o.Args[1])
}

// orZero replaces a null on the stack. The lower half of an address is 0 for null alone.
func (f *function) orZero(t valType, zero *ir.Value) {
	block := f.keep(t)
	f.put(block)
	f.pushAs(t, zero)
	f.put(block)
	f.zero(t)
	f.do(t.String() + ".ne")
	f.do("select")
}

// grow reads the address of a block, and calls for one if there is none.
func (f *function) grow(o *ir.Op, t valType) {
	fn, s := f.runtimeOf(o), o.Store
	there := f.take(t)
	f.pending = append(f.pending, func() { f.give(there) })
	base, slot := f.holdAs(fn, 0, o.Args[0]), f.holdAs(fn, len(fn.Params)-1, o.Args[1])
	f.put(slot)
	f.cut(f.locals[slot.local], i32)
	f.access(t.String()+".atomic.load", 0)
	f.set(there)
	f.get(there)
	f.do(t.String() + ".eqz")
	f.when(func() {
		f.put(base)
		f.long(s.Control)
		f.cutParam(fn, 1)
		f.long(s.Bytes)
		f.cutParam(fn, 2)
		f.long(s.Changed)
		f.cutParam(fn, 3)
		f.put(slot)
		f.invoke(fn)
		f.cut(i64, t)
		f.set(there)
	})
	f.get(there)
}

// holdAs is an operand in the type of a parameter of a function.
func (f *function) holdAs(fn *ir.Func, i int, v *ir.Value) operand {
	f.argument(fn, i, v)
	t := i32
	if f.wideParam(fn, i) {
		t = i64
	}
	return f.keep(t)
}

// cutParam makes the number of 64 bits on the stack the argument of a function.
func (f *function) cutParam(fn *ir.Func, i int) {
	if !f.wideParam(fn, i) {
		f.do("i32.wrap_i64")
	}
}

// table calls a function that looks for the block of a table with some coordinates.
func (f *function) table(o *ir.Op, coords []*ir.Value) {
	fn, s := f.runtimeOf(o), o.Store
	numbers := []int64{s.Table}
	if o.Code == ir.OpEnter {
		numbers = append(numbers, s.Control, s.Bytes, s.Changed)
	}
	f.argument(fn, 0, o.Args[0])
	for i, n := range numbers {
		f.long(n)
		f.cutParam(fn, 1+i)
	}
	for _, v := range coords {
		f.pushAs(i32, v)
	}
	f.invoke(fn)
}

// runtimeOf returns the function of the sparse runtime that belongs to an op.
func (m *module) runtimeOf(o *ir.Op) *ir.Func {
	var callee sparsert.Function
	switch o.Code {
	case ir.OpGrow:
		callee = sparsert.Function{Does: sparsert.Grow}
	case ir.OpFind:
		callee = sparsert.Function{Does: sparsert.Find, Rank: len(o.Args) - 2}
	default:
		callee = sparsert.Function{Does: sparsert.Enter, Rank: len(o.Args) - 1}
	}
	fn := m.runtime[callee]
	if fn == nil {
		parts := callee.IR()
		fn = parts[len(parts)-1]
		m.runtime[callee] = fn
	}
	return fn
}
