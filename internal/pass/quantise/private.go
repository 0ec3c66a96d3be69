package quantise

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/adapter"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/quant"
)

// Limits of gather: the most numbers in all copies together, the most threads, the most elements of a word, and the fewest iterations for
// each number.
const (
	mostGathered, mostGatherers, mostMerged = 1 << 22, 16, 16
	leastGathered                           = 2
)

// A gathering is the accumulation of sums into a bit array in private copies, as for a histogram. Each thread adds to its own copy, whose
// numbers are u32. A second loop adds the copies to the array. The form must wrap, since its sums then do not depend on the order.
type gathering struct {
	q       *quantiser
	member  *layout.Packed
	field   *ir.Field
	words   *ir.Field
	axis    int   // along which a word has several elements
	lanes   int64 // elements of a word
	n       int64 // elements of the field
	strides []int64
	numbers *ir.Value // the copies, an array of the kernel
}

// gather rewrites the sums of a loop into bit arrays, and returns the ops before and after the loop.
func (q *quantiser) gather(loop *ir.Op) (before, after []*ir.Op) {
	threads := int64(q.opts.Threads)
	if loop.Flags.Has(ir.Serial) || q.opts.Without.Has(option.NonAtomic|option.NonAtomicWords|option.Private) || q.opts.Level == 0 || q.opts.Debug || !q.numbered || threads < 1 || threads > mostGatherers {
		return nil, nil
	}
	for _, g := range q.gatherings(loop) {
		b := ir.NewBuilder(&ir.Block{})
		b.Pos = loop.Pos
		g.numbers = b.Alloc(ir.U32, int(g.n*threads), g.field.Name)
		before = append(before, b.Block.Ops...)
		g.rewrite(loop.Regions[0])
		after = append(after, g.merge(loop, threads)...)
	}
	return before, after
}

// gatherings finds the arrays that a loop accesses only by sums, if several iterations may add to one element.
func (q *quantiser) gatherings(loop *ir.Op) (all []*gathering) {
	trips, known := tripsOf(loop)
	found := map[*layout.Word]*gathering{}
	body := analysis.LoopBodyOf(loop.Regions[0])
	sets := map[*layout.Word]*analysis.WriteSet{}
	ir.Visit(body.Block, func(o *ir.Op) bool {
		if o.Code != ir.OpLoad && o.Code != ir.OpStore && o.Code != ir.OpAtomic || !o.IsPacked() {
			return true
		}
		place := o.Args[0].Def
		for _, c := range place.Choices() {
			w := q.wordAt(place.Field, c)
			if w == nil || !w.Array() {
				continue
			}
			g, listed := found[w]
			if !listed {
				g = q.gatheringOf(place.Field, c)
			}
			sum := o.Code == ir.OpAtomic && (o.Atomic == ir.AtomicAdd || o.Atomic == ir.AtomicSub) && !usesResult(body.Block, o)
			if place.Flags.Has(ir.Dynamic) || !sum {
				g = nil
			}
			if found[w] = g; g != nil {
				if !listed {
					all = append(all, g)
				}
				sets[w] = sets[w].Add(body, analysis.Indices(place))
			}
		}
		return true
	})
	return slices.DeleteFunc(all, func(g *gathering) bool {
		w := g.member.Word
		return found[w] != g || sets[w].Unique || !known || trips/leastGathered < g.n || g.n*int64(q.opts.Threads) > mostGathered
	})
}

// usesResult reports whether an op in b uses the result of op of.
func usesResult(b *ir.Block, of *ir.Op) bool {
	used := false
	ir.Visit(b, func(o *ir.Op) bool {
		used = used || slices.Contains(o.Args, of.Results[0])
		return !used
	})
	return used
}

// tripsOf returns the number of iterations of a parallel loop, but at most 2^40, if it is a constant.
func tripsOf(loop *ir.Op) (n int64, known bool) {
	n = 1
	for d := range loop.Regions[0].Params {
		var trips int64
		if loop.Code == ir.OpFieldFor {
			if loop.Field.Sparse || loop.Field.Shape[d] < 0 {
				return 0, false
			}
			trips = loop.Field.Shape[d]
		} else {
			lo, ok := ir.IntOf(loop.Args[2*d])
			hi, ok2 := ir.IntOf(loop.Args[2*d+1])
			if !ok || !ok2 || hi <= lo {
				return 0, false
			}
			trips = hi - lo
		}
		if trips > 1<<40/n {
			return 1 << 40, true
		}
		n *= trips
	}
	return n, true
}

// gatheringOf returns a gathering for the array of a component; nil if there can be none.
func (q *quantiser) gatheringOf(f *ir.Field, c int) *gathering {
	p := q.lay.Access(f, c).Packed
	g := &gathering{q: q, member: p, field: f, axis: -1, n: 1, strides: make([]int64, f.Rank())}
	if o := p.Of(); o.Coder.Class != quant.Int || !o.Coder.Wrap || o.Bits > 16 || f.Sparse || !f.Comps[c].IsInt() {
		return nil
	}
	for axis, n := range p.Word.Cells() {
		if n > 1 && g.axis >= 0 {
			return nil
		} else if n > 1 {
			g.axis, g.lanes = axis, n
		}
	}
	if g.axis < 0 || g.lanes > mostMerged {
		return nil
	}
	for axis := f.Rank() - 1; axis >= 0; axis-- {
		if f.Shape[axis] < 0 || g.n > mostGathered/f.Shape[axis] {
			return nil
		}
		g.strides[axis] = g.n
		g.n *= f.Shape[axis]
	}
	g.words = q.words.Of(f, c, p.Word)
	return g
}

