package wasm

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// The names of vector instructions behind the shape, for floats and integers.
var simpleVector = map[ir.Code][2]string{
	ir.OpAdd: {".add", ".add"}, ir.OpSub: {".sub", ".sub"}, ir.OpMul: {".mul", ".mul"}, ir.OpDiv: {".div", ""}, ir.OpMin: {".min", ""}, ir.OpMax: {".max", ""},
	ir.OpAbs: {"", ".abs"}, ir.OpNeg: {"", ".neg"},
	ir.OpSqrt: {".sqrt", ""}, ir.OpFloor: {".floor", ""}, ir.OpCeil: {".ceil", ""}, ir.OpTrunc: {".trunc", ""}, ir.OpRoundEven: {".nearest", ""},
}

var bitwise = map[ir.Code]string{ir.OpAnd: "v128.and", ir.OpOr: "v128.or", ir.OpXor: "v128.xor"}

// arithmeticVector translates the ops with operands like their result.
func (f *function) arithmeticVector(o *ir.Op) {
	r := o.Results[0]
	k, size := r.Type.Kind, f.laneBytes(r)
	if from, bytes := f.rotates(o); from != nil {
		f.rotate(r, from, bytes)
		return
	}
	if len(o.Args) == 0 || len(o.Args) > 2 {
		f.unsupported(o, o.Code.String())
		return
	}
	if k == ir.F16 {
		f.halfVector(o)
		return
	}
	if name, x, y := f.extreme(o); name != "" {
		a, b := f.holdAsLanes(x, size), f.holdAsLanes(y, size)
		f.each(r, func(i int) { f.pair(name, a, b, i) })
		return
	}
	name, ok := vectorInstruction(o.Code, k, size)
	switch {
	case ok:
		args := f.operands(o, size)
		f.each(r, func(i int) {
			for _, a := range args {
				f.putPart(a, i)
			}
			f.do(name)
			f.fitLanes(k, size)
		})
	case o.Code == ir.OpNot:
		a := f.holdAsLanes(o.Args[0], size)
		f.each(r, func(i int) {
			f.putPart(a, i)
			f.do("v128.not")
			f.fitLanes(k, size)
		})
	case k.IsFloat() && (o.Code == ir.OpNeg || o.Code == ir.OpAbs):
		f.signBits(r, o.Code, f.holdLanes(o.Args[0]), k)
	case o.Code == ir.OpAbs && k.IsUnsigned():
		f.keepLanes(r, f.holdAsLanes(o.Args[0], size))
	case o.Code == ir.OpSign:
		f.signVector(r, f.holdLanes(o.Args[0]), k, size)
	case o.Code == ir.OpRound:
		a := f.holdLanes(o.Args[0])
		f.each(r, func(i int) { f.roundPart(a, i, k) })
	case (o.Code == ir.OpMin || o.Code == ir.OpMax) && f.laneBytes(o.Args[0]) == 8:
		f.minMaxLongs(o)
	default:
		f.laneByLane(o)
	}
}

// operands holds all operands of an op.
func (f *function) operands(o *ir.Op, size int) []lanes {
	args := make([]lanes, len(o.Args))
	for i, v := range o.Args {
		args[i] = f.holdAsLanes(v, size)
	}
	return args
}

// vectorInstruction returns the instruction that does a whole op on lanes of a size, but for what narrow numbers need.
func vectorInstruction(code ir.Code, k ir.Kind, size int) (name string, ok bool) {
	if name, ok = bitwise[code]; ok {
		return name, true
	}
	shape := laneShape(k, size)
	if (code == ir.OpMin || code == ir.OpMax) && k.IsInt() && fullBytes(k) == 4 {
		if k.IsSigned() {
			return shape + "." + code.String() + "_s", true
		}
		return shape + "." + code.String() + "_u", true
	}
	names := simpleVector[code]
	if name = names[1]; k.IsFloat() {
		name = names[0]
	}
	return shape + name, name != "" && !(code == ir.OpAbs && (k.IsUnsigned() || is64(k)))
}

// fitLanes makes the words of the part on the stack ones that have the values of numbers of fewer bits. Narrow lanes have them as they are.
func (f *function) fitLanes(k ir.Kind, size int) {
	if size < 4 {
		return
	}
	switch k {
	case ir.I8, ir.I16:
		f.word(int32(32 - k.Bits()))
		f.do("i32x4.shl")
		f.word(int32(32 - k.Bits()))
		f.do("i32x4.shr_s")
	case ir.U8, ir.U16, ir.F16:
		f.bytes(fill(ir.U32, 1<<k.Bits()-1, 4))
		f.do("v128.and")
	}
}

