package quantise

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/unit"
)

// This file is the part of quantise that fills words of bit arrays.

// A filling is a loop over all elements of a word that stores a number in each: the loop carries the word, to which it adds
// code by code, and a store of it stands behind the loop. So nothing is loaded, and LLVM makes the sum of vectors.
type filling struct {
	loop   *ir.Op
	stores map[*ir.Op]bool // that are made so
	made   []filledWord
}

// A filledWord is a word that the loop carries.
type filledWord struct {
	*member
	pos ir.Pos
	now *ir.Value // at the end of an iteration
}

// fillingOf finds the stores in a loop over the elements of a word which fill a word: nothing else in it writes to
// that, or loads from it behind them. It returns nil for another loop, such as one of which an iteration may end before its
// stores: that element keeps its number.
func (q *quantiser) fillingOf(loop *ir.Op) *filling {
	if q.cut == nil || !q.cut.Loops[loop] || q.k.Measure != nil {
		return nil
	}
	ops := loop.Regions[0].Ops
	early := func(o *ir.Op) bool { return ir.Jumps(o, ir.OpContinue, loop) || ir.Jumps(o, ir.OpBreak, loop) }
	if slices.ContainsFunc(ops[:len(ops)-1], early) {
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

// fills reports whether op i of a loop over the elements of a word is the one store of a number to that word.
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

// add appends a code to the word that it is a part of.
func (f *filling) add(q *quantiser, o *ir.Op) {
	place := o.Args[0].Def
	m := q.memberOf(place, int(place.Aux))
	e := q.adapters(m.word)
	code := e.Place(e.Encode(m.Of().Coder, q.value(o.Args[1]), nil), m.span())
	before := f.loop.Regions[0].AddParam(ir.Scalar(e.Word), "")
	f.made = append(f.made, filledWord{m, o.Pos, e.Op(ir.OpOr, before, code)})
	q.note(o.Pos, m, true, true)
}

// finish appends the loop, with what it carries, and the stores behind it.
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

// outside appends what computes a value inside a loop for the first iteration, and returns that.
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
