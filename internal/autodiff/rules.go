package autodiff

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
)

// A rule says how the result of an op changes with its operands. It serves both directions: an adjoint or a
// tangent is multiplied by a partial derivative.
type rule struct {
	// uses has bit i set if the derivative depends on the value of operand i, and bit result if on that
	// of the result.
	uses uint8

	// singular says that a partial derivative may be infinite where the op is defined. Nothing times it is nothing:
	// a path that was not taken leaves no NaN.
	singular bool

	// factors says that the partial derivatives are operands. They may be infinite where these are.
	factors bool

	// bounded says that the partial derivative is a finite function of the operand, which is no number where the operand is none, and may be
	// where it is infinite.
	bounded bool

	// times returns d times the partial derivative with respect to operand i; nil for 0. It is linear in d.
	times func(e *at, i int, d *ir.Value) *ir.Value

	// why there is no derivative: the op gives no real numbers, or is constant between its steps.
	why string
}

const result = 7 // the bit of the result in uses

// at is where a rule is applied.
type at struct {
	*ir.Builder
	op    *ir.Op
	value func(*ir.Value) *ir.Value // the value as the code being emitted has it
}

func (e *at) x(i int) *ir.Value { return e.value(e.op.Args[i]) }
func (e *at) y() *ir.Value      { return e.value(e.op.Results[0]) }

func (e *at) num(v float64) *ir.Value                { return e.Float(e.op.Results[0].Type, v) }
func (e *at) mul(a, b *ir.Value) *ir.Value           { return e.Op(ir.OpMul, a, b) }
func (e *at) div(a, b *ir.Value) *ir.Value           { return e.Op(ir.OpDiv, a, b) }
func (e *at) neg(a *ir.Value) *ir.Value              { return e.Op(ir.OpNeg, a) }
func (e *at) scale(d *ir.Value, f float64) *ir.Value { return e.mul(d, e.num(f)) }

// where is a if c holds, else b. It is an if and no select, which lowering knows nothing of.
func where(b *ir.Builder, c, x, y *ir.Value) *ir.Value {
	return b.If(c, []ir.Type{x.Type}, func() { b.Yield(x) }, func() { b.Yield(y) })[0]
}

// unless is 0 where c holds, else what f emits, which runs nowhere else: in second order it would leave a NaN there.
func (e *at) unless(c *ir.Value, f func() *ir.Value) *ir.Value {
	zero := e.num(0)
	return e.If(c, []ir.Type{zero.Type}, func() { e.Yield(zero) }, func() { e.Yield(f()) })[0]
}

func (e *at) isZero(x *ir.Value) *ir.Value { return e.Op(ir.OpEq, x, e.num(0)) }

const (
	whyInteger  = "it computes no real number"
	whyStep     = "it is constant but at its steps, where it jumps"
	whyBits     = "bits are no real numbers"
	whyConstant = "it does not change"
	whyAccess   = "it is memory, which has rules of its own"
	whyControl  = "control flow has rules of its own"
	whyInternal = "only passes that come later make it"
	whyLanes    = "only passes that come later make lanes"
)

// ruleOf returns the rule of an op on floats.
func ruleOf(c ir.Code) *rule { return &rules[c] }

const (
	u0 = 1 << 0
	u1 = 1 << 1
	u2 = 1 << 2
	uy = 1 << result
)

// unary makes the rule of a function of one operand from the product of d and its derivative.
func unary(uses uint8, f func(e *at, d *ir.Value) *ir.Value) rule {
	return rule{uses: uses, times: func(e *at, _ int, d *ir.Value) *ir.Value { return f(e, d) }}
}

// pole is unary, where the derivative has a pole.
func pole(uses uint8, f func(e *at, d *ir.Value) *ir.Value) rule {
	r := unary(uses, f)
	r.singular = true
	return r
}

// bounded is unary, where the derivative is finite but not constant.
func bounded(uses uint8, f func(e *at, d *ir.Value) *ir.Value) rule {
	r := unary(uses, f)
	r.bounded = true
	return r
}

