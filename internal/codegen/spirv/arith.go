package spirv

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// arithmetic translates the ops without memory or control.
func (f *function) arithmetic(o *ir.Op) {
	if len(o.Results) != 1 {
		f.unsupported(o, o.Code.String())
		return
	}
	r := o.Results[0]
	k := r.Type.Kind
	switch args := o.Args; o.Code {
	case ir.OpConst:
		f.values[r] = f.literal(k, o.Bits)
	case ir.OpConvert:
		f.values[r] = f.convert(args[0].Type.Kind, k, f.use(args[0]))
	case ir.OpBitcast:
		f.values[r] = f.bits(args[0].Type.Kind, k, f.use(args[0]))
	case ir.OpSelect:
		f.values[r] = f.inst(opSelect, f.kind(k), f.use(args[0]), f.use(args[1]), f.use(args[2]))
	default:
		switch {
		case len(args) > 0 && args[0].Type.Kind == ir.F16 && len(args) < 3:
			f.values[r] = f.half(o)
		case len(args) == 1:
			f.values[r] = f.unary(o, args[0].Type.Kind, f.use(args[0]))
		case len(args) == 2:
			f.values[r] = f.binaryOp(o)
		default: // Package mathlib has computed fused products.
			f.unsupported(o, o.Code.String())
		}
	}
}

// literal is the value of a const op.
func (f *function) literal(k ir.Kind, bits uint64) id {
	if k.IsFloat() && bits&(1<<(k.Bits()-1)-1) == 0 {
		return f.zero(k, bits != 0)
	}
	return f.constant(k, bits)
}

// bits takes the bits of a number for one of another kind of the same width.
func (f *function) bits(from, to ir.Kind, v id) id {
	if f.kind(from) == f.kind(to) {
		return v
	}
	return f.inst(opBitcast, f.kind(to), v)
}

// exactly marks an instruction that may not be contracted with another one.
func (f *function) exactly(o *ir.Op, n id) id {
	if f.strict || o.Flags.Has(ir.Strict) {
		f.decorate(n, 42) // NoContraction
	}
	return n
}

// unary translates the ops with one operand.
func (f *function) unary(o *ir.Op, k ir.Kind, v id) id {
	t, yes := f.kind(k), f.kind(ir.Bool)
	switch o.Code {
	case ir.OpNeg:
		if k.IsFloat() {
			return f.inst(opFNegate, t, v)
		}
		return f.inst(opSNegate, t, v)
	case ir.OpNot:
		if k == ir.Bool {
			return f.inst(opLogicalNot, t, v)
		}
		return f.inst(opNot, t, v)
	case ir.OpAbs:
		switch {
		case k.IsFloat():
			return f.ext(extFAbs, t, v)
		case k.IsUnsigned():
			return v
		}
		return f.inst(opSelect, t, f.compare(ir.OpLt, k, v, f.number(k.Bits(), 0)), f.inst(opSNegate, t, v), v)
	case ir.OpSign:
		return f.sign(k, v)
	case ir.OpIsNaN:
		return f.isNaN(k, v)
	case ir.OpIsInf:
		magnitude, inf := f.magnitude(k, v)
		return f.inst(opIEqual, yes, magnitude, inf)
	case ir.OpSqrt:
		return f.root(k, v)
	case ir.OpFloor:
		return f.ext(extFloor, t, v)
	case ir.OpCeil:
		return f.ext(extCeil, t, v)
	case ir.OpTrunc:
		return f.trunc(k, v)
	case ir.OpRoundEven:
		if k == ir.F64 {
			return f.roundEven(v)
		}
		return f.ext(extRoundEven, t, v)
	case ir.OpRound:
		return f.round(k, v)
	case ir.OpPopcount:
		return f.popcount(k, v)
	case ir.OpClz:
		return f.clz(k, v)
	}
	f.unsupported(o, o.Code.String())
	return v
}

// magnitude returns the bits of a float without its sign, and those of infinity.
func (f *function) magnitude(k ir.Kind, v id) (bits, inf id) {
	n := k.Bits()
	b := f.inst(opBitwiseAnd, f.integer(n), f.inst(opBitcast, f.integer(n), v), f.number(n, 1<<(n-1)-1))
	return b, f.number(n, ir.FloatBits(k, math.Inf(1)))
}

