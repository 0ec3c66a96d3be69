package bits

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
)

// writes records the objects that a loop writes.
type writes struct {
	fields map[*ir.Field]bool
	memory bool // of the caller: slices and views
	arrays map[*ir.Value]bool
}

func writesOf(body *ir.Block) writes {
	w := writes{fields: map[*ir.Field]bool{}, arrays: map[*ir.Value]bool{}}
	ir.Visit(body, func(o *ir.Op) bool {
		if o.Code != ir.OpStore && o.Code != ir.OpAtomic {
			return true
		}
		switch place := o.Args[0].Def; {
		case place == nil:
		case place.Code == ir.OpPtr:
			w.fields[place.Field] = true
			w.memory = w.memory || place.Field.View != nil
		case place.Code == ir.OpElem:
			w.memory = true
		case place.Code == ir.OpCell:
			w.arrays[place.Args[0]] = true
		}
		return true
	})
	return w
}

// touch reports whether the loop may write the object that a place is in.
func (w *writes) touch(place *ir.Op) bool {
	switch place.Code {
	case ir.OpPtr:
		return w.fields[place.Field] || place.Field.View != nil && w.memory
	case ir.OpElem:
		return w.memory
	case ir.OpCell:
		return w.arrays[place.Args[0]]
	}
	return true
}

// A spot is the position in a bit array of the elements of the lanes: contiguous from a bit on, in the word at this distance from that
// of the iteration.
type spot struct {
	array *array
	rows  [layout.MaxRank]*ir.Value
	by    int64
	bit   int64
	wraps bool // the index along the axis of the lanes is taken modulo the extent
}

// spot returns the position of a place; nil if it is not a row of elements, but one element for all lanes.
func (w *evaluator) spot(o *ir.Op) *spot {
	place := o.Args[0].Def
	a := w.v.array(place)
	if a == nil {
		return nil
	}
	s := &spot{array: a}
	at := int64(0)
	for axis, i := range analysis.Indices(place) {
		x := w.of(i)
		switch {
		case x.index && axis != a.axis:
			stop(o.Pos, note.BitsAcross, a.field.Name)
		case x.index:
			n := a.field.Shape[axis]
			if x.mod != 0 && (x.mod != n || a.field.Low(axis) != 0) {
				stop(o.Pos, note.BitsElsewhere, a.field.Name)
			}
			at, s.wraps = w.v.first+x.plus-a.field.Low(axis), x.mod != 0
		case x.uniform == nil:
			stop(o.Pos, note.BitsElsewhere, a.field.Name)
		case axis == a.axis:
			return nil
		default:
			s.rows[axis] = x.uniform
		}
	}
	if a.lanes != w.v.lanes || a.word.Kind != w.v.word {
		stop(o.Pos, note.BitsOtherWords, a.field.Name, w.v.lanes)
	}
	s.by = analysis.FloorDiv(at, w.v.lanes)
	s.bit = at - s.by*w.v.lanes
	return s
}

// isOwn reports whether a spot is the whole word that belongs to the iteration: all indices of the loop are indices of it, so that no
// other iteration has the same word.
func (w *evaluator) isOwn(s *spot) bool {
	if s.bit != 0 || s.wraps {
		return false
	}
	used := make([]bool, len(w.v.params))
	used[w.v.lane] = true
	for _, r := range s.rows[:s.array.field.Rank()] {
		if r == nil {
			continue
		}
		var at analysis.Affine
		if !at.Collect(w.v.head.Block, nil, r, false) {
			continue
		}
		for d, i := range w.v.params {
			used[d] = used[d] || i != nil && at.Param == i
		}
	}
	return !slices.Contains(used, false)
}

// wordsOf returns the field of the words of an array.
func (v *vectoriser) wordsOf(a *array) *ir.Field {
	if a.words == nil {
		a.words = v.Words(a.field, a.comp, a.word)
	}
	return a.words
}

// place appends the place of a word, with its own index along the axis of the lanes.
func (w *evaluator) place(s *spot, at *ir.Value) *ir.Value {
	f := s.array.field
	index := make([]*ir.Value, f.Rank())
	for axis := range index {
		switch low := f.Low(axis); {
		case axis == s.array.axis:
			index[axis] = at
		case low != 0:
			r := s.rows[axis]
			index[axis] = w.Op(ir.OpSub, r, w.Int(r.Type, low))
		default:
			index[axis] = s.rows[axis]
		}
	}
	p := w.Ptr(w.v.wordsOf(s.array), 0, index...)
	p.Name = f.Name
	p.Def.Flags |= ir.InBounds
	return p
}

// column appends the index of a word.
func (w *evaluator) column(by int64) *ir.Value {
	if by == 0 {
		return w.at
	}
	return w.NoWrap(ir.OpAdd, w.at, w.Int(w.at.Type, by))
}

// A loaded is a word that was loaded, and whether it exists.
type loaded struct {
	word   *ir.Value
	inside *ir.Value // bool; nil for always
}