// choice is the rule of min and max: the first operand where takes holds.
func choice(takes ir.Code) rule {
	return rule{uses: u0 | u1, times: func(e *at, i int, d *ir.Value) *ir.Value {
		first, zero := e.Op(takes, e.x(0), e.x(1)), e.num(0)
		if i == 0 {
			return where(e.Builder, first, d, zero)
		}
		return where(e.Builder, first, zero, d)
	}}
}

// remainder is the rule of x - y*quotient(x, y), where the quotient is a whole number.
func remainder(quotient func(e *at) *ir.Value) rule {
	return rule{uses: u0 | u1, singular: true, times: func(e *at, i int, d *ir.Value) *ir.Value {
		if i == 0 {
			return d
		}
		return e.neg(e.mul(d, quotient(e)))
	}}
}

// The table of rules: a row for each op.
var rules = func() (rules [256]rule) {
	for why, codes := range reasons {
		for _, c := range codes {
			rules[c] = rule{why: why}
		}
	}
	for c, r := range derivatives {
		rules[c] = r
	}
	return rules
}()

var reasons = map[string][]ir.Code{
	whyInteger: {ir.OpNot, ir.OpPopcount, ir.OpClz, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpShl, ir.OpShr, ir.OpIsNaN, ir.OpIsInf,
		ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe, ir.OpRand, ir.OpKey, ir.OpOrdinal, ir.OpLen,
		ir.OpIsActive, ir.OpCount, ir.OpAppend, ir.OpUnique},
	whyStep:     {ir.OpSign, ir.OpFloor, ir.OpCeil, ir.OpRound, ir.OpTrunc, ir.OpRoundEven, ir.OpFloorDiv},
	whyBits:     {ir.OpBitcast},
	whyConstant: {ir.OpConst, ir.OpParam, ir.OpLookup, ir.OpStopGrad},
	whyAccess:   {ir.OpPtr, ir.OpElem, ir.OpAlloc, ir.OpCell, ir.OpLoad, ir.OpStore, ir.OpAtomic, ir.OpActivate, ir.OpDeactivate, ir.OpShrink},
	whyControl: {ir.OpIf, ir.OpFor, ir.OpLoop, ir.OpBlock, ir.OpParFor, ir.OpFieldFor, ir.OpYield, ir.OpContinue, ir.OpBreak, ir.OpReturn, ir.OpCall,
		ir.OpFail, ir.OpRecord, ir.OpPart},
	whyInternal: {ir.OpWorker, ir.OpRsqrtEst, ir.OpScale, ir.OpBase, ir.OpArgPtr, ir.OpFrame, ir.OpOffset, ir.OpPrefetch, ir.OpPoll, ir.OpMask, ir.OpEntry,
		ir.OpListMask, ir.OpVisit, ir.OpTally, ir.OpRoot, ir.OpBlockPtr, ir.OpFollow, ir.OpGrow, ir.OpFind, ir.OpEnter, ir.OpIteration},
	whyLanes: {ir.OpSplat, ir.OpAny, ir.OpAll, ir.OpTotal, ir.OpBits, ir.OpShuffle, ir.OpSlide, ir.OpPack, ir.OpLane, ir.OpIota},
}

