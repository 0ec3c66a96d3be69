package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// A location describes the place of an access. Accesses that are proved to be to the same place share one *location.
type location struct {
	object analysis.Object
	code   ir.Code // of the op that makes it; 0 where nothing but the object is known
	field  *ir.Field
	param  *ir.Param
	index  []affineIndex
	axes   int // the number of entries of index that are indices of elements; a component may follow
}

// meets reports whether accesses to p and q may touch the same memory.
func (p *location) meets(q *location) bool {
	if !p.object.Overlaps(q.object) {
		return false
	}
	if p.code != q.code || p.field != q.field || p.param != q.param {
		return true
	}
	for i := range min(p.axes, q.axes) {
		if p.index[i].base == q.index[i].base && p.index[i].add != q.index[i].add {
			return false
		}
	}
	return true
}

// An affineIndex is a value plus a constant; the value is nil for a constant.
type affineIndex struct {
	base *ir.Value
	add  int64
}

// affineOf splits an index into a value and a constant.
func affineOf(v *ir.Value) affineIndex {
	k, add := v.Type.Kind, int64(0)
	for v.Def != nil {
		d := v.Def
		if c, ok := ir.IntOf(v); ok {
			return affineIndex{nil, int64(ir.IntBits(k, add+c))}
		}
		if len(d.Args) != 2 {
			break
		}
		c, ok := ir.IntOf(d.Args[1])
		if !ok || d.Code != ir.OpAdd && d.Code != ir.OpSub {
			break
		}
		if d.Code == ir.OpSub {
			c = -c
		}
		v, add = d.Args[0], add+c
	}
	return affineIndex{v, int64(ir.IntBits(k, add))}
}

// locations finds the locations of accesses, and interns them.
type locations struct {
	byOp  map[*ir.Op]*location
	byKey map[locationKey][]*location
}

// A locationKey is the bucket of a location.
type locationKey struct {
	object      analysis.Object
	code        ir.Code
	field       *ir.Field
	param       *ir.Param
	aux         int64
	stride      int32
	first, last affineIndex
}

func newLocations() *locations {
	return &locations{byOp: map[*ir.Op]*location{}, byKey: map[locationKey][]*location{}}
}

// of returns the location that a load or store accesses. It is not ok if only the object is known.
func (ls *locations) of(o *ir.Op) (p *location, ok bool) {
	object, d := analysis.ObjectOf(o), o.Args[0].Def
	p = &location{object: object}
	if d == nil {
		return p, false
	}
	if known := ls.byOp[d]; known != nil && known.object == object {
		return known, true
	}
	switch d.Code {
	case ir.OpPtr, ir.OpElem:
		p.index = make([]affineIndex, 0, len(d.Args))
		for _, a := range d.Args {
			p.index = append(p.index, affineOf(a))
		}
		if p.axes = len(p.index); d.Flags.Has(ir.Dynamic) {
			p.axes--
		}
	case ir.OpCell:
		p.index, p.axes = []affineIndex{affineOf(d.Args[1])}, 1
	case ir.OpFrame:
	default:
		return p, false
	}
	p.code, p.field, p.param = d.Code, d.Field, d.Param
	p = ls.unique(p, d)
	ls.byOp[d] = p
	return p, true
}

// unique returns the interned location that is equal to p, which the op d makes.
func (ls *locations) unique(p *location, d *ir.Op) *location {
	key := locationKey{object: p.object, code: p.code, field: p.field, param: p.param, aux: d.Aux, stride: d.Stride}
	if n := len(p.index); n > 0 {
		key.first, key.last = p.index[0], p.index[n-1]
	}
	for _, q := range ls.byKey[key] {
		if slices.Equal(q.index, p.index) {
			return q
		}
	}
	ls.byKey[key] = append(ls.byKey[key], p)
	return p
}
