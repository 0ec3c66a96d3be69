package distribute

import "github.com/gotaichi/ti/internal/ir"

// A reduction is an update of a variable of the task by a value that an iteration computes.
type reduction struct {
	load, update, store *ir.Op
	by                  *ir.Value
}

// reductionOf returns the reduction that s stores; nil if s stores none, or if not all of its ops are in the vector loop.
func (d *division) reductionOf(s *ir.Op) *reduction {
	if d.reductions == nil {
		d.findReductions()
	}
	r := d.reductions[s]
	if r == nil || d.work[s] != computes || d.work[r.load] != computes || d.work[r.update] != computes {
		return nil
	}
	return r
}

// findReductions finds the variables that are updated only by reductions of one kind, one after the other. A variable may have several
// reductions, one for each component of an element. Each of them can be moved separately.
func (f *facts) findReductions() {
	f.reductions = map[*ir.Op]*reduction{}
	used := map[*ir.Value]int{}
	of := map[*ir.Value][]*reduction{}
	for _, o := range f.ops {
		for _, v := range f.operands(o) {
			used[v]++
		}
		if o.Code == ir.OpStore && f.sums[o.Args[0]] {
			of[o.Args[0]] = append(of[o.Args[0]], reductionBy(o))
		}
	}
	for v, all := range of { // the order does not matter, since each entry is for another variable
		if used[v] == 2*len(all) && f.follow(all, used) {
			for _, r := range all {
				f.reductions[r.store] = r
			}
		}
	}
}

// follow reports whether these are reductions of one kind, one after the other, whose values nothing else uses.
func (f *facts) follow(all []*reduction, used map[*ir.Value]int) bool {
	last := -1
	for _, r := range all {
		if r == nil || r.update.Code != all[0].update.Code || used[r.load.Results[0]] != 1 || used[r.update.Results[0]] != 1 || f.at[r.load] <= last {
			return false
		}
		last = f.at[r.store]
	}
	return true
}

// reductionBy returns the reduction that s stores if it has the shape of one, else nil.
func reductionBy(s *ir.Op) *reduction {
	r := &reduction{store: s, update: s.Args[1].Def}
	if r.update == nil || len(r.update.Args) != 2 {
		return nil
	}
	for i, v := range r.update.Args {
		if v.Def != nil && v.Def.Code == ir.OpLoad && v.Def.Args[0] == s.Args[0] {
			r.load, r.by = v.Def, r.update.Args[1-i]
			return r
		}
	}
	return nil
}
