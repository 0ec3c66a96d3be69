package wasm

import (
	"encoding/binary"

	"github.com/gotaichi/ti/internal/ir"
)

// A vector is in locals of 16 bytes each, its parts, with 2 or 4 lanes; the last one may have lanes that mean nothing. See [plan.laneBytes].

// A lanes operand is a vector that can be put on the stack part by part.
type lanes struct {
	locals []uint32   // one is for all parts
	consts [][16]byte // in place of locals; likewise
	size   int        // bytes of a lane
}

// putPart puts a part on the stack.
func (f *function) putPart(x lanes, i int) {
	if x.consts != nil {
		f.bytes(x.consts[min(i, len(x.consts)-1)])
		return
	}
	f.get(x.locals[min(i, len(x.locals)-1)])
}

// perPart is how many lanes of a size a part has.
func perPart(size int) int { return 16 / size }

// partsOf is how many parts n lanes of a size take.
func partsOf(n, size int) int { return (n*size + 15) / 16 }

// holdLanes makes an operand of a vector, or of a number that stands for all lanes, with lanes of a word at least.
func (f *function) holdLanes(v *ir.Value) lanes { return f.holdAsLanes(v, f.wordBytes(v)) }

// wordBytes is laneBytes for ops that have no instruction for lanes of less than a word.
func (f *function) wordBytes(v *ir.Value) int { return max(4, f.laneBytes(f.resolve(v))) }

// holdAsLanes is holdLanes with lanes of a size. They may be less than those of the vector: then the lower bits of its lanes are wanted.
func (f *function) holdAsLanes(v *ir.Value, size int) lanes {
	k := v.Type.Kind // of which the bits may be those of another
	v = f.resolve(v)
	if o := f.constantOf(v); o != nil {
		part := fill(o.Results[0].Type.Kind, o.Bits, size)
		if part == ([16]byte{}) || partsOf(int(v.Type.Lanes), size) <= 1 {
			return lanes{consts: [][16]byte{part}, size: size}
		}
		f.bytes(part) // once for all parts, since each reads it from memory
		return lanes{locals: []uint32{f.temp(v128)}, size: size}
	}
	if o := v.Def; o != nil && o.Code == ir.OpIota {
		return lanes{consts: laneNumbers(int(v.Type.Lanes), size), size: size}
	}
	if v.Type.Lanes <= 1 {
		t := f.typeOf(v)
		if size <= 4 && t == i64 {
			t = i32
		}
		f.pushAs(t, v)
		f.splat(v.Type.Kind, size)
		return lanes{locals: []uint32{f.temp(v128)}, size: size}
	}
	p, ok := f.places[v]
	if !ok {
		f.push(v) // which is an error
		return lanes{locals: []uint32{f.temp(v128)}, size: size}
	}
	f.pending = append(f.pending, func() { f.used(v) })
	x := lanes{locals: p.locals, size: f.laneBytes(v)}
	if x.size == 8 && size < 8 {
		x = f.halves(x, int(v.Type.Lanes))
	}
	if size = min(size, 4); x.size < size || size < x.size && x.size <= 4 {
		x = f.resized(x, int(v.Type.Lanes), k, size)
	}
	return x
}

// longBlock is how many ops of a block take longer, one behind the other, than instructions that make it wait for nothing.
const longBlock = 64

// splat makes a vector of the number on the stack. The instructions for that begin with what a register had before, which an engine would have to wait for: in a loop,
// for what the iteration before has done last. So in a long block words go into a vector of zeros first, which takes some instructions more.
func (f *function) splat(k ir.Kind, size int) {
	if k == ir.Bool { // all bits
		f.maskWord()
	}
	shape := laneShape(k, size)
	if size < 4 || f.around < longBlock {
		f.do(shape + ".splat")
		return
	}
	x := f.keep(f.typeOfLane(k, size))
	f.bytes([16]byte{})
	f.put(x)
	f.onLane(shape+".replace_lane", 0)
	if size == 8 {
		f.put(x)
		f.onLane(shape+".replace_lane", 1)
		return
	}
	f.bytes(firstLanes(4))
	f.do("i8x16.swizzle")
}