// signBits flips the signs of floats, or makes all positive, by a constant: what the instructions for that are made of takes longer.
func (f *function) signBits(r *ir.Value, code ir.Code, a lanes, k ir.Kind) {
	sign := uint64(1) << (k.Bits() - 1)
	mask, name := sign, "v128.xor"
	if code == ir.OpAbs {
		mask, name = sign-1, "v128.and"
	}
	f.each(r, func(i int) {
		f.putPart(a, i)
		f.bytes(fill(k, mask, a.size))
		f.do(name)
	})
}

// signVector gives -1, 0 or 1; a float keeps a zero's sign and a NaN.
func (f *function) signVector(r *ir.Value, v lanes, k ir.Kind, size int) {
	x := f.temporary(int(r.Type.Lanes), v.size, func(i int) { f.signPart(v, i, k) })
	if x.size > size {
		x = f.halves(x, int(r.Type.Lanes))
	}
	f.keepLanes(r, x)
}

func (f *function) signPart(v lanes, i int, k ir.Kind) {
	shape := laneShape(k, v.size)
	switch {
	case k.IsFloat():
		f.bytes(fill(k, ir.FloatBits(k, 1), v.size))
		f.bytes(fill(k, ir.FloatBits(k, -1), v.size))
		f.putPart(v, i)
		f.compareZero(shape+".lt", v, i)
		f.do("v128.bitselect")
		f.compareZero(shape+".gt", v, i)
		f.do("v128.bitselect")
	case k.IsUnsigned():
		f.compareZero(shape+".ne", v, i)
		f.do(shape + ".neg")
	default:
		f.compareZero(shape+".lt_s", v, i)
		f.compareZero(shape+".gt_s", v, i)
		f.do(shape + ".sub")
	}
}

func (f *function) compareZero(name string, v lanes, i int) {
	f.putPart(v, i)
	f.bytes([16]byte{})
	f.do(name)
}

// temporary makes parts that are free again behind the current op.
func (f *function) temporary(n, size int, part func(i int)) lanes {
	x := lanes{size: size}
	for i := range partsOf(n, size) {
		part(i)
		x.locals = append(x.locals, f.temp(v128))
	}
	return x
}

// roundPart rounds halves away from zero.
func (f *function) roundPart(a lanes, i int, k ir.Kind) {
	shape := laneShape(k, a.size)
	f.putPart(a, i)
	f.do(shape + ".trunc")
	whole := f.keep(v128)
	f.put(whole)
	f.putPart(a, i)
	f.bytes(fill(k, 1<<(k.Bits()-1), a.size))
	f.do("v128.and")
	f.bytes(fill(k, ir.FloatBits(k, 1), a.size))
	f.do("v128.or")
	f.do(shape + ".add")
	f.put(whole)
	f.putPart(a, i)
	f.put(whole)
	f.do(shape + ".sub")
	f.do(shape + ".abs")
	f.bytes(fill(k, ir.FloatBits(k, 0.5), a.size))
	f.do(shape + ".ge")
	f.do("v128.bitselect")
}

// minMaxLongs compares lanes of 8 bytes.
func (f *function) minMaxLongs(o *ir.Op) {
	r := o.Results[0]
	n, k := int(r.Type.Lanes), r.Type.Kind
	args := f.operands(o, 8)
	less := ir.OpLt
	if o.Code == ir.OpMax {
		less = ir.OpGt
	}
	x := f.temporary(n, 8, func(i int) {
		f.putPart(args[0], i)
		f.putPart(args[1], i)
		f.comparePart(less, k, args[0], args[1], i)
		f.do("v128.bitselect")
	})
	if f.laneBytes(r) == 4 {
		x = f.halves(x, n)
	}
	f.keepLanes(r, x)
}

// comparePart leaves a mask of the lanes' size on the stack.
func (f *function) comparePart(code ir.Code, k ir.Kind, a, b lanes, i int) {
	shape := laneShape(k, a.size)
	name := compareName(code, i32, k)[len("i32"):]
	if a.size <= 4 || k.IsFloat() || code == ir.OpEq || code == ir.OpNe || k.IsSigned() {
		f.pair(shape+name, a, b, i)
		return
	}
	flipped := func(x lanes) { // unsigned as signed numbers
		f.putPart(x, i)
		f.bytes(fill(ir.U64, 1<<63, 8))
		f.do("v128.xor")
	}
	flipped(a)
	flipped(b)
	f.do(shape + "." + code.String() + "_s")
}