// loadWord loads a word of a row; zero if it does not exist.
func (w *evaluator) loadWord(s *spot, by int64) loaded {
	r := reach{s.array, s.rows, by}
	if l, ok := w.loads[r]; ok && !s.wraps {
		return l
	}
	w.v.reach(r)
	l := loaded{}
	switch {
	case !w.careful:
		l.word = w.Load(w.typ(), w.place(s, w.column(by)))
	default:
		at := w.column(by)
		n := w.v.words(s.array)
		if s.wraps {
			at = w.Op(ir.OpMod, at, w.Int(at.Type, n))
		}
		l.inside = w.inside(s, at)
		l.word = w.If(l.inside, []ir.Type{w.typ()}, func() {
			w.Yield(w.Load(w.typ(), w.place(s, at)))
		}, func() { w.Yield(w.Const(w.typ(), 0)) })[0]
	}
	if !s.wraps {
		w.loads[r] = l
	}
	return l
}

// inside appends whether a word is in its array.
func (w *evaluator) inside(s *spot, at *ir.Value) *ir.Value {
	f := s.array.field
	in := w.v.inRange(&w.logic, at, 0, w.v.words(s.array))
	for axis, r := range s.rows[:f.Rank()] {
		if r != nil && !w.v.covers(r, f.Low(axis), f.Low(axis)+f.Shape[axis]) {
			in = w.Op(ir.OpAnd, in, w.v.inRange(&w.logic, r, f.Low(axis), f.Low(axis)+f.Shape[axis]))
		}
	}
	return in
}

// demand notes that the lanes of mask which are in part need the word to exist.
func (w *evaluator) demand(l loaded, mask, part plane) {
	if l.inside != nil {
		w.outside = w.or(w.outside, w.and(w.and(mask, part), w.not(w.splat(l.inside))))
	}
}

// load returns the elements of a spot, for the lanes of mask.
func (w *evaluator) load(s *spot, mask plane) plane {
	low := w.loadWord(s, s.by)
	if s.bit == 0 {
		w.demand(low, mask, all)
		return plane{v: low.word}
	}
	high := w.loadWord(s, s.by+1)
	fromLow := w.pattern(1<<(w.v.lanes-s.bit) - 1)
	w.demand(low, mask, fromLow)
	w.demand(high, mask, w.not(fromLow))
	u32 := ir.Scalar(ir.U32)
	down := w.Op(ir.OpShr, low.word, w.Int(u32, s.bit))
	up := w.Op(ir.OpShl, high.word, w.Int(u32, w.v.lanes-s.bit))
	return plane{v: w.Op(ir.OpOr, down, up)}
}

// A stored is the new value of an iteration's word, in the lanes of mask.
type stored struct {
	*spot
	value, mask plane
}

// own returns the value that the iteration has stored to the word of a spot so far; nil for none. A spot other than its own may belong
// to another iteration.
func (w *evaluator) own(o *ir.Op, s *spot) *stored {
	if !w.v.written.fields[s.array.field] {
		return nil
	}
	if !w.isOwn(s) {
		stop(o.Pos, note.BitsOfOther, s.array.field.Name)
	}
	for _, t := range w.stores {
		if t.array == s.array {
			if t.rows != s.rows || t.by != s.by {
				stop(o.Pos, note.BitsOfOther, s.array.field.Name)
			}
			return t
		}
	}
	t := &stored{spot: s}
	w.stores = append(w.stores, t)
	return t
}

// read returns the elements of a spot, including stores of the iteration.
func (w *evaluator) read(o *ir.Op, s *spot, mask plane) plane {
	t := w.own(o, s)
	if t == nil {
		return w.load(s, mask)
	}
	if t.mask == all {
		return t.value
	}
	return w.mux(t.mask, t.value, w.load(s, mask))
}

// write stores elements in the lanes of mask.
func (w *evaluator) write(o *ir.Op, s *spot, value, mask plane) {
	t := w.own(o, s)
	if w.careful { // a store out of range is an error, too
		at := w.column(s.by)
		w.demand(loaded{inside: w.inside(s, at)}, mask, all)
	}
	w.v.reach(reach{s.array, s.rows, s.by})
	t.value, t.mask = w.mux(mask, value, t.value), w.or(t.mask, mask)
	if mask == all {
		t.mask = all
	}
}

// flush appends the stores of words.
func (w *evaluator) flush() {
	for _, t := range w.stores {
		if t.mask == none {
			continue
		}
		set := func() {
			p := w.place(t.spot, w.column(t.by))
			v := t.value
			if t.mask != all {
				v = w.mux(t.mask, v, plane{v: w.Load(w.typ(), p)})
			}
			w.Store(p, w.word(v))
		}
		switch {
		case t.mask == all || !w.careful && !t.array.field.Sparse:
			set()
		default: // a store activates cells, and a word out of range has no lanes
			w.If(w.some(t.mask), nil, func() { set(); w.Yield() }, func() { w.Yield() })
		}
	}
}

// some appends a test whether any lane is set in a plane.
func (w *evaluator) some(p plane) *ir.Value {
	return w.Op(ir.OpNe, w.word(p), w.Const(w.typ(), 0))
}
