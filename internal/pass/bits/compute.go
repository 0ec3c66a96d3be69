package bits

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
)

// compute appends arithmetic on values of which some vary between lanes.
func (w *evaluator) compute(o *ir.Op) value {
	k := o.Args[len(o.Args)-1].Type.Kind // of operands
	result := o.Results[0].Type.Kind
	if x, ok := w.indexArithmetic(o); ok {
		return x
	}
	if k.IsFloat() || result.IsFloat() || k == ir.Ptr {
		stop(o.Pos, note.BitsFloat)
	}
	if o.Code == ir.OpSelect {
		return w.merge(o, result, w.planeOf(o, w.of(o.Args[0])), w.of(o.Args[1]), w.of(o.Args[2]))
	}
	x := w.numberOf(o, w.of(o.Args[0]), o.Args[0].Type.Kind)
	if len(o.Args) == 1 {
		return w.kept(o, result, w.unary(o, x, k, result))
	}
	if o.Code == ir.OpShl || o.Code == ir.OpShr {
		return w.kept(o, result, w.shift(o, x))
	}
	y := w.numberOf(o, w.of(o.Args[1]), k)
	if o.Code.Is(ir.Comparison) {
		return value{number: fromPlane(w.compare(o.Code, x, y))}
	}
	return w.kept(o, result, w.binary(o, k, x, y))
}

// kept returns a number as one of kind k; nil if it is too large.
func (w *evaluator) kept(o *ir.Op, k ir.Kind, n *number) value {
	if n != nil {
		n = w.logic.kept(k, n)
	}
	if n == nil {
		stop(o.Pos, note.BitsLarge)
	}
	return value{number: n}
}

func (w *evaluator) unary(o *ir.Op, x *number, k, result ir.Kind) *number {
	switch o.Code {
	case ir.OpNeg:
		return w.sub(fromConst(0), x)
	case ir.OpNot:
		if k == ir.Bool {
			return fromPlane(w.not(w.extended(x, 1)[0]))
		}
		return w.complement(x)
	case ir.OpAbs:
		return w.choose(w.less(x, fromConst(0)), w.sub(fromConst(0), x), x)
	case ir.OpSign:
		up, down := fromPlane(w.positive(x)), fromPlane(w.less(x, fromConst(0)))
		return w.sub(up, down)
	case ir.OpConvert:
		if result == ir.Bool {
			return fromPlane(w.isSet(x))
		}
		return x
	case ir.OpBitcast:
		return x
	}
	stop(o.Pos, note.BitsOther, o.Code.String())
	return nil
}

func (w *evaluator) binary(o *ir.Op, k ir.Kind, x, y *number) *number {
	switch o.Code {
	case ir.OpAdd:
		return w.add(x, y)
	case ir.OpSub:
		return w.sub(x, y)
	case ir.OpMul:
		return w.mul(x, y)
	case ir.OpAnd:
		return w.common(x, y)
	case ir.OpOr:
		return w.bitwise(x, y, w.or)
	case ir.OpXor:
		return w.bitwise(x, y, w.xor)
	case ir.OpMin:
		return w.choose(w.less(x, y), x, y)
	case ir.OpMax:
		return w.choose(w.less(x, y), y, x)
	case ir.OpDiv, ir.OpFloorDiv, ir.OpRem, ir.OpMod:
		c, ok := y.isConst()
		n := lowBits(c)
		if !ok || n < 0 || x.lo < 0 && (o.Code == ir.OpDiv || o.Code == ir.OpRem) {
			break
		}
		if o.Code == ir.OpDiv || o.Code == ir.OpFloorDiv {
			return w.shifted(x, -int64(n))
		}
		return w.common(x, fromConst(c-1))
	}
	stop(o.Pos, note.BitsOther, o.Code.String())
	return nil
}

// shift appends a shift by a constant.
func (w *evaluator) shift(o *ir.Op, x *number) *number {
	by, ok := int64(0), false
	if u := w.of(o.Args[1]).uniform; u != nil {
		by, ok = ir.IntOf(u)
	}
	k := o.Results[0].Type.Kind
	switch {
	case !ok || by < 0:
		stop(o.Pos, note.BitsOther, o.Code.String())
	case o.Code == ir.OpShr:
		return w.shifted(x, -by)
	case by >= int64(k.Bits()):
		return fromConst(0)
	}
	return w.shifted(x, by)
}

func (w *evaluator) compare(code ir.Code, x, y *number) plane {
	switch code {
	case ir.OpEq:
		return w.equal(x, y)
	case ir.OpNe:
		return w.not(w.equal(x, y))
	case ir.OpLt:
		return w.less(x, y)
	case ir.OpGe:
		return w.not(w.less(x, y))
	case ir.OpGt:
		return w.less(y, x)
	}
	return w.not(w.less(y, x))
}

