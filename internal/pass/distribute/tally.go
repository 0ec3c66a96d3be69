package distribute

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/tally"
)

// This file is the part of distribute that decides where the stores of a loop are counted (ir.OpTally).
//
// What is counted of numbers of 32 bits follows from the number w that is to be stored, from now, what is there afterwards, and from what was
// there before. So the loop of the vectors hands over these, or in the place of now the code that it is decoded from, and all is found
// from the arrays (summary.go). Of other numbers it counts all but the histograms, and hands over their buckets. A store that it does not
// know the numbers of is counted in the last loop.

const (
	mostTalliedBytes = 24 << 10 // of the arrays: they stay in the first-level cache
	mostDecoding     = 16       // ops of decoding
)

// A census is what is counted behind the loops of a strip.
type census struct {
	counted []*histogram            // by vectors
	tallied []*stripTally           // of these histograms and more
	inline  map[*ir.Op]*inlineTally // tallies whose histograms are among these
	scope   map[*ir.Op]bool         // the tallies that may be there; nil for all
	present *ir.Value               // how many rows are counted; nil for all of the strip
	room    *room
}

// A room is what tallies may take.
type room struct {
	taken int64 // bytes of the arrays of other blocks
	left  int   // tallies that may still be made
	full  bool  // an array was too large
	free  bool  // strips may be shorter instead
}

// A stripTally is a store of each iteration that is counted behind the loop of the vectors.
type stripTally struct {
	op                     *ir.Op
	numbers, errors        *histogram // errors is nil where the number is stored as it is
	w, old, now, low, high *ir.Value  // the operands of op; nil where the number is stored as it is
	code                   *ir.Value  // what now is decoded from, or now
}

// An inlineTally is a store that the loop of the vectors counts, but for the histograms.
type inlineTally struct {
	op              *ir.Op
	numbers, errors *histogram
	losses          map[ir.TallyPart]*ir.Value // how many there are in a strip, in local variables of 32 bits
}

// isStore reports whether o counts a store.
func isStore(o *ir.Op) bool { return o.Code == ir.OpTally && o.Tally == ir.TallyAll }

// stores reports whether the loop counts stores of what differs from iteration to iteration.
func (f *facts) stores() bool {
	return slices.ContainsFunc(f.ops, func(o *ir.Op) bool {
		return isStore(o) && slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return f.depends[v] })
	})
}

// tallies gives the tallies that vectors can make their work.
func (d *distribution) tallies() {
	d.inline = map[*ir.Op]*inlineTally{}
	if d.trips%bucketLanes != 0 || d.trips > stripOfSums && d.scope == nil {
		return
	}
	size := int64(0) // bytes of an iteration
	if d.unstored != nil {
		size = int64(d.unstored.kind.Size())
	}
	for _, o := range d.ops {
		if !isStore(o) || d.scope != nil && !d.scope[o] || !d.inVectors(o) {
			continue
		}
		if t := d.stripTallyOf(o); t != nil && d.room.left > 0 {
			for _, v := range d.handed(t) {
				size += int64(v.Type.Kind.Size())
			}
			if size += 2; d.fits(size) {
				d.room.left--
				d.work[o], d.moved[o] = counts, true
				d.tallied = append(d.tallied, t)
				d.addHistograms(t.numbers, t.errors)
				continue
			}
		}
		if d.scope != nil { // a loop that stays as it is
			continue
		}
		t := &inlineTally{op: o, numbers: newHistogram(o, ir.TallyNumbers), losses: map[ir.TallyPart]*ir.Value{}}
		if len(o.Args) > 1 {
			t.errors = newHistogram(o, ir.TallyErrors)
		}
		d.work[o], d.inline[o] = computes, t
		d.addHistograms(t.numbers, t.errors)
	}
}