func (f *function) isNaN(k ir.Kind, v id) id {
	magnitude, inf := f.magnitude(k, v)
	return f.inst(opUGreaterThan, f.kind(ir.Bool), magnitude, inf)
}

// sign gives -1, 0 or 1; a float keeps a zero's sign and a NaN.
func (f *function) sign(k ir.Kind, v id) id {
	t := f.kind(k)
	one, minus, zero := f.number(max(8, k.Bits()), 1), f.number(max(8, k.Bits()), math.MaxUint64), f.number(max(8, k.Bits()), 0)
	other := zero
	if k.IsFloat() {
		one, minus, zero, other = f.real(k, 1), f.real(k, -1), f.zero(k, false), v
	}
	r := f.inst(opSelect, t, f.compare(ir.OpGt, k, v, zero), one, other)
	if k.IsUnsigned() {
		return r
	}
	return f.inst(opSelect, t, f.compare(ir.OpLt, k, v, zero), minus, r)
}

// round rounds halves away from zero.
func (f *function) round(k ir.Kind, v id) id {
	t := f.kind(k)
	whole := f.trunc(k, v)
	rest := f.inst(opFSub, t, v, whole)
	up := f.inst(opSelect, t, f.inst(opFOrdGreaterThanEqual, f.kind(ir.Bool), rest, f.real(k, 0.5)), f.inst(opFAdd, t, whole, f.real(k, 1)), whole)
	return f.inst(opSelect, t, f.inst(opFOrdLessThanEqual, f.kind(ir.Bool), rest, f.real(k, -0.5)), f.inst(opFSub, t, whole, f.real(k, 1)), up)
}

// trunc is the whole part, with the sign of v. llvmpipe takes numbers of f64 from 2^24 on for whole ones in the instruction for this, but not in that for the
// next lower one.
func (f *function) trunc(k ir.Kind, v id) id {
	t := f.kind(k)
	if k != ir.F64 {
		return f.ext(extTrunc, t, v)
	}
	u64 := f.integer(64)
	sign := f.inst(opBitwiseAnd, u64, f.inst(opBitcast, u64, v), f.number(64, 1<<63))
	whole := f.inst(opBitcast, u64, f.ext(extFloor, t, f.ext(extFAbs, t, v)))
	return f.inst(opBitcast, t, f.inst(opBitwiseOr, u64, whole, sign))
}

// roundEven rounds an f64 to the nearest whole number, halves to an even one. llvmpipe rounds halves of f64 towards zero in the instruction for this. The
// difference from the whole part is exact.
func (f *function) roundEven(v id) id {
	t, yes := f.kind(ir.F64), f.kind(ir.Bool)
	whole := f.trunc(ir.F64, v)
	rest := f.inst(opFSub, t, v, whole)
	half := f.inst(opFMul, t, whole, f.real(ir.F64, 0.5))
	odd := f.inst(opFUnordNotEqual, yes, half, f.trunc(ir.F64, half))
	for _, n := range []id{rest, half} {
		f.decorate(n, 42) // NoContraction
	}
	size := f.ext(extFAbs, t, rest)
	tie := f.inst(opLogicalAnd, yes, f.inst(opFOrdEqual, yes, size, f.real(ir.F64, 0.5)), odd)
	away := f.inst(opLogicalOr, yes, tie, f.inst(opFOrdGreaterThan, yes, size, f.real(ir.F64, 0.5)))
	step := f.inst(opSelect, t, f.inst(opFOrdLessThan, yes, rest, f.zero(ir.F64, false)), f.real(ir.F64, -1), f.real(ir.F64, 1))
	return f.inst(opSelect, t, away, f.inst(opFAdd, t, whole, step), whole)
}

// halves are the low and the high word of a number of 64 bits.
func (f *function) halves(v id) (lo, hi id) {
	high := f.inst(opShiftRightLogical, f.integer(64), v, f.number(64, 32))
	return f.inst(opUConvert, f.integer(32), v), f.inst(opUConvert, f.integer(32), high)
}

// resized changes the width of an unsigned number.
func (f *function) resized(from, to int, v id) id {
	if from == to {
		return v
	}
	return f.inst(opUConvert, f.integer(to), v)
}

