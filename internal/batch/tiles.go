package batch

import (
	"slices"

	"github.com/gotaichi/ti/internal/launch"
	"github.com/gotaichi/ti/internal/variant"
)

// tiles are launches that run tile by tile: some rows of the first, then those rows of the second that need no more of the first, and so on.
type tiles struct {
	units []unit
	loops []tiledLoop // of all units, in their order
	rows  int64       // of the source's loops, by which a tile begins behind the one before
	codes []*variant.Linked
}

// A unit is launches that are one kernel.
type unit struct {
	launches []int // their numbers in the batch
	code     *variant.Linked
	saves    int // tasks
	loops    int
}

// A tiledLoop is a task of a unit.
type tiledLoop struct {
	unit  int
	task  int
	rows  launch.Rows
	waits []wait
	lag   int64 // how many rows it is behind the first loop, at most
}

// A wait says that rows below i+ahead+1 of an earlier loop must have run before row i.
type wait struct {
	on    int // number of the earlier loop
	ahead int64
}

const (
	// tiledFrom is how many bytes launches touch that are run tile by tile: fewer stay in the caches from one launch to the next.
	tiledFrom = 8 << 20
	// tileBytes is how many bytes a tile touches, so that they stay in a cache of one processor while its launches run.
	tileBytes = 1 << 20
	// leastRows is the fewest rows of a tile. A launch of few iterations is not worth sharing.
	leastRows = 8
	// mostTiled is how many loops run tile by tile, at most: each is compared with all before it.
	mostTiled = 256
)

// A tiler finds launches of a plan that can run tile by tile.
type tiler struct {
	planner *planner
	plan    *plan
	forced  int64 // rows of each tile, if a test wants some
	steps   []step
	out     []step

	found *tiles // nil while there are none
	from  int    // the first step of found
	all   []loop // of found
	sizes footprint
}

// tile joins steps whose launches can run tile by tile.
func (p *planner) tile(known *plan, steps []step) []step {
	t := &tiler{planner: p, plan: known, forced: int64(p.maker.Opt.TileRows), steps: steps}
	loops := make([][]loop, len(steps)) // nil for a step that cannot
	var all footprint
	for i := range steps {
		loops[i], _ = t.loopsOf(&steps[i])
		all, _ = all.with(loops[i])
	}
	if all.all < tiledFrom && t.forced == 0 {
		return steps
	}
	for i := range steps {
		if loops[i] != nil && t.add(i, loops[i]) {
			continue
		}
		t.end(i)
		if loops[i] == nil || !t.add(i, loops[i]) {
			t.out = append(t.out, steps[i])
		}
	}
	t.end(len(steps))
	return t.out
}

// loopsOf returns the loops of a step as it is compiled; false if one of them cannot be run row by row.
func (t *tiler) loopsOf(s *step) ([]loop, bool) {
	if s.linked != nil {
		return loopsOf(s.linked.Kernel, s.linked.Layout)
	}
	v := t.plan.variants[s.launches[0]]
	if !t.planner.canLink(v) {
		return nil, false
	}
	return loopsOf(t.plan.kernels[s.launches[0]], v.Scope.Layout)
}

// add adds the loops of a step to those found. It reports false, and adds nothing, if they cannot or should not run in tiles with them.
func (t *tiler) add(number int, loops []loop) bool {
	f := t.found
	if f == nil {
		f, t.sizes = &tiles{}, footprint{}
	}
	if len(t.all)+len(loops) > mostTiled {
		return false
	}
	all, tiled := t.all, f.loops
	for _, l := range loops {
		n := tiledLoop{unit: len(f.units), task: l.task, rows: l.rows}
		for on := range all {
			rows, needed, ok := ahead(&all[on], &l)
			if !ok {
				return false
			}
			if needed {
				n.waits = append(n.waits, wait{on, rows})
				n.lag = max(n.lag, tiled[on].lag+rows+tiled[on].rows.Step-1)
			}
		}
		all, tiled = append(all, l), append(tiled, n)
	}
	sizes, added := t.sizes.with(loops)
	if t.forced == 0 && lagOf(tiled)*sizes.row > tileBytes {
		for _, c := range added {
			delete(t.sizes.known, c)
		}
		return false
	}
	if t.found == nil {
		t.found, t.from = f, number
	}
	t.all, f.loops, t.sizes = all, tiled, sizes
	s := &t.steps[number]
	f.units = append(f.units, unit{launches: s.launches, saves: s.saves, loops: len(loops)})
	return true
}

func lagOf(loops []tiledLoop) (lag int64) {
	for i := range loops {
		lag = max(lag, loops[i].lag)
	}
	return lag
}

// end makes a step of what was found in the steps up to one, if it is worth it.
func (t *tiler) end(to int) {
	f := t.found
	if f == nil {
		return
	}
	apart := t.steps[t.from:to]
	f.rows = t.forced
	if f.rows == 0 {
		f.rows = max(leastRows, tileBytes/max(1, t.sizes.row)-lagOf(f.loops))
	}
	if len(f.loops) > 1 && t.sizes.again && (t.sizes.all >= tiledFrom || t.forced > 0) && t.compile(f) {
		var launches []int
		for i := range apart {
			launches = append(launches, apart[i].launches...)
		}
		t.out = append(t.out, step{launches: launches, tiles: f, apart: apart, guard: new(guard)})
	} else {
		t.out = append(t.out, apart...)
	}
	t.found, t.all = nil, nil
}

// compile makes the code of the units, and reports whether it can be run by rows as the code for launches by themselves can.
func (t *tiler) compile(f *tiles) bool {
	of := map[*variant.Variant]*variant.Linked{}
	first := 0
	for i := range f.units {
		u := &f.units[i]
		var parts []*variant.Variant
		for _, l := range u.launches {
			parts = append(parts, t.plan.variants[l])
		}
		if u.code = of[parts[0]]; u.code == nil || len(parts) > 1 {
			code, err := variant.LinkRows(parts, t.plan.same(u.launches))
			if err != nil {
				f.free()
				return false
			}
			f.codes, u.code = append(f.codes, code), code
			if len(parts) == 1 {
				of[parts[0]] = code
			}
		}
		if !t.fits(u, first) {
			f.free()
			return false
		}
		first += u.loops
	}
	return true
}

// fits reports whether the code of a unit has the loops that were found for it, from number first on.
func (t *tiler) fits(u *unit, first int) bool {
	_, can := u.code.Rows()
	loops, ok := loopsOf(u.code.Kernel, u.code.Layout)
	if !can || !ok || len(loops) != u.loops {
		return false
	}
	for i := range loops {
		l, found := &loops[i], &t.all[first+i]
		if l.task != found.task || l.rows != found.rows || !slices.Equal(l.touches, found.touches) {
			return false
		}
	}
	return true
}

// free gives the code back. t may be nil.
func (t *tiles) free() {
	if t == nil {
		return
	}
	for _, c := range t.codes {
		c.Free()
	}
	t.codes = nil
}

// alive reports whether the code can still be launched.
func (t *tiles) alive() bool {
	return t == nil || !slices.ContainsFunc(t.codes, func(c *variant.Linked) bool { return !c.Alive() })
}
