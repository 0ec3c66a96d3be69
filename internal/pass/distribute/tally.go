package distribute

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/tally"
)

// This file is the part of distribute that finds what measure has made of the stores of real numbers of 32 bits: a histogram and the
// ends of the numbers w that are to be stored, and where the form is packed, those of the errors now - w, their sum, and the counts of losses.
// Such a tally follows from w, from now and from what was there before. So the loop of the vectors hands over these, or in the place of now
// the code that it is decoded from. All the rest is found from the arrays (summary.go).
//
// Package tally knows each reduction by its shape. One that has another shape stays where it was.

const (
	mostTalliedBytes = 24 << 10 // of the arrays: they stay in the first-level cache
	mostDecoding     = 16       // ops of decoding
)

// A census is what is counted behind the loops of a strip.
type census struct {
	counted []*histogram    // by vectors
	tallied []*stripTally   // of these histograms and more
	scope   map[*ir.Op]bool // the ops whose reductions tallies may have; nil for all
	rounds  []*ir.Op        // loops of known length, from the outermost on, each iteration of which has a row of the strip
	present *ir.Value       // how many rows are counted; nil for all of the strip
	room    *room
}

// A room is what tallies may take.
type room struct {
	taken int64 // bytes of the arrays of other blocks
	left  int   // tallies that may still be made
	full  bool  // an array was too large
	free  bool  // strips may be shorter instead
}

// A stripTally is what is counted of a number that each iteration stores.
type stripTally struct {
	numbers, errors          *histogram // errors is nil where the number is stored as it is
	w, now                   *ir.Value
	least, largest, smallest *reduction // of the numbers; nil for one of another shape
	largestError, sum        *reduction // of the errors
	losses                   []*reduction
	lo, hi                   *ir.Value // what is below or above is clamped; nil where nothing is
	absorbed                 *reduction
	old                      *ir.Value // what was there, of absorbed
	code                     *ir.Value // what now is decoded from, or now
}

// reductions returns those that are moved behind the loop.
func (t *stripTally) reductions() []*reduction {
	all := []*reduction{t.least, t.largest, t.smallest, t.largestError, t.sum, t.absorbed}
	return slices.DeleteFunc(append(all, t.losses...), func(r *reduction) bool { return r == nil })
}

// tallies finds them among the histograms.
func (d *distribution) tallies() {
	var all []*reduction
	for _, s := range d.ops {
		if r := d.reductionOf(s); r != nil && (d.scope == nil || d.scope[s]) {
			all = append(all, r)
		}
	}
	size := int64(0) // bytes of an iteration
	if d.unstored != nil {
		size = int64(d.unstored.kind.Size())
	}
	taken := map[*histogram]bool{} // two fields may be given one number: each histogram and reduction is in one tally
	for _, h := range d.counted {
		w := h.number()
		if w == nil || !d.handsOver(w) || d.errorsOf(w, h) {
			continue
		}
		t := &stripTally{numbers: h, w: w}
		t.endsOf(all)
		for _, g := range d.counted {
			if e := g.number(); t.errors == nil && !taken[g] && e != nil && d.errorsOf(e, g) && e.Def.Args[1] == w && d.handsOver(e.Def.Args[0]) {
				d.lossesOf(t, g, all)
			}
		}
		for _, v := range t.handed() {
			size += int64(v.Type.Kind.Size())
		}
		if size += 2; !d.fits(size) {
			return
		}
		if d.room.left == 0 {
			return
		}
		d.room.left--
		d.tallied = append(d.tallied, t)
		taken[t.errors] = true
		of := t.reductions()
		all = slices.DeleteFunc(all, func(r *reduction) bool { return slices.Contains(of, r) })
		for _, r := range of {
			d.work[r.load], d.work[r.update], d.work[r.store] = counts, counts, counts
			d.moved[r.load], d.moved[r.update], d.moved[r.store] = true, true, true
		}
	}
}

// fits reports whether arrays of so many bytes for an iteration are not too large, for shorter strips if these may be chosen.
func (d *distribution) fits(size int64) bool {
	trips, most := d.trips, mostTalliedBytes-d.room.taken
	for d.room.free && trips*size > most && trips > bucketLanes {
		trips = max(trips/2/bucketLanes, 1) * bucketLanes
	}
	if trips*size > most {
		d.room.full = true
		return false
	}
	d.trips = trips
	return true
}

