package superword

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
)

// A sum is a tree of additions whose intermediate sums have no other uses.
type sum struct {
	root  *ir.Value
	terms []*ir.Value
	loads []*ir.Op             // loads in runs, from which terms are computed
	of    map[*ir.Op]*ir.Value // the term of each of them
	rest  []*ir.Value          // the other terms
}

// A group is sums whose terms are contiguous, according to the loads in them.
type group struct {
	sums []*sum
	rows []*row
}

// A row is a vector of terms, and the sums that its lanes belong to.
type row struct {
	first *ir.Op // the load of the first lane
	lanes []*ir.Value
	of    []int // numbers of sums
	value *pack
}

const fewestTerms = 4

// sums plans the jobs of sums that are added up as vectors.
func (w *worker) sums() []*job {
	var all []*sum
	for _, o := range w.b.Ops {
		if s := w.sumOf(o); s != nil {
			all = append(all, s)
		}
	}
	var jobs []*job
	for len(all) > 0 {
		g := w.groupOf(all)
		all = slices.DeleteFunc(all, func(s *sum) bool { return slices.Contains(g.sums, s) })
		if !w.layOut(g) {
			continue
		}
		at, ok := w.place(g)
		if !ok {
			continue
		}
		if i := slices.IndexFunc(jobs, func(j *job) bool { return w.meet(j, at, g) }); i >= 0 {
			jobs[i].sums = append(jobs[i].sums, g)
			jobs[i].at = max(jobs[i].at, at)
			continue
		}
		jobs = append(jobs, &job{at: at, sums: []*group{g}})
	}
	return jobs
}

// sumOf returns the sum whose last addition is o, or nil.
func (w *worker) sumOf(o *ir.Op) *sum {
	if !w.adds(o) || w.uses[o.Results[0]] == 0 {
		return nil
	}
	if w.uses[o.Results[0]] == 1 && w.continued(o) {
		return nil
	}
	s := &sum{root: o.Results[0], of: map[*ir.Op]*ir.Value{}}
	var collect func(v *ir.Value, whole bool)
	collect = func(v *ir.Value, whole bool) {
		if w.here(v) && w.adds(v.Def) && (whole || w.uses[v] == 1) {
			collect(v.Def.Args[0], false)
			collect(v.Def.Args[1], false)
			return
		}
		s.terms = append(s.terms, v)
	}
	collect(s.root, true)
	for _, v := range s.terms {
		l := w.anchor(v, 0)
		if l == nil || s.of[l] != nil {
			s.rest = append(s.rest, v)
			continue
		}
		s.of[l] = v
		s.loads = append(s.loads, l)
	}
	if len(s.of) < fewestTerms {
		return nil
	}
	return s
}

// adds reports whether o is an addition that may be reassociated.
func (w *worker) adds(o *ir.Op) bool {
	return o.Code == ir.OpAdd && o.Results[0].Type.Kind.IsFloat() && o.Results[0].Type.Lanes == 1 && !o.Flags.Has(ir.Strict)
}

// continued reports whether the only use of o is in another addition of the block.
func (w *worker) continued(o *ir.Op) bool {
	for _, u := range w.b.Ops[w.at[o]+1:] {
		if slices.Contains(u.Args, o.Results[0]) {
			return w.adds(u)
		}
	}
	return false
}

// anchor returns the first load of a run, at a place that is far apart, from which the term v is computed; nil if there is none.
func (w *worker) anchor(v *ir.Value, deep int) *ir.Op {
	const most = 6
	if !w.here(v) || deep > most {
		return nil
	}
	if w.inRow[v.Def].far {
		return v.Def
	}
	if !lanewise(v.Def) {
		return nil
	}
	for _, a := range v.Def.Args {
		if l := w.anchor(a, deep+1); l != nil {
			return l
		}
	}
	return nil
}