var derivatives = map[ir.Code]rule{
	ir.OpNeg: unary(0, func(e *at, d *ir.Value) *ir.Value { return e.neg(d) }),
	// The sign of 0 is 0.
	ir.OpAbs:   bounded(u0, func(e *at, d *ir.Value) *ir.Value { return e.mul(d, e.Op(ir.OpSign, e.x(0))) }),
	ir.OpSqrt:  pole(uy, func(e *at, d *ir.Value) *ir.Value { return e.div(e.scale(d, 0.5), e.y()) }),
	ir.OpRsqrt: pole(uy, func(e *at, d *ir.Value) *ir.Value { return e.scale(e.mul(e.mul(e.mul(d, e.y()), e.y()), e.y()), -0.5) }),
	ir.OpCbrt:  pole(uy, func(e *at, d *ir.Value) *ir.Value { return e.div(e.div(e.scale(d, 1.0/3), e.y()), e.y()) }),
	ir.OpSin:   bounded(u0, func(e *at, d *ir.Value) *ir.Value { return e.mul(d, e.Op(ir.OpCos, e.x(0))) }),
	ir.OpCos:   bounded(u0, func(e *at, d *ir.Value) *ir.Value { return e.neg(e.mul(d, e.Op(ir.OpSin, e.x(0)))) }),
	ir.OpTan: pole(uy, func(e *at, d *ir.Value) *ir.Value {
		return e.Op(ir.OpAdd, d, e.mul(e.mul(d, e.y()), e.y()))
	}),
	ir.OpAsin: pole(u0, func(e *at, d *ir.Value) *ir.Value { return e.div(d, e.leg()) }),
	ir.OpAcos: pole(u0, func(e *at, d *ir.Value) *ir.Value { return e.neg(e.div(d, e.leg())) }),
	ir.OpAtan: bounded(u0, func(e *at, d *ir.Value) *ir.Value {
		return e.div(d, e.Op(ir.OpAdd, e.num(1), e.mul(e.x(0), e.x(0))))
	}),
	ir.OpSinh: pole(u0, func(e *at, d *ir.Value) *ir.Value { return e.mul(d, e.Op(ir.OpCosh, e.x(0))) }),
	ir.OpCosh: pole(u0, func(e *at, d *ir.Value) *ir.Value { return e.mul(d, e.Op(ir.OpSinh, e.x(0))) }),
	ir.OpTanh: bounded(u0, func(e *at, d *ir.Value) *ir.Value {
		// 1 - tanh² cancels where tanh is near 1. It is 4q/(1+q)², where q is exp(-2|x|).
		q := e.Op(ir.OpExp, e.scale(e.Op(ir.OpAbs, e.x(0)), -2))
		r := e.Op(ir.OpAdd, q, e.num(1))
		return e.mul(d, e.div(e.scale(q, 4), e.mul(r, r)))
	}),
	ir.OpExp:  pole(uy, func(e *at, d *ir.Value) *ir.Value { return e.mul(d, e.y()) }),
	ir.OpExp2: pole(uy, func(e *at, d *ir.Value) *ir.Value { return e.mul(e.scale(d, math.Ln2), e.y()) }),
	ir.OpLog:  pole(u0, func(e *at, d *ir.Value) *ir.Value { return e.div(d, e.x(0)) }),
	ir.OpLog2: pole(u0, func(e *at, d *ir.Value) *ir.Value { return e.div(e.scale(d, 1/math.Ln2), e.x(0)) }),
	ir.OpConvert: unary(0, func(e *at, d *ir.Value) *ir.Value {
		return d // converted to the kind of the operand by the caller
	}),

	ir.OpAdd: {times: func(_ *at, _ int, d *ir.Value) *ir.Value { return d }},
	ir.OpSub: {times: func(e *at, i int, d *ir.Value) *ir.Value {
		if i == 0 {
			return d
		}
		return e.neg(d)
	}},
	ir.OpMul: {uses: u0 | u1, factors: true, times: func(e *at, i int, d *ir.Value) *ir.Value { return e.mul(d, e.x(1-i)) }},
	ir.OpDiv: {uses: u1 | uy, singular: true, times: func(e *at, i int, d *ir.Value) *ir.Value {
		q := e.div(d, e.x(1))
		if i == 0 {
			return q
		}
		return e.neg(e.mul(q, e.y()))
	}},
	ir.OpRem: remainder(func(e *at) *ir.Value { return e.Op(ir.OpTrunc, e.div(e.x(0), e.x(1))) }),
	ir.OpMod: remainder(func(e *at) *ir.Value { return e.Op(ir.OpFloorDiv, e.x(0), e.x(1)) }),
	ir.OpMin: choice(ir.OpLe),
	ir.OpMax: choice(ir.OpGe),
	ir.OpPow: {uses: u0 | u1 | uy, singular: true, times: func(e *at, i int, d *ir.Value) *ir.Value {
		if i == 0 {
			return e.unless(e.isZero(e.x(1)), func() *ir.Value {
				return e.mul(e.mul(d, e.x(1)), e.Op(ir.OpPow, e.x(0), e.Op(ir.OpSub, e.x(1), e.num(1))))
			})
		}
		// A power that is 0 stays 0 as the exponent changes, and a power of 0 stays 0 or infinite, but for the exponent 0.
		return e.unless(e.Op(ir.OpOr, e.isZero(e.x(0)), e.isZero(e.y())), func() *ir.Value {
			return e.mul(e.mul(d, e.y()), e.Op(ir.OpLog, e.x(0)))
		})
	}},
	ir.OpAtan2: {uses: u0 | u1, singular: true, times: func(e *at, i int, d *ir.Value) *ir.Value {
		y, x := e.x(0), e.x(1)
		return e.unless(e.Op(ir.OpAnd, e.isZero(x), e.isZero(y)), func() *ir.Value {
			// Divided twice by the distance, whose square may be out of range.
			h := e.distance(x, y)
			q := e.div(d, h)
			if i == 0 {
				return e.mul(q, e.div(x, h))
			}
			return e.neg(e.mul(q, e.div(y, h)))
		})
	}},
	ir.OpSelect: {uses: u0, times: func(e *at, i int, d *ir.Value) *ir.Value {
		zero := e.num(0)
		switch i {
		case 1:
			return where(e.Builder, e.x(0), d, zero)
		case 2:
			return where(e.Builder, e.x(0), zero, d)
		}
		return nil
	}},
	ir.OpFma: {uses: u0 | u1, factors: true, times: func(e *at, i int, d *ir.Value) *ir.Value {
		if i == 2 {
			return d
		}
		return e.mul(d, e.x(1-i))
	}},
}

