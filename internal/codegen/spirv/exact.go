package spirv

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/launch"
)

// This file has quotients and roots as strict maths wants them, rounded to the nearest. Vulkan lets a driver be 2.5 units of the last place off for quotients of f32,
// about as much for roots, and by any amount where the divisor is beyond 2^126; for f64 it promises no more. So a module under strict maths calls functions that have both the instruction and
// a sequence of integer instructions, of which a specialisation constant chooses one: modules know no device, and drivers remove the other one.
//
// The sequence takes the significands as integers, and the driver's result of them as a first guess, which is good wherever a driver keeps Vulkan's promises. The
// remainder that belongs to the guess is small, so that its lowest 32 or 64 bits are all of it, and says by how many units the guess is off.

// guessOff is how many units of half the last place a guess may be off. Quotients are at most 6 off, roots 15.
const guessOff = 32

// specialisedExact is the constant that is not 0 where quotients and roots of a kind are computed by integers.
func (m *module) specialisedExact(k ir.Kind) id {
	if m.exact[k] == 0 {
		m.exact[k] = m.specialised(exactConstants[k], 0)
	}
	return m.exact[k]
}

var exactConstants = map[ir.Kind]uint32{ir.F32: launch.ExactF32, ir.F64: launch.ExactF64}

// divide divides floats.
func (f *function) divide(o *ir.Op, k ir.Kind, a, b id) id {
	if f.strict {
		return f.inst(opFunctionCall, f.kind(k), f.exactFunction(ir.OpDiv, k), a, b)
	}
	return f.exactly(o, f.inst(opFDiv, f.kind(k), a, b))
}

// root is the square root of a float.
func (f *function) root(k ir.Kind, a id) id {
	if f.strict {
		return f.inst(opFunctionCall, f.kind(k), f.exactFunction(ir.OpSqrt, k), a)
	}
	return f.ext(extSqrt, f.kind(k), a)
}

// exactFunction is the function that divides or takes roots in one way or the other.
func (m *module) exactFunction(code ir.Code, k ir.Kind) id {
	key := exactKey{code, k}
	if n := m.exacts[key]; n != 0 {
		return n
	}
	n, t := m.id(), m.kind(k)
	m.exacts[key] = n
	s := &significands{function: m.newFunction(), k: k, n: k.Bits(), digits: map[ir.Kind]int{ir.F32: 24, ir.F64: 53}[k]}
	s.u = s.integer(s.n)
	params := []id{s.id()}
	if code == ir.OpDiv {
		params = append(params, s.id())
	}
	integers, plain, after, result := s.id(), s.id(), s.id(), s.variable(t)
	s.choose(s.inst(opINotEqual, s.kind(ir.Bool), m.specialisedExact(k), s.word(0)), integers, plain, after)
	s.label(integers)
	if code == ir.OpDiv {
		s.do(opStore, result, s.quotient(params[0], params[1]))
	} else {
		s.do(opStore, result, s.rootOf(params[0]))
	}
	s.branch(after)
	s.label(plain)
	v := id(0)
	if code == ir.OpDiv {
		v = s.inst(opFDiv, t, params...)
	} else {
		v = s.ext(extSqrt, t, params[0])
	}
	s.decorate(v, 42) // NoContraction
	s.do(opStore, result, v)
	s.branch(after)
	s.label(after)
	s.do(opReturnValue, s.inst(opLoad, t, result))
	types := []id{t, t}[:len(params)]
	s.finish(n, t, m.global(opTypeFunction, 0, append([]uint32{t}, types...)...), params, types)
	return n
}

type exactKey struct {
	code ir.Code
	k    ir.Kind
}

// significands computes with the bits of floats.
type significands struct {
	*function
	k         ir.Kind
	n, digits int // bits of a number, and of its significand
	u         id  // the type of integers of n bits
}

func (s *significands) num(v uint64) id { return s.number(s.n, v) }

func (s *significands) op(op uint32, a, b id) id { return s.inst(op, s.u, a, b) }

func (s *significands) is(op uint32, a, b id) id { return s.inst(op, s.kind(ir.Bool), a, b) }

func (s *significands) pick(c, a, b id) id { return s.inst(opSelect, s.u, c, a, b) }

func (s *significands) up(a id, by int) id { return s.op(opShiftLeftLogical, a, s.num(uint64(by))) }