// addHistograms adds those that are not nil to the ones that are counted by vectors.
func (d *distribution) addHistograms(all ...*histogram) {
	for _, h := range all {
		if h != nil {
			d.counted = append(d.counted, h)
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

// inVectors reports whether the loop of the vectors, or one before it, knows the operands of a tally, some of which differ from iteration to
// iteration.
func (d *division) inVectors(o *ir.Op) bool {
	some := false
	for _, v := range o.Args {
		switch {
		case d.handsOver(v):
			some = true
		case d.depends[v] && !isConstant(v.Def):
			return false
		}
	}
	return some
}

// handsOver reports whether the loop of the vectors, or one before it, computes v for each iteration.
func (d *division) handsOver(v *ir.Value) bool {
	if v.Def == nil {
		return false
	}
	_, here := d.at[v.Def]
	return here && d.depends[v] && !d.again[v] && d.work[v.Def] != scatters && d.work[v.Def] != counts && !isConstant(v.Def)
}

// stripTallyOf returns that of a store that is counted behind the loop of the vectors, nil for another.
func (d *division) stripTallyOf(o *ir.Op) *stripTally {
	if o.Args[0].Type.Kind != ir.F32 {
		return nil
	}
	t := &stripTally{op: o, w: o.Args[0], numbers: newHistogram(o, ir.TallyNumbers)}
	if len(o.Args) > 1 {
		t.old, t.now, t.low, t.high = o.Args[1], o.Args[2], o.Args[3], o.Args[4]
		t.code = d.codeOf(t.now)
		t.errors = newHistogram(o, ir.TallyErrors)
	}
	return t
}

// handed lists what the loop of the vectors hands over for a tally.
func (d *division) handed(t *stripTally) (vs []*ir.Value) {
	for _, v := range []*ir.Value{t.w, t.code, t.old} {
		if v != nil && d.handsOver(v) {
			vs = append(vs, v)
		}
	}
	return vs
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

// begin appends the variables of a strip for the losses.
func (t *inlineTally) begin(b *ir.Builder) {
	if t.errors == nil {
		return
	}
	for _, part := range losses {
		t.losses[part] = variable(b, 0)
	}
}

// losses are the parts that say how often something holds.
var losses = []ir.TallyPart{ir.TallyClamped, ir.TallyFlushed, ir.TallyAbsorbed}

// variable appends a local variable of 32 bits.
func variable(b *ir.Builder, first int64) *ir.Value {
	v := b.Alloc(ir.I32, 1, "")
	v.Def.Flags |= ir.Unset
	b.Store(v, b.Int(ir.Scalar(ir.I32), first))
	return v
}

// addIf appends the addition of 1 to a variable of 32 bits where something holds.
func addIf(b *ir.Builder, variable, holds *ir.Value) {
	i32 := ir.Scalar(ir.I32)
	one := b.Op(ir.OpSelect, holds, b.Int(i32, 1), b.Int(i32, 0))
	b.Store(variable, b.Op(ir.OpAdd, b.Load(i32, variable), one))
}

// step appends the counting in the loop of the vectors, which hands the buckets over.
func (t *inlineTally) step(p *phase) {
	b := p.b
	var of []*ir.Value
	for _, v := range t.op.Args {
		p.want(v)
		of = append(of, p.to.Value(v))
	}
	bucket := func(h *histogram, v *ir.Value) { b.Store(p.place(slot{of: h.array}), b.Convert(v, h.array.kind)) }
	tally.Parts(b, of, func(part ir.TallyPart, args ...*ir.Value) {
		switch {
		case part == ir.TallyNumbers:
			bucket(t.numbers, args[0])
		case part == ir.TallyErrors:
			bucket(t.errors, args[0])
		case t.losses[part] != nil:
			addIf(b, t.losses[part], args[0])
		default:
			tally.Emit(b, t.op.Aux, part, args...)
		}
	})
}

// end appends what follows the loop.
func (t *inlineTally) end(b *ir.Builder) {
	for _, part := range losses {
		if v := t.losses[part]; v != nil {
			tally.Emit(b, t.op.Aux, part, b.Convert(b.Load(ir.Scalar(ir.I32), v), ir.I64))
		}
	}
}
