package wasm

import (
	"math"
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
)

// compute puts the result of an op on the stack.
func (f *function) compute(o *ir.Op) {
	r := o.Results[0]
	t, args := f.typeOf(r), o.Args
	switch o.Code {
	case ir.OpConst:
		f.constant(o)
	case ir.OpConvert:
		f.convertOp(o)
	case ir.OpBitcast:
		f.push(args[0])
		f.bits(f.typeOf(args[0]), t, r.Type.Kind)
	case ir.OpSelect:
		f.pushAs(t, args[1])
		f.pushAs(t, args[2])
		f.push(args[0])
		f.choose(t)
	case ir.OpOffset:
		f.offset(o)
	case ir.OpAlloc, ir.OpCell, ir.OpLoad, ir.OpLookup:
		f.memory(o)
	case ir.OpEntry, ir.OpListMask, ir.OpFollow, ir.OpGrow, ir.OpFind, ir.OpEnter:
		f.block(o)
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		f.compareOp(o)
	case ir.OpAny, ir.OpAll, ir.OpBits, ir.OpTotal, ir.OpLane:
		f.reduction(o)
	default:
		f.arithmetic(o, t, r.Type.Kind)
	}
}

// arithmetic translates the ops with one or two operands of a type.
func (f *function) arithmetic(o *ir.Op, t valType, k ir.Kind) {
	switch {
	case o.Code == ir.OpFma && k == ir.F32:
		f.fused(o)
	case len(o.Args) == 0 || len(o.Args) > 2:
		f.unsupported(o, o.Code.String())
	case o.Args[0].Type.Kind == ir.F16:
		f.half(o)
	case o.Code == ir.OpShl || o.Code == ir.OpShr:
		f.shift(o, t, k)
	case len(o.Args) == 2:
		f.binaryOp(o, t, k)
	default:
		f.unary(o, o.Args[0].Type.Kind, f.typeOf(o.Args[0]), t)
	}
}

// fit makes a word on the stack one that has the value of a number of fewer bits: what does not fit wraps.
func (f *function) fit(k ir.Kind) {
	switch k {
	case ir.I8:
		f.do("i32.extend8_s")
	case ir.I16:
		f.do("i32.extend16_s")
	case ir.U8:
		f.word(0xff)
		f.do("i32.and")
	case ir.U16, ir.F16:
		f.word(0xffff)
		f.do("i32.and")
	}
}

// The names of instructions for floats and integers, behind the type; "" where there is none.
var simple = map[ir.Code][2]string{
	ir.OpAdd: {".add", ".add"}, ir.OpSub: {".sub", ".sub"}, ir.OpMul: {".mul", ".mul"}, ir.OpDiv: {".div", ""},
	ir.OpAnd: {"", ".and"}, ir.OpOr: {"", ".or"}, ir.OpXor: {"", ".xor"}, ir.OpMin: {".min", ""}, ir.OpMax: {".max", ""},
	ir.OpAbs: {".abs", ""}, ir.OpSqrt: {".sqrt", ""}, ir.OpFloor: {".floor", ""}, ir.OpCeil: {".ceil", ""}, ir.OpTrunc: {".trunc", ""}, ir.OpRoundEven: {".nearest", ""},
}

// instructionFor returns the instruction that does a whole op.
func instructionFor(code ir.Code, t valType, k ir.Kind) (name string, ok bool) {
	names := simple[code]
	if name = names[1]; k.IsFloat() {
		name = names[0]
	}
	return t.String() + name, name != ""
}

func (f *function) binaryOp(o *ir.Op, t valType, k ir.Kind) {
	if name, ok := instructionFor(o.Code, t, k); ok {
		a, b := o.Args[0], o.Args[1]
		if o.Code == ir.OpMul && k.IsInt() && f.shifted(t, k, a, b) {
			return
		}
		f.pushAs(t, a)
		f.pushAs(t, b)
		f.do(name)
		f.fit(k)
		return
	}
	f.binary(o, o.Code, k, kindType(k), f.hold(o.Args[0]), f.hold(o.Args[1]))
	f.cut(kindType(k), t)
}

// shifted puts a product on the stack by a shift, if one of the factors is a constant power of two.
func (f *function) shifted(t valType, k ir.Kind, a, b *ir.Value) bool {
	c, ok := ir.IntOf(f.resolve(b))
	if !ok {
		a, b = b, a
		c, ok = ir.IntOf(f.resolve(b))
	}
	if !ok || c <= 0 || c&(c-1) != 0 {
		return false
	}
	f.pushAs(t, a)
	f.number(t, int64(bits.TrailingZeros64(uint64(c))))
	f.do(t.String() + ".shl")
	f.fit(k)
	return true
}

// scale multiplies the word on the stack by a constant.
func (f *function) scale(by int64) {
	switch {
	case by == 1:
	case by&(by-1) == 0:
		f.word(int32(bits.TrailingZeros64(uint64(by))))
		f.do("i32.shl")
	default:
		f.word(int32(by))
		f.do("i32.mul")
	}
}

