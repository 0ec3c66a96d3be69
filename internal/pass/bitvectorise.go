package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/bits"
	"github.com/gotaichi/ti/internal/pass/note"
	"github.com/gotaichi/ti/internal/pass/quantise"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// bitVectorise runs loops over arrays of single bits on words (Hu, Taichi, chapter 5, section 6.3).
//
// Input: a kernel's body, with the indices of the source, in which some fields are bit arrays of one bit. Output: the same, but a
// parallel loop that computes only on these fields runs over words. One of its iterations does the work of as many iterations of
// the source as a word has elements:
//
//   - logic of bools is logic of words, and a condition is a mask;
//   - an integer is a word for each of its bits, and addition is an adder made of logic ops;
//   - elements at a constant distance come out of two neighbouring words;
//   - a store changes the iteration's own word, so it needs no atomic;
//   - a sum in a variable of the kernel is a population count.
//
// If some elements of a word lie outside of a field, the code of the source handles them one by one. The parts of this
// transformation are in package bits.
func bitVectorise(s *state) {
	if s.opts.Debug || s.k.Measure != nil || // each store is counted by itself
		!slices.ContainsFunc(s.k.Fields, func(f *ir.Field) bool { return f.Stored != nil }) {
		return
	}
	words := quantise.NewWordFields(s.k, s.opts.Layout)
	env := bits.Env{Layout: s.opts.Layout, Words: words.Of}
	var ops []*ir.Op
	for _, o := range s.k.Body.Ops {
		if !o.IsParallel() || !bits.Touches(o, env) {
			ops = append(ops, o)
			continue
		}
		fields := len(s.k.Fields)
		made, lanes, why := bits.Vectorise(o, env)
		if why != nil {
			words.Forget(fields)
			s.opts.Notes.Say(o.Pos, note.NoBitVectors, why.Cause().At(why.Pos))
			ops = append(ops, o)
			continue
		}
		s.opts.Notes.Say(o.Pos, note.BitVectors, lanes)
		ops = append(ops, made...)
	}
	s.k.Body.Ops = ops
}

// A Refusal says why a loop with the hint bitVectorize cannot run on words, and what would help.
type Refusal struct {
	Pos       ir.Pos
	Why, Help string
}

// RequireBits returns why a loop with the hint bitVectorize cannot run on words, and nil if all such loops can.
func RequireBits(k *ir.Kernel, lay unit.Layout) *Refusal {
	env := bits.Env{Layout: lay, Words: quantise.NewWordField}
	for _, o := range k.Body.Ops {
		if !o.IsParallel() || o.Hints == nil || o.Hints.BitVectorize == 0 {
			continue
		}
		if !bits.Touches(o, env) {
			return &Refusal{firstAccess(o), "it accesses no array of single bits", "place its fields in bit arrays, in QuantInt(1).Unsigned(), or leave out bitVectorize"}
		}
		if _, _, why := bits.Vectorise(o, env); why != nil {
			return &Refusal{why.Pos, why.Cause().String(), why.Cause().Advice()}
		}
	}
	return nil
}

// firstAccess is the place of the first access to memory in a loop, or of the loop.
func firstAccess(loop *ir.Op) (pos ir.Pos) {
	ir.Visit(loop.Regions[0], func(o *ir.Op) bool {
		if !pos.IsKnown() && (o.Code == ir.OpLoad || o.Code == ir.OpStore || o.Code == ir.OpAtomic) {
			pos = o.Pos
		}
		return true
	})
	if !pos.IsKnown() {
		return loop.Pos
	}
	return pos
}
