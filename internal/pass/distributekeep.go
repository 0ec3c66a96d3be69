package pass

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// This file is the part of distribute that finds the indices of a task without strips yet.

// keep finds the numbers that the places far apart are computed from, and that are not whole numbers computed from the
// iteration alone. It reports whether they can be computed before anything else.
func (d *distribution) keep() bool {
	visited := map[*ir.Value]bool{}
	for _, o := range d.ops {
		if p, ok := d.places[o]; ok && p.far && !d.origins(o.Args[0], visited) {
			return false
		}
	}
	return len(visited) > 0 && len(d.kept) <= mostKept
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
