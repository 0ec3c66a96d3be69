package wasm

import "github.com/gotaichi/ti/internal/ir"

// The instructions for integers: the part of the name behind the width. A conjunction of bools is one of their bits.
var atomics = map[ir.AtomicKind]string{
	ir.AtomicAdd: "add", ir.AtomicSub: "sub", ir.AtomicAnd: "and", ir.AtomicOr: "or", ir.AtomicXor: "xor",
	ir.AtomicLAnd: "and", ir.AtomicLOr: "or", ir.AtomicXchg: "xchg", ir.AtomicCAS: "cmpxchg",
}

// wordType is the type of the integer that an atomic of a kind works on.
func wordType(k ir.Kind) valType {
	if k.Size() == 8 {
		return i64
	}
	return i32
}

// narrowName is the name of an atomic on integers of a kind's width.
func narrowName(k ir.Kind, before, behind string) string {
	switch k.Size() {
	case 1:
		return "i32.atomic." + before + "8" + behind
	case 2:
		return "i32.atomic." + before + "16" + behind
	}
	return ""
}

// atomicLoad reads a number of a kind; of one of 64 bits, type i32 asks for the lower half.
func atomicLoad(k ir.Kind, t valType) string {
	if name := narrowName(k, "load", "_u"); name != "" {
		return name
	}
	return t.String() + ".atomic.load"
}

func atomicStore(k ir.Kind) string {
	if name := narrowName(k, "store", ""); name != "" {
		return name
	}
	return wordType(k).String() + ".atomic.store"
}

// updateName is the instruction that reads, computes and writes.
func updateName(k ir.Kind, what string) string {
	if name := narrowName(k, "rmw", "."+what+"_u"); name != "" {
		return name
	}
	return wordType(k).String() + ".atomic.rmw." + what
}

// atomic translates an atomic, whose result is the old value. All of them order memory, as those of WebAssembly do.
func (f *function) atomic(o *ir.Op) {
	if o.Results[0].Type.Lanes > 1 {
		f.atomicVector(o)
		return
	}
	k := o.Results[0].Type.Kind
	args := make([]operand, len(o.Args)-1)
	for i, v := range o.Args[1:] {
		args[i] = f.hold(v)
	}
	f.atomicAt(o, k, args, func() uint64 { return f.address(o.Args[0]) })
	if is64(k) {
		f.cut(i64, f.typeOf(o.Results[0]))
	}
	f.define(o.Results[0])
}

// atomicAt leaves the old value at a place on the stack. Address puts that of the place there, each time.
func (f *function) atomicAt(o *ir.Op, k ir.Kind, args []operand, address func() uint64) {
	offset := address()
	at := f.keep(i32)
	t, word := kindType(k), wordType(k)
	what, direct := atomics[o.Atomic]
	switch {
	case o.Atomic == ir.AtomicLoad:
		f.put(at)
		f.access(atomicLoad(k, word), offset)
		f.fromWord(k)
	case o.Flags.Has(ir.NonAtomic):
		f.put(at)
		f.access(loadName(k, t), offset)
		f.truth(k)
		old := f.keep(t)
		f.put(at)
		f.combine(o, k, t, old, args)
		f.access(storeName(k), offset)
		f.put(old)
	case direct && (k.IsInt() || k == ir.Bool || k == ir.Ptr || o.Atomic == ir.AtomicXchg):
		f.put(at)
		for _, a := range args {
			f.put(a)
			f.toWord(k)
		}
		f.access(updateName(k, what), offset)
		f.fromWord(k)
	default:
		f.atomicLoop(o, k, args, at, offset)
	}
}

// atomicLoop tries until no other thread interferes. Where nothing would change, nothing is written: most updates of a minimum end so.
func (f *function) atomicLoop(o *ir.Op, k ir.Kind, args []operand, at operand, offset uint64) {
	t, word := kindType(k), wordType(k)
	f.put(at)
	f.access(atomicLoad(k, word), offset)
	bits := f.temp(word)
	old, now := f.take(t), f.take(word)
	done := f.open("block")
	again := f.open("loop")
	f.get(bits)
	f.fromWord(k)
	f.set(old)
	f.combine(o, k, t, operand{local: old}, args)
	f.toWord(k)
	f.set(now)
	f.get(now)
	f.get(bits)
	f.do(word.String() + ".eq")
	f.br("br_if", done)
	f.put(at)
	f.get(bits)
	f.get(now)
	f.access(updateName(k, "cmpxchg"), offset)
	f.set(now)
	f.get(now)
	f.get(bits)
	f.do(word.String() + ".eq")
	f.br("br_if", done)
	f.get(now)
	f.set(bits)
	f.br("br", again)
	f.end()
	f.end()
	f.give(now)
	f.pending = append(f.pending, func() { f.give(old) })
	f.get(old)
}

// fromWord makes a number of the integer on the stack, which has its bits and zeros above.
func (f *function) fromWord(k ir.Kind) {
	switch k {
	case ir.F32:
		f.do("f32.reinterpret_i32")
	case ir.F64:
		f.do("f64.reinterpret_i64")
	case ir.I8, ir.I16:
		f.fit(k)
	case ir.Bool:
		f.truth(k)
	}
}

// toWord is the inverse.
func (f *function) toWord(k ir.Kind) {
	switch k {
	case ir.F32:
		f.do("i32.reinterpret_f32")
	case ir.F64:
		f.do("i64.reinterpret_f64")
	case ir.I8:
		f.fit(ir.U8)
	case ir.I16:
		f.fit(ir.U16)
	}
}

// combine puts the new value of a place on the stack that has the value old.
func (f *function) combine(o *ir.Op, k ir.Kind, t valType, old operand, args []operand) {
	switch o.Atomic {
	case ir.AtomicXchg:
		f.put(args[0])
		return
	case ir.AtomicCAS: // floats compare as numbers
		f.put(args[1])
		f.put(old)
		f.put(old)
		f.put(args[0])
		if k == ir.F16 {
			b, a := f.keep(i32), f.keep(i32)
			f.halfBinary(o, ir.OpEq, a, b)
		} else {
			f.do(compareName(ir.OpEq, t, k))
		}
		f.choose(t)
		return
	}
	code, ok := o.Atomic.Code()
	if !ok {
		f.unsupported(o, "atomic."+o.Atomic.String())
		return
	}
	f.binary(o, code, k, t, old, args[0])
}
