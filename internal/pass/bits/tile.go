package bits

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// This file strip-mines loops at the borders of words that are tiles: they have elements along several axes.
//
//	for i, j := range X { body }
//
// becomes, for tiles of h by w elements,
//
//	for each row and column of tiles { for k := range h·w { i, j := first element + (k / w, k % w); body } }
//
// or, if the loop may begin or end within a tile, a loop for each index over the part of the tile that is in range.

// A tiling describes how the indices of a loop divide into tiles.
type tiling struct {
	*vectoriser
	size  []int64 // of a tile along each index; 1 if the tile has one element along it
	first []int64 // the first index of a tile
	from  []*ir.Value
	to    []*ir.Value
}

// tiling finds the words that are tiles, and that each iteration writes only at its own element. It returns nil if there are none.
func (v *vectoriser) tiling() *tiling {
	if f := v.loop.Field; f != nil && f.Sparse {
		return nil
	}
	v.cutting.Inside = map[*layout.Word]bool{}
	t := &tiling{vectoriser: v}
	if v.cutting.Own = t.ownTiles(); len(v.cutting.Own) == 0 {
		return nil
	}
	return t
}

// ownTiles is ownWords for tiles. The first tile determines the size of all.
func (t *tiling) ownTiles() map[*layout.Word]bool {
	own, index := map[*layout.Word]bool{}, map[*layout.Word][]analysis.Affine{}
	inside := t.cutting.Inside
	ir.Visit(t.body, func(o *ir.Op) bool {
		if o.Code != ir.OpStore && o.Code != ir.OpAtomic || !o.IsPacked() {
			return true
		}
		place := o.Args[0].Def
		for _, c := range place.Choices() {
			if place.Field.StoredAs(c) == nil {
				continue
			}
			w := t.Layout.Access(place.Field, c).Packed.Word
			at, unique := t.indexOfTile(place, w)
			known, found := index[w]
			for i := range known {
				unique = unique && at[i].Same(known[i])
			}
			if !found {
				index[w], own[w], inside[w] = at, true, true
			}
			own[w] = own[w] && unique
			inside[w] = inside[w] && unique && t.inside(&array{field: place.Field}, at)
		}
		return true
	})
	for w, is := range own { // in any order
		if !is {
			delete(own, w)
		}
	}
	return own
}

// indexOfTile returns the indices of a place in tiles, and whether they contain each index of the loop, divided into tiles in the same
// way as others.
func (t *tiling) indexOfTile(place *ir.Op, w *layout.Word) (at []analysis.Affine, unique bool) {
	if !w.Array() || place.Flags.Has(ir.Dynamic) || place.Field.Rank() != len(w.Cells()) {
		return nil, false
	}
	size, first := make([]int64, len(t.body.Params)), make([]int64, len(t.body.Params))
	for axis, i := range analysis.Indices(place) {
		x := analysis.LoopIndex(t.body, i)
		at = append(at, x)
		n := w.Cells()[axis]
		switch {
		case x.Param == nil && n > 1:
			return at, false
		case x.Param == nil:
			continue
		case size[x.Param.Index] > 0: // as in X[i, i]
			return at, false
		}
		size[x.Param.Index], first[x.Param.Index] = n, place.Field.Low(axis)-x.Add
	}
	if t.size == nil {
		for _, n := range size {
			if n == 0 {
				return at, false
			}
		}
		t.size, t.first = size, first
	}
	for d, n := range size {
		if n != t.size[d] || (first[d]-t.first[d])%n != 0 {
			return at, false
		}
	}
	return at, true
}

