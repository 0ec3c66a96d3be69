package bits

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/layout"
)

// A reach is a word that iterations access: at this distance from their own along the axis of the lanes, in the row with the given
// indices.
type reach struct {
	array *array
	rows  [layout.MaxRank]*ir.Value
	by    int64
}

// span returns the words of iterations for which the reached word is in the array.
func (r reach) span() (least, end int64) {
	return -r.by, r.array.field.Shape[r.array.axis]/r.array.lanes - r.by
}

// reach records that iterations access a word.
func (v *vectoriser) reach(r reach) {
	if !v.reached[r] {
		v.reached[r] = true
		v.order = append(v.order, r)
	}
}

// rowInside appends a test whether the rows that are reached are in their arrays; nil if they always are.
func (v *vectoriser) rowInside() (inside *ir.Value) {
	type key struct {
		index  *ir.Value
		lo, hi int64
	}
	asked := map[key]bool{}
	for _, r := range v.order {
		f := r.array.field
		for axis, i := range r.rows[:f.Rank()] {
			if axis == r.array.axis {
				continue
			}
			k := key{i, f.Low(axis), f.Low(axis) + f.Shape[axis]}
			if asked[k] || v.covers(i, k.lo, k.hi) {
				continue
			}
			asked[k] = true
			inside = v.both(inside, v.inRange(&v.head, i, k.lo, k.hi))
		}
	}
	return inside
}

// covers reports whether i is an index of a loop over a field, and so in the given range.
func (v *vectoriser) covers(i *ir.Value, lo, hi int64) bool {
	f := v.loop.Field
	if f == nil {
		return false
	}
	for d, p := range v.index {
		if p == i {
			n, at := f.Extent(d)
			return at == nil && f.Low(d) >= lo && f.Low(d)+n <= hi
		}
	}
	return false
}

// inRange appends lo <= i < hi.
func (v *vectoriser) inRange(l *logic, i *ir.Value, lo, hi int64) *ir.Value {
	i = l.Convert(i, ir.I64)
	return l.Op(ir.OpAnd, l.Op(ir.OpGe, i, l.i64(lo)), l.Op(ir.OpLt, i, l.i64(hi)))
}
