package distribute

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/tally"
)

// This file decides in which loop the stores of a loop are counted (ir.OpTally).
//
// For a store of a number of 32 bits, all counts follow from the number w to be stored, the number before the store, and the number now
// after it. So the vector loop transfers these, or instead of now the code from which it is decoded. Everything is counted from the arrays
// (summary.go). For a store of another number, the vector loop counts all but the histograms, and transfers the buckets. If the vector loop
// does not have the numbers of a store, the last loop counts the store.

const (
	mostTalliedBytes = 24 << 10 // of the arrays, so that they fit the first-level cache
	mostDecoding     = 16       // ops of decoding
)

// A census holds what is counted after the loops of a strip.
type census struct {
	counted []*histogram            // histograms that vectors count
	tallied []*stripTally           // tallies that are counted from arrays; their histograms are in counted
	inline  map[*ir.Op]*inlineTally // tallies in the vector loop; their histograms are in counted
	scope   map[*ir.Op]bool         // the tallies that may be counted from arrays; nil if all may
	present *ir.Value               // number of rows that are counted; nil if all rows of the strip are
	room    *room
}

// A room is the budget of tallies.
type room struct {
	taken int64 // bytes of the arrays of other blocks
	left  int   // number of further tallies that may be counted from arrays
	full  bool  // the arrays of a tally were too large
	free  bool  // strips may be made shorter instead
}

// A stripTally is a store of each iteration that is counted from arrays, after the vector loop.
type stripTally struct {
	op                     *ir.Op
	numbers, errors        *histogram // errors is nil if the component is not packed
	w, old, now, low, high *ir.Value  // the operands of op; all but w are nil if the component is not packed
	code                   *ir.Value  // the value from which now is decoded, or now
}

// An inlineTally is a store that the vector loop counts, except in the histograms.
type inlineTally struct {
	op              *ir.Op
	numbers, errors *histogram
	losses          map[ir.TallyPart]*ir.Value // local variables of 32 bits with their numbers in a strip
}

// isStore reports whether o counts a store.
func isStore(o *ir.Op) bool { return o.Code == ir.OpTally && o.Tally == ir.TallyAll }

// stores reports whether the loop counts a store with an operand that depends on the iteration.
func (f *facts) stores() bool {
	return slices.ContainsFunc(f.ops, func(o *ir.Op) bool {
		return isStore(o) && slices.ContainsFunc(o.Args, func(v *ir.Value) bool { return f.depends[v] })
	})
}

// tallies assigns the tallies that vectors can count to their loops.
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
			for _, v := range d.transferred(t) {
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
		if d.scope != nil { // the loop is not split
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

// addHistograms adds histograms to those that vectors count. It ignores nil.
func (d *distribution) addHistograms(all ...*histogram) {
	for _, h := range all {
		if h != nil {
			d.counted = append(d.counted, h)
		}
	}
}

// fits reports whether arrays with this number of bytes for an iteration are small enough. It makes strips shorter if it may.
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

// inVectors reports whether the vector loop, or a loop before it, computes all operands of a tally that depend on the iteration, and
// whether there is such an operand.
func (d *division) inVectors(o *ir.Op) bool {
	some := false
	for _, v := range o.Args {
		switch {
		case d.transfersTo(v):
			some = true
		case d.depends[v] && !isConstant(v.Def):
			return false
		}
	}
	return some
}

// transfersTo reports whether the vector loop, or a loop before it, computes v for each iteration.
func (d *division) transfersTo(v *ir.Value) bool {
	if v.Def == nil {
		return false
	}
	_, here := d.at[v.Def]
	return here && d.depends[v] && !d.again[v] && d.work[v.Def] != scatters && d.work[v.Def] != counts && !isConstant(v.Def)
}

// stripTallyOf returns the tally of a store that can be counted from arrays; nil for any other store.
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

// transferred lists the values that the vector loop transfers for a tally.
func (d *division) transferred(t *stripTally) (vs []*ir.Value) {
	for _, v := range []*ir.Value{t.w, t.code, t.old} {
		if v != nil && d.transfersTo(v) {
			vs = append(vs, v)
		}
	}
	return vs
}

// codeOf returns a value that the loop stores in words, if a few ops decode now from it alone; otherwise it returns now. To decode vectors
// from an array takes the processor less time than to let the loop wait for now.
func (d *division) codeOf(now *ir.Value) *ir.Value {
	for _, o := range d.ops {
		if o.Code != ir.OpStore || d.work[o] != computes || d.sums[o.Args[0]] || !d.transfersTo(o.Args[1]) {
			continue
		}
		c := o.Args[1]
		if ops := map[*ir.Op]bool{}; c.Type.Kind.IsInt() && c.Type.Kind.Size() <= 4 && d.decodes(now, c, ops) && len(ops) <= mostDecoding {
			return c
		}
	}
	return now
}

// decodes reports whether v is computed from c and from values that are the same in all iterations. It collects the ops.
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

// losses are the parts that count how often a condition holds.
var losses = []ir.TallyPart{ir.TallyClamped, ir.TallyFlushed, ir.TallyAbsorbed}

// variable appends a local variable of 32 bits.
func variable(b *ir.Builder, first int64) *ir.Value {
	v := b.Alloc(ir.I32, 1, "")
	v.Def.Flags |= ir.Unset
	b.Store(v, b.Int(ir.Scalar(ir.I32), first))
	return v
}

// addIf appends the addition of 1 to a variable of 32 bits, if a condition holds.
func addIf(b *ir.Builder, variable, holds *ir.Value) {
	i32 := ir.Scalar(ir.I32)
	one := b.Op(ir.OpSelect, holds, b.Int(i32, 1), b.Int(i32, 0))
	b.Store(variable, b.Op(ir.OpAdd, b.Load(i32, variable), one))
}

// step appends the counting in the vector loop, which stores the buckets to their arrays.
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

// end appends the tallies of the losses after the loop.
func (t *inlineTally) end(b *ir.Builder) {
	for _, part := range losses {
		if v := t.losses[part]; v != nil {
			tally.Emit(b, t.op.Aux, part, b.Convert(b.Load(ir.Scalar(ir.I32), v), ir.I64))
		}
	}
}