func (f *function) compareVector(o *ir.Op) {
	a, b := o.Args[0], o.Args[1]
	k := a.Type.Kind
	size := fullBytes(k)
	if n := f.small[o.Results[0]]; n > 0 {
		size = n
	}
	switch k {
	case ir.Bool:
		name := map[ir.Code]string{ir.OpEq: "v128.xor", ir.OpNe: "v128.xor"}[o.Code]
		x, y := f.holdLanes(a), f.holdLanes(b)
		f.each(o.Results[0], func(i int) {
			if f.pair(name, x, y, i); o.Code == ir.OpEq {
				f.do("v128.not")
			}
		})
		return
	case ir.Ptr, ir.BlockRef:
		size, k = 4, ir.U32
	case ir.F16:
		f.halfVector(o)
		return
	}
	x, y := f.holdAsLanes(a, size), f.holdAsLanes(b, size)
	f.mask(o.Results[0], size, func(i int) { f.comparePart(o.Code, k, x, y, i) })
}

// mask makes a mask of parts with lanes of a size.
func (f *function) mask(r *ir.Value, size int, part func(i int)) {
	if size <= 4 {
		f.each(r, part)
		return
	}
	// All bits of a lane are equal, so that those of each half, saturated to a half of it, are the mask.
	wide := f.temporary(int(r.Type.Lanes), size, part)
	f.each(r, func(i int) {
		f.putPart(wide, 2*i)
		f.putPart(wide, min(2*i+1, len(wide.locals)-1))
		f.do("i16x8.narrow_i32x4_s")
	})
}

// testVector translates isnan and isinf.
func (f *function) testVector(o *ir.Op) {
	k := o.Args[0].Type.Kind
	if k == ir.F16 {
		f.halfVector(o)
		return
	}
	a := f.holdLanes(o.Args[0])
	f.mask(o.Results[0], a.size, func(i int) { f.testPart(o.Code, k, a, i) })
}

func (f *function) testPart(code ir.Code, k ir.Kind, a lanes, i int) {
	shape := laneShape(k, a.size)
	if code == ir.OpIsNaN {
		f.pair(shape+".ne", a, a, i)
		return
	}
	f.putPart(a, i)
	f.do(shape + ".abs")
	f.bytes(fill(k, ir.FloatBits(k, math.Inf(1)), a.size))
	f.do(shape + ".eq")
}

// maskOf is a mask with lanes of a size.
func (f *function) maskOf(v *ir.Value, size int) lanes {
	if size <= 4 || f.isConstant(v) {
		return f.holdAsLanes(v, size)
	}
	m := f.holdLanes(v)
	return f.doubled(m, int(v.Type.Lanes), "s")
}

// doubled are words as lanes of 8 bytes; sign is "s" or "u".
func (f *function) doubled(x lanes, n int, sign string) lanes {
	return f.temporary(n, 8, func(i int) {
		f.putPart(x, i/2)
		f.do("i64x2.extend_" + []string{"low", "high"}[i%2] + "_i32x4_" + sign)
	})
}

// laneByLane translates an op as one of numbers for each lane.
func (f *function) laneByLane(o *ir.Op) {
	r := o.Results[0]
	k := o.Args[0].Type.Kind
	args := make([]lanes, len(o.Args))
	for i, v := range o.Args {
		if f.resolve(v).Type.Lanes <= 1 {
			args[i] = f.holdAsLanes(v, fullBytes(v.Type.Kind))
			continue
		}
		args[i] = f.holdLanes(v)
	}
	result := f.typeOfLane(r.Type.Kind, f.laneBytes(r))
	f.perLane(r, func(lane int) {
		a := f.laneOperand(args[0], k, lane)
		t := f.typeOfLane(k, args[0].size)
		switch {
		case o.Code == ir.OpShl || o.Code == ir.OpShr:
			f.shiftLane(o, k, t, result, a, args[1], lane)
		case len(args) == 2:
			f.binary(o, o.Code, k, t, a, f.laneOperand(args[1], k, lane))
			f.cut(t, result)
		case k == ir.F16:
			f.put(a)
			f.widenHalf()
			f.unaryOf(o, ir.F32, f32, f32, f.keep(f32))
			f.roundHalf()
		default:
			f.unaryOf(o, k, t, result, a)
		}
	})
}