// firstLanes are the numbers of the bytes of the first lane, of a size, for every lane.
func firstLanes(size int) (b [16]byte) {
	for i := range b {
		b[i] = byte(i % size)
	}
	return b
}

// maskWord makes a word with all bits of the bool on the stack.
func (f *function) maskWord() {
	v := f.keep(i32)
	f.word(0)
	f.put(v)
	f.do("i32.sub")
}

// laneShape is the shape of vectors with lanes of a kind and size.
func laneShape(k ir.Kind, size int) string {
	switch {
	case k == ir.F32:
		return "f32x4"
	case k == ir.F64:
		return "f64x2"
	case size == 8:
		return "i64x2"
	case size == 2:
		return "i16x8"
	case size == 1:
		return "i8x16"
	}
	return "i32x4"
}

// fill is a part with a constant in every lane.
func fill(k ir.Kind, bits uint64, size int) (b [16]byte) {
	if k == ir.Bool && bits != 0 {
		bits = 1<<64 - 1
	}
	for i := 0; i < 16; i += size {
		putLane(b[i:], bits, size)
	}
	return b
}

func putLane(b []byte, bits uint64, size int) {
	switch size {
	case 1:
		b[0] = byte(bits)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(bits))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(bits))
	default:
		binary.LittleEndian.PutUint64(b, bits)
	}
}

// laneNumbers are the parts of a vector with the number of each lane.
func laneNumbers(n, size int) (all [][16]byte) {
	for first := 0; first < n; first += perPart(size) {
		var b [16]byte
		for i := range perPart(size) {
			putLane(b[i*size:], uint64(first+i), size)
		}
		all = append(all, b)
	}
	return all
}

// halves are the lower halves of lanes of 8 bytes.
func (f *function) halves(x lanes, n int) lanes {
	r := lanes{size: 4}
	for i := range partsOf(n, 4) {
		f.putPart(x, 2*i)
		f.putPart(x, min(2*i+1, partsOf(n, 8)-1))
		f.shuffle([4]int{0, 2, 4, 6}, 4)
		r.locals = append(r.locals, f.temp(v128))
	}
	return r
}

// shuffle takes words of the two vectors on the stack, or, with size 8, pairs of them. Lanes are numbered through both. It is two permutations and not the instruction for it: see scarce.go.
func (f *function) shuffle(from [4]int, size int) {
	second := f.keep(v128)
	f.wordsOf(from, size, 0)
	f.put(second)
	f.wordsOf(from, size, 16/size)
	f.do("v128.or")
}

// wordsOf takes words of the vector on the stack, or pairs of them, whose lanes have numbers from low on. Lanes of other vectors become 0.
func (f *function) wordsOf(from [4]int, size, low int) {
	var bytes [16]byte
	for i := range bytes {
		bytes[i] = 0x80
		if lane := from[i/size] - low; lane >= 0 && lane < 16/size {
			bytes[i] = byte(lane*size + i%size)
		}
	}
	f.bytes(bytes)
	f.do("i8x16.swizzle")
}

// pushLanes puts all parts of a vector on the stack, with lanes of a size.
func (f *function) pushLanes(v *ir.Value, size int) {
	x := f.holdAsLanes(v, size)
	for i := range partsOf(int(v.Type.Lanes), size) {
		f.putPart(x, i)
	}
}

// takeVector takes the parts of a result, with all bits of its lanes, from the stack.
func (f *function) takeVector(v *ir.Value) {
	full := fullBytes(v.Type.Kind)
	x := lanes{size: full, locals: make([]uint32, partsOf(int(v.Type.Lanes), full))}
	for i := len(x.locals) - 1; i >= 0; i-- {
		x.locals[i] = f.take(v128)
		f.set(x.locals[i])
	}
	if f.laneBytes(v) < full {
		wide := x
		x = f.halves(wide, int(v.Type.Lanes))
		f.give(wide.locals...)
		f.keepLanes(v, x)
		return
	}
	f.at(v, x.locals...)
}

