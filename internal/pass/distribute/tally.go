package distribute

import (
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/scalar"
	"github.com/gotaichi/ti/internal/tally"
)

// This file is the part of distribute that finds what measure has made of the stores of real numbers of 32 bits: a histogram and the
// ends of the numbers w that are to be stored, and where the form is packed, those of the errors now - w, their sum, and the counts of losses.
// Such a tally follows from w, from now and from what was there before. So the loop of the vectors hands over these, or in the place of now
// the code that it is decoded from. All the rest is found from the arrays (summary.go).
//
// Each reduction is known by its shape. One that has another shape stays where it was.

const (
	mostTalliedBytes = 24 << 10  // of the arrays: they stay in the first-level cache
	mostDecoding     = 16        // ops of decoding
	infinity         = 255 << 23 // the bits of an infinite f32
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

// number returns the real number of 32 bits whose exponent field the bucket is, nil if it is none.
func (h *histogram) number() *ir.Value {
	if h.last != 255 {
		return nil
	}
	shift := h.bucket.Def.Args[0].Def
	if shift == nil || shift.Code != ir.OpShr || !isInt(shift.Args[1], 23) {
		return nil
	}
	if v := bitsOf(shift.Args[0]); v != nil && v.Type == ir.Scalar(ir.F32) {
		return v
	}
	return nil
}

// bitsOf returns the number that v has the bits of, nil if there is none.
func bitsOf(v *ir.Value) *ir.Value {
	if v.Def == nil || v.Def.Code != ir.OpBitcast {
		return nil
	}
	return v.Def.Args[0]
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
		key, shift := r.shiftedKey()
		if key == nil {
			continue
		}
		is := func(entry int, code ir.Code, of *ir.Value) bool {
			return of == t.w && r.update.Code == code && shift == tally.Shift(scalar.F32, entry)
		}
		switch {
		case is(tally.AtLeast, ir.OpMin, keyOf(key)):
			t.least = r
		case is(tally.AtLargest, ir.OpMax, keyOf(key)):
			t.largest = r
		case is(tally.AtSmallest, ir.OpMin, sizeOf(key)):
			t.smallest = r
		}
	}
}

// lossesOf finds what is counted of the errors that g has.
func (d *distribution) lossesOf(t *stripTally, g *histogram, all []*reduction) {
	e := g.number()
	t.now = e.Def.Args[0]
	for _, r := range all {
		pick := r.by.Def
		if pick != nil && pick.Code == ir.OpConvert && r.update.Code == ir.OpMax {
			pick = pick.Args[0].Def
		}
		if pick == nil || pick.Code != ir.OpSelect {
			continue
		}
		switch n := pick.Args[1]; {
		case r.update.Code == ir.OpMax && sizeOf(n) == e && isInt(pick.Args[2], 0) && finite(pick.Args[0], e):
			t.largestError = r
		case r.update.Code == ir.OpAdd && n.Def != nil && n.Def.Code == ir.OpConvert && n.Def.Args[0] == e && n.Type.Kind == ir.F64 && isZero(pick.Args[2]) && finite(pick.Args[0], e):
			t.sum = r
		}
	}
	if t.largestError == nil || t.sum == nil || t.least == nil || t.largest == nil || t.smallest == nil {
		t.now, t.largestError, t.sum = nil, nil, nil
		return
	}
	t.errors = g
	for _, r := range all {
		pick := r.by.Def
		if r.update.Code != ir.OpAdd || pick == nil || pick.Code != ir.OpSelect || !isInt(pick.Args[1], 1) || !isInt(pick.Args[2], 0) {
			continue
		}
		if old := t.absorbs(pick.Args[0]); old != nil && d.handsOver(old) {
			t.absorbed, t.old = r, old
		} else if t.isClamped(pick.Args[0]) || t.isFlushed(pick.Args[0]) {
			t.losses = append(t.losses, r)
		}
	}
	t.code = d.codeOf(t.now)
}

// absorbs returns what was there if c says that w is another number, and now the same; nil for another condition.
func (t *stripTally) absorbs(c *ir.Value) *ir.Value {
	if c.Def == nil || c.Def.Code != ir.OpAnd {
		return nil
	}
	x, y := c.Def.Args[0].Def, c.Def.Args[1].Def
	if x == nil || x.Code != ir.OpNe || x.Args[0] != t.w || y == nil || y.Code != ir.OpEq || y.Args[0] != t.now || y.Args[1] != x.Args[1] {
		return nil
	}
	return y.Args[1]
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

// sizeOf returns the number whose magnitude v has the bits of, nil if there is none.
func sizeOf(v *ir.Value) *ir.Value {
	if v.Def == nil || v.Def.Code != ir.OpAnd || !isInt(v.Def.Args[1], math.MaxInt32) {
		return nil
	}
	return bitsOf(v.Def.Args[0])
}

// keyOf returns the number that v is the key of, as flip makes it; nil if there is none.
func keyOf(v *ir.Value) *ir.Value {
	if v.Def == nil || v.Def.Code != ir.OpOr {
		return nil
	}
	flipped, sign := v.Def.Args[0].Def, v.Def.Args[1].Def
	if flipped == nil || flipped.Code != ir.OpXor || sign == nil || sign.Code != ir.OpAnd || !isInt(sign.Args[1], math.MinInt32) {
		return nil
	}
	bits := sign.Args[0]
	if below := flipped.Args[1].Def; flipped.Args[0] != bits || below == nil || below.Code != ir.OpShr || below.Args[0] != bits || !isInt(below.Args[1], 31) {
		return nil
	}
	return bitsOf(bits)
}

// finite reports whether c says that e is less than infinity.
func finite(c, e *ir.Value) bool {
	return c.Def != nil && c.Def.Code == ir.OpLt && sizeOf(c.Def.Args[0]) == e && isInt(c.Def.Args[1], infinity)
}

// isClamped reports whether c says that w is beyond the ends of its form, and keeps these.
func (t *stripTally) isClamped(c *ir.Value) bool {
	if c.Def == nil || c.Def.Code != ir.OpOr {
		return false
	}
	below, above := c.Def.Args[0].Def, c.Def.Args[1].Def
	if below == nil || below.Code != ir.OpLt || below.Args[0] != t.w || above == nil || above.Code != ir.OpGt || above.Args[0] != t.w ||
		!ir.IsConst(below.Args[1]) || !ir.IsConst(above.Args[1]) || t.lo != nil && (t.lo != below.Args[1] || t.hi != above.Args[1]) {
		return false
	}
	t.lo, t.hi = below.Args[1], above.Args[1]
	return true
}

// isFlushed reports whether c says that w is not zero and now is, perhaps where w is not clamped.
func (t *stripTally) isFlushed(c *ir.Value) bool {
	if c.Def == nil || c.Def.Code != ir.OpAnd {
		return false
	}
	x, y := c.Def.Args[0], c.Def.Args[1]
	if y.Def != nil && y.Def.Code == ir.OpNot {
		return t.isFlushed(x) && t.isClamped(y.Def.Args[0])
	}
	zero := func(v *ir.Value, code ir.Code, of *ir.Value) bool {
		return v.Def != nil && v.Def.Code == code && v.Def.Args[0] == of && isZero(v.Def.Args[1])
	}
	return zero(x, ir.OpNe, t.w) && zero(y, ir.OpEq, t.now)
}

// isZero reports whether v is the constant 0.
func isZero(v *ir.Value) bool {
	bits, ok := ir.ConstOf(v)
	return ok && bits == 0
}
