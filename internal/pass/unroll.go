package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/plane"
)

// Limits of unroll: the trip count of the dim, and the number of ops after it.
const (
	maxUnrollTrips = 8
	maxUnrollOps   = 600
)

// unroll unrolls the innermost dim of a task if it is short, as that of a small block is.
//
// Input: a range task. Output: the same with one dim less, if the last one has constant bounds and at most eight iterations, the task
// has others, and the body is small. Then neighbouring elements have constant distances within one body, and rows of the nest have
// more iterations. A task that runs on planes of blocks stays as it is.
func unroll(t *ir.Task, opts *Options) {
	last := len(t.Dims) - 1
	if last < 1 || plane.Has(t, opts.Layout, planeBits(opts)) {
		return
	}
	d := t.Dims[last]
	if d.Lo.From != ir.FromConst || d.Hi.From != ir.FromConst {
		return
	}
	trips := d.Hi.Const - d.Lo.Const
	ops := t.Body.Size()
	if trips < 1 || trips > maxUnrollTrips || int64(ops)*trips > maxUnrollOps {
		return
	}
	opts.Notes.Say(t.Pos, note.Unrolled, trips)
	param := t.Body.Params[last]
	old := t.Body
	body := &ir.Block{Params: old.Params[:last]}
	b := ir.NewBuilder(body)
	b.Pos = t.Pos
	for i := range trips { // the bounds of a u64 may be negative as int64, but their difference is not
		number := b.Int(param.Type, d.Lo.Const+i)
		iteration(b, t, append(append([]*ir.Value{}, body.Params...), number))
		// Where the body continues the task inside an if, the copy breaks out of a block.
		copied := ir.CloneBlock(&ir.Block{Ops: old.Ops}, map[*ir.Value]*ir.Value{param: number})
		if jumpsOut(copied) {
			once := ir.NewOp(ir.OpBlock, t.Pos, nil)
			retarget(copied, once)
			once.Regions[0].Ops = copied.Ops
			b.Emit(once)
		} else {
			body.Ops = append(body.Ops, copied.Ops[:len(copied.Ops)-1]...)
		}
	}
	b.Jump(ir.OpContinue, nil)
	for _, p := range body.Params {
		p.Block = body
	}
	t.Body, t.Nest, t.Dims = body, nil, t.Dims[:last]
}

// iteration appends the op that names the iteration with these indices.
func iteration(b *ir.Builder, t *ir.Task, params []*ir.Value) {
	index := params
	if t.Nest != nil {
		index = make([]*ir.Value, len(t.Low))
		for i, n := range t.Nest {
			part := params[i]
			if n.Mul != 1 {
				part = b.NoWrap(ir.OpMul, part, b.Int(part.Type, n.Mul))
			}
			if index[n.Axis] == nil && t.Low[n.Axis] != 0 {
				index[n.Axis] = b.Int(part.Type, t.Low[n.Axis])
			}
			if index[n.Axis] != nil {
				part = b.NoWrap(ir.OpAdd, index[n.Axis], part)
			}
			index[n.Axis] = part
		}
		for axis, v := range index {
			if v == nil { // an axis of extent 1
				index[axis] = b.Int(params[0].Type, t.Low[axis])
			}
		}
	}
	b.Op(ir.OpIteration, index...)
}

// jumpsOut reports whether b continues the task elsewhere than at its end.
func jumpsOut(b *ir.Block) bool {
	n := 0
	ir.Visit(b, func(o *ir.Op) bool {
		if o.Code == ir.OpContinue && o.Target == nil {
			n++
		}
		return true
	})
	return n > 1
}

// retarget replaces continues of the task in b by breaks of once.
func retarget(b *ir.Block, once *ir.Op) {
	ir.Visit(b, func(o *ir.Op) bool {
		if o.Code == ir.OpContinue && o.Target == nil {
			o.Code, o.Target = ir.OpBreak, once
		}
		return true
	})
}
