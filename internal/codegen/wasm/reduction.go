package wasm

import (
	"github.com/gotaichi/ti/internal/ir"
)

// reduction translates the ops that make a number of a vector.
func (f *function) reduction(o *ir.Op) {
	v := o.Args[0]
	n := int(v.Type.Lanes)
	switch o.Code {
	case ir.OpLane:
		f.extract(f.holdAsLanes(v, f.sizeOf(o.Results[0])), v.Type.Kind, int(o.Aux))
	case ir.OpAny, ir.OpAll:
		f.anyAll(o, f.holdAsLanes(v, f.laneBytes(f.resolve(v))), n)
	case ir.OpBits:
		f.laneBits(f.holdLanes(v), n)
		f.cut(i64, f.typeOf(o.Results[0]))
	case ir.OpTotal:
		f.total(o, v, n)
	}
}

// sizeOf is the size of lanes that are kept as a number is.
func (f *function) sizeOf(v *ir.Value) int {
	if t := f.typeOf(v); t == i64 || t == f64 {
		return 8
	}
	return 4
}

// anyAll leaves out the lanes that mean nothing.
func (f *function) anyAll(o *ir.Op, x lanes, n int) {
	joined := func(from, to int, name string) {
		for i := from; i < to; i++ {
			if f.putPart(x, i); i > from {
				f.do(name)
			}
		}
	}
	per := perPart(x.size)
	whole, rest := n/per, n%per // no rest of narrow lanes
	if o.Code == ir.OpAny {
		if whole > 0 {
			joined(0, whole, "v128.or")
			f.do("v128.any_true")
		}
	} else if whole > 0 {
		joined(0, whole, "v128.and")
		f.do(laneShape(ir.I32, x.size) + ".all_true")
	}
	if rest == 0 {
		return
	}
	f.putPart(x, whole)
	f.do("i32x4.bitmask")
	f.word(int32(1<<rest - 1))
	f.do("i32.and")
	if o.Code == ir.OpAny {
		f.word(0)
		f.do("i32.ne")
	} else {
		f.word(int32(1<<rest - 1))
		f.do("i32.eq")
	}
	if whole > 0 {
		f.do(map[bool]string{true: "i32.or", false: "i32.and"}[o.Code == ir.OpAny])
	}
}

// laneBits makes a number of a mask, with the first lane in the lowest bit.
func (f *function) laneBits(x lanes, n int) {
	for i := range partsOf(n, 4) {
		f.putPart(x, i)
		f.do("i32x4.bitmask")
		if rest := n - 4*i; rest < 4 {
			f.word(int32(1<<rest - 1))
			f.do("i32.and")
		}
		f.do("i64.extend_i32_u")
		if i > 0 {
			f.long(int64(4 * i))
			f.do("i64.shl")
			f.do("i64.or")
		}
	}
}

// total adds up the lanes: whole parts first, then their lanes, and those of the last part if it is not whole.
func (f *function) total(o *ir.Op, v *ir.Value, n int) {
	k := v.Type.Kind
	size := f.wordBytes(v)
	if t := f.typeOf(o.Results[0]); is64(k) && t == i32 {
		size = 4
	}
	t := f.typeOfLane(k, size)
	x := f.holdAsLanes(v, size)
	add := func(a, b func()) {
		a()
		b()
		f.do(t.String() + ".add")
		f.fit(k)
	}
	if k == ir.F16 {
		add = func(a, b func()) {
			a()
			first := f.keep(i32)
			b()
			f.halfBinary(o, ir.OpAdd, first, f.keep(i32))
		}
	}
	whole := n / perPart(size)
	sum := x
	if whole > 1 && k != ir.F16 {
		shape := laneShape(k, size)
		f.putPart(x, 0)
		for i := 1; i < whole; i++ {
			f.putPart(x, i)
			f.do(shape + ".add")
		}
		sum = lanes{locals: []uint32{f.temp(v128)}, size: size}
	}
	var all []func()
	first := 0
	if whole > 1 && k != ir.F16 {
		for lane := range perPart(size) {
			all = append(all, func() { f.extract(sum, k, lane) })
		}
		first = whole * perPart(size)
	}
	for lane := first; lane < n; lane++ {
		all = append(all, func() { f.extract(x, k, lane) })
	}
	for len(all) > 1 {
		var next []func()
		for i := 0; i+1 < len(all); i += 2 {
			a, b := all[i], all[i+1]
			next = append(next, func() { add(a, b) })
		}
		if len(all)%2 == 1 {
			next = append(next, all[len(all)-1])
		}
		all = next
	}
	all[0]()
	f.fit(k)
}
