package distribute

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/versioning"
)

// This file finds the indices of a task that has no strips yet.

// keep finds the numbers from which data-dependent addresses are computed, except integers that are computed from the iteration alone, and
// the buckets of histograms. It reports whether a loop before the others can compute these numbers. It returns false if there are too many
// of them, or if the loop neither has such addresses nor counts.
func (d *division) keep() bool {
	visited := map[*ir.Value]bool{}
	for _, o := range d.ops {
		p, ok := d.places[o]
		if !ok || !p.far {
			continue
		}
		if d.countsIn(o) {
			continue
		}
		if !d.origins(o.Args[0], visited) {
			return false
		}
	}
	d.counting = len(d.vectorIndices) > 0 || d.stores()
	return (len(visited) > 0 || d.counting) && len(d.firstIndices) <= versioning.MostKept
}

// keepBuckets is keep for a loop with loads whose addresses come from other such loads. Its only stores at data-dependent addresses must be
// in histograms. The vector loop makes these loads itself.
func (d *division) keepBuckets() bool {
	d.firstIndices, d.vectorIndices, d.gathers = nil, nil, true
	for _, o := range d.ops {
		if p, ok := d.places[o]; ok && p.far && !d.countsIn(o) && o.Code != ir.OpLoad {
			return false
		}
	}
	d.counting = len(d.vectorIndices) > 0 || d.stores()
	return d.counting
}

// countsIn reports whether an access is to a histogram, and records its bucket.
func (d *division) countsIn(o *ir.Op) bool {
	v := d.bucket(o)
	if v != nil && !slices.Contains(d.vectorIndices, v) {
		d.vectorIndices = append(d.vectorIndices, v)
	}
	return v != nil
}

// bucket returns the number that selects the place of an access, if it is a few bits of a computed float and the loop also stores to the
// place: it is a bucket of a histogram of exponents. Otherwise it returns nil. A loop before the others is no place to compute the bucket,
// since it would compute everything twice.
func (f *facts) bucket(o *ir.Op) *ir.Value {
	if !slices.ContainsFunc(f.ops, func(s *ir.Op) bool { return s.Code == ir.OpStore && s.Args[0] == o.Args[0] }) {
		return nil
	}
	v := o.Args[0]
	for v.Def != nil && f.depends[v] {
		if _, here := f.at[v.Def]; !here {
			return nil
		}
		switch v.Def.Code {
		case ir.OpAnd:
			if f.ofBits(v) {
				return v
			}
			return nil
		case ir.OpOffset, ir.OpMul, ir.OpAdd, ir.OpConvert:
			next := v.Def.Args[0]
			if len(v.Def.Args) > 1 && f.ofIndex(next) {
				next = v.Def.Args[1]
			} else if len(v.Def.Args) > 1 && !f.ofIndex(v.Def.Args[1]) {
				return nil
			}
			v = next
		default:
			return nil
		}
	}
	return nil
}

// ofIndex reports whether an integer or address is computed from the iteration alone.
func (f *facts) ofIndex(v *ir.Value) bool {
	if v == f.index || !f.depends[v] {
		return true
	}
	if is, known := f.simple[v]; known { // so that each value is visited once
		return is
	}
	o := v.Def
	_, here := f.at[o]
	is := o != nil && here && o.Code.Is(ir.Pure) && len(o.Regions) == 0 && (v.Type.Kind.IsInt() || v.Type.Kind == ir.Ptr) &&
		!slices.ContainsFunc(o.Args, func(a *ir.Value) bool { return !f.ofIndex(a) })
	f.simple[v] = is
	return is
}

// ofBits reports whether an integer consists of a few bits of a float.
func (f *facts) ofBits(v *ir.Value) bool {
	few := false
	for v.Def != nil && f.depends[v] {
		switch v.Def.Code {
		case ir.OpBitcast:
			return few && v.Def.Args[0].Type.Kind.IsFloat()
		case ir.OpAnd:
			n, ok := ir.IntOf(v.Def.Args[1])
			few = few || ok && n > 0 && n < 1<<16
		case ir.OpShr, ir.OpConvert:
		default:
			return false
		}
		v = v.Def.Args[0]
	}
	return false
}

// origins adds to firstIndices the numbers from which v is computed. It reports whether a loop before the others can compute all of them.
func (d *division) origins(v *ir.Value, visited map[*ir.Value]bool) bool {
	if !d.depends[v] || v == d.index || visited[v] {
		return true
	}
	visited[v] = true
	o := v.Def
	if _, here := d.at[o]; o == nil || !here {
		return false
	}
	whole := func(v *ir.Value) bool { return v.Type.Kind.IsInt() || v.Type.Kind == ir.Ptr }
	switch {
	case o.Code.Is(ir.Pure) && len(o.Regions) == 0 && o.Code != ir.OpDiv && o.Code != ir.OpMod && !slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return !whole(v) }):
		return !slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return !d.origins(v, visited) })
	case !v.Type.Kind.IsInt() || !d.computableFirst(v):
		return false
	}
	d.firstIndices = append(d.firstIndices, v)
	return true
}

// computableFirst reports whether v can be computed at the start of an iteration: by arithmetic, and by loads at linear addresses. No op before such
// a load may store to its place, nor may any op that stores at a data-dependent address.
func (f *facts) computableFirst(v *ir.Value) bool {
	o := v.Def
	i, here := f.at[o]
	if o == nil || !here {
		return !f.depends[v] || v == f.index
	}
	able, visited := f.able[o]
	if !visited {
		able = f.resultsFirst(o, i)
		f.able[o] = able
	}
	return able
}

// resultsFirst is computableFirst for the results of op number i.
func (f *facts) resultsFirst(o *ir.Op, i int) bool {
	if len(o.Regions) > 0 {
		return false
	}
	if p, ok := f.places[o]; ok {
		if o.Code != ir.OpLoad || p.far {
			return false
		}
		for _, s := range f.ops {
			if q, ok := f.places[s]; ok && s.Code != ir.OpLoad && (f.at[s] < i || q.far) && meetPlaces(q, p) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return !f.computableFirst(v) })
}
