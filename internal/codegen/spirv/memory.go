package spirv

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// place translates the ops that name places, and those that read what the task is given. A place in memory is its address; one in a local array is
// kept apart, since it is no value in SPIR-V.
func (f *function) place(o *ir.Op) {
	r := o.Results[0]
	u64 := f.integer(64)
	switch o.Code {
	case ir.OpParam:
		f.values[r] = f.argument(r.Type.Kind, o.Aux)
	case ir.OpLen:
		v := f.slot(ir.SlotArg, int64(o.Param.LengthSlot()))
		if r.Type.Kind != ir.I64 {
			// An int of 32 bits holds no more than its largest number.
			v = f.inst(opSelect, u64, f.compare(ir.OpLt, ir.I64, v, f.number(64, math.MaxInt32)), v, f.number(64, math.MaxInt32))
		}
		f.values[r] = f.convert(ir.I64, r.Type.Kind, v)
	case ir.OpKey:
		f.values[r] = f.pushed(launch.PushKey)
	case ir.OpOrdinal:
		f.values[r] = f.number(r.Type.Kind.Bits(), uint64(f.task.Loop))
	case ir.OpWorker:
		f.unsupported(o, "numbers of threads")
	case ir.OpBase:
		f.values[r] = f.base(o.Aux)
	case ir.OpArgPtr: // the machine gives its own address of the caller's memory
		f.values[r] = f.slot(ir.SlotArg, o.Aux)
	case ir.OpFrame:
		f.values[r] = f.slot(ir.SlotFrame, o.Aux)
	case ir.OpAlloc:
		f.alloc(o)
	case ir.OpCell:
		array, ok := f.locals[o.Args[0]]
		if !ok { // a large one
			i := f.convert(o.Args[1].Type.Kind, ir.I64, f.use(o.Args[1]))
			f.values[r] = f.inst(opIAdd, u64, f.use(o.Args[0]), f.times(i, f.number(64, uint64(o.Args[0].Def.Kind.Size()))))
			return
		}
		array.offset = f.mul(32, f.lower(o.Args[1]), f.word(uint32(array.array.Kind.Size())))
		f.locals[r] = array
	case ir.OpOffset:
		d := f.use(o.Args[1])
		if at, ok := f.locals[o.Args[0]]; ok {
			d = f.resized(64, 32, d)
			if at.offset != 0 {
				d = f.add(32, at.offset, d)
			}
			at.offset = d
			f.locals[r] = at
			return
		}
		f.values[r] = f.inst(opIAdd, u64, f.use(o.Args[0]), d)
	}
}

// lower is the lower word of an integer, which is enough of an index of a local array.
func (f *function) lower(v *ir.Value) id {
	if k := v.Type.Kind; k.Bits() < 32 {
		return f.convert(k, ir.I32, f.use(v))
	}
	return f.resized(v.Type.Kind.Bits(), 32, f.use(v))
}

// base is an address of the base table. That of partial results is where those of the thread's chunk lie.
func (f *function) base(n int64) id {
	v := f.slot(ir.SlotBase, n)
	if f.task == nil || f.task.Partial == nil || int64(f.task.Partial.Scratch) != n {
		return v
	}
	u64 := f.integer(64)
	return f.inst(opIAdd, u64, v, f.inst(opIMul, u64, f.thread(), f.number(64, uint64(8*f.task.Partial.Words))))
}

// argument reads a scalar argument.
func (f *function) argument(k ir.Kind, slot int64) id {
	v := f.slot(ir.SlotArg, slot)
	if k == ir.Bool {
		return f.inst(opINotEqual, f.kind(k), f.resized(64, 8, v), f.number(8, 0))
	}
	v = f.resized(64, k.Bits(), v)
	if k.IsFloat() {
		return f.bits(k.Unsigned(), k, v)
	}
	return v
}

// alloc makes a local array.
func (f *function) alloc(o *ir.Op) {
	n := max(1, o.Aux)
	if n*int64(o.Kind.Size()) > launch.LocalMost {
		f.largeAlloc(o, n)
		return
	}
	t := f.global(opTypeArray, 0, f.kind(o.Kind), f.word(uint32(n)))
	v := f.variable(t)
	if !o.Flags.Has(ir.Unset) {
		f.do(opStore, v, f.null(t))
	}
	f.locals[o.Results[0]] = local{array: o, base: v}
}

