package lower

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/site"
)

// This file adds the checks of debug mode to operations of the source. Lowering is
// the place for them since it alone knows those from its own: computing the number
// of a component or a bound must not fail. Unsigned integers wrap by design, so
// hashes and random numbers go unchecked, but for division by zero.

// op appends an operation of the source, with the checks that are asked for.
func (l *lowerer) op(code ir.Code, xs ...*ir.Value) *ir.Value {
	r := l.b.Op(code, xs...)
	l.checkOp(code, r, xs...)
	return r
}

// checkOp appends the checks of an operation with the result r.
func (l *lowerer) checkOp(code ir.Code, r *ir.Value, xs ...*ir.Value) {
	switch k := xs[0].Type.Kind; {
	case k.IsInt() && l.debug:
		l.checkInts(code, k, r, xs)
	case r.Type.Kind.IsFloat() && l.checkNaN:
		l.checkFloats(code, r, xs)
	}
}

// signs are the operators as the source has them.
var signs = map[ir.Code]string{
	ir.OpAdd: " + ", ir.OpSub: " - ", ir.OpMul: " * ", ir.OpDiv: " / ", ir.OpRem: " % ", ir.OpShl: " << ", ir.OpShr: " >> ", ir.OpNeg: "-",
}

// shown returns the text of an operation with its operands: 2 + 3, mod(2, 3).
func shown(code ir.Code, xs []*ir.Value) []site.Piece {
	sign, open := signs[code]
	var text []site.Piece
	switch {
	case !open:
		name := code.String()
		if code == ir.OpFloorDiv {
			name = "floorDiv"
		}
		text = append(text, site.Piece{Text: name + "("})
	case len(xs) == 1:
		text = append(text, site.Piece{Text: sign})
	}
	for i, x := range xs {
		switch {
		case i > 0 && open:
			text = append(text, site.Piece{Text: sign})
		case i > 0:
			text = append(text, site.Piece{Text: ", "})
		}
		text = append(text, site.Piece{Verb: "%v", Kind: x.Type.Kind})
	}
	if !open {
		text = append(text, site.Piece{Text: ")"})
	}
	return text
}

// needs appends a check: unless ok, the launch fails with the operation and what is
// wrong with it.
func (l *lowerer) needs(ok *ir.Value, kind site.Kind, code ir.Code, xs []*ir.Value, wrong string) {
	text := append(shown(code, xs), site.Piece{Text: wrong})
	l.require(ok, site.Site{Kind: kind, Text: text}, xs...)
}

// checkInts checks an operation on integers of kind k.
func (l *lowerer) checkInts(code ir.Code, k ir.Kind, r *ir.Value, xs []*ir.Value) {
	x := xs[0]
	switch code {
	case ir.OpDiv, ir.OpRem, ir.OpFloorDiv, ir.OpMod:
		l.needs(l.b.Op(ir.OpNe, xs[1], l.num(x, 0)), site.Divide, code, xs, ": division by zero")
	case ir.OpShl, ir.OpShr:
		l.checkShift(code, k, r, xs)
		return
	}
	if !k.IsSigned() {
		return
	}
	var ok *ir.Value
	switch zero := l.num(x, 0); code {
	case ir.OpAdd: // the result has another sign than both operands
		ok = l.b.Op(ir.OpGe, l.b.Op(ir.OpAnd, l.b.Op(ir.OpXor, x, r), l.b.Op(ir.OpXor, xs[1], r)), zero)
	case ir.OpSub: // the operands have different signs, and the result another than the first
		ok = l.b.Op(ir.OpGe, l.b.Op(ir.OpAnd, l.b.Op(ir.OpXor, x, xs[1]), l.b.Op(ir.OpXor, x, r)), zero)
	case ir.OpMul:
		ok = l.exactProduct(k, r, x, xs[1])
	case ir.OpNeg, ir.OpAbs:
		ok = l.b.Op(ir.OpNe, x, l.least(k))
	case ir.OpDiv, ir.OpFloorDiv:
		ok = l.b.Op(ir.OpOr, l.b.Op(ir.OpNe, x, l.least(k)), l.b.Op(ir.OpNe, xs[1], l.b.Int(x.Type, -1)))
	default:
		return
	}
	l.needs(ok, site.Overflow, code, xs, " does not fit "+k.String())
}

