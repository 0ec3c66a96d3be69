package quantise

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/option"
	"github.com/gotaichi/ti/internal/pass/adapter"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/unit"
	"github.com/gotaichi/ti/internal/quant"
)

// Limits of separateSums: the most updates of a component in a loop, so that no sum overflows, and the most bytes of sums in a tree.
const (
	mostSummed   = 1 << 29
	mostSumBytes = 1 << 29
)

// A summing is a component that is alone in its word. A loop accesses it only by sums, and several iterations may add to one element, as in
// the grid of a particle method. A sum that clamps would need a compare-and-swap. So the loop adds codes to sums of 64 bits, which do not
// clamp. A loop after it adds the sums to the words, clamps, and resets the sums to zero for the next launch:
//
//	for … { sums[…] += increment }
//	for g in the field { word[g] = clamped(word[g] + sums[g]); sums[g] = 0 }
//
// If nothing clamps during the loop, the words have the same bits as if the loop had added to them directly. Later passes treat the sums
// like any other field: threads have private copies of it, or add by one atomic instruction each.
type summing struct {
	member  *layout.Packed
	field   *ir.Field
	comp    int
	updates int64 // updates in an iteration
	other   bool  // the loop also accesses it in another way
}

// separateSums rewrites the sums of a loop into words with one number each, and returns the loops that follow the loop.
func (q *quantiser) separateSums(loop *ir.Op) (after []*ir.Op) {
	if loop.Flags.Has(ir.Serial) || q.opts.Without.Has(option.NonAtomic|option.NonAtomicWords|option.Private|option.Accumulators) || q.opts.Level == 0 || q.opts.Debug || q.k.Measure != nil {
		return nil
	}
	chosen := map[*layout.Word]*summing{}
	list := q.summings(loop)
	for _, s := range list {
		chosen[s.member.Word] = s
	}
	if len(list) == 0 {
		return nil
	}
	q.addToSums(loop.Regions[0], chosen)
	for len(list) > 0 { // one loop for all components of a tree whose elements have the same indices
		first, rest := list[0], []*summing(nil)
		together := list[:0:0]
		for _, s := range list {
			if slices.Equal(s.field.Shape, first.field.Shape) && slices.Equal(s.field.Origin, first.field.Origin) && q.lay.Access(s.field, s.comp).Tree == q.lay.Access(first.field, first.comp).Tree {
				together = append(together, s)
			} else {
				rest = append(rest, s)
			}
		}
		after, list = append(after, q.settle(loop, together)), rest
	}
	return after
}

// summings finds the components to rewrite, in the order of the loop.
func (q *quantiser) summings(loop *ir.Op) (list []*summing) {
	trips, known := tripsOf(loop)
	if !known {
		return nil
	}
	body := analysis.LoopBodyOf(loop.Regions[0])
	sets := map[*layout.Word]*analysis.WriteSet{}
	found := map[*layout.Word]*summing{}
	analysis.Weighted(body.Block, 1, func(o *ir.Op, times int64) {
		if o.Code != ir.OpLoad && o.Code != ir.OpStore && o.Code != ir.OpAtomic || !o.IsPacked() {
			return
		}
		place := o.Args[0].Def
		for _, c := range place.Choices() {
			w := q.wordAt(place.Field, c)
			if w == nil {
				continue
			}
			s := found[w]
			if s == nil {
				s = &summing{member: q.lay.Access(place.Field, c).Packed, field: place.Field, comp: c}
				s.other = !q.canSum(s)
				found[w], list = s, append(list, s)
			}
			sum := o.Code == ir.OpAtomic && (o.Atomic == ir.AtomicAdd || o.Atomic == ir.AtomicSub) && !place.Flags.Has(ir.Dynamic)
			s.other = s.other || !sum || s.field != place.Field || usesResult(body.Block, o)
			s.updates += times
			sets[w] = sets[w].Add(body, analysis.Indices(place))
		}
	})
	elems := map[int]int64{} // number of sums in a tree
	updates := map[int]int64{}
	for _, s := range list {
		if !s.other {
			tree := q.sumsTree(s)
			_, bytes, _ := q.lay.Uniform(tree)
			elems[tree] = bytes / int64(ir.U64.Size())
			updates[tree] += s.updates
		}
	}
	return slices.DeleteFunc(list, func(s *summing) bool {
		if s.other || sets[s.member.Word].Unique {
			return true
		}
		n, all := elems[q.sumsTree(s)], updates[q.sumsTree(s)]
		return n > mostSumBytes/8 || trips > mostSummed/s.updates || !analysis.WorthCopies(trips, known, all, n)
	})
}

// sumsTree returns the tree number of the memory of the sums.
func (q *quantiser) sumsTree(s *summing) int {
	return unit.SumsTree(q.lay.Access(s.field, s.comp).Tree, int(s.member.Word.Kind.Size()))
}