// leg is √(1-x²), without the cancellation of the square near 1.
func (e *at) leg() *ir.Value {
	x, one := e.x(0), e.num(1)
	return e.Op(ir.OpSqrt, e.mul(e.Op(ir.OpSub, one, x), e.Op(ir.OpAdd, one, x)))
}

// distance is √(x²+y²), scaled by the larger of the two.
func (e *at) distance(x, y *ir.Value) *ir.Value {
	a, b := e.Op(ir.OpAbs, x), e.Op(ir.OpAbs, y)
	big := e.Op(ir.OpMax, a, b)
	p, q := e.div(a, big), e.div(b, big)
	return e.mul(big, e.Op(ir.OpSqrt, e.Op(ir.OpAdd, e.mul(p, p), e.mul(q, q))))
}

// apply returns d times the partial derivative of op with respect to operand i, of that operand's kind; nil for 0. Where it is no number, and
// what none returns is true, it is 0; none may be nil.
func apply(b *ir.Builder, op *ir.Op, i int, d *ir.Value, none func() *ir.Value, value func(*ir.Value) *ir.Value) *ir.Value {
	r := ruleOf(op.Code)
	if r.times == nil {
		return nil
	}
	e := &at{Builder: b, op: op, value: value}
	p := r.times(e, i, d)
	if p == nil {
		return nil
	}
	if none != nil && p != d {
		// A product that is a number is left as it is: it may be 0 here, and change with d, which second derivatives see.
		p = where(b, b.Op(ir.OpAnd, b.Op(ir.OpIsNaN, p), none()), b.Float(p.Type, 0), p)
	}
	return b.Convert(p, op.Args[i].Type.Kind)
}

// isDifferentiable reports whether a change of operand i changes the result of op as a real number.
func isDifferentiable(op *ir.Op, i int) bool {
	if len(op.Results) != 1 || !op.Results[0].Type.Kind.IsFloat() || !op.Args[i].Type.Kind.IsFloat() {
		return false
	}
	return ruleOf(op.Code).times != nil
}
