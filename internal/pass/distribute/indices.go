package distribute

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/versioning"
)

// This file is the part of distribute that finds the indices of a task without strips yet.

// keep finds the numbers that the places far apart are computed from, and that are not whole numbers computed from the
// iteration alone. It reports whether they can be computed before anything else.
func (d *distribution) keep() bool {
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
	return len(visited)+len(d.late) > 0 && len(d.kept) <= versioning.MostKept
}

// keepBuckets is keep for a loop that reads at places found by other such reads, and writes at none but in histograms. The loop of the
// vectors reads there itself.
func (d *distribution) keepBuckets() bool {
	d.kept, d.late, d.gathers = nil, nil, true
	for _, o := range d.ops {
		if p, ok := d.places[o]; ok && p.far && !d.countsIn(o) && o.Code != ir.OpLoad {
			return false
		}
	}
	return len(d.late) > 0
}

// countsIn reports whether an access is to a histogram, and notes its bucket.
func (d *distribution) countsIn(o *ir.Op) bool {
	v := d.bucket(o)
	if v != nil && !slices.Contains(d.late, v) {
		d.late = append(d.late, v)
	}
	return v != nil
}

// bucket returns the number that says which place an access is to, if it is a part of the bits of a computed number, and
// nothing but an update of that place wants it: of a histogram of exponents, that is. Computing it early would compute everything twice.
func (d *distribution) bucket(o *ir.Op) *ir.Value {
	if !slices.ContainsFunc(d.ops, func(s *ir.Op) bool { return s.Code == ir.OpStore && s.Args[0] == o.Args[0] }) {
		return nil
	}
	v := o.Args[0]
	for v.Def != nil && d.depends[v] {
		if _, here := d.at[v.Def]; !here {
			return nil
		}
		switch v.Def.Code {
		case ir.OpAnd:
			if d.ofBits(v) {
				return v
			}
			return nil
		case ir.OpOr: // with what says which copy of the histogram
			if x, y := v.Def.Args[0], v.Def.Args[1]; d.ofIndex(y) && d.ofBits(x) || d.ofIndex(x) && d.ofBits(y) {
				return v
			}
			return nil
		case ir.OpOffset, ir.OpMul, ir.OpAdd, ir.OpConvert:
			next := v.Def.Args[0]
			if len(v.Def.Args) > 1 && d.ofIndex(next) {
				next = v.Def.Args[1]
			} else if len(v.Def.Args) > 1 && !d.ofIndex(v.Def.Args[1]) {
				return nil
			}
			v = next
		default:
			return nil
		}
	}
	return nil
}

// ofIndex reports whether a whole number or address is computed from the iteration alone.
func (d *distribution) ofIndex(v *ir.Value) bool {
	if v == d.index || d.loose != nil && d.loose.counts(v) || !d.depends[v] {
		return true
	}
	if is, known := d.simple[v]; known { // each value is visited once
		return is
	}
	o := v.Def
	_, here := d.at[o]
	is := o != nil && here && o.Code.Is(ir.Pure) && len(o.Regions) == 0 && (v.Type.Kind.IsInt() || v.Type.Kind == ir.Ptr) &&
		!slices.ContainsFunc(o.Args, func(a *ir.Value) bool { return !d.ofIndex(a) })
	d.simple[v] = is
	return is
}

// ofBits reports whether an integer is a few bits of a number.
func (d *distribution) ofBits(v *ir.Value) bool {
	few := false
	for v.Def != nil && d.depends[v] {
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

// origins adds to kept what v is computed from. It reports whether all of that can be kept.
func (d *distribution) origins(v *ir.Value, visited map[*ir.Value]bool) bool {
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
	case !v.Type.Kind.IsInt() || !d.early(v):
		return false
	}
	d.kept = append(d.kept, v)
	return true
}

// early reports whether v can be computed at the start of an iteration: by arithmetic, and by loads side by side of what no
// op before them stores, nor one at a place that is data.
func (d *distribution) early(v *ir.Value) bool {
	o := v.Def
	i, here := d.at[o]
	if o == nil || !here {
		return !d.depends[v] || v == d.index
	}
	able, visited := d.able[o]
	if !visited {
		able = d.soon(o, i)
		d.able[o] = able
	}
	return able
}

// soon reports so of op number i.
func (d *distribution) soon(o *ir.Op, i int) bool {
	if len(o.Regions) > 0 {
		return false
	}
	if p, ok := d.places[o]; ok {
		if o.Code != ir.OpLoad || p.far {
			return false
		}
		for _, s := range d.ops {
			if q, ok := d.places[s]; ok && s.Code != ir.OpLoad && (d.at[s] < i || q.far) && meetPlaces(q, p) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return !d.early(v) })
}

// calls reports whether the body has calls. They keep a loop from being taken apart unless it counts.
func (d *distribution) calls() bool {
	return slices.ContainsFunc(d.ops, func(o *ir.Op) bool { return o.Code == ir.OpCall })
}
