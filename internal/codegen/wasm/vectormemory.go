package wasm

import (
	"fmt"

	"github.com/gotaichi/ti/internal/ir"
)

// loadVector reads a vector: from a place on, or from a place for each lane; only the lanes of a mask, if there is one.
func (f *function) loadVector(o *ir.Op) {
	r, p := o.Results[0], o.Args[0]
	k, n, size := r.Type.Kind, int(r.Type.Lanes), f.laneBytes(r)
	if p.Type.Lanes > 1 {
		f.gather(o, r, k, n, size)
		return
	}
	offset := f.address(p)
	at := f.keep(i32)
	if len(o.Args) > 1 {
		f.loadMasked(r, k, at, offset, f.holdLanes(o.Args[1]))
		return
	}
	f.reachTo(o, at)
	if is64(k) && size == 4 { // both halves of each
		wide := f.temporary(n, 8, func(i int) { f.loadPart(ir.U64, at, offset, i, n) })
		f.keepLanes(r, f.halves(wide, n))
		return
	}
	f.each(r, func(i int) {
		if size < 4 {
			f.put(at)
			f.access("v128.load", offset+uint64(16*i))
			return
		}
		f.loadPart(k, at, offset, i, n)
	})
}

// loadPart puts part i of n numbers from an address on onto the stack.
func (f *function) loadPart(k ir.Kind, at operand, offset uint64, i, n int) {
	size := fullBytes(k)
	per := perPart(size)
	count := min(per, n-i*per)
	offset += uint64(i * per * k.Size())
	switch {
	case k.Size() == size && count == per:
		f.put(at)
		f.access("v128.load", offset)
	case k.Size() == 4 && count == 1:
		f.put(at)
		f.access("v128.load32_zero", offset)
	case k.Size() == 4:
		if count == 3 {
			f.put(at)
		}
		f.put(at)
		if f.access("v128.load64_zero", offset); count == 3 {
			f.lane("v128.load32_lane", offset+8, 2)
		}
	case k.Size() == 8:
		f.put(at)
		f.access("v128.load64_zero", offset)
	case k.Size() == 2 && count == 4:
		f.put(at)
		f.access("v128.load16x4"+signOf(k), offset)
	case k.Size() == 1 && count == 4:
		f.put(at)
		f.access("v128.load32_zero", offset)
		f.do("i16x8.extend_low_i8x16" + signOf(k))
		f.do("i32x4.extend_low_i16x8" + signOf(k))
		f.maskPart(k)
	default:
		f.bytes([16]byte{})
		for lane := range count {
			f.put(at)
			f.access(loadName(k, i32), offset+uint64(lane*k.Size()))
			f.replace(k, 4, lane)
		}
		f.maskPart(k)
	}
}

func signOf(k ir.Kind) string {
	if k.IsSigned() && k.IsInt() {
		return "_s"
	}
	return "_u"
}

// maskPart makes a mask of the bytes of bools, which are words now.
func (f *function) maskPart(k ir.Kind) {
	if k == ir.Bool {
		f.bytes([16]byte{})
		f.do("i32x4.ne")
	}
}

// lane appends an instruction that accesses a lane.
func (f *function) lane(name string, offset uint64, lane int) {
	f.access(name, offset)
	f.code = append(f.code, byte(lane))
}

// gather reads a place for each lane.
func (f *function) gather(o *ir.Op, r *ir.Value, k ir.Kind, n, size int) {
	p := f.holdAsLanes(o.Args[0], 4)
	per := perPart(size)
	var m lanes
	masked := len(o.Args) > 1
	if masked {
		m = f.holdLanes(o.Args[1])
	}
	f.each(r, func(i int) {
		first := i * per
		count := min(per, n-first)
		if !masked {
			f.bytes([16]byte{})
			part := f.keep(v128)
			for lane := range count {
				f.gatherLane(p, first+lane, k, size, part)
			}
			f.put(part)
			f.maskPart(k)
			return
		}
		f.bytes([16]byte{})
		part := f.keep(v128)
		for lane := range count {
			f.extract(m, ir.I32, first+lane)
			f.when(func() { f.gatherLane(p, first+lane, k, size, part) })
		}
		f.put(part)
		f.maskPart(k)
	})
}