// keepLanes makes a result of parts that are temporary.
func (f *function) keepLanes(v *ir.Value, x lanes) {
	f.each(v, func(i int) { f.putPart(x, i) })
}

// each makes a result part by part.
func (f *function) each(v *ir.Value, part func(i int)) {
	locals := make([]uint32, f.parts(v))
	for i := range locals {
		part(i)
		locals[i] = f.take(v128)
		f.set(locals[i])
	}
	f.at(v, locals...)
}

// vector translates an op whose result is a vector.
func (f *function) vector(o *ir.Op) {
	if g := f.groups[o]; g != nil {
		if o == g.ops[0] {
			f.fusedVectors(g)
		}
		return
	}
	r := o.Results[0]
	k, size := r.Type.Kind, f.laneBytes(r)
	switch o.Code {
	case ir.OpSplat:
		f.pushAs(f.typeOfLane(k, size), o.Args[0])
		f.splat(k, size)
		l := f.take(v128)
		f.set(l)
		f.at(r, l)
	case ir.OpConvert:
		f.convertVector(o)
	case ir.OpBitcast:
		f.bitcastVector(o)
	case ir.OpSelect:
		f.selectVector(o)
	case ir.OpShuffle, ir.OpSlide, ir.OpPack:
		f.permuteOp(o)
	case ir.OpLoad:
		f.loadVector(o)
	case ir.OpOffset:
		a, b := f.holdAsLanes(o.Args[0], size), f.holdAsLanes(o.Args[1], size)
		f.each(r, func(i int) { f.pair(laneShape(ir.I32, size)+".add", a, b, i) })
	case ir.OpCell:
		f.cellVector(o)
	case ir.OpLookup:
		f.lookupVector(o)
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		f.compareVector(o)
	case ir.OpIsNaN, ir.OpIsInf:
		f.testVector(o)
	case ir.OpShl, ir.OpShr:
		f.shiftVector(o)
	default:
		f.arithmeticVector(o)
	}
}

// typeOfLane is the type of a lane on the stack.
func (f *function) typeOfLane(k ir.Kind, size int) valType {
	switch {
	case k == ir.F32:
		return f32
	case k == ir.F64:
		return f64
	case size == 8:
		return i64
	}
	return i32
}

// pair puts parts of two operands on the stack, and operates on them.
func (f *function) pair(name string, a, b lanes, i int) {
	f.putPart(a, i)
	f.putPart(b, i)
	f.do(name)
}

// onLane appends an instruction on a lane.
func (f *function) onLane(name string, lane int) {
	f.begin(name)
	f.code = append(f.code, byte(lane))
}

// extract puts a lane on the stack.
func (f *function) extract(x lanes, k ir.Kind, lane int) {
	f.putPart(x, lane/perPart(x.size))
	f.onLane(laneShape(k, x.size)+".extract_lane", lane%perPart(x.size))
	if k == ir.Bool {
		f.word(1)
		f.do("i32.and")
	}
}

// replace puts the number on the stack into a lane of the part below it.
func (f *function) replace(k ir.Kind, size, lane int) {
	f.onLane(laneShape(k, size)+".replace_lane", lane%perPart(size))
}

// perLane makes a result lane by lane: one puts that of a lane on the stack.
func (f *function) perLane(r *ir.Value, one func(lane int)) {
	k, size := r.Type.Kind, f.laneBytes(r)
	f.each(r, func(i int) {
		f.bytes([16]byte{})
		for lane := i * perPart(size); lane < min((i+1)*perPart(size), int(r.Type.Lanes)); lane++ {
			if one(lane); k == ir.Bool {
				f.maskWord()
			}
			f.replace(k, size, lane)
		}
	})
}

// laneOperand is a lane of an operand as a number.
func (f *function) laneOperand(x lanes, k ir.Kind, lane int) operand {
	f.extract(x, k, lane)
	return f.keep(f.typeOfLane(k, x.size))
}