// inf are the bits of infinity.
func (s *significands) inf() id { return s.num(ir.FloatBits(s.k, math.Inf(1))) }

// parts are the bits of a number as they are, those without its sign, and the sign.
func (s *significands) parts(v id) (bits, abs, sign id) {
	bits = s.inst(opBitcast, s.u, v)
	abs = s.op(opBitwiseAnd, bits, s.num(1<<(s.n-1)-1))
	return bits, abs, s.op(opBitwiseXor, bits, abs)
}

// finite reports whether bits without a sign are of a number that is neither 0 nor infinite.
func (s *significands) finite(abs id) id {
	return s.inst(opLogicalAnd, s.kind(ir.Bool), s.is(opINotEqual, abs, s.num(0)), s.is(opULessThan, abs, s.inf()))
}

// split is the significand of a number, with its first bit set, and its exponent as floats have it, which is below 1 for a subnormal number. A number that is not usual counts as 1.
func (s *significands) split(abs, usual id) (whole, exponent id) {
	stored := s.digits - 1
	abs = s.pick(usual, abs, s.num(ir.FloatBits(s.k, 1)))
	exponent = s.op(opShiftRightLogical, abs, s.num(uint64(stored)))
	fraction := s.op(opBitwiseAnd, abs, s.num(1<<stored-1))
	small := s.is(opIEqual, exponent, s.num(0))
	// The bits of a normal number begin right behind those of the exponent.
	lost := s.op(opISub, s.clz(s.k.Unsigned(), s.pick(small, fraction, s.num(1<<stored))), s.num(uint64(s.n-s.digits)))
	whole = s.pick(small, s.op(opShiftLeftLogical, fraction, lost), s.op(opBitwiseOr, fraction, s.num(1<<stored)))
	return whole, s.pick(small, s.op(opISub, s.num(1), lost), exponent)
}

// guess is a positive float, times a power of 2, as an integer that is certainly not more than what it stands for.
func (s *significands) guess(v id, exponent int) id {
	scaled := s.inst(opFMul, s.kind(s.k), v, s.real(s.k, math.Ldexp(1, exponent)))
	return s.op(opISub, s.inst(opConvertFToU, s.u, scaled), s.num(guessOff))
}

// float is an integer as a float, which it fits.
func (s *significands) float(v id) id { return s.inst(opConvertUToF, s.kind(s.k), v) }

// improve adds to a guess as many units as its remainder has room for; cost is what so many, a power of 2, take of it.
func (s *significands) improve(guess, rest id, cost func(guess id, power int) id) (whole, left id) {
	for power := 5; power >= 0; power-- {
		c := cost(guess, power)
		fits := s.is(opUGreaterThanEqual, rest, c)
		rest = s.op(opISub, rest, s.pick(fits, c, s.num(0)))
		guess = s.op(opIAdd, guess, s.pick(fits, s.num(1<<power), s.num(0)))
	}
	return guess, rest
}

// quotient divides by integers.
func (s *significands) quotient(a, b id) id {
	_, x, sx := s.parts(a)
	_, y, sy := s.parts(b)
	yes := s.kind(ir.Bool)
	usual := s.inst(opLogicalAnd, yes, s.finite(x), s.finite(y))
	wx, ex := s.split(x, usual)
	wy, ey := s.split(y, usual)
	less := s.is(opULessThan, wx, wy) // the quotient of the significands is to be in [1, 2)
	wx = s.pick(less, s.up(wx, 1), wx)
	bias := 1<<(s.n-s.digits-1) - 1
	exponent := s.op(opISub, s.op(opIAdd, s.op(opISub, ex, ey), s.num(uint64(bias))), s.pick(less, s.num(1), s.num(0)))

	guess := s.guess(s.inst(opFDiv, s.kind(s.k), s.float(wx), s.float(wy)), s.digits)
	rest := s.op(opISub, s.up(wx, s.digits), s.op(opIMul, guess, wy))
	whole, rest := s.improve(guess, rest, func(_ id, power int) id { return s.up(wy, power) })
	r := s.round(whole, s.is(opINotEqual, rest, s.num(0)), exponent)

	infinite := s.inst(opLogicalOr, yes, s.is(opIEqual, x, s.inf()), s.is(opIEqual, y, s.num(0)))
	none := s.inst(opLogicalOr, yes, s.is(opIEqual, y, s.inf()), s.is(opIEqual, x, s.num(0)))
	nan := s.inst(opLogicalOr, yes, s.is(opUGreaterThan, x, s.inf()), s.is(opUGreaterThan, y, s.inf()))
	nan = s.inst(opLogicalOr, yes, nan, s.inst(opLogicalAnd, yes, infinite, none))
	other := s.pick(nan, s.num(ir.FloatBits(s.k, math.NaN())), s.pick(infinite, s.inf(), s.num(0)))
	r = s.op(opBitwiseOr, s.pick(usual, r, other), s.op(opBitwiseXor, sx, sy))
	return s.inst(opBitcast, s.kind(s.k), r)
}

