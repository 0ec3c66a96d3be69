package packet

import (
	"math"
	"math/bits"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/target"
)

// This file writes loops of vectors.

// A loopWriter writes the loops that replace a loop.
type loopWriter struct {
	*looper
	a       *packetInfo
	loop    *ir.Op
	reduced []ir.Code // the operation that reduces each carried value
	b       *ir.Builder

	from    *ir.Value   // the first iteration that is left
	carried []*ir.Value // the values that it gets
	left    int64       // the number of iterations that are left; -1 if it is not known
}

// write returns the ops that replace the loop: a loop of vectors of each width, one after the other, and the loop itself for the iterations
// that are left.
func (w *loopWriter) write(widths []int) []*ir.Op {
	w.b = ir.NewBuilder(&ir.Block{})
	w.b.Pos = w.loop.Pos
	w.from, w.carried, w.left = w.loop.Args[0], w.loop.Args[2:], tripsOf(w.loop)
	for i, lanes := range widths {
		masked := w.machine.Provides(target.Masks) && i == len(widths)-1 && len(widths) > 1
		w.vectors(lanes, masked)
	}
	w.loop.Args = append([]*ir.Value{w.from, w.loop.Args[1]}, w.carried...)
	w.loop.Flags = w.loop.Flags&^ir.Independent | ir.Rolled
	return append(w.b.Block.Ops, w.loop)
}

// tripsOf returns the number of iterations of a loop; -1 if it is not known.
func tripsOf(loop *ir.Op) int64 {
	lo, ok1 := ir.IntOf(loop.Args[0])
	hi, ok2 := ir.IntOf(loop.Args[1])
	if !ok1 || !ok2 {
		return -1
	}
	return max(0, hi-lo)
}

// vectors writes a loop of vectors with this number of lanes. If it is masked, no iteration is left.
func (w *loopWriter) vectors(lanes int, masked bool) {
	number, hi := w.loop.Args[0].Type, w.loop.Args[1]
	count := ir.Scalar(unsigned(number.Kind))
	var trips *ir.Value
	switch {
	case w.left >= 0 && masked:
		trips = w.b.Int(count, (w.left+int64(lanes)-1)/int64(lanes))
	case w.left >= 0:
		trips = w.b.Int(count, w.left/int64(lanes))
	default:
		trips = w.b.Convert(w.iterations(), count.Kind)
		if masked {
			trips = w.b.Op(ir.OpAdd, trips, w.b.Int(count, int64(lanes-1)))
		}
		trips = w.b.Op(ir.OpShr, trips, w.b.Int(count, int64(bits.TrailingZeros(uint(lanes)))))
	}
	p := &packer{packetInfo: w.a, lanes: lanes, to: map[*ir.Value]*ir.Value{}, acc: map[*ir.Op][]*ir.Value{}, jump: map[*ir.Op]*ir.Op{}, rooms: map[ir.Kind][]*ir.Value{}}
	params := w.loop.Regions[0].Params
	var firsts []*ir.Value
	for i, v := range w.carried {
		firsts = append(firsts, neutral(w.b, w.reduced[i], v, lanes))
	}
	o := ir.NewOp(ir.OpFor, w.loop.Pos, p.types(params[1:]), append([]*ir.Value{w.b.Int(count, 0), trips}, firsts...)...)
	o.Flags |= ir.Rolled
	n := o.Regions[0].AddParam(count, "")
	var before []*ir.Value
	for i, t := range p.types(params[1:]) {
		v := o.Regions[0].AddParam(t, params[i+1].Name)
		before = append(before, v)
		p.to[params[i+1]] = v
	}
	p.b = ir.NewBuilder(o.Regions[0])
	p.b.Pos = w.loop.Pos
	p.base = p.b.NoWrap(ir.OpAdd, w.from, p.b.NoWrap(ir.OpMul, p.b.Convert(n, number.Kind), p.b.Int(number, int64(lanes))))
	p.to[p.index] = p.b.NoWrap(ir.OpAdd, p.splat(p.base), p.b.OpOf(ir.OpIota, ir.Vec(number.Kind, lanes)))
	var mask *ir.Value
	if masked {
		mask = p.b.Op(ir.OpLt, p.to[p.index], p.splat(hi))
	}
	e := p.block(w.loop.Regions[0], mask)
	p.report()
	next := p.all(params[1:], e.args)
	for i, v := range next {
		next[i] = p.pick(mask, v, before[i])
	}
	p.b.Pos = w.loop.Pos
	p.b.Jump(ir.OpContinue, o, next...)
	w.b.Block.Ops = append(w.b.Block.Ops, p.start...)
	w.b.Emit(o)
	after := make([]*ir.Value, len(w.carried))
	for i, v := range w.carried {
		after[i] = reduced(w.b, w.reduced[i], v, o.Results[i])
	}
	w.carried = after
	w.advance(trips, lanes, masked)
}