// gatherLane reads one lane into a part.
func (f *function) gatherLane(p lanes, lane int, k ir.Kind, size int, part operand) {
	to := lane % perPart(size)
	if k.Size() == size {
		f.extract(p, ir.I32, lane)
		f.put(part)
		f.lane(fmt.Sprintf("v128.load%d_lane", 8*size), 0, to)
	} else {
		f.put(part)
		f.extract(p, ir.I32, lane)
		f.access(loadName(k, i32), 0)
		f.replace(k, size, to)
	}
	f.set(part.local)
}

// loadMasked reads the lanes of a mask from a place on. Where a whole part takes part, it is read at once.
func (f *function) loadMasked(r *ir.Value, k ir.Kind, at operand, offset uint64, m lanes) {
	n, size := int(r.Type.Lanes), f.laneBytes(r)
	per := perPart(size)
	f.each(r, func(i int) {
		first := i * per
		count := min(per, n-first)
		f.bytes([16]byte{})
		part := f.keep(v128)
		one := func(lane int) {
			f.extract(m, ir.I32, first+lane)
			f.when(func() {
				f.put(part)
				f.put(at)
				f.access(loadName(k, f.typeOfLane(k, size)), offset+uint64((first+lane)*k.Size()))
				f.replace(k, size, lane)
				f.set(part.local)
			})
		}
		if k.Size() == size && count == per {
			f.allOf(m, first, count)
			f.open("if")
			f.put(at)
			f.access("v128.load", offset+uint64(first*k.Size()))
			f.set(part.local)
			f.do("else")
			for lane := range count {
				one(lane)
			}
			f.end()
		} else {
			for lane := range count {
				one(lane)
			}
		}
		f.put(part)
		f.maskPart(k)
	})
}

// allOf puts on the stack whether all lanes of a mask from one on are set, which lie in one part.
func (f *function) allOf(m lanes, first, count int) {
	f.putPart(m, first/4)
	if count == 4 {
		f.do("i32x4.all_true")
		return
	}
	f.do("i32x4.bitmask")
	bits := int32(1<<count-1) << (first % 4)
	f.word(bits)
	f.do("i32.and")
	f.word(bits)
	f.do("i32.eq")
}

// storeVector writes a vector, as loadVector reads it.
func (f *function) storeVector(o *ir.Op) {
	p, v := o.Args[0], o.Args[1]
	k, n := v.Type.Kind, int(max(v.Type.Lanes, p.Type.Lanes))
	size, masked := fullBytes(k), len(o.Args) > 2
	whole := k != ir.Bool && k.Size() < 4 && fillsParts(v.Type.Lanes, k.Size()) && !masked && p.Type.Lanes <= 1 // registers full of narrow numbers
	if whole {
		size = k.Size()
	}
	per := perPart(size)
	x := f.holdAsLanes(v, size)
	var m lanes
	if masked {
		m = f.holdLanes(o.Args[2])
	}
	one := func(lane int, address func(), offset uint64) {
		store := func() {
			address()
			if k.Size() == size {
				f.putPart(x, lane/per)
				f.lane(fmt.Sprintf("v128.store%d_lane", 8*size), offset, lane%per)
				return
			}
			f.extract(x, k, lane)
			f.access(storeName(k), offset)
		}
		if !masked {
			store()
			return
		}
		f.extract(m, ir.I32, lane)
		f.when(store)
	}
	if p.Type.Lanes > 1 {
		at := f.holdAsLanes(p, 4)
		for lane := range n {
			one(lane, func() { f.extract(at, ir.I32, lane) }, 0)
		}
		return
	}
	offset := f.address(p)
	at := f.keep(i32)
	f.reachTo(o, at)
	each := func(first, count int) {
		for lane := first; lane < first+count; lane++ {
			one(lane, func() { f.put(at) }, offset+uint64(lane*k.Size()))
		}
	}
	for i := range partsOf(n, size) {
		first := i * per
		count := min(per, n-first)
		if masked && count == per {
			f.allOf(m, first, count)
			f.open("if")
			f.storePart(x, k, at, offset, i, count)
			f.do("else")
			each(first, count)
			f.end()
		} else if masked {
			each(first, count)
		} else {
			f.storePart(x, k, at, offset, i, count)
		}
	}
}

