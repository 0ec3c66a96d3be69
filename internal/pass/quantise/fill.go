package quantise

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// This file replaces the stores to all elements of a word of a bit array by one store of the word.

// A filling is a loop over all elements of a word that stores a number to each of them. The loop carries the word and inserts a code into
// it in each iteration. A store of the word follows the loop. So the loop does not load the word, and LLVM vectorises the reduction.
type filling struct {
	loop   *ir.Op
	stores map[*ir.Op]bool // the stores that become one
	made   []filledWord
}

// A filledWord is a word that the loop carries.
type filledWord struct {
	*member
	pos ir.Pos
	now *ir.Value // the word at the end of an iteration
}

// fillingOf finds the stores that fill a word, in a loop over the elements of a word: nothing else in the loop writes to the word, or loads
// from it after the store. It returns nil for any other loop. It also returns nil if an iteration may end before its stores: then the
// element does not change.
func (q *quantiser) fillingOf(loop *ir.Op) *filling {
	if q.cut == nil || !q.cut.Loops[loop] || q.k.Measure != nil {
		return nil
	}
	ops := loop.Regions[0].Ops
	leaves := func(o *ir.Op) bool { return ir.Jumps(o, ir.OpContinue, loop) || ir.Jumps(o, ir.OpBreak, loop) }
	if slices.ContainsFunc(ops[:len(ops)-1], leaves) {
		return nil
	}
	f := &filling{loop: loop, stores: map[*ir.Op]bool{}}
	for i, o := range loop.Regions[0].Ops {
		if o.Code == ir.OpStore && o.IsPacked() && q.fills(loop, i) {
			f.stores[o] = true
		}
	}
	return f
}

// fills reports whether op i of a loop over the elements of a word is the only store to that word, and nothing after it loads from the
// word.
func (q *quantiser) fills(loop *ir.Op, i int) bool {
	ops := loop.Regions[0].Ops
	place := ops[i].Args[0].Def
	if place.Flags.Has(ir.Dynamic) || ops[i].DrawsToStore() {
		return false
	}
	w := q.wordAt(place.Field, int(place.Aux))
	if w == nil || !q.cut.Own[w] || len(w.Members) > 1 || !q.opts.Unchecked && !q.cut.Inside[w] {
		return false
	}
	alone, behind := true, false
	for k, top := range ops {
		behind = behind || k > i
		unit.Within(top, func(o *ir.Op) bool {
			if o == ops[i] || o.Code != ir.OpStore && o.Code != ir.OpAtomic && o.Code != ir.OpLoad || !o.IsPacked() {
				return true
			}
			for _, c := range o.Args[0].Def.Choices() {
				if q.wordAt(o.Args[0].Def.Field, c) == w && (behind || o.Code != ir.OpLoad) {
					alone = false
				}
			}
			return true
		})
	}
	return alone
}

// add inserts a code into the word that the loop carries.
func (f *filling) add(q *quantiser, o *ir.Op) {
	place := o.Args[0].Def
	m := q.memberOf(place, int(place.Aux))
	e := q.adapters(m.word)
	code := e.Place(e.Encode(m.Of().Coder, q.value(o.Args[1]), nil), m.span())
	before := f.loop.Regions[0].AddParam(ir.Scalar(e.Word), "")
	f.made = append(f.made, filledWord{m, o.Pos, e.Op(ir.OpOr, before, code)})
	q.note(o.Pos, m, true, true)
}

// finish appends the loop with the words that it carries, and the stores of these words after it.
func (f *filling) finish(q *quantiser) {
	body := f.loop.Regions[0]
	end := body.Ops[len(body.Ops)-1]
	for _, w := range f.made {
		e := q.adapters(w.word)
		f.loop.Args = append(f.loop.Args, e.Const(ir.Scalar(e.Word), 0))
		f.loop.Results = append(f.loop.Results, &ir.Value{Type: ir.Scalar(e.Word), Def: f.loop, Index: len(f.loop.Results)})
		end.Args = append(end.Args, w.now)
	}
	q.b.Emit(f.loop)
	inside := map[*ir.Op]bool{}
	for _, o := range body.Ops {
		inside[o] = true
	}
	first := ir.NewCloner(map[*ir.Value]*ir.Value{body.Params[0]: f.loop.Args[0]})
	for i, w := range f.made {
		q.b.Pos = w.pos
		m := *w.member
		m.index = make([]*ir.Value, len(w.index))
		for a, v := range w.index {
			m.index[a] = outside(q.b, v, inside, first)
		}
		q.b.Store(m.place(q.b), q.b.Convert(f.loop.Results[i], m.field.Comps[0]))
	}
}

// outside appends the computation of a value inside a loop for the first iteration, and returns the result.
func outside(b *ir.Builder, v *ir.Value, inside map[*ir.Op]bool, first *ir.Cloner) *ir.Value {
	if v.Def == nil || !inside[v.Def] || first.Values[v] != nil {
		return first.Value(v)
	}
	for _, a := range v.Def.Args {
		outside(b, a, inside, first)
	}
	b.Emit(first.Op(v.Def))
	return first.Values[v]
}
