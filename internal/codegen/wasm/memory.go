package wasm

import (
	"fmt"
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// read translates the ops that read what the task is given. Their results are in locals that are set at the start.
func (f *function) read(o *ir.Op) {
	r := o.Results[0]
	t := f.typeOf(r)
	var l uint32
	switch o.Code {
	case ir.OpParam:
		l = f.scalar(r.Type.Kind, o.Aux, t)
	case ir.OpLen:
		l = f.length(o.Param, r.Type.Kind, t)
	case ir.OpKey:
		l = f.context(launch.CtxKey, t)
	case ir.OpOrdinal:
		l = f.context(launch.CtxLoop, t)
	case ir.OpWorker:
		l = f.context(launch.CtxWorker, t)
	case ir.OpBase:
		l = f.slot(ir.SlotBase, o.Aux, t, loadName(ir.Ptr, t))
	case ir.OpArgPtr:
		l = f.slot(ir.SlotArg, o.Aux, t, loadName(ir.Ptr, t))
	case ir.OpFrame:
		l = f.slot(ir.SlotFrame, o.Aux, t, loadName(ir.Ptr, t))
	}
	if less := f.lessBy(r); less != 0 {
		from := l
		l = f.once(fmt.Sprint("less", from, less), t, func() {
			f.get(from)
			f.increase(-less)
		})
	}
	f.pin(r, l)
}

// length reads a length. An int of 32 bits holds no more than its largest number.
func (f *function) length(p *ir.Param, k ir.Kind, t valType) uint32 {
	n := f.slot(ir.SlotArg, int64(p.LengthSlot()), i64, "i64.load")
	if is64(k) && t == i64 {
		return n
	}
	return f.once(fmt.Sprint("length", p.LengthSlot(), k), t, func() {
		f.get(n)
		if !is64(k) {
			f.long(math.MaxInt32)
			f.get(n)
			f.long(math.MaxInt32)
			f.do("i64.lt_s")
			f.do("select")
		}
		f.do("i32.wrap_i64")
	})
}

// loadName is the instruction that reads a number of a kind as one of type t.
func loadName(k ir.Kind, t valType) string {
	switch k {
	case ir.Bool, ir.U8:
		return "i32.load8_u"
	case ir.I8:
		return "i32.load8_s"
	case ir.U16, ir.F16:
		return "i32.load16_u"
	case ir.I16:
		return "i32.load16_s"
	}
	return t.String() + ".load"
}

// storeName is the instruction that writes one.
func storeName(k ir.Kind) string {
	switch k.Size() {
	case 1:
		return "i32.store8"
	case 2:
		return "i32.store16"
	}
	return kindType(k).String() + ".store"
}

// memory translates the ops that name places, and loads.
func (f *function) memory(o *ir.Op) {
	switch r := o.Results[0]; o.Code {
	case ir.OpAlloc:
		f.arrayAddress(o)
	case ir.OpCell:
		f.cell(o)
	case ir.OpLookup:
		f.lookup(o)
	case ir.OpLoad:
		if len(o.Args) > 1 {
			f.unsupported(o, "masked loads of one number")
			return
		}
		f.load(o, r.Type.Kind, f.typeOf(r))
	}
}

// load reads a place.
func (f *function) load(o *ir.Op, k ir.Kind, t valType) {
	offset := f.address(o.Args[0])
	f.reachOn(o)
	if o.Order != ir.Plain {
		f.access(atomicLoad(k, t), offset)
		f.fit(signedNarrow(k))
		return
	}
	f.access(loadName(k, t), offset)
	f.truth(k)
}

// truth makes a byte on the stack a bool.
func (f *function) truth(k ir.Kind) {
	if k == ir.Bool {
		f.word(0)
		f.do("i32.ne")
	}
}

// signedNarrow is the kind whose values an instruction that extends without the sign has to be fitted to.
func signedNarrow(k ir.Kind) ir.Kind {
	if k == ir.I8 || k == ir.I16 {
		return k
	}
	return ir.I32
}

func (f *function) store(o *ir.Op) {
	v := o.Args[1]
	switch k := v.Type.Kind; {
	case v.Type.Lanes > 1 || o.Args[0].Type.Lanes > 1:
		f.storeVector(o)
	case len(o.Args) > 2:
		f.unsupported(o, "masked stores of one number")
	case o.Order != ir.Plain:
		offset := f.address(o.Args[0])
		f.pushAs(kindType(k), v)
		f.access(atomicStore(k), offset)
	default:
		offset := f.address(o.Args[0])
		f.reachOn(o)
		f.pushAs(kindType(k), v)
		f.access(storeName(k), offset)
	}
}

// offset computes an address, as it is kept. Where only its lower half is wanted, it is computed in 32 bits.
func (f *function) offset(o *ir.Op) {
	t := f.typeOf(o.Results[0])
	base := f.resolve(o.Args[0])
	if f.pushKept(base); t == i32 && f.typeOf(base) == i64 {
		f.do("i32.wrap_i64")
	}
	f.pushAs(t, o.Args[1])
	f.do(t.String() + ".add")
}

// cell computes the address of an element of a local array.
func (f *function) cell(o *ir.Op) {
	t, i := f.typeOf(o.Results[0]), o.Args[1]
	size := int64(1)
	if d := o.Args[0].Def; d != nil && d.Code == ir.OpAlloc {
		size = int64(d.Kind.Size())
	} else {
		f.unsupported(o, "cells of arrays that are made elsewhere")
	}
	f.pushAs(t, o.Args[0])
	f.pushAs(t, i)
	if t == i64 && f.typeOf(f.resolve(i)) == i32 && !ir.IsConst(f.resolve(i)) {
		f.extend(i.Type.Kind)
	}
	if t == i32 {
		f.scale(size)
	} else {
		f.long(size)
		f.do("i64.mul")
	}
	f.do(t.String() + ".add")
}

// frame makes a local with the lower end of the function's part of the stack.
func (f *function) frame() {
	if !f.hasFrame {
		f.hasFrame = true
		f.sp = f.fresh(i32)
	}
}

// zeroInline is how many bytes are set to zero by stores in a row.
const zeroInline = 256

// alloc gives a local array its place in the frame, and zeroes it.
func (f *function) alloc(o *ir.Op) {
	f.frame()
	size := max(1, o.Aux) * int64(o.Kind.Size())
	at, ok := f.arrays[o]
	if !ok {
		f.failed(fmt.Errorf("code for a local array without a place"))
	}
	f.later[o.Results[0]] = true
	if o.Flags.Has(ir.Unset) {
		return
	}
	whole := (size + 7) &^ 7
	if whole > zeroInline {
		f.get(f.sp)
		f.word(int32(at))
		f.do("i32.add")
		f.word(0)
		f.word(int32(whole))
		f.begin("memory.fill")
		f.code = append(f.code, 0)
		return
	}
	for i := int64(0); i < whole; i += 8 {
		f.get(f.sp)
		f.long(0)
		f.access("i64.store", uint64(at+i))
	}
}

// arrayAddress puts the address of a local array on the stack. Its upper half is that of everything in memory.
func (f *function) arrayAddress(o *ir.Op) {
	f.frame()
	f.get(f.sp)
	f.word(int32(f.arrays[o]))
	f.do("i32.add")
	if f.typeOf(o.Results[0]) == i64 {
		f.do("i64.extend_i32_u")
		f.get(f.upperHalf())
		f.do("i64.or")
	}
}

// upperHalf is a local with the upper half of all addresses of the host, and zeros below.
func (f *function) upperHalf() uint32 {
	return f.once("upper half", i64, func() {
		f.get(f.context(launch.CtxSlots, i64))
		f.long(math.MinInt64 >> 31)
		f.do("i64.and")
	})
}
