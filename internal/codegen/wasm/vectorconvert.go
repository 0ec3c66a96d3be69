package wasm

import "github.com/gotaichi/ti/internal/ir"

// convertVector translates a conversion of a vector. What is left to numbers goes lane by lane.
func (f *function) convertVector(o *ir.Op) {
	v, r := o.Args[0], o.Results[0]
	from, to, n := v.Type.Kind, r.Type.Kind, int(r.Type.Lanes)
	size := f.laneBytes(r)
	if x := f.rounds(o); x != nil {
		f.roundSingle(r, f.holdLanes(x))
		return
	}
	switch {
	case size < 4 && from.IsInt() && from != ir.Bool:
		f.keepLanes(r, f.holdAsLanes(v, size))
	case from == to || from.IsInt() && to.IsInt():
		f.resize(r, f.integerLanes(v, size), from, to, size)
	case to == ir.Bool:
		x := f.holdLanes(v)
		if from == ir.F16 {
			x = f.widened(x, n)
			from = ir.F32
		}
		f.mask(r, x.size, func(i int) { f.compareZero(laneShape(from, x.size)+".ne", x, i) })
	case from == ir.Bool:
		one := uint64(1)
		if to.IsFloat() {
			one = ir.FloatBits(to, 1)
		}
		m := f.maskOf(v, size)
		f.each(r, func(i int) {
			f.putPart(m, i)
			f.bytes(fill(to, one, size))
			f.do("v128.and")
		})
	case from == ir.F16 && to == ir.F32:
		f.keepLanes(r, f.widened(f.holdLanes(v), n))
	case from == ir.F32 && to == ir.F16:
		x := f.holdLanes(v)
		f.each(r, func(i int) {
			f.putPart(x, i)
			f.narrowPart()
		})
	default:
		f.convertWords(o, from, to, n)
	}
}

// integerLanes are the lanes of integers, of which no more than a size are wanted.
func (f *function) integerLanes(v *ir.Value, size int) lanes {
	return f.holdAsLanes(v, min(size, f.wordBytes(v)))
}

// resize makes integers of other ones.
func (f *function) resize(r *ir.Value, x lanes, from, to ir.Kind, size int) {
	if size > x.size {
		sign := "u"
		if from.IsSigned() {
			sign = "s"
		}
		f.keepLanes(r, f.doubled(x, int(r.Type.Lanes), sign))
		return
	}
	f.each(r, func(i int) {
		f.putPart(x, i)
		if from != to {
			f.fitLanes(to, 4)
		}
	})
}

// convertWords translates conversions between floats and integers for which there are instructions.
func (f *function) convertWords(o *ir.Op, from, to ir.Kind, n int) {
	v, r := o.Args[0], o.Results[0]
	sign := "_u"
	if from.IsSigned() || to.IsSigned() {
		sign = "_s"
	}
	switch {
	case from == ir.F32 && to == ir.F64:
		f.spread(r, f.holdLanes(v), "f64x2.promote_low_f32x4")
	case from == ir.F64 && to == ir.F32:
		f.gatherHalves(r, f.holdLanes(v), n, "f32x4.demote_f64x2_zero")
	case to == ir.F32 && from.IsInt() && !is64(from):
		x := f.holdLanes(v)
		f.each(r, func(i int) {
			f.putPart(x, i)
			f.do("f32x4.convert_i32x4" + sign)
		})
	case to == ir.F64 && from.IsInt() && !is64(from):
		f.spread(r, f.holdLanes(v), "f64x2.convert_low_i32x4"+sign)
	case from == ir.F32 && to.IsInt() && !is64(to):
		x := f.holdLanes(v)
		f.each(r, func(i int) {
			f.putPart(x, i)
			f.do("i32x4.trunc_sat_f32x4" + sign)
			f.limitLanes(to)
		})
	case from == ir.F64 && to.IsInt() && !is64(to):
		words := &ir.Value{Type: r.Type}
		f.left[words] = 1
		f.gatherHalves(words, f.holdLanes(v), n, "i32x4.trunc_sat_f64x2"+sign+"_zero")
		x := f.holdLanes(words)
		f.each(r, func(i int) {
			f.putPart(x, i)
			f.limitLanes(to)
		})
	default:
		x := f.holdLanes(v)
		f.perLane(r, func(lane int) {
			f.extract(x, from, lane)
			f.convert(from, to, f.typeOfLane(from, x.size))
			if is64(to) {
				f.cut(i64, f.typeOfLane(to, f.laneBytes(r)))
			}
		})
	}
}

// rounds returns the vector of f64 that an op rounds to f32, by two conversions, or nil.
func (p *plan) rounds(o *ir.Op) *ir.Value {
	if o.Code != ir.OpConvert || o.Results[0].Type.Lanes <= 1 || o.Results[0].Type.Kind != ir.F64 {
		return nil
	}
	there := o.Args[0].Def
	if there == nil || there.Code != ir.OpConvert || there.Results[0].Type.Kind != ir.F32 || there.Args[0].Type.Kind != ir.F64 {
		return nil
	}
	return there.Args[0]
}