// rewrite replaces sums into elements by sums into the copy of the thread.
func (g *gathering) rewrite(b *ir.Block) {
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	build := ir.NewBuilder(b)
	for _, o := range ops {
		for _, r := range o.Regions {
			g.rewrite(r)
		}
		if o.Code != ir.OpAtomic || !o.IsPacked() || g.q.wordAt(o.Args[0].Def.Field, int(o.Args[0].Def.Aux)) != g.member.Word {
			build.Emit(o)
			continue
		}
		build.Pos = o.Pos
		g.add(build, o)
		g.q.notes.Say(o.Pos, note.PrivateCopy, g.field.Name)
	}
}

// add appends a sum into the copy of the thread, or the failure of an access out of range.
func (g *gathering) add(b *ir.Builder, o *ir.Op) {
	place := o.Args[0].Def
	i64 := ir.Scalar(ir.I64)
	var inside *ir.Value
	worker := b.OpOf(ir.OpWorker, i64)
	worker.Def.Flags |= ir.Copied
	at := b.Op(ir.OpMul, worker, b.Int(i64, g.n))
	for axis, v := range analysis.Indices(place) {
		v = b.Convert(v, ir.I64)
		low := g.field.Low(axis)
		in := b.Op(ir.OpAnd, b.Op(ir.OpGe, v, b.Int(i64, low)), b.Op(ir.OpLt, v, b.Int(i64, low+g.field.Shape[axis])))
		if inside != nil {
			in = b.Op(ir.OpAnd, inside, in)
		}
		inside = in
		at = b.Op(ir.OpAdd, at, b.Op(ir.OpMul, b.Op(ir.OpSub, v, b.Int(i64, low)), b.Int(i64, g.strides[axis])))
	}
	b.If(inside, nil, func() {
		cell := b.Op(ir.OpCell, g.numbers, at)
		cell.Def.Flags |= ir.InBounds
		b.Atomic(o.Atomic, cell, b.Convert(o.Args[1], ir.U32)).Def.Flags |= ir.NonAtomic
		b.Yield()
	}, func() {
		b.Load(ir.Scalar(g.field.Comps[place.Aux]), o.Args[0])
		b.Yield()
	})
	b.Block.Ops[len(b.Block.Ops)-1].Flags &^= ir.Seldom
}

// merge returns a loop over the words that adds the numbers of all copies to their elements.
func (g *gathering) merge(loop *ir.Op, threads int64) []*ir.Op {
	b := ir.NewBuilder(&ir.Block{})
	b.Pos = loop.Pos
	i64 := ir.Scalar(ir.I64)
	var args []*ir.Value
	for _, n := range g.words.Shape {
		args = append(args, b.Int(i64, 0), b.Int(i64, n))
	}
	over := ir.NewOp(ir.OpParFor, loop.Pos, nil, args...)
	over.Aux, over.Phase = loop.Aux, loop.Phase
	b.Emit(over)
	var index []*ir.Value
	for range g.words.Shape {
		index = append(index, over.Regions[0].AddParam(i64, ""))
	}
	b.In(over.Regions[0], func() {
		first := b.Int(i64, 0)
		for axis, v := range index {
			by := g.strides[axis]
			if axis == g.axis {
				by *= g.lanes
			}
			first = b.NoWrap(ir.OpAdd, first, b.NoWrap(ir.OpMul, v, b.Int(i64, by)))
		}
		e := &adapter.Emitter{Builder: b, Word: ir.U32}
		if g.member.Word.Kind == layout.U64 {
			e.Word = ir.U64
		}
		place := func() *ir.Value {
			p := b.Ptr(g.words, 0, index...)
			p.Def.Flags |= ir.InBounds
			return p
		}
		old := e.Convert(b.Load(ir.Scalar(g.words.Comps[0]), place()), e.Word)
		word := e.Const(ir.Scalar(e.Word), 0)
		mask := e.Const(ir.Scalar(e.Word), g.member.Of().Coder.Mask)
		for lane := range g.lanes {
			s := adapter.Span{Shift: lane * g.member.Of().Bits, Bits: g.member.Of().Bits}
			sum := e.Extract(old, s)
			for t := range threads {
				at := b.NoWrap(ir.OpAdd, first, b.Int(i64, t*g.n+lane*g.strides[g.axis]))
				cell := b.Op(ir.OpCell, g.numbers, at)
				cell.Def.Flags |= ir.InBounds
				sum = e.Op(ir.OpAdd, sum, e.Convert(b.Load(ir.Scalar(ir.U32), cell), e.Word))
			}
			word = e.Op(ir.OpOr, word, e.Place(e.Op(ir.OpAnd, sum, mask), s))
		}
		b.Store(place(), e.Convert(word, g.words.Comps[0]))
		b.Jump(ir.OpContinue, over)
	})
	return b.Block.Ops
}