// checkShift checks that a shift has a count that is not negative, and that a signed
// number shifted left keeps all its bits: shifted back, it is what it was.
func (l *lowerer) checkShift(code ir.Code, k ir.Kind, r *ir.Value, xs []*ir.Value) {
	x, count := xs[0], xs[1]
	signed := count.Type.Kind.IsSigned()
	if signed {
		l.needs(l.b.Op(ir.OpGe, count, l.num(count, 0)), site.Overflow, code, xs, ": the count is negative")
	}
	if code != ir.OpShl || !k.IsSigned() {
		return
	}
	ok := l.b.Op(ir.OpEq, l.b.Op(ir.OpShr, r, count), x)
	if signed { // a negative count has been reported above
		ok = l.b.Op(ir.OpOr, ok, l.b.Op(ir.OpLt, count, l.num(count, 0)))
	}
	l.needs(ok, site.Overflow, code, xs, " does not fit "+k.String())
}

// least is the smallest number of a signed kind.
func (l *lowerer) least(k ir.Kind) *ir.Value {
	return l.b.Int(ir.Scalar(k), math.MinInt64>>(64-k.Bits()))
}

// exactProduct tests whether r is x*y: in twice the width, or by dividing.
func (l *lowerer) exactProduct(k ir.Kind, r, x, y *ir.Value) *ir.Value {
	if k.Bits() < 64 {
		wide := l.b.Op(ir.OpMul, l.b.Convert(x, ir.I64), l.b.Convert(y, ir.I64))
		return l.b.Op(ir.OpEq, wide, l.b.Convert(r, ir.I64))
	}
	none := l.b.Op(ir.OpEq, x, l.num(x, 0))
	back := l.b.Op(ir.OpEq, l.b.Op(ir.OpDiv, r, x), y)
	// The one product that dividing does not find, since it wraps as well.
	odd := l.b.Op(ir.OpAnd, l.b.Op(ir.OpEq, x, l.b.Int(x.Type, -1)), l.b.Op(ir.OpEq, y, l.least(k)))
	return l.b.Op(ir.OpOr, none, l.b.Op(ir.OpAnd, back, l.b.Op(ir.OpNot, odd)))
}

// checkFloats checks that a result is a number, or an operand is none already.
func (l *lowerer) checkFloats(code ir.Code, r *ir.Value, xs []*ir.Value) {
	ok := l.b.Op(ir.OpNot, l.b.Op(ir.OpIsNaN, r))
	for _, x := range xs {
		if !x.Type.Kind.IsFloat() {
			return
		}
		ok = l.b.Op(ir.OpOr, ok, l.b.Op(ir.OpIsNaN, x))
	}
	l.needs(ok, site.NaN, code, xs, " is not a number")
}

// checkConvert checks that a float fits the integer kind that it becomes.
func (l *lowerer) checkConvert(x *ir.Value, k ir.Kind) {
	if !l.debug || !x.Type.Kind.IsFloat() || !k.IsInt() {
		return
	}
	lo, hi := 0.0, math.Ldexp(1, k.Bits()) // lo ≤ result < hi
	if k.IsSigned() {
		lo, hi = -hi/2, hi/2
	}
	whole := l.b.Op(ir.OpTrunc, x)
	ok := l.b.Op(ir.OpAnd, l.b.Op(ir.OpGe, whole, l.num(x, lo)), l.b.Op(ir.OpLt, whole, l.num(x, hi)))
	l.require(ok, site.Site{Kind: site.Overflow, Text: []site.Piece{
		{Text: k.String() + "("}, {Verb: "%v", Kind: x.Type.Kind}, {Text: "): the number does not fit"},
	}}, x)
}

// atomicCodes are the operations that atomics carry out.
var atomicCodes = map[ir.AtomicKind]ir.Code{
	ir.AtomicAdd: ir.OpAdd, ir.AtomicSub: ir.OpSub, ir.AtomicMul: ir.OpMul, ir.AtomicDiv: ir.OpDiv,
}

// atomicAt appends an atomic, with the checks of what it computes.
func (l *lowerer) atomicAt(kind ir.AtomicKind, place *ir.Value, xs ...*ir.Value) (old *ir.Value) {
	old = l.b.Atomic(kind, place, xs...)
	l.checkAtomic(kind, old, xs[0])
	return old
}

// checkAtomic appends the checks of what an atomic has computed.
func (l *lowerer) checkAtomic(kind ir.AtomicKind, old, x *ir.Value) {
	if code, ok := atomicCodes[kind]; ok && (l.debug || l.checkNaN) {
		l.op(code, old, x)
	}
}
