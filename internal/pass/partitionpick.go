package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// A batch is the number of iterations for which a thread computes the lists before it runs those that append to its own. It is
// small, so that the notes of a batch stay in the cache; fewer than batchLeast iterations do not pay.
const (
	batchLength = 512
	batchLeast  = 64
)

// pickable reports whether a partition can select its iterations before it runs them: there is one append, and it depends only on
// values, reads and conditions. The innermost loop must be long enough.
func (w *partitioner) pickable(body *ir.Block) bool {
	d := w.t.Dims[len(w.t.Dims)-1]
	if len(w.appends) != 1 || d.Kind.Size() > 4 || d.Lo.From == ir.FromConst && d.Hi.From == ir.FromConst && d.Hi.Const-d.Lo.Const < batchLeast {
		return false
	}
	for b := body; ; {
		var next *ir.Block
		for _, o := range b.Ops {
			if o == w.appends[0] {
				return true
			}
			if r := regionOf(o, w.appends[0]); r >= 0 {
				if o.Code != ir.OpIf {
					return false
				}
				next = o.Regions[r]
				break
			}
			if analysis.MayJump(o) {
				return false
			}
		}
		b = next
	}
}

// regionOf is the region of o that inner is in; -1 if it is in none.
func regionOf(o, inner *ir.Op) int {
	for i, r := range o.Regions {
		found := false
		ir.Visit(r, func(p *ir.Op) bool {
			found = found || p == inner
			return !found
		})
		if found {
			return i
		}
	}
	return -1
}

// pick writes the innermost loop of one partition, in batches:
//
//	for %b = 0, batches {
//		for %k = 0, length { %i = first + k; %l = …; %own[k] = eq (hash of %l), %me }
//		%n = for %k = 0, length, 0 { (%n) picked[n] = k; continue %n + %own[k] }
//		for %m = 0, %n { %i = first + picked[m]; the body }
//	}
//
// The first loop computes lists in vectors, the second has no branch, and the third runs only selected iterations. With a branch in
// each iteration, of which half or more belong to other partitions, mispredictions would keep the processor from waiting for several
// lists at once.
func (w *partitioner) pick(b *ir.Builder, me *ir.Value, n int64, outer []*ir.Value, old *ir.Block) {
	d := w.t.Dims[len(w.t.Dims)-1]
	i32, i64 := ir.Scalar(ir.I32), ir.Scalar(ir.I64)
	own, picked := unset(b, ir.U8, "own"), unset(b, ir.U16, "picked")
	lo, hi := b.Convert(limit(b, d.Kind, d.Lo), ir.I64), b.Convert(limit(b, d.Kind, d.Hi), ir.I64)
	whole := b.Int(i64, batchLength)
	count := b.Op(ir.OpMax, b.Op(ir.OpSub, hi, lo), b.Int(i64, 0))
	batches := b.Op(ir.OpDiv, b.Op(ir.OpAdd, count, b.Int(i64, batchLength-1)), whole)
	none, zero := b.Int(i32, 0), b.Int(i64, 0)
	name := old.Params[len(outer)].Name

	eachOf(b, 0, zero, batches, nil, func(batch *ir.Value, _ []*ir.Value) []*ir.Value {
		done := b.Op(ir.OpMul, batch, whole)
		first := b.Convert(b.Op(ir.OpAdd, lo, done), d.Kind)
		length := b.Convert(b.Op(ir.OpMin, b.Op(ir.OpSub, count, done), whole), ir.I32)
		index := func(k *ir.Value) *ir.Value {
			i := b.Op(ir.OpAdd, first, b.Convert(k, d.Kind))
			i.Name = name
			return i
		}
		values := func(i *ir.Value) map[*ir.Value]*ir.Value {
			m := map[*ir.Value]*ir.Value{old.Params[len(outer)]: i}
			for d, v := range outer {
				m[old.Params[d]] = v
			}
			return m
		}
		eachOf(b, ir.Independent, none, length, nil, func(k *ir.Value, _ []*ir.Value) []*ir.Value {
			mine := w.asked(b, old.Ops, ir.NewCloner(values(index(k))), me, n)
			b.Store(cellAt(b, own, k), b.Convert(mine, ir.U8))
			return nil
		})
		found := eachOf(b, ir.Rolled, none, length, []*ir.Value{zero}, func(k *ir.Value, n []*ir.Value) []*ir.Value {
			b.Store(cellAt(b, picked, n[0]), b.Convert(k, ir.U16))
			return []*ir.Value{b.Op(ir.OpAdd, n[0], b.Convert(b.Load(ir.Scalar(ir.U8), cellAt(b, own, k)), ir.I64))}
		})
		most := b.Op(ir.OpMin, found[0], whole) // so that the loop has a known bound
		last := ir.NewOp(ir.OpFor, w.t.Pos, nil, zero, most)
		m := last.Regions[0].AddParam(i64, "")
		b.Emit(last)
		b.In(last.Regions[0], func() {
			i := index(b.Load(ir.Scalar(ir.U16), cellAt(b, picked, m)))
			iteration(b, w.t, append(outer, i))
			ir.Visit(old, func(o *ir.Op) bool {
				if o.Code == ir.OpContinue && o.Target == nil {
					o.Target = last
				}
				return true
			})
			b.Block.Ops = append(b.Block.Ops, old.Ops...)
			ir.Substitute(b.Block, values(i))
		})
		return nil
	})
}