// groupOf returns the first of these sums, with those whose terms are contiguous with its own and the most similar.
func (w *worker) groupOf(all []*sum) *group {
	g := &group{sums: []*sum{all[0]}}
	s := all[0]
	start := w.inRow[s.loads[0]]
	for i := start.i + 1; i < len(start.row); i++ {
		next := start.row[i]
		if slices.ContainsFunc(g.sums, func(s *sum) bool { return s.of[next] != nil }) {
			break
		}
		var best *sum
		most := 0
		for _, c := range all {
			if c.of[next] == nil || len(c.of) != len(s.of) || c.root.Type != s.root.Type || g.shares(c) {
				continue
			}
			if n := w.similar(s.of[start.row[start.i]], c.of[next], 0); n > most {
				best, most = c, n
			}
		}
		if best == nil {
			break
		}
		g.sums = append(g.sums, best)
	}
	return g
}

// shares reports whether a sum of the group uses a load that c uses.
func (g *group) shares(c *sum) bool {
	return slices.ContainsFunc(g.sums, func(s *sum) bool {
		return slices.ContainsFunc(s.loads, func(l *ir.Op) bool { return c.of[l] != nil })
	})
}

// similar measures how much of two terms is computed by the same operations, and from the same values, which counts for more than any
// difference further down.
func (w *worker) similar(x, y *ir.Value, deep int) int {
	const most = 6
	switch {
	case x == y:
		return 1 << (3 * (most + 1 - deep))
	case !w.here(x) || !w.here(y) || x.Def.Code != y.Def.Code || deep >= most:
		return 0
	case !lanewise(x.Def):
		return 1
	}
	xs, ys := x.Def.Args, y.Def.Args
	n, crossed := 1, 1
	for i, a := range xs {
		n += w.similar(a, ys[i], deep+1)
	}
	if x.Def.Code.Is(ir.Commutative) {
		crossed += w.similar(xs[0], ys[1], deep+1) + w.similar(xs[1], ys[0], deep+1)
	}
	return max(n, crossed)
}

// layOut makes vectors of the terms. It reports whether there are any.
func (w *worker) layOut(g *group) bool {
	done := map[*ir.Op]bool{}
	for _, s := range g.sums {
		for _, l := range s.loads {
			if loads := w.inRow[l].row; !done[loads[0]] {
				done[loads[0]] = true
				g.rows = append(g.rows, w.rowsIn(g, loads)...)
			}
		}
	}
	return len(g.rows) > 0
}

// rowsIn returns the vectors of terms of g whose loads are in one run. Terms of shorter runs stay scalar.
func (w *worker) rowsIn(g *group, loads run) []*row {
	var list []*row
	var open *row
	end := func() {
		if open != nil && len(open.lanes) < fewestLanes {
			for i, k := range open.of {
				g.sums[k].rest = append(g.sums[k].rest, open.lanes[i])
			}
		} else if open != nil {
			list = append(list, open)
		}
		open = nil
	}
	for _, l := range loads {
		k := slices.IndexFunc(g.sums, func(s *sum) bool { return s.of[l] != nil })
		if k < 0 {
			end()
			continue
		}
		if open == nil {
			open = &row{first: l}
		}
		open.lanes, open.of = append(open.lanes, g.sums[k].of[l]), append(open.of, k)
	}
	end()
	return list
}

// place returns the position at which the sums of g can be added up: that of the last one, if none is used before.
func (w *worker) place(g *group) (at int, ok bool) {
	for _, s := range g.sums {
		at = max(at, w.at[s.root.Def])
	}
	return at, w.unused(g, at)
}

// unused reports whether no sum of g is used before a position.
func (w *worker) unused(g *group, at int) bool {
	for _, s := range g.sums {
		for _, o := range w.b.Ops[min(w.at[s.root.Def]+1, at):at] {
			found := false
			within(o, func(o *ir.Op) { found = found || slices.Contains(o.Args, s.root) })
			if found {
				return false
			}
		}
	}
	return true
}

// meet reports whether g can be added up at the position of the sums of j, so that both use its loads.
func (w *worker) meet(j *job, at int, g *group) bool {
	at = max(j.at, at)
	return w.unused(g, at) && !slices.ContainsFunc(j.sums, func(h *group) bool { return !w.unused(h, at) })
}