func (f *function) popcount(k ir.Kind, v id) id {
	u32 := f.integer(32)
	if k.Bits() == 64 {
		lo, hi := f.halves(v)
		return f.resized(32, 64, f.inst(opIAdd, u32, f.inst(opBitCount, u32, lo), f.inst(opBitCount, u32, hi)))
	}
	return f.resized(32, k.Bits(), f.inst(opBitCount, u32, f.resized(k.Bits(), 32, v)))
}

func (f *function) clz(k ir.Kind, v id) id {
	u32 := f.integer(32)
	// Of 0 the number of the highest bit is -1.
	zeros := func(v id) id { return f.inst(opISub, u32, f.word(31), f.ext(extFindUMsb, u32, v)) }
	if k.Bits() == 64 {
		lo, hi := f.halves(v)
		none := f.inst(opIEqual, f.kind(ir.Bool), hi, f.word(0))
		return f.resized(32, 64, f.inst(opSelect, u32, none, f.inst(opIAdd, u32, f.word(32), zeros(lo)), zeros(hi)))
	}
	n := zeros(f.resized(k.Bits(), 32, v))
	return f.resized(32, k.Bits(), f.inst(opISub, u32, n, f.word(uint32(32-k.Bits()))))
}

// binaryOp translates an op with two operands.
func (f *function) binaryOp(o *ir.Op) id {
	a, b := o.Args[0], o.Args[1]
	k := a.Type.Kind
	if o.Code == ir.OpShl || o.Code == ir.OpShr {
		return f.shift(o.Code, k, b.Type.Kind, f.use(a), f.use(b))
	}
	return f.binary(o, o.Code, k, f.use(a), f.use(b))
}

// The instructions for floats, integers and bools; 0 where there is none.
var binaries = map[ir.Code][3]uint32{
	ir.OpAdd: {opFAdd, opIAdd, 0}, ir.OpSub: {opFSub, opISub, 0}, ir.OpMul: {opFMul, opIMul, 0},
	ir.OpAnd: {0, opBitwiseAnd, opLogicalAnd}, ir.OpOr: {0, opBitwiseOr, opLogicalOr}, ir.OpXor: {0, opBitwiseXor, opLogicalNotEqual},
}

// binary computes code, which may differ from that of o, of two numbers of a kind.
func (f *function) binary(o *ir.Op, code ir.Code, k ir.Kind, a, b id) id {
	t := f.kind(k)
	if _, compares := comparisons[code]; k == ir.F16 && !compares {
		return f.roundHalf(f.binary(o, code, ir.F32, f.widenHalf(a), f.widenHalf(b)))
	}
	if ops, ok := binaries[code]; ok {
		op := ops[1]
		switch {
		case k.IsFloat():
			op = ops[0]
		case k == ir.Bool:
			op = ops[2]
		}
		if op != 0 {
			n := f.inst(op, t, a, b)
			if k.IsFloat() {
				return f.exactly(o, n)
			}
			return n
		}
	}
	switch code {
	case ir.OpMin, ir.OpMax:
		return f.minMax(code, k, a, b)
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		return f.compare(code, k, a, b)
	case ir.OpDiv:
		if k.IsFloat() {
			return f.divide(o, k, a, b)
		}
		return f.division(code, k, a, b)
	case ir.OpRem, ir.OpFloorDiv, ir.OpMod:
		if !k.IsFloat() {
			return f.division(code, k, a, b)
		}
		if code == ir.OpRem { // package mathlib has computed the others
			return f.remainder(k, a, b)
		}
	}
	f.unsupported(o, code.String())
	return a
}

// The comparisons of floats, signed and unsigned integers, and bools.
var comparisons = map[ir.Code][4]uint32{
	ir.OpEq: {opFOrdEqual, opIEqual, opIEqual, opLogicalEqual}, ir.OpNe: {opFUnordNotEqual, opINotEqual, opINotEqual, opLogicalNotEqual},
	ir.OpLt: {opFOrdLessThan, opSLessThan, opULessThan}, ir.OpLe: {opFOrdLessThanEqual, opSLessThanEqual, opULessThanEqual},
	ir.OpGt: {opFOrdGreaterThan, opSGreaterThan, opUGreaterThan}, ir.OpGe: {opFOrdGreaterThanEqual, opSGreaterThanEqual, opUGreaterThanEqual},
}