// asked appends the ops that compute the list of the append, and the condition that the list is in partition me of n; the condition is
// false in iterations without an append.
func (w *partitioner) asked(b *ir.Builder, ops []*ir.Op, c *ir.Cloner, me *ir.Value, n int64) *ir.Value {
	for _, o := range ops {
		b.Pos = o.Pos
		if o == w.appends[0] {
			to := ir.NewOp(ir.OpAppend, o.Pos, nil, c.Op(o).Args...)
			to.Field = o.Field
			return b.Op(ir.OpEq, partOf(b, to, n), me)
		}
		r := regionOf(o, w.appends[0])
		if r < 0 {
			b.Emit(c.Op(o))
			continue
		}
		branch := func(at int) func() {
			return func() {
				if at == r {
					b.Yield(w.asked(b, o.Regions[at].Ops, c, me, n))
				} else {
					b.Yield(b.Const(ir.Scalar(ir.Bool), 0))
				}
			}
		}
		return b.If(c.Value(o.Args[0]), []ir.Type{ir.Scalar(ir.Bool)}, branch(0), branch(1))[0]
	}
	return b.Const(ir.Scalar(ir.Bool), 0)
}

// eachOf appends a for from lo to hi, whose body f makes from the carried values, and returns its results.
func eachOf(b *ir.Builder, flags ir.Flags, lo, hi *ir.Value, init []*ir.Value, f func(i *ir.Value, carried []*ir.Value) []*ir.Value) []*ir.Value {
	types := make([]ir.Type, len(init))
	for i, v := range init {
		types[i] = v.Type
	}
	loop := ir.NewOp(ir.OpFor, b.Pos, types, append([]*ir.Value{lo, hi}, init...)...)
	loop.Flags = flags
	i := loop.Regions[0].AddParam(lo.Type, "")
	carried := make([]*ir.Value, len(init))
	for j, v := range init {
		carried[j] = loop.Regions[0].AddParam(v.Type, "")
	}
	b.Emit(loop)
	b.In(loop.Regions[0], func() { b.Jump(ir.OpContinue, loop, f(i, carried)...) })
	return loop.Results
}

// unset appends a local array with an element for each iteration of a batch.
func unset(b *ir.Builder, k ir.Kind, name string) *ir.Value {
	v := b.Alloc(k, batchLength, name)
	v.Def.Flags |= ir.Unset
	return v
}

// cellAt appends the place of element i of a local array, which is proved in range.
func cellAt(b *ir.Builder, array, i *ir.Value) *ir.Value {
	v := b.OpOf(ir.OpCell, ir.Scalar(ir.Ptr), array, i)
	v.Def.Flags |= ir.InBounds
	return v
}