// cell returns a pointer to the element of a local array at a place.
func (f *function) cell(o *ir.Op, at local, k ir.Kind) id {
	if k != at.array.Kind {
		f.unsupported(o, "numbers in local arrays of other ones")
	}
	i := f.word(0)
	if at.offset != 0 {
		shift := map[int]uint64{1: 0, 2: 1, 4: 2, 8: 3}[k.Size()]
		i = f.inst(opShiftRightLogical, f.integer(32), at.offset, f.number(32, shift))
	}
	return f.inst(opAccessChain, f.pointer(classFunction, f.kind(k)), at.base, i)
}

// placeOf makes a pointer of an address.
func (f *function) placeOf(address, t id) id {
	return f.inst(opConvertUToPtr, f.pointer(classPhysicalStorageBuffer, t), address)
}

// loadAt reads a number at an address.
func (f *function) loadAt(k ir.Kind, address id) id {
	t := f.memory(k)
	v := f.inst(opLoad, t, f.placeOf(address, t), 2, uint32(k.Size())) // Aligned
	if k == ir.Bool {
		return f.inst(opINotEqual, f.kind(k), v, f.number(8, 0))
	}
	return v
}

// storeAt writes a number at an address.
func (f *function) storeAt(k ir.Kind, address, v id) {
	if k == ir.Bool {
		v = f.inst(opSelect, f.integer(8), v, f.number(8, 1), f.number(8, 0))
	}
	f.do(opStore, f.placeOf(address, f.memory(k)), v, 2, uint32(k.Size()))
}

// memoryOp translates accesses.
func (f *function) memoryOp(o *ir.Op) {
	switch o.Code {
	case ir.OpLoad:
		if len(o.Args) > 1 {
			f.unsupported(o, "masked loads")
			return
		}
		f.values[o.Results[0]] = f.load(o, o.Results[0].Type.Kind)
	case ir.OpStore:
		if len(o.Args) > 2 {
			f.unsupported(o, "masked stores")
			return
		}
		f.store(o, o.Args[1].Type.Kind, f.use(o.Args[1]))
	case ir.OpAtomic:
		f.values[o.Results[0]] = f.atomic(o)
	case ir.OpLookup:
		f.values[o.Results[0]] = f.lookup(o)
	}
}

// load reads the place that an op names.
func (f *function) load(o *ir.Op, k ir.Kind) id {
	if at, ok := f.locals[o.Args[0]]; ok {
		return f.inst(opLoad, f.kind(k), f.cell(o, at, k))
	}
	if o.Order != ir.Plain || f.contended(o, k) {
		f.capability(CapInt64Atomics)
		defer f.acquire(o.Order)
		return f.inst(opAtomicLoad, f.kind(k), f.placeOf(f.use(o.Args[0]), f.kind(k)), f.word(1), f.word(0))
	}
	return f.loadAt(k, f.use(o.Args[0]))
}

// store writes it.
func (f *function) store(o *ir.Op, k ir.Kind, v id) {
	if at, ok := f.locals[o.Args[0]]; ok {
		f.do(opStore, f.cell(o, at, k), v)
		return
	}
	if o.Order != ir.Plain || f.contended(o, k) {
		f.capability(CapInt64Atomics)
		f.release(o.Order)
		f.do(opAtomicStore, f.placeOf(f.use(o.Args[0]), f.kind(k)), f.word(1), f.word(0), v)
		return
	}
	f.storeAt(k, f.use(o.Args[0]), v)
}

// lookup reads a constant table; what is out of range gives 0.
func (f *function) lookup(o *ir.Op) id {
	k := o.Results[0].Type.Kind
	table := f.tables[o.Table]
	if table == 0 {
		var elems []uint32
		for _, bits := range o.Table.Data {
			elems = append(elems, f.constant(k, bits))
		}
		t := f.global(opTypeArray, 0, f.kind(k), f.word(uint32(len(elems))))
		c := f.global(opConstantComposite, t, elems...)
		table = f.id()
		f.globals = emit(f.globals, opVariable, f.pointer(classPrivate, t), table, classPrivate, c)
		f.interfaces = append(f.interfaces, table)
		f.tables[o.Table] = table
	}
	i := f.convert(o.Args[0].Type.Kind, ir.I64, f.use(o.Args[0]))
	inside := f.inst(opULessThan, f.kind(ir.Bool), i, f.number(64, uint64(len(o.Table.Data))))
	safe := f.inst(opSelect, f.integer(64), inside, i, f.number(64, 0))
	p := f.inst(opAccessChain, f.pointer(classPrivate, f.kind(k)), table, f.inst(opUConvert, f.integer(32), safe))
	return f.inst(opSelect, f.kind(k), inside, f.inst(opLoad, f.kind(k), p), f.null(f.kind(k)))
}
