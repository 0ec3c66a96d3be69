package pass

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
)

// promises has, for each field and slice parameter that a loop writes to, the marked numbers that all writes have as an index, by
// axis; nil on an axis where they have none. A mark is a promise of the source that the number is distinct in each iteration.
type promises map[any][]*ir.Value

// written is the field or slice parameter of a place.
func written(place *ir.Op) any {
	if place.Code == ir.OpElem {
		return place.Param
	}
	return place.Field
}

// indicesOf returns the indices of a place's element.
func indicesOf(place *ir.Op) []*ir.Value {
	if place.Code == ir.OpElem {
		return place.Args[:1]
	}
	return analysis.Indices(place)
}

// promised returns the marked number that an index is computed from; nil if there is none. Conversions that keep all bits keep numbers
// distinct.
func promised(v *ir.Value) *ir.Value {
	for v.Def != nil && v.Def.Code == ir.OpConvert {
		from, to := v.Def.Args[0].Type.Kind, v.Type.Kind
		if !from.IsInt() || !to.IsInt() || to.Bits() < from.Bits() {
			return nil
		}
		v = v.Def.Args[0]
	}
	if v.Def != nil && v.Def.Code == ir.OpUnique {
		return v
	}
	return nil
}

// add notes a write at place.
func (p promises) add(body analysis.LoopBody, place *ir.Op) {
	index := indicesOf(place)
	all, known := p[written(place)]
	if !known {
		all = make([]*ir.Value, len(index))
	}
	for i, v := range index {
		u := promised(v)
		if u != nil && !body.Inside[u] {
			u = nil
		}
		switch {
		case !known:
			all[i] = u
		case all[i] != u:
			all[i] = nil
		}
	}
	p[written(place)] = all
}

// promise reports whether, by a promise, all writes to the object of place are to elements that belong to the iteration. A word of
// packed numbers also has numbers of other elements.
func (p promises) promise(place *ir.Op) bool {
	if place.Code == ir.OpPtr && place.Field.Word != nil {
		return false
	}
	all := p[written(place)]
	for _, u := range all {
		if u != nil && together(all, u.Def) == max(1, int(u.Def.Bits)) {
			return true
		}
	}
	return false
}

// together returns the number of distinct components among the indices of the vector that has the mark.
func together(index []*ir.Value, mark *ir.Op) int {
	if mark.Bits <= 1 {
		return 1
	}
	found := map[int32]bool{}
	for _, u := range index {
		if u != nil && u.Def.Bits > 1 && u.Def.Aux == mark.Aux {
			found[u.Def.Stride] = true
		}
	}
	return len(found)
}

// tell notes for each promise without effect why it has none. plain reports which updates are not atomic.
func (p promises) tell(body analysis.LoopBody, notes *note.Notes, plain func(*ir.Op) bool) {
	used := map[any]bool{} // by a plain update
	why := map[any]note.Cause{}
	ir.Visit(body.Block, func(o *ir.Op) bool {
		if o.Code != ir.OpAtomic && o.Code != ir.OpStore {
			return true
		}
		place := o.Args[0].Def
		if place == nil || place.Code != ir.OpPtr && place.Code != ir.OpElem {
			return true
		}
		word := place.Code == ir.OpPtr && place.Field.Word != nil
		index := make([]*ir.Value, len(indicesOf(place)))
		for i, v := range indicesOf(place) {
			index[i] = promised(v)
		}
		for _, v := range index {
			if v == nil {
				continue
			}
			u := promiseOf(v.Def)
			switch {
			case o.Code == ir.OpStore:
				used[u] = used[u] || word // an update of a packed number that needs no atomic
			case plain(o):
				used[u] = true
			case word:
				why[u] = note.WordShared.With(place.Field.Word.Field.Name)
			case together(index, v.Def) < max(1, int(v.Def.Bits)):
				why[u] = note.PartUnique.With(nameOf(place))
			case p.promise(place):
				why[u] = note.MemoryShared.With(nameOf(place))
			default:
				why[u] = note.WrittenElsewhere.With(nameOf(place))
			}
		}
		return true
	})
	ir.Visit(body.Block, func(o *ir.Op) bool {
		if o.Code != ir.OpUnique || used[promiseOf(o)] {
			return true
		}
		cause, ok := why[promiseOf(o)]
		if !ok {
			cause = note.NoUpdateThere.With()
		}
		notes.Say(o.Pos, note.UniqueUnused, cause)
		used[promiseOf(o)] = true // one remark for all components of a vector
		return true
	})
}

// promiseOf identifies the promise of a mark: one for a number, one for all components of a vector.
func promiseOf(mark *ir.Op) any {
	if mark.Bits > 1 {
		return mark.Aux
	}
	return mark
}

// nameOf is the name of the field or slice of a place.
func nameOf(place *ir.Op) string {
	if place.Code == ir.OpElem {
		return place.Param.Name
	}
	return place.Field.Name
}

// dropPromises replaces marked numbers by the numbers themselves.
func dropPromises(s *state) {
	dropMarks(s.k.Body)
	for _, f := range s.k.Funcs {
		dropMarks(f.Body)
	}
}

func dropMarks(body *ir.Block) {
	plain := map[*ir.Value]*ir.Value{}
	var drop func(b *ir.Block)
	drop = func(b *ir.Block) {
		kept := b.Ops[:0]
		for _, o := range b.Ops {
			if o.Code == ir.OpUnique {
				plain[o.Results[0]] = o.Args[0]
				continue
			}
			for _, r := range o.Regions {
				drop(r)
			}
			kept = append(kept, o)
		}
		clear(b.Ops[len(kept):])
		b.Ops = kept
	}
	drop(body)
	ir.Substitute(body, plain)
}