// binary computes code, which may differ from that of o, of two numbers of a kind. It is for ops with whole operands.
func (f *function) binary(o *ir.Op, code ir.Code, k ir.Kind, t valType, a, b operand) {
	if k == ir.F16 {
		f.halfBinary(o, code, a, b)
		return
	}
	if name, ok := instructionFor(code, t, k); ok {
		f.put(a)
		f.put(b)
		f.do(name)
		f.fit(k)
		return
	}
	switch code {
	case ir.OpMin, ir.OpMax:
		less := ir.OpLt
		if code == ir.OpMax {
			less = ir.OpGt
		}
		f.put(a)
		f.put(b)
		f.put(a)
		f.put(b)
		f.do(compareName(less, t, k))
		f.choose(t)
	case ir.OpDiv, ir.OpRem, ir.OpFloorDiv, ir.OpMod:
		if !k.IsFloat() {
			f.division(code, k, t, a, b)
			return
		}
		if code == ir.OpRem { // package mathlib has computed the others
			f.put(a)
			f.put(b)
			f.remainder(k)
			return
		}
		fallthrough
	default:
		f.unsupported(o, code.String())
	}
}

// unary translates the ops with one operand of kind k and type t.
func (f *function) unary(o *ir.Op, k ir.Kind, t, result valType) {
	if name, ok := instructionFor(o.Code, t, k); ok {
		f.push(o.Args[0])
		f.do(name)
		return
	}
	f.unaryOf(o, k, t, result, f.hold(o.Args[0]))
}

// unaryOf is unary of an operand.
func (f *function) unaryOf(o *ir.Op, k ir.Kind, t, result valType, v operand) {
	if name, ok := instructionFor(o.Code, t, k); ok {
		f.put(v)
		f.do(name)
		return
	}
	name := t.String()
	switch o.Code {
	case ir.OpNeg:
		if k.IsFloat() {
			f.put(v)
			f.do(name + ".neg")
			return
		}
		f.number(result, 0)
		f.put(v)
		f.cut(t, result)
		f.do(result.String() + ".sub")
		f.fit(k)
	case ir.OpNot:
		f.put(v)
		f.cut(t, result)
		if k == ir.Bool {
			f.do("i32.eqz")
			return
		}
		f.number(result, -1)
		f.do(result.String() + ".xor")
		f.fit(k)
	case ir.OpAbs:
		f.absolute(k, t, v)
	case ir.OpSign:
		f.sign(k, t, v)
	case ir.OpIsNaN:
		f.put(v)
		f.put(v)
		f.do(name + ".ne")
	case ir.OpIsInf:
		f.put(v)
		f.do(name + ".abs")
		f.float(t, math.Inf(1))
		f.do(name + ".eq")
	case ir.OpRound:
		f.round(t, v)
	case ir.OpPopcount, ir.OpClz:
		f.countBits(o.Code, k, t, v)
	default:
		f.unsupported(o, o.Code.String())
	}
	if o.Code != ir.OpNeg && o.Code != ir.OpNot && !k.IsFloat() {
		f.cut(t, result)
	}
}

// cut leaves the lower half of a number on the stack where no more is wanted.
func (f *function) cut(t, result valType) {
	if t == i64 && result == i32 {
		f.do("i32.wrap_i64")
	}
}

// float puts a floating-point constant on the stack.
func (f *function) float(t valType, v float64) {
	k := ir.F64
	if t == f32 {
		k = ir.F32
	}
	f.real(t, ir.FloatBits(k, v))
}

// absolute of the smallest integer is itself.
func (f *function) absolute(k ir.Kind, t valType, v operand) {
	f.put(v)
	if k.IsUnsigned() {
		return
	}
	name := t.String()
	shift := int64(31)
	if t == i64 {
		shift = 63
	}
	sign := func() {
		f.put(v)
		f.number(t, shift)
		f.do(name + ".shr_s")
	}
	sign()
	f.do(name + ".xor")
	sign()
	f.do(name + ".sub")
	f.fit(k)
}

// sign gives -1, 0 or 1; a float keeps a zero's sign and a NaN.
func (f *function) sign(k ir.Kind, t valType, v operand) {
	name := t.String()
	if k.IsFloat() {
		f.float(t, 1)
		f.float(t, -1)
		f.put(v)
		f.put(v)
		f.zero(t)
		f.do(name + ".lt")
		f.choose(t)
		f.put(v)
		f.zero(t)
		f.do(name + ".gt")
		f.choose(t)
		return
	}
	test := func(compare ir.Code) {
		f.put(v)
		f.zero(t)
		f.do(compareName(compare, t, k))
		if t == i64 {
			f.do("i64.extend_i32_u")
		}
	}
	if test(ir.OpGt); k.IsSigned() {
		test(ir.OpLt)
		f.do(name + ".sub")
	}
}

// round rounds halves away from zero.
func (f *function) round(t valType, v operand) {
	name := t.String()
	f.put(v)
	f.do(name + ".trunc")
	whole := f.keep(t)
	f.put(whole)
	f.float(t, 1)
	f.put(v)
	f.do(name + ".copysign")
	f.do(name + ".add")
	f.put(whole)
	f.put(v)
	f.put(whole)
	f.do(name + ".sub")
	f.do(name + ".abs")
	f.float(t, 0.5)
	f.do(name + ".ge")
	f.choose(t)
}

// countBits counts ones or leading zeros. A narrow number stands in a word with copies of its sign above.
func (f *function) countBits(code ir.Code, k ir.Kind, t valType, v operand) {
	f.put(v)
	if k.Bits() < 32 && k.IsSigned() {
		f.word(1<<k.Bits() - 1)
		f.do("i32.and")
	}
	if code == ir.OpPopcount {
		f.do(t.String() + ".popcnt")
		return
	}
	if f.do(t.String() + ".clz"); k.Bits() < 32 {
		f.word(int32(32 - k.Bits()))
		f.do("i32.sub")
	}
}
