package states

import (
	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/analysis"
)

// mostReach is the longest reach that is of use. What may be farther away may be anywhere.
const mostReach = 1 << 15

// A reacher bounds integers relative to the first index of a parallel loop.
type reacher struct {
	param  *ir.Value // that index; nil in serial code
	ranges *analysis.RangeInfo
	known  map[*ir.Value]distance
}

func newReacher(loop *ir.Op, ranges *analysis.RangeInfo) *reacher {
	r := &reacher{ranges: ranges, known: map[*ir.Value]distance{}}
	if loop != nil && len(loop.Regions[0].Params) > 0 {
		r.param = loop.Regions[0].Params[0]
	}
	return r
}

// of returns the reach of an access to a place.
func (r *reacher) of(place *ir.Op) ir.Reach {
	index := analysis.Indices(place)
	if r.param == nil || len(index) == 0 {
		return ir.Reach{}
	}
	d := r.from(index[0])
	if d.lo < -mostReach || d.hi > mostReach {
		return ir.Reach{}
	}
	return ir.Reach{Lo: d.lo, Hi: d.hi, Known: true}
}

// index returns bounds of the first index of a place, whatever the iteration.
func (r *reacher) index(place *ir.Op) ir.Reach {
	index := analysis.Indices(place)
	if len(index) == 0 {
		return ir.Reach{}
	}
	lo, hi, ok := r.interval(index[0])
	if n, at := place.Field.Extent(0); at == nil { // an index beyond the field touches nothing
		first, last := place.Field.Low(0), place.Field.Low(0)+n-1
		if lo <= first && hi >= last {
			return ir.Reach{}
		}
		lo, hi = max(lo, first), min(hi, last)
	}
	if !ok || lo > hi {
		return ir.Reach{}
	}
	return ir.Reach{Lo: lo, Hi: hi, Known: true}
}

// ring returns the reach of a place along a first axis that is a ring: the remainder by its extent counts as the dividend.
func (r *reacher) ring(place *ir.Op) ir.Reach {
	index := analysis.Indices(place)
	if r.param == nil || len(index) == 0 || place.Field.Low(0) != 0 {
		return r.of(place)
	}
	v := index[0]
	for v.Def != nil && v.Def.Code == ir.OpUnique {
		v = v.Def.Args[0]
	}
	if v.Def == nil || v.Def.Code != ir.OpMod && v.Def.Code != ir.OpRem {
		return r.of(place)
	}
	if lo, _, ok := r.interval(v.Def.Args[0]); v.Def.Code == ir.OpRem && (!ok || lo < 0) { // the remainder may be negative
		return r.of(place)
	}
	n, at := place.Field.Extent(0)
	if by, is := ir.IntOf(v.Def.Args[1]); at != nil || !is || by != n {
		return r.of(place)
	}
	d := r.from(v.Def.Args[0])
	if d.lo <= -far || d.hi >= far {
		return ir.Reach{}
	}
	turns := (d.lo + d.hi + n) / (2 * n) * n // whole ones are left out: (i+n-1)%n is the row before
	d = distance{d.lo - turns, d.hi - turns}
	if d.lo < -mostReach || d.hi > mostReach {
		return ir.Reach{}
	}
	return ir.Reach{Lo: d.lo, Hi: d.hi, Known: true}
}

// A distance bounds a number minus the index of the loop. A bound of ±far is none.
type distance struct{ lo, hi int64 }

const far = 1 << 40

var anywhere = distance{-far, far}

// bounded is d with the bounds that count.
func (d distance) bounded() distance { return distance{max(d.lo, -far), min(d.hi, far)} }

// plus adds numbers of an interval, which are less than far.
func (d distance) plus(lo, hi int64) distance {
	if d.lo > -far {
		d.lo += lo
	}
	if d.hi < far {
		d.hi += hi
	}
	return d.bounded()
}

func (d distance) join(e distance) distance { return distance{min(d.lo, e.lo), max(d.hi, e.hi)} }

// from bounds v: by how it is computed, and by the interval that it is in anyway. So min(i+1, n-1) is at least i where i is less than n, and
// max(i-1, 0) at most i where i is not negative.
func (r *reacher) from(v *ir.Value) distance {
	if d, ok := r.known[v]; ok {
		return d
	}
	r.known[v] = anywhere // where it depends on itself
	d, a := r.computed(v), r.apart(v)
	d = distance{max(d.lo, a.lo), min(d.hi, a.hi)}
	if d.lo > d.hi { // code that is not reached
		d = anywhere
	}
	r.known[v] = d
	return d
}

// apart bounds v by its interval and that of the index.
func (r *reacher) apart(v *ir.Value) distance {
	lo, hi, ok1 := r.interval(v)
	first, last, ok2 := r.interval(r.param)
	if !ok1 || !ok2 {
		return anywhere
	}
	return distance{lo - last, hi - first}.bounded()
}

// interval returns the bounds of v where they are less than far.
func (r *reacher) interval(v *ir.Value) (lo, hi int64, ok bool) {
	x := r.ranges.Get(v)
	return x.Lo, x.Hi, !x.Any && x.Lo > -far && x.Hi < far
}

// computed bounds v by how it is computed.
func (r *reacher) computed(v *ir.Value) distance {
	o := v.Def
	if v == r.param {
		return distance{}
	}
	if o == nil || !v.Type.Kind.IsInt() || v.Type.Lanes != 1 {
		return anywhere
	}
	switch o.Code {
	case ir.OpAdd:
		if r.ranges.Exact[o] {
			return r.sum(o.Args[0], o.Args[1])
		}
	case ir.OpSub:
		if lo, hi, ok := r.interval(o.Args[1]); ok && r.ranges.Exact[o] {
			return r.from(o.Args[0]).plus(-hi, -lo)
		}
	case ir.OpMin:
		a, b := r.from(o.Args[0]), r.from(o.Args[1])
		return distance{min(a.lo, b.lo), min(a.hi, b.hi)}
	case ir.OpMax:
		a, b := r.from(o.Args[0]), r.from(o.Args[1])
		return distance{max(a.lo, b.lo), max(a.hi, b.hi)}
	case ir.OpSelect:
		return r.from(o.Args[1]).join(r.from(o.Args[2]))
	case ir.OpConvert:
		if from := o.Args[0]; from.Type.Kind.IsInt() && r.ranges.Get(from).Fits(v.Type.Kind) {
			return r.from(from)
		}
	case ir.OpUnique:
		return r.from(o.Args[0])
	case ir.OpIf:
		return r.yielded(o, v)
	}
	return anywhere
}

// sum bounds a sum that cannot wrap.
func (r *reacher) sum(a, b *ir.Value) distance {
	d := anywhere
	for range 2 {
		if lo, hi, ok := r.interval(b); ok {
			e := r.from(a).plus(lo, hi)
			d = distance{max(d.lo, e.lo), min(d.hi, e.hi)}
		}
		a, b = b, a
	}
	return d
}

// yielded bounds a result of an if.
func (r *reacher) yielded(o *ir.Op, v *ir.Value) distance {
	d, some := anywhere, false
	for i, w := range o.Results {
		if w != v {
			continue
		}
		for _, b := range o.Regions {
			y := b.Terminator()
			if y == nil || y.Code != ir.OpYield {
				continue // it leaves
			}
			if e := r.from(y.Args[i]); some {
				d = d.join(e)
			} else {
				d, some = e, true
			}
		}
	}
	return d
}
