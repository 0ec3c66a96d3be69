package bits

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/analysis"
	"github.com/gotaichi/ti/internal/pass/note"
)

// A Cutting is the result of [Cut].
type Cutting struct {
	Ops    []*ir.Op              // replace the loop
	Own    map[*layout.Word]bool // words that belong to one iteration each
	Inside map[*layout.Word]bool // words of Own to which no iteration stores out of range
	Loops  map[*ir.Op]bool       // loops over all the elements of a word, from the first to the last
}

// Cut strip-mines a parallel loop that stores to elements of bit arrays at its own index: the new loop is over words, and each of its
// iterations visits the elements of a word one after the other. So a word belongs to one iteration (thread-safety inference, section
// 6.2). It returns nil if the loop must stay as it is, and why if that is because of its random numbers.
//
// The loop must not depend on the numbers of its iterations, which random numbers and records use, nor on the order of appends. Other
// atomic updates must be of variables of the kernel.
func Cut(loop *ir.Op, e Env) (c *Cutting, why *Obstacle) {
	e.anyBits = true
	v := &vectoriser{Env: e, loop: loop, body: loop.Regions[0], arrays: map[*layout.Word]*array{}, elementwise: true}
	may, random := v.mayCut()
	if loop.Flags.Has(ir.Serial) || !may && random == nil {
		return nil, nil
	}
	v.cutting = &Cutting{Inside: map[*layout.Word]bool{}, Loops: map[*ir.Op]bool{}}
	v.cutting.Own = v.ownWords()
	rewritten := v.rewritten
	if len(v.cutting.Own) == 0 || !v.reachable() {
		t := v.tiling()
		if t == nil {
			return nil, nil
		}
		rewritten = t.rewritten
	}
	if !may {
		return nil, &Obstacle{random.Pos, note.BitsRandom, nil}
	}
	v.cutting.Ops = rewritten()
	return v.cutting, nil
}

// mayCut reports whether iterations may be grouped. Random is an op that draws a random number, if that is the only obstacle.
func (v *vectoriser) mayCut() (may bool, random *ir.Op) {
	other := false
	ir.Visit(v.body, func(o *ir.Op) bool {
		switch {
		case o.Code == ir.OpRand, (o.Code == ir.OpStore || o.Code == ir.OpAtomic) && o.DrawsToStore():
			random = o
		case o.Code == ir.OpRecord, o.Code == ir.OpAppend, o.Code.Touches(ir.Cells), o.Code == ir.OpActivate:
			other = true
		case o.Code == ir.OpAtomic:
			place := o.Args[0].Def
			other = other || place == nil || !o.IsPacked() && place.Code != ir.OpCell
		}
		return !other
	})
	if other {
		return false, nil
	}
	return random == nil, random
}

// ownWords finds the arrays that each iteration writes only at its own element, with elements contiguous along the last index of the
// loop, and the lanes.
func (v *vectoriser) ownWords() map[*layout.Word]bool {
	own := map[*layout.Word]bool{}
	index := map[*layout.Word][]analysis.Affine{}
	var first *array
	v.lane = len(v.body.Params) - 1
	ir.Visit(v.body, func(o *ir.Op) bool {
		if o.Code != ir.OpStore && o.Code != ir.OpAtomic || !o.IsPacked() {
			return true
		}
		place := o.Args[0].Def
		a := v.array(place)
		if a == nil {
			for _, c := range place.Choices() { // some word may be written at an unknown element
				if place.Field.StoredAs(c) != nil {
					own[v.Layout.Access(place.Field, c).Packed.Word] = false
				}
			}
			return true
		}
		at, unique := v.indexOf(place)
		known, found := index[a.word]
		for i := range known {
			unique = unique && at[i].Same(known[i])
		}
		if index[a.word] = at; !found {
			own[a.word], v.cutting.Inside[a.word] = true, true
		}
		v.cutting.Inside[a.word] = v.cutting.Inside[a.word] && v.inside(a, at)
		if low := a.field.Low(a.axis) - at[a.axis].Add; first == nil && unique {
			first, v.lanes, v.word, v.first = a, a.lanes, a.word.Kind, low
		} else if unique {
			unique = a.lanes == v.lanes && (low-v.first)%v.lanes == 0
		}
		own[a.word] = own[a.word] && unique
		return true
	})
	for w, is := range own {
		if !is {
			delete(own, w)
		}
	}
	if first != nil && !own[first.word] {
		return nil
	}
	return own
}