// farthest is the largest distance from the iteration's index at which a value still counts as an index.
const farthest = 1 << 20

// indexArithmetic appends arithmetic on the index of the lanes whose result is an index, or a comparison of it.
func (w *evaluator) indexArithmetic(o *ir.Op) (value, bool) {
	x := w.of(o.Args[0])
	if len(o.Args) == 1 {
		wide := o.Code == ir.OpConvert && o.Results[0].Type.Kind.IsInt() && o.Results[0].Type.Kind.Bits() >= 32
		return x, x.index && wide
	}
	if len(o.Args) != 2 {
		return value{}, false
	}
	y := w.of(o.Args[1])
	if o.Code == ir.OpAdd && y.index && !x.index {
		x, y = y, x
	}
	if !x.index || x.mod != 0 {
		if o.Code.Is(ir.Comparison) && y.index && y.mod == 0 && x.uniform != nil {
			return w.compareIndex(mirrored[o.Code], y, x.uniform), true
		}
		return value{}, false
	}
	var c int64
	ok := false
	if y.uniform != nil {
		c, ok = ir.IntOf(y.uniform)
	}
	switch {
	case o.Code.Is(ir.Comparison) && y.uniform != nil:
		return w.compareIndex(o.Code, x, y.uniform), true
	case !ok:
	case o.Code == ir.OpAdd && max(x.plus+c, -x.plus-c) <= farthest:
		return value{index: true, plus: x.plus + c}, true
	case o.Code == ir.OpSub && max(x.plus-c, c-x.plus) <= farthest:
		return value{index: true, plus: x.plus - c}, true
	case o.Code == ir.OpMod && c > 0, o.Code == ir.OpRem && c > 0 && w.notNegative(x):
		return w.modulo(o, x, c)
	case o.Code == ir.OpAnd && lowBits(c+1) >= 0 && c > 0:
		return w.modulo(o, x, c+1)
	}
	return value{}, false
}

var mirrored = map[ir.Code]ir.Code{
	ir.OpEq: ir.OpEq, ir.OpNe: ir.OpNe, ir.OpLt: ir.OpGt, ir.OpGt: ir.OpLt, ir.OpLe: ir.OpGe, ir.OpGe: ir.OpLe,
}

// notNegative reports whether an index is known not to be negative.
func (w *evaluator) notNegative(x value) bool {
	lo, ok := constOf(w.v.lo)
	return ok && lo+x.plus >= 0
}

// modulo appends the remainder of an index: a number if its bits follow from the lanes, or else an index that wraps around.
func (w *evaluator) modulo(o *ir.Op, x value, n int64) (value, bool) {
	if b := lowBits(n); b >= 0 && w.v.lanes%n == 0 && lowBits(w.v.lanes) >= 0 {
		r := &number{hi: n - 1}
		plus := w.v.first + x.plus
		for i := range b {
			r.planes = append(r.planes, w.digits(i, plus-analysis.FloorDiv(plus, w.v.lanes)*w.v.lanes))
		}
		return value{number: r}, true
	}
	if n%w.v.lanes != 0 {
		return value{}, false
	}
	plus := x.plus - analysis.FloorDiv(x.plus, n)*n
	if plus > n/2 {
		plus -= n
	}
	return value{index: true, plus: plus, mod: n}, true
}

// compareIndex appends the comparison of an index with a uniform value.
func (w *evaluator) compareIndex(code ir.Code, x value, u *ir.Value) value {
	d := w.fold(ir.OpSub, w.fold(ir.OpSub, w.wide(u), w.i64(x.plus)), w.base)
	next := func() plane { return w.below(w.fold(ir.OpAdd, d, w.i64(1))) }
	var p plane
	switch code {
	case ir.OpLt:
		p = w.below(d)
	case ir.OpLe:
		p = next()
	case ir.OpGe:
		p = w.not(w.below(d))
	case ir.OpGt:
		p = w.not(next())
	case ir.OpEq:
		p = w.and(next(), w.not(w.below(d)))
	case ir.OpNe:
		p = w.or(w.not(next()), w.below(d))
	}
	return value{number: fromPlane(p)}
}

// wide returns an integer as an i64, as a constant if it is one.
func (w *evaluator) wide(u *ir.Value) *ir.Value {
	if c, ok := ir.IntOf(u); ok {
		return w.i64(c)
	}
	return w.Convert(u, ir.I64)
}
