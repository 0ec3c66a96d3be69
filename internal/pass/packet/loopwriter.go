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
	count   *ir.Value   // how many iterations are left, an unsigned number
	known   int64       // the same, or -1 if it is not known
	carried []*ir.Value // the values that the first of them gets
}

// write returns the ops that replace the loop: a loop of vectors of each width, one after the other, and the loop itself for the iterations
// that are left.
func (w *loopWriter) write(widths []int) []*ir.Op {
	w.b = ir.NewBuilder(&ir.Block{})
	w.b.Pos = w.loop.Pos
	w.from, w.carried, w.known = w.loop.Args[0], w.loop.Args[2:], tripsOf(w.loop)
	w.count = w.iterations()
	for i, lanes := range widths {
		if lanes == 0 {
			continue
		}
		masked := w.machine.Provides(target.Masks) && i == len(widths)-1 && len(widths) > 1
		w.vectors(lanes, masked)
	}
	if w.known == 0 {
		for i, r := range w.loop.Results {
			ir.Substitute(w.t.Body, map[*ir.Value]*ir.Value{r: w.carried[i]})
		}
		return w.b.Block.Ops
	}
	to := w.b.NoWrap(ir.OpAdd, w.from, w.b.Convert(w.count, w.from.Type.Kind))
	w.loop.Args = append([]*ir.Value{w.from, to}, w.carried...)
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

// iterations computes how many iterations the loop has: a batch, or any loop.
func (w *loopWriter) iterations() *ir.Value {
	lo, hi := w.loop.Args[0], w.loop.Args[1]
	kind := unsigned(lo.Type.Kind)
	switch {
	case w.known >= 0:
		return w.b.Int(ir.Scalar(kind), w.known)
	case w.isBatch(w.loop):
		return w.b.Convert(w.b.NoWrap(ir.OpSub, hi, lo), kind)
	}
	some := w.b.Op(ir.OpLt, lo, hi)
	return w.b.Op(ir.OpSelect, some, w.b.Convert(w.b.Op(ir.OpSub, hi, lo), kind), w.b.Int(ir.Scalar(kind), 0))
}

// vectors writes a loop of vectors with this number of lanes. If it is masked, no iteration is left.
func (w *loopWriter) vectors(lanes int, masked bool) {
	number := w.from.Type
	p := &packer{packetInfo: w.a, lanes: lanes, to: map[*ir.Value]*ir.Value{}, acc: map[*ir.Op][]*ir.Value{}, jump: map[*ir.Op]*ir.Op{}, rooms: map[ir.Kind][]*ir.Value{}}
	params := w.loop.Regions[0].Params
	args := []*ir.Value{w.b.Int(w.count.Type, 0), w.trips(lanes, masked)}
	for i, v := range w.carried {
		args = append(args, neutral(w.b, w.reduced[i], v, lanes))
	}
	o := ir.NewOp(ir.OpFor, w.loop.Pos, p.types(params[1:]), args...)
	o.Flags |= ir.Rolled
	n := o.Regions[0].AddParam(w.count.Type, "")
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
		mask = w.mask(p, n)
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
	w.advance(args[1], lanes, masked)
}

// trips computes how many vectors the iterations fill that are left.
func (w *loopWriter) trips(lanes int, masked bool) *ir.Value {
	t, n := w.count.Type, w.count
	switch {
	case w.known >= 0 && masked:
		return w.b.Int(t, (w.known+int64(lanes)-1)/int64(lanes))
	case w.known >= 0:
		return w.b.Int(t, w.known/int64(lanes))
	}
	shift := w.b.Int(t, int64(bits.TrailingZeros(uint(lanes))))
	whole := w.b.Op(ir.OpShr, n, shift)
	if !masked {
		return whole
	}
	rest := w.b.Op(ir.OpAnd, n, w.b.Int(t, int64(lanes-1)))
	return w.b.Op(ir.OpAdd, whole, w.b.Op(ir.OpShr, w.b.Op(ir.OpAdd, rest, w.b.Int(t, int64(lanes-1))), shift))
}

// mask returns the lanes of vector n that iterations are left for. It compares numbers of iterations, since an index behind the last one may
// be too large for its type.
func (w *loopWriter) mask(p *packer, n *ir.Value) *ir.Value {
	t := w.count.Type
	left := p.b.Op(ir.OpSub, w.count, p.b.Op(ir.OpMul, n, p.b.Int(t, int64(p.lanes))))
	left = p.b.Op(ir.OpMin, left, p.b.Int(t, int64(p.lanes)))
	lanes := ir.Vec(ir.U32, p.lanes)
	return p.b.Op(ir.OpLt, p.b.OpOf(ir.OpIota, lanes), p.splat(p.b.Convert(left, ir.U32)))
}

// advance notes which iterations are left behind a loop of vectors.
func (w *loopWriter) advance(trips *ir.Value, lanes int, masked bool) {
	number, n := w.from.Type, int64(lanes)
	switch lo, constant := ir.IntOf(w.from); {
	case masked:
		w.from, w.known, w.count = w.loop.Args[1], 0, w.b.Int(w.count.Type, 0)
	case w.known >= 0 && constant:
		w.from, w.known = w.b.Int(number, lo+w.known/n*n), w.known%n
		w.count = w.b.Int(w.count.Type, w.known)
	default:
		done := w.b.NoWrap(ir.OpMul, w.b.Convert(trips, number.Kind), w.b.Int(number, n))
		w.from = w.b.NoWrap(ir.OpAdd, w.from, done)
		w.count = w.b.Op(ir.OpAnd, w.count, w.b.Int(w.count.Type, n-1))
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