// indexOf returns the indices of a place, and whether they contain each index of the loop, the last one along the lanes.
func (v *vectoriser) indexOf(place *ir.Op) (at []analysis.Affine, unique bool) {
	used := make([]bool, len(v.body.Params))
	a := v.array(place)
	unique = true
	for axis, i := range analysis.Indices(place) {
		x := analysis.LoopIndex(v.body, i)
		if at = append(at, x); x.Param != nil {
			used[x.Param.Index] = true
		}
		lane := x.Param != nil && x.Param.Index == v.lane
		unique = unique && lane == (axis == a.axis)
	}
	for _, u := range used {
		unique = unique && u
	}
	return at, unique
}

// inside reports whether an array has the elements at the given indices in all iterations.
func (v *vectoriser) inside(a *array, at []analysis.Affine) bool {
	for axis, x := range at {
		n, open := a.field.Extent(axis)
		lo, hi, known := v.constLimits(x.Param)
		if low := a.field.Low(axis); !known || open != nil || lo+x.Add < low || hi+x.Add > low+n {
			return false
		}
	}
	return true
}

// constLimits returns the limits of a loop index, if they are constants.
func (v *vectoriser) constLimits(p *ir.Value) (lo, hi int64, known bool) {
	switch {
	case p == nil:
		return 0, 0, false
	case v.loop.Code == ir.OpFieldFor:
		n, open := v.loop.Field.Extent(p.Index)
		lo = v.loop.Field.Low(p.Index)
		return lo, lo + n, open == nil
	}
	lo, known = constOf(v.loop.Args[2*p.Index])
	hi, to := constOf(v.loop.Args[2*p.Index+1])
	return lo, hi, known && to
}

// reachable reports whether the loop can be cut: it is over ranges, a dense field, or the array in a sparse tree whose elements alone
// are accessed there.
func (v *vectoriser) reachable() bool {
	f := v.loop.Field
	if f == nil || !f.Sparse {
		return true
	}
	own := v.fieldArray()
	if own == nil || own.axis != v.lane || own.lanes != v.lanes || own.field.Low(own.axis) != v.first || len(own.word.Home().PathAxes()) != f.Rank() {
		return false
	}
	simple := true
	ir.Visit(v.body, func(o *ir.Op) bool {
		if o.Code == ir.OpPtr && o.Field.Sparse {
			for d, i := range analysis.Indices(o) {
				simple = simple && d < len(v.body.Params) && i == v.body.Params[d]
			}
		}
		return simple
	})
	return simple
}

// elements appends the iterations of the lanes that are in the range of the loop.
func (w *evaluator) elements() {
	from, to := w.i64(0), w.i64(w.v.lanes)
	if w.careful && !w.v.wholeWords() {
		from = w.fold(ir.OpMax, from, w.fold(ir.OpSub, w.v.lo, w.base))
		to = w.fold(ir.OpMin, to, w.fold(ir.OpSub, w.v.hi, w.base))
	}
	loop := ir.NewOp(ir.OpFor, w.v.loop.Pos, nil, from, to)
	first, known := constOf(from)
	if end, last := constOf(to); known && last && first == 0 && end == w.v.lanes {
		w.v.cutting.Loops[loop] = true
	}
	lane := loop.Regions[0].AddParam(ir.Scalar(ir.I64), "")
	w.Emit(loop)
	w.In(loop.Regions[0], func() { w.copyOf(lane, loop) })
}