// storePart writes the first lanes of a part.
func (f *function) storePart(x lanes, k ir.Kind, at operand, offset uint64, i, count int) {
	per := perPart(x.size)
	offset += uint64(i * per * k.Size())
	f.put(at)
	f.putPart(x, i)
	switch {
	case k.Size() == x.size && count == per:
		f.access("v128.store", offset)
	case k.Size() == 8:
		f.lane("v128.store64_lane", offset, 0)
	case k.Size() == 4 && count == 1:
		f.lane("v128.store32_lane", offset, 0)
	case k.Size() == 4:
		f.lane("v128.store64_lane", offset, 0)
		if count == 3 {
			f.put(at)
			f.putPart(x, i)
			f.lane("v128.store32_lane", offset+8, 2)
		}
	case count == 4:
		f.packPart(k)
		f.lane(fmt.Sprintf("v128.store%d_lane", 32*k.Size()), offset, 0)
	default:
		f.do("drop")
		f.do("drop")
		for lane := range count {
			f.put(at)
			f.extract(x, k, i*per+lane)
			f.access(storeName(k), offset+uint64(lane*k.Size()))
		}
	}
}

// packPart makes narrow numbers of the words on the stack, in the lower lanes.
func (f *function) packPart(k ir.Kind) {
	if k == ir.Bool {
		f.bytes(fill(ir.U32, 1, 4))
		f.do("v128.and")
	}
	f.bytes([16]byte{})
	f.do("i16x8.narrow_i32x4" + signOf(k))
	if k.Size() == 1 {
		f.bytes([16]byte{})
		f.do("i8x16.narrow_i16x8" + signOf(k))
	}
}

// cellVector computes the address of an element for each lane.
func (f *function) cellVector(o *ir.Op) {
	r, d := o.Results[0], o.Args[0].Def
	if d == nil || d.Code != ir.OpAlloc {
		f.unsupported(o, "cells of arrays that are made elsewhere")
		return
	}
	size := f.laneBytes(r)
	shape := laneShape(ir.I32, size)
	base, index := f.holdAsLanes(o.Args[0], size), f.integerLanes(o.Args[1], size)
	if index.size < size {
		sign := "u"
		if o.Args[1].Type.Kind.IsSigned() {
			sign = "s"
		}
		index = f.doubled(index, int(r.Type.Lanes), sign)
	}
	f.each(r, func(i int) {
		f.putPart(base, i)
		f.putPart(index, i)
		f.bytes(fill(ir.I64, uint64(d.Kind.Size()), size))
		f.do(shape + ".mul")
		f.do(shape + ".add")
	})
}

// lookupVector reads an element of a constant table for each lane.
func (f *function) lookupVector(o *ir.Op) {
	r, v := o.Results[0], o.Args[0]
	x := f.holdLanes(v)
	k := r.Type.Kind
	f.perLane(r, func(lane int) {
		i := f.laneOperand(x, v.Type.Kind, lane)
		f.lookupAt(o, i, f.typeOfLane(v.Type.Kind, x.size), k)
		if is64(k) {
			f.cut(i64, f.typeOfLane(k, f.laneBytes(r)))
		}
	})
}

// atomicVector updates a place for each lane, one after the other.
func (f *function) atomicVector(o *ir.Op) {
	r, p := o.Results[0], o.Args[0]
	k := r.Type.Kind
	args := make([]lanes, len(o.Args)-1)
	for i, v := range o.Args[1:] {
		args[i] = f.holdAsLanes(v, fullBytes(k))
	}
	at := f.holdAsLanes(p, 4)
	old := lanes{size: fullBytes(k)}
	n := int(r.Type.Lanes)
	for i := range partsOf(n, old.size) {
		f.bytes([16]byte{})
		part := f.temp(v128)
		old.locals = append(old.locals, part)
		for lane := i * perPart(old.size); lane < min((i+1)*perPart(old.size), n); lane++ {
			numbers := make([]operand, len(args))
			for j, a := range args {
				numbers[j] = f.laneOperand(a, k, lane)
			}
			f.atomicAt(o, k, numbers, func() uint64 {
				f.extract(at, ir.I32, lane)
				return 0
			})
			value := f.keep(kindType(k))
			f.get(part)
			if f.put(value); k == ir.Bool {
				f.maskWord()
			}
			f.replace(k, old.size, lane)
			f.set(part)
		}
	}
	if f.laneBytes(r) < old.size {
		old = f.halves(old, n)
	}
	f.keepLanes(r, old)
}