// iterations computes how many iterations are left, of a batch or of any loop.
func (w *loopWriter) iterations() *ir.Value {
	hi := w.loop.Args[1]
	if hi.Block == w.t.Body && w.t.Batch > 0 {
		return w.b.NoWrap(ir.OpSub, hi, w.from)
	}
	some := w.b.Op(ir.OpLt, w.from, hi)
	return w.b.Op(ir.OpSelect, some, w.b.Op(ir.OpSub, hi, w.from), w.b.Int(hi.Type, 0))
}

// advance notes which iterations are left behind a loop of vectors.
func (w *loopWriter) advance(trips *ir.Value, lanes int, masked bool) {
	number := w.from.Type
	switch lo, known := ir.IntOf(w.from); {
	case masked:
		w.from, w.left = w.loop.Args[1], min(w.left, 0)
	case w.left >= 0 && known:
		done := w.left - w.left%int64(lanes)
		w.from, w.left = w.b.Int(number, lo+done), w.left%int64(lanes)
	default:
		done := w.b.NoWrap(ir.OpMul, w.b.Convert(trips, number.Kind), w.b.Int(number, int64(lanes)))
		w.from = w.b.NoWrap(ir.OpAdd, w.from, done)
	}
}

// unsigned is the kind of unsigned integers of the same size.
func unsigned(k ir.Kind) ir.Kind {
	if k.Size() == 8 {
		return ir.U64
	}
	return ir.U32
}

// neutral is what the lanes of a reduction start with: what changes no result, or the value before the loop if it may count several times.
func neutral(b *ir.Builder, code ir.Code, v *ir.Value, lanes int) *ir.Value {
	t := ir.Vec(v.Type.Kind, lanes)
	switch {
	case code == ir.OpMul && v.Type.Kind.IsFloat():
		return b.Float(t, 1)
	case code == ir.OpMul:
		return b.Int(t, 1)
	case code == ir.OpAdd && v.Type.Kind.IsFloat():
		return b.Float(t, math.Copysign(0, -1))
	case code == ir.OpAdd, code == ir.OpXor:
		return b.Const(t, 0)
	}
	return b.OpOf(ir.OpSplat, t, v)
}

// reduced combines the lanes of a reduction, and the value before the loop.
func reduced(b *ir.Builder, code ir.Code, before, lanes *ir.Value) *ir.Value {
	one := before.Type
	switch {
	case one.Kind == ir.Bool && code == ir.OpAnd:
		return b.OpOf(ir.OpAll, one, lanes)
	case one.Kind == ir.Bool && code == ir.OpOr:
		return b.OpOf(ir.OpAny, one, lanes)
	case code == ir.OpAdd:
		return b.Op(code, before, b.OpOf(ir.OpTotal, one, lanes))
	}
	all := b.Across(lanes, func(x, y *ir.Value) *ir.Value { return b.Op(code, x, y) })
	return b.Op(code, before, all)
}