// roundSingle rounds lanes of f64 to f32: the halves that are between need not be put together.
func (f *function) roundSingle(r *ir.Value, x lanes) {
	f.each(r, func(i int) {
		f.putPart(x, i)
		f.do("f32x4.demote_f64x2_zero")
		f.do("f64x2.promote_low_f32x4")
	})
}

// limitLanes limits words that came of floats to what a narrow kind holds.
func (f *function) limitLanes(k ir.Kind) {
	if k.Bits() >= 32 {
		return
	}
	most := int64(1)<<k.Bits() - 1
	sign := "_u"
	if k.IsSigned() {
		most >>= 1
		sign = "_s"
		f.bytes(fill(ir.I32, uint64(-most-1), 4))
		f.do("i32x4.max_s")
	}
	f.bytes(fill(ir.I32, uint64(most), 4))
	f.do("i32x4.min" + sign)
}

// spread makes parts with 2 lanes of each half of the parts of words.
func (f *function) spread(r *ir.Value, x lanes, name string) {
	f.each(r, func(i int) { f.spreadPart(x, i, name) })
}

// spreadPart does so for one half.
func (f *function) spreadPart(x lanes, i int, name string) {
	if f.putPart(x, i/2); i%2 == 1 { // the upper half, below
		f.putPart(x, i/2)
		f.onLane("f64x2.extract_lane", 1)
		f.onLane("f64x2.replace_lane", 0)
	}
	f.do(name)
}

// gatherHalves makes parts with 4 lanes of two parts each, which an instruction makes the lower lanes of.
func (f *function) gatherHalves(r *ir.Value, x lanes, n int, name string) {
	f.each(r, func(i int) { f.joinHalves(x, i, n, name) })
}

// joinHalves makes one of these parts. Without a name of an instruction, the parts have these lanes.
func (f *function) joinHalves(x lanes, i, n int, name string) {
	half := func(i int) {
		if f.putPart(x, i); name != "" {
			f.do(name)
		}
	}
	half(2 * i)
	if 2*i+1 < partsOf(n, 8) {
		half(2*i + 1)
		f.onLane("f64x2.extract_lane", 0)
		f.onLane("f64x2.replace_lane", 1)
	}
}

// bitcastVector takes the bits of lanes for those of another kind, where that is more than a name.
func (f *function) bitcastVector(o *ir.Op) {
	r := o.Results[0]
	x := f.holdAsLanes(o.Args[0], f.laneBytes(r))
	f.each(r, func(i int) {
		f.putPart(x, i)
		f.fitLanes(r.Type.Kind, x.size)
	})
}

// widened are half-precision numbers as ones of single precision.
func (f *function) widened(x lanes, n int) lanes {
	return f.temporary(n, 4, func(i int) {
		f.putPart(x, i)
		f.helper("half.widen4", signature{[]valType{v128}, []valType{v128}}, func(h *function) {
			h.get(0)
			h.widen(shapes[v128], h.fresh(v128))
		})
	})
}

// narrowPart rounds the part on the stack to half precision.
func (f *function) narrowPart() {
	f.helper("half.round4", signature{[]valType{v128}, []valType{v128}}, func(h *function) {
		h.get(0)
		h.narrow(shapes[v128], h.fresh(v128), h.fresh(v128))
	})
}

// halfVector translates an op that computes with half-precision numbers.
func (f *function) halfVector(o *ir.Op) {
	r := o.Results[0]
	n := int(r.Type.Lanes)
	if o.Code == ir.OpNeg || o.Code == ir.OpAbs {
		f.signBits(r, o.Code, f.holdLanes(o.Args[0]), ir.F16)
		return
	}
	args := f.operands(o, 4)
	for i, a := range args {
		args[i] = f.widened(a, n)
	}
	name, ok := vectorInstruction(o.Code, ir.F32, 4)
	switch {
	case o.Code.Is(ir.Comparison):
		f.each(r, func(i int) { f.comparePart(o.Code, ir.F32, args[0], args[1], i) })
	case o.Code == ir.OpIsNaN || o.Code == ir.OpIsInf:
		f.each(r, func(i int) { f.testPart(o.Code, ir.F32, args[0], i) })
	case ok:
		f.each(r, func(i int) {
			for _, a := range args {
				f.putPart(a, i)
			}
			f.do(name)
			f.narrowPart()
		})
	case o.Code == ir.OpRound:
		f.each(r, func(i int) {
			f.roundPart(args[0], i, ir.F32)
			f.narrowPart()
		})
	case o.Code == ir.OpSign:
		f.each(r, func(i int) {
			f.signPart(args[0], i, ir.F32)
			f.narrowPart()
		})
	default:
		f.laneByLane(o)
	}
}