func (f *function) compare(code ir.Code, k ir.Kind, a, b id) id {
	i := 2
	switch {
	case k == ir.F16:
		return f.compare(code, ir.F32, f.widenHalf(a), f.widenHalf(b))
	case k.IsFloat():
		i = 0
	case k == ir.Bool:
		i = 3
	case k.IsSigned():
		i = 1
	}
	return f.inst(comparisons[code][i], f.kind(ir.Bool), a, b)
}

// minMax gives a NaN if either is one, and takes -0 for less than 0.
func (f *function) minMax(code ir.Code, k ir.Kind, a, b id) id {
	t, yes := f.kind(k), f.kind(ir.Bool)
	less := ir.OpLt
	if code == ir.OpMax {
		less = ir.OpGt
	}
	r := f.inst(opSelect, t, f.compare(less, k, a, b), a, b)
	if !k.IsFloat() {
		return r
	}
	join := uint32(opBitwiseOr) // of the signs of zeros
	if code == ir.OpMax {
		join = opBitwiseAnd
	}
	word := f.integer(k.Bits())
	zeros := f.inst(opBitcast, t, f.inst(join, word, f.inst(opBitcast, word, a), f.inst(opBitcast, word, b)))
	r = f.inst(opSelect, t, f.inst(opFOrdEqual, yes, a, b), zeros, r)
	return f.inst(opSelect, t, f.isNaN(k, a), a, r)
}

// shift has Go's rules: what is shifted by the width or more has only copies of its sign left, or zeros. Counts are compared as unsigned numbers.
func (f *function) shift(code ir.Code, k, by ir.Kind, a, n id) id {
	t, bits := f.kind(k), k.Bits()
	fits := f.inst(opULessThan, f.kind(ir.Bool), n, f.number(by.Bits(), uint64(bits)))
	arithmetic := code == ir.OpShr && k.IsSigned()
	most := uint64(0)
	if arithmetic {
		most = uint64(bits - 1)
	}
	safe := f.inst(opSelect, f.integer(by.Bits()), fits, n, f.number(by.Bits(), most))
	safe = f.resized(by.Bits(), bits, safe)
	if arithmetic {
		return f.inst(opShiftRightArithmetic, t, a, safe)
	}
	op := map[ir.Code]uint32{ir.OpShl: opShiftLeftLogical, ir.OpShr: opShiftRightLogical}[code]
	return f.inst(opSelect, t, fits, f.inst(op, t, a, safe), f.number(bits, 0))
}

// division translates the four integer divisions; see the one of package codegen/llvm, which has the same rules.
func (f *function) division(code ir.Code, k ir.Kind, a, b id) id {
	t, yes, n := f.kind(k), f.kind(ir.Bool), k.Bits()
	zero, one := f.number(n, 0), f.number(n, 1)
	pick := func(c, x, y id) id { return f.inst(opSelect, t, c, x, y) }
	none := f.inst(opIEqual, yes, b, zero)
	bad, div, rem := none, uint32(opUDiv), uint32(opUMod)
	if k.IsSigned() {
		div, rem = opSDiv, opSRem
		minus := f.inst(opIEqual, yes, b, f.number(n, math.MaxUint64))
		lowest := f.inst(opIEqual, yes, a, f.number(n, 1<<(n-1)))
		bad = f.inst(opLogicalOr, yes, none, f.inst(opLogicalAnd, yes, minus, lowest))
	}
	safe := pick(bad, one, b)
	switch {
	case code == ir.OpRem || code == ir.OpMod && !k.IsSigned():
		return f.inst(rem, t, a, safe)
	case code == ir.OpDiv || !k.IsSigned():
		return pick(none, zero, f.inst(div, t, a, safe))
	}
	r := f.inst(rem, t, a, safe)
	differ := f.inst(opSLessThan, yes, f.inst(opBitwiseXor, t, r, b), zero)
	down := f.inst(opLogicalAnd, yes, f.inst(opINotEqual, yes, r, zero), differ)
	if code == ir.OpMod {
		return pick(down, f.inst(opIAdd, t, r, b), r)
	}
	q := f.inst(div, t, a, safe)
	return pick(none, zero, pick(down, f.inst(opISub, t, q, one), q))
}