// canSum reports whether the form of a component clamps sums, the component is alone in its word, and its tree is dense and has a known
// size.
func (q *quantiser) canSum(s *summing) bool {
	o, k, at := s.member.Of(), s.field.Comps[s.comp], q.lay.Access(s.field, s.comp)
	c := o.Coder
	if c.Class == quant.Int && (!k.IsInt() || k.Bits() > 32) || c.Class != quant.Int && c.Class != quant.Fixed {
		return false
	}
	return o.Group == nil && !c.Wrap && c.Bits <= 32 && !s.member.Word.Array() && len(s.member.Word.Members) == 1 &&
		!s.field.Sparse && s.field.Extents == nil && s.field.View == nil && at.Span == nil && len(at.Steps) == 0 && at.Tree >= 0
}

// addToSums replaces updates of numbers by additions to their sums.
func (q *quantiser) addToSums(b *ir.Block, chosen map[*layout.Word]*summing) {
	ops := b.Ops
	b.Ops = make([]*ir.Op, 0, len(ops))
	build := ir.NewBuilder(b)
	for _, o := range ops {
		for _, r := range o.Regions {
			q.addToSums(r, chosen)
		}
		var s *summing
		if o.Code == ir.OpAtomic && o.IsPacked() {
			s = chosen[q.wordAt(o.Args[0].Def.Field, int(o.Args[0].Def.Aux))]
		}
		if s == nil {
			build.Emit(o)
			continue
		}
		place := o.Args[0].Def
		build.Pos = o.Pos
		var draw *ir.Value
		if o.DrawsToStore() {
			draw = build.OpOf(ir.OpRand, ir.Scalar(ir.U32))
		}
		n := q.codes(build, s).Increment(s.member.Of().Coder, o.Args[1], draw, o.Atomic == ir.AtomicSub)
		at := build.Ptr(q.words.sumsOf(s.field, s.comp, s.member.Word), 0, analysis.Indices(place)...)
		at.Name, at.Def.Pos = place.Field.Name, place.Pos
		at.Def.Flags |= place.Flags & ir.InBounds
		build.Atomic(ir.AtomicAdd, at, build.Bitcast(n, ir.U64))
		q.notes.Say(o.Pos, note.SummedApart, place.Field.Name, (q.keepSums(s)+1023)>>10)
	}
}

// codes returns an emitter for the words of a component.
func (q *quantiser) codes(b *ir.Builder, s *summing) *adapter.Emitter {
	e := &adapter.Emitter{Builder: b, Word: ir.U32}
	if s.member.Word.Kind == layout.U64 {
		e.Word = ir.U64
	}
	return e
}

// settle returns the loop that adds sums to the words of components whose elements have the same indices.
func (q *quantiser) settle(loop *ir.Op, list []*summing) *ir.Op {
	f := list[0].field
	over := ir.NewOp(ir.OpFieldFor, loop.Pos, nil)
	over.Aux, over.Phase, over.Field = loop.Aux, loop.Phase, f
	var index []*ir.Value
	for range f.Rank() {
		index = append(index, over.Regions[0].AddParam(ir.Scalar(q.k.Int), ""))
	}
	b := ir.NewBuilder(over.Regions[0])
	b.Pos = loop.Pos
	at := func(of *ir.Field) *ir.Value {
		p := b.Ptr(of, 0, index...)
		p.Def.Flags |= ir.InBounds
		return p
	}
	for _, s := range list {
		words, sums := q.words.Of(s.field, s.comp, s.member.Word), q.words.sumsOf(s.field, s.comp, s.member.Word)
		e, kind := q.codes(b, s), words.Comps[0]
		span := adapter.Span{Shift: s.member.Of().Shift, Bits: s.member.Of().Bits}
		w := e.Convert(b.Load(ir.Scalar(kind), at(words)), e.Word)
		code := e.Settled(s.member.Of().Coder, w, span, b.Bitcast(b.Load(ir.Scalar(ir.U64), at(sums)), ir.I64))
		w = e.Op(ir.OpOr, e.Cleared(w, span), e.Place(code, span))
		b.Store(at(words), e.Convert(w, kind))
		b.Store(at(sums), b.Int(ir.Scalar(ir.U64), 0))
	}
	b.Jump(ir.OpContinue, over)
	return over
}

// keepSums records the memory of the sums in the kernel, and returns its size in bytes.
func (q *quantiser) keepSums(s *summing) int64 {
	tree := q.sumsTree(s)
	_, bytes, _ := q.lay.Uniform(tree)
	if !slices.ContainsFunc(q.k.Sums, func(s ir.Sums) bool { return s.Tree == tree }) {
		q.k.Sums = append(q.k.Sums, ir.Sums{Tree: tree, Bytes: bytes})
	}
	return bytes
}