// handsOver reports whether the loop of the vectors, or one before it, computes v for each iteration.
func (d *division) handsOver(v *ir.Value) bool {
	if v.Def == nil {
		return false
	}
	_, here := d.at[v.Def]
	return here && d.depends[v] && !d.again[v] && d.work[v.Def] != scatters && d.work[v.Def] != counts
}

// errorsOf reports whether a histogram is one of the errors of stores: of now less w, with a histogram of w.
func (d *distribution) errorsOf(e *ir.Value, h *histogram) bool {
	return e.Def != nil && e.Def.Code == ir.OpSub && slices.ContainsFunc(d.counted, func(g *histogram) bool {
		return g != h && g.number() != nil && g.number() == e.Def.Args[1]
	})
}

// endsOf finds the ends of the numbers.
func (t *stripTally) endsOf(all []*reduction) {
	for _, r := range all {
		w, end := r.kind().End()
		switch {
		case w != t.w:
		case end == tally.Least:
			t.least = r
		case end == tally.Largest:
			t.largest = r
		default:
			t.smallest = r
		}
	}
}

// kind is the update that r makes.
func (r *reduction) kind() tally.Update { return tally.Update{Code: r.update.Code, By: r.by} }

// lossesOf finds what is counted of the errors that g has.
func (d *distribution) lossesOf(t *stripTally, g *histogram, all []*reduction) {
	e := g.number()
	t.now = e.Def.Args[0]
	for _, r := range all {
		switch e {
		case r.kind().LargestError():
			t.largestError = r
		case r.kind().SumOfErrors():
			t.sum = r
		}
	}
	if t.largestError == nil || t.sum == nil || t.least == nil || t.largest == nil || t.smallest == nil {
		t.now, t.largestError, t.sum = nil, nil, nil
		return
	}
	t.errors = g
	for _, r := range all {
		c := r.kind().Condition()
		if c == nil {
			continue
		}
		if old := tally.Absorbed(c, t.w, t.now); old != nil && d.handsOver(old) {
			t.absorbed, t.old = r, old
		} else if t.isLoss(c) {
			t.losses = append(t.losses, r)
		}
	}
	t.code = d.codeOf(t.now)
}

// isLoss reports whether c says that w is clamped or flushed to zero, in a form whose ends it keeps.
func (t *stripTally) isLoss(c *ir.Value) bool {
	lo, hi := tally.Clamped(c, t.w)
	if lo == nil {
		flushed := false
		if lo, hi, flushed = tally.Flushed(c, t.w, t.now); lo == nil || !flushed {
			return flushed
		}
	}
	if t.lo != nil && (t.lo != lo || t.hi != hi) {
		return false
	}
	t.lo, t.hi = lo, hi
	return true
}

// codeOf returns what the loop stores in words if now is decoded from that alone by a few ops, or else now: to decode vectors of what is
// in an array takes the processor less time than to keep the loop waiting for it.
func (d *division) codeOf(now *ir.Value) *ir.Value {
	for _, o := range d.ops {
		if o.Code != ir.OpStore || d.work[o] != computes || d.sums[o.Args[0]] || !d.handsOver(o.Args[1]) {
			continue
		}
		c := o.Args[1]
		if ops := map[*ir.Op]bool{}; c.Type.Kind.IsInt() && c.Type.Kind.Size() <= 4 && d.decodes(now, c, ops) && len(ops) <= mostDecoding {
			return c
		}
	}
	return now
}

// decodes reports whether v is computed from c and from what is the same in all iterations, and collects the ops.
func (f *facts) decodes(v, c *ir.Value, ops map[*ir.Op]bool) bool {
	if v == c || !f.depends[v] {
		return true
	}
	o := v.Def
	if _, here := f.at[o]; o == nil || !here || !o.Code.Is(ir.Pure) || o.Code == ir.OpCall || len(o.Regions) > 0 || v.Type.Kind == ir.Ptr || v.Type.Kind.Size() > 4 {
		return false
	}
	if ops[o] {
		return true
	}
	ops[o] = true
	return !slices.ContainsFunc(o.Args, func(a *ir.Value) bool { return !f.decodes(a, c, ops) })
}
