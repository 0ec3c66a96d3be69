package spirv

import "github.com/gotaichi/ti/internal/ir"

// The instructions for integers of 32 and 64 bits, signed and unsigned.
var atomics = map[ir.AtomicKind][2]uint32{
	ir.AtomicAdd: {opAtomicIAdd, opAtomicIAdd}, ir.AtomicSub: {opAtomicISub, opAtomicISub}, ir.AtomicMin: {opAtomicSMin, opAtomicUMin},
	ir.AtomicMax: {opAtomicSMax, opAtomicUMax}, ir.AtomicAnd: {opAtomicAnd, opAtomicAnd}, ir.AtomicOr: {opAtomicOr, opAtomicOr},
	ir.AtomicXor: {opAtomicXor, opAtomicXor}, ir.AtomicXchg: {opAtomicExchange, opAtomicExchange},
}

// atomic translates an atomic, and returns the old value.
func (f *function) atomic(o *ir.Op) id {
	k := o.Results[0].Type.Kind
	args := f.uses(o.Args[1:])
	_, own := f.locals[o.Args[0]]
	if o.Flags.Has(ir.NonAtomic) || own {
		old := f.load(o, k)
		if o.Atomic != ir.AtomicLoad {
			f.store(o, k, f.combine(o, k, old, args))
		}
		return old
	}
	at := f.use(o.Args[0])
	bits := k.Size() * 8
	if bits == 64 {
		f.capability(CapInt64Atomics)
	}
	f.release(o.Order)
	defer f.acquire(o.Order)
	device, relaxed := f.word(1), f.word(0)
	ops, direct := atomics[o.Atomic]
	switch {
	case o.Atomic == ir.AtomicCAS && !k.IsFloat() && bits >= 32:
		return f.inst(opAtomicCompareExchange, f.kind(k), f.placeOf(at, f.kind(k)), device, relaxed, relaxed, args[1], args[0])
	case o.Atomic == ir.AtomicLoad && bits >= 32:
		word := f.inst(opAtomicLoad, f.integer(bits), f.placeOf(at, f.integer(bits)), device, relaxed)
		return f.bits(map[int]ir.Kind{32: ir.U32, 64: ir.U64}[bits], k, word)
	case o.Atomic == ir.AtomicLoad:
		return f.loadAt(k, at)
	case direct && k.IsInt() && bits >= 32:
		op := ops[0]
		if k.IsUnsigned() {
			op = ops[1]
		}
		return f.inst(op, f.kind(k), f.placeOf(at, f.kind(k)), device, relaxed, args[0])
	}
	return f.exchange(o, k, at, args)
}

// release and acquire order the accesses before and behind an atomic one with an order. Atomics themselves are relaxed: llvmpipe takes each that orders
// memory for a barrier, at which the threads of a subgroup are given up if all other subgroups of the workgroup have ended. There, the host's processors
// keep the order.
func (f *function) release(o ir.Order) {
	if o == ir.Release || o == ir.AcqRel {
		f.fence(4)
	}
}

func (f *function) acquire(o ir.Order) {
	if o == ir.Acquire || o == ir.AcqRel {
		f.fence(2)
	}
}

// fence orders accesses to buffers, as other threads of the device see them.
func (f *function) fence(semantics uint32) {
	f.when(f.inst(opIEqual, f.kind(ir.Bool), f.limit, f.word(0)), func() {
		f.do(opMemoryBarrier, f.word(1), f.word(semantics|0x40))
	})
}

// exchange tries until no other thread interferes. Numbers of less than 32 bits are exchanged with the word around them. Where nothing would change,
// nothing is written.
func (f *function) exchange(o *ir.Op, k ir.Kind, at id, args []id) id {
	bits := k.Size() * 8
	word := f.integer(max(32, bits))
	var shift id // of a narrow number in its word
	if bits < 32 {
		low := f.inst(opBitwiseAnd, f.integer(64), at, f.number(64, 3))
		shift = f.inst(opShiftLeftLogical, f.integer(32), f.inst(opUConvert, f.integer(32), low), f.word(3))
		at = f.inst(opISub, f.integer(64), at, low)
	}
	p := f.placeOf(at, word)
	device, relaxed := f.word(1), f.word(0)
	last, old := f.variable(word), f.variable(f.kind(k))
	f.do(opStore, last, f.inst(opAtomicLoad, word, p, device, relaxed))
	l, head := &loop{}, f.id()
	f.enter(l, head)
	was := f.inst(opLoad, word, last)
	number := f.fromWord(k, was, shift)
	f.do(opStore, old, number)
	now := f.toWord(k, f.combine(o, k, number, args), was, shift)
	yes := f.kind(ir.Bool)
	f.when(f.inst(opIEqual, yes, now, was), func() { f.branch(l.merge) })
	found := f.inst(opAtomicCompareExchange, word, p, device, relaxed, relaxed, now, was)
	f.when(f.inst(opIEqual, yes, found, was), func() { f.branch(l.merge) })
	f.do(opStore, last, found)
	f.branch(l.cont)
	f.label(l.cont)
	f.close(l, head)
	return f.inst(opLoad, f.kind(k), old)
}

// fromWord takes a number out of the word that it lies in.
func (f *function) fromWord(k ir.Kind, word, shift id) id {
	bits := k.Size() * 8
	if bits < 32 {
		word = f.inst(opUConvert, f.integer(bits), f.inst(opShiftRightLogical, f.integer(32), word, shift))
	}
	switch {
	case k == ir.Bool:
		return f.inst(opINotEqual, f.kind(k), word, f.number(8, 0))
	case k.IsFloat():
		return f.bits(k.Unsigned(), k, word)
	}
	return word
}

// toWord puts a number into its word.
func (f *function) toWord(k ir.Kind, v, word, shift id) id {
	bits := k.Size() * 8
	switch {
	case k == ir.Bool:
		v = f.inst(opSelect, f.integer(8), v, f.number(8, 1), f.number(8, 0))
	case k.IsFloat():
		v = f.bits(k, k.Unsigned(), v)
	}
	if bits >= 32 {
		return v
	}
	u32 := f.integer(32)
	mask := f.inst(opShiftLeftLogical, u32, f.word(1<<bits-1), shift)
	rest := f.inst(opBitwiseAnd, u32, word, f.inst(opNot, u32, mask))
	return f.inst(opBitwiseOr, u32, rest, f.inst(opShiftLeftLogical, u32, f.inst(opUConvert, u32, v), shift))
}

// combine is the new value of a place that has the value old.
func (f *function) combine(o *ir.Op, k ir.Kind, old id, args []id) id {
	switch o.Atomic {
	case ir.AtomicXchg:
		return args[0]
	case ir.AtomicCAS: // floats compare as numbers
		return f.inst(opSelect, f.kind(k), f.compare(ir.OpEq, k, old, args[0]), args[1], old)
	case ir.AtomicLAnd:
		return f.inst(opLogicalAnd, f.kind(k), old, args[0])
	case ir.AtomicLOr:
		return f.inst(opLogicalOr, f.kind(k), old, args[0])
	}
	code, ok := o.Atomic.Code()
	if !ok {
		f.unsupported(o, "atomic."+o.Atomic.String())
		return old
	}
	return f.binary(o, code, k, old, args[0])
}