// rewritten returns the loop over tiles.
func (t *tiling) rewritten() []*ir.Op {
	before := &ir.Block{}
	k := &t.kernel
	k.Builder = ir.NewBuilder(before)
	k.Pos = t.loop.Pos
	t.word = ir.U64
	whole := true
	var args []*ir.Value
	t.from, t.to = make([]*ir.Value, len(t.size)), make([]*ir.Value, len(t.size))
	for d, n := range t.size {
		lo, hi := t.limits(d)
		if n == 1 {
			args = append(args, lo, hi)
			continue
		}
		t.from[d], t.to[d] = k.fold(ir.OpAdd, k.Convert(lo, ir.I64), k.i64(0)), k.fold(ir.OpAdd, k.Convert(hi, ir.I64), k.i64(0))
		from, ok1 := constOf(t.from[d])
		to, ok2 := constOf(t.to[d])
		whole = whole && ok1 && ok2 && (from-t.first[d])%n == 0 && (to-t.first[d])%n == 0
		args = append(args, k.fold(ir.OpFloorDiv, k.fold(ir.OpSub, t.from[d], k.i64(t.first[d])), k.i64(n)),
			k.fold(ir.OpFloorDiv, k.fold(ir.OpSub, t.to[d], k.i64(t.first[d]-n+1)), k.i64(n)))
	}
	loop := ir.NewOp(ir.OpParFor, t.loop.Pos, nil, args...)
	t.begin(loop)
	base := make([]*ir.Value, len(t.size))
	for d, p := range t.body.Params {
		if t.size[d] == 1 {
			t.index[d] = loop.Regions[0].AddParam(p.Type, p.Name)
			continue
		}
		number := loop.Regions[0].AddParam(ir.Scalar(ir.I64), p.Name)
		base[d] = t.head.NoWrap(ir.OpAdd, t.head.NoWrap(ir.OpMul, number, t.head.i64(t.size[d])), t.head.i64(t.first[d]))
	}
	if whole {
		t.wholeTile(base)
	} else {
		t.partOfTile(base, 0)
	}
	t.head.Jump(ir.OpContinue, loop)
	return before.Ops
}

// wholeTile appends a loop over all elements of a tile.
func (t *tiling) wholeTile(base []*ir.Value) {
	h, all := &t.head, int64(1)
	for _, n := range t.size {
		all *= n
	}
	loop := ir.NewOp(ir.OpFor, h.Pos, nil, h.i64(0), h.i64(all))
	t.cutting.Loops[loop] = true
	lane := loop.Regions[0].AddParam(ir.Scalar(ir.I64), "")
	h.Emit(loop)
	h.In(loop.Regions[0], func() {
		behind := all
		for d, n := range t.size {
			if n == 1 {
				continue
			}
			at := lane
			if behind < all {
				at = h.Op(ir.OpRem, at, h.i64(behind))
			}
			if behind /= n; behind > 1 {
				at = h.Op(ir.OpDiv, at, h.i64(behind))
			}
			t.at(d, base[d], at)
		}
		t.copyOf(loop)
	})
}

// partOfTile appends loops over the indices from d on, for the part of the tile that is in range.
func (t *tiling) partOfTile(base []*ir.Value, d int) {
	for d < len(t.size) && t.size[d] == 1 {
		d++
	}
	h := &t.head
	lo := h.fold(ir.OpMax, h.i64(0), h.fold(ir.OpSub, t.from[d], base[d]))
	hi := h.fold(ir.OpMin, h.i64(t.size[d]), h.fold(ir.OpSub, t.to[d], base[d]))
	last := true
	for _, n := range t.size[d+1:] {
		last = last && n == 1
	}
	loop := ir.NewOp(ir.OpFor, h.Pos, nil, lo, hi)
	lane := loop.Regions[0].AddParam(ir.Scalar(ir.I64), "")
	h.Emit(loop)
	h.In(loop.Regions[0], func() {
		t.at(d, base[d], lane)
		if last {
			t.copyOf(loop)
			return
		}
		t.partOfTile(base, d+1)
		h.Jump(ir.OpContinue, loop)
	})
}

// at sets index d of the old loop to that of an element of a tile.
func (t *tiling) at(d int, base, lane *ir.Value) {
	t.index[d] = t.head.Convert(t.head.NoWrap(ir.OpAdd, base, lane), t.body.Params[d].Type.Kind)
}

// copyOf appends an iteration of the old loop, in a loop over elements.
func (t *tiling) copyOf(loop *ir.Op) {
	m := map[*ir.Value]*ir.Value{}
	for d, p := range t.body.Params {
		m[p] = t.index[d]
	}
	t.head.Op(ir.OpIteration, t.index...)
	c := ir.NewCloner(m)
	c.Ops[t.loop] = loop
	t.head.Block.Ops = append(t.head.Block.Ops, c.List(t.body.Ops)...)
}