// round makes the bits of a number of a significand with one bit more than there is room for, of whether anything lies behind that, and of its exponent. A subnormal number has room
// for fewer bits.
func (s *significands) round(whole, more, exponent id) id {
	yes := s.kind(ir.Bool)
	small := s.is(opSLessThan, exponent, s.num(1))
	lost := s.pick(small, s.op(opISub, s.num(2), exponent), s.num(1))
	lost = s.pick(s.is(opUGreaterThan, lost, s.num(uint64(s.digits+2))), s.num(uint64(s.digits+2)), lost)
	half := s.op(opShiftLeftLogical, s.num(1), s.op(opISub, lost, s.num(1)))
	kept := s.op(opShiftRightLogical, whole, lost)
	rest := s.op(opISub, whole, s.op(opShiftLeftLogical, kept, lost))
	odd := s.is(opINotEqual, s.op(opBitwiseAnd, kept, s.num(1)), s.num(0))
	tie := s.inst(opLogicalAnd, yes, s.is(opIEqual, rest, half), s.inst(opLogicalOr, yes, more, odd))
	up := s.inst(opLogicalOr, yes, tie, s.is(opUGreaterThan, rest, half))
	kept = s.op(opIAdd, kept, s.pick(up, s.num(1), s.num(0)))
	above := s.pick(small, s.num(0), s.op(opISub, exponent, s.num(1))) // the first bit of a significand adds 1
	r := s.op(opIAdd, s.up(above, s.digits-1), kept)
	top := 1<<(s.n-s.digits) - 1
	return s.pick(s.inst(opSGreaterThanEqual, yes, exponent, s.num(uint64(top))), s.inf(), r)
}

// rootOf takes a root by integers.
func (s *significands) rootOf(a id) id {
	bits, x, sign := s.parts(a)
	yes := s.kind(ir.Bool)
	usual := s.inst(opLogicalAnd, yes, s.finite(x), s.is(opIEqual, sign, s.num(0)))
	whole, exponent := s.split(x, usual)
	even := s.is(opIEqual, s.op(opBitwiseAnd, exponent, s.num(1)), s.num(0))
	moved := s.pick(even, s.num(2), s.num(1)) // what is left of the exponent is even
	whole = s.op(opShiftLeftLogical, whole, moved)
	bias := 1<<(s.n-s.digits-1) - 1
	half := s.op(opShiftRightLogical, s.op(opISub, s.op(opIAdd, exponent, s.num(uint64(bias+1))), moved), s.num(1))

	odd := s.digits % 2
	guess := s.guess(s.ext(extSqrt, s.kind(s.k), s.float(s.up(whole, odd))), (s.digits-odd)/2)
	rest := s.op(opISub, s.up(whole, s.digits), s.op(opIMul, guess, guess))
	guess, _ = s.improve(guess, rest, func(g id, power int) id {
		return s.op(opIAdd, s.up(g, power+1), s.num(1<<(2*power)))
	})
	// A root is never in the middle between two numbers.
	r := s.op(opShiftRightLogical, s.op(opIAdd, guess, s.num(1)), s.num(1))
	r = s.op(opIAdd, s.up(s.op(opISub, half, s.num(1)), s.digits-1), r)

	nan := s.inst(opLogicalOr, yes, s.is(opUGreaterThan, x, s.inf()), s.inst(opLogicalAnd, yes, s.is(opINotEqual, sign, s.num(0)), s.is(opINotEqual, x, s.num(0))))
	other := s.pick(nan, s.num(ir.FloatBits(s.k, math.NaN())), bits) // zeros, and infinity
	return s.inst(opBitcast, s.kind(s.k), s.pick(usual, r, other))
}
