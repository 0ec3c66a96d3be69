package distribute

import (
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/tally"
	counters "github.com/gotaichi/ti/internal/tally"
)

// This file counts in histograms with vectors. The vector loop transfers the buckets of a strip, as integers of 8 or 16 bits. Most numbers
// of a strip lie within a few powers of two of the largest. So the counting is
//
//	find the largest bucket
//	count bucket 0, by comparisons of vectors and counts of bits
//	for the largest bucket, the next smaller one, … { if no number is left, break; count the bucket }
//	if any are left { for those that comparisons of vectors find { add 1 } }
//
// This takes a third of the time of single additions, since additions to one bucket wait for each other.

const (
	countedBuckets = 16 // buckets that comparisons count, from the largest down
	bucketLanes    = 64 // lanes of a vector of buckets, as many as a mask has bits
)

// bitsForCounting is the shortest length of vectors for which comparisons of many small integers take less time than additions in memory.
const bitsForCounting = 256

// A histogram is an array to which each iteration adds 1, at a place that a few bits of a number select, or a histogram of a tally.
type histogram struct {
	bucket           *ir.Value // the bits that select the place; nil for a tally
	kind             ir.Kind   // the kind in which the bits are computed
	last             int64     // the largest bucket
	load, add, store *ir.Op    // nil for a tally
	tally            *ir.Op    // nil for an array
	part             ir.TallyPart
	array            *transferred
	filler           *ir.Value // the bucket that a tally has stored after the rows of a short strip; nil if countBuckets stores 0 there
	largest          *ir.Value // the largest bucket of the strip, if a tally has computed it; otherwise nil
}

// newHistogram returns the histogram of a part of a tally.
func newHistogram(o *ir.Op, part ir.TallyPart) *histogram {
	h := &histogram{kind: ir.U64, tally: o, part: part}
	if o.Args[0].Type.Kind == ir.F32 {
		h.kind = ir.U32
	}
	h.last = int64(counters.Buckets(o.Args[0].Type.Kind)) - 1
	return h
}

// transferredKind is the kind of the buckets that are transferred.
func (h *histogram) transferredKind() ir.Kind {
	if h.last <= 255 {
		return ir.U8
	}
	return ir.U16
}

// pos is the position of the counting in the source.
func (h *histogram) pos() ir.Pos {
	if h.tally != nil {
		return h.tally.Pos
	}
	return h.store.Pos
}

// histograms finds the histograms that vectors can count, after the other loops of a strip.
func (d *distribution) histograms() {
	if d.trips%bucketLanes != 0 || d.trips > stripOfSums {
		return
	}
	var found []*histogram
	for _, o := range d.ops {
		if h := d.histogramOf(o); h != nil {
			found = append(found, h)
		}
	}
	here := map[*ir.Op]bool{}
	for _, h := range found {
		here[h.load], here[h.store] = true, true
	}
	for _, h := range found {
		for o, p := range d.places { // no other access may observe the order of the counting
			if !here[o] && meetPlaces(p, d.places[h.store]) {
				return
			}
		}
	}
	d.counted = found
	for _, h := range found {
		d.work[h.load], d.work[h.add], d.work[h.store] = counts, counts, counts
	}
}

// histogramOf returns the histogram that o stores to, nil for any other op.
func (d *division) histogramOf(o *ir.Op) *histogram {
	if o.Code != ir.OpStore || d.work[o] != scatters || !d.places[o].far || len(o.Args) != 2 {
		return nil
	}
	h := &histogram{store: o, add: o.Args[1].Def}
	if h.add == nil || h.add.Code != ir.OpAdd || !o.Args[1].Type.Kind.IsInt() {
		return nil
	}
	one, ok := ir.IntOf(h.add.Args[1])
	if h.load = h.add.Args[0].Def; h.load == nil || h.load.Code != ir.OpLoad || len(h.load.Args) != 1 || h.load.Args[0] != o.Args[0] || !ok || one != 1 {
		return nil
	}
	for _, p := range d.ops {
		if p != h.add && slices.Contains(d.operands(p), h.load.Results[0]) || p != o && slices.Contains(d.operands(p), h.add.Results[0]) {
			return nil
		}
	}
	if h.bucket = d.bucket(o); h.bucket == nil || !d.chosenBy(o.Args[0], h.bucket) {
		return nil
	}
	mask := h.bucket.Def
	if h.kind = h.bucket.Type.Kind; mask.Code != ir.OpAnd {
		return nil
	}
	if h.last, ok = ir.IntOf(mask.Args[1]); !ok || h.last <= countedBuckets || h.last >= 1<<16 || h.last&(h.last+1) != 0 {
		return nil
	}
	return h
}

// chosenBy reports whether an address is computed from v and from values that are the same in all iterations.
func (f *facts) chosenBy(address, v *ir.Value) bool {
	if address == v || !f.depends[address] {
		return true
	}
	_, here := f.at[address.Def]
	return address.Def != nil && here && address.Def.Code.Is(ir.Pure) && !slices.ContainsFunc(address.Def.Args, func(a *ir.Value) bool { return !f.chosenBy(a, v) })
}

// A counter emits the counting in one histogram, after the loops of a strip.
type counter struct {
	*distribution
	of  *histogram
	b   *ir.Builder
	vec ir.Type
}

// vectors returns the number of vectors of buckets in a strip.
func (c *counter) vectors() int64 { return c.trips / bucketLanes }

// countBuckets appends the counting of the numbers of a strip in a histogram.
func (d *distribution) countBuckets(b *ir.Builder, h *histogram) {
	i64 := ir.Scalar(ir.I64)
	b.Pos = h.pos()
	c := &counter{distribution: d, of: h, b: b, vec: ir.Vec(h.transferredKind(), bucketLanes)}
	n := d.rows(b)
	filler := h.filler
	if filler == nil {
		filler = b.Int(ir.Scalar(h.kind), 0)
		c.fill(n)
	}
	largest := h.largest
	if largest == nil {
		largest = b.Convert(c.largest(), h.kind)
	}
	zero, none := b.Int(largest.Type, 0), b.Int(i64, 0)
	zeros := c.occurrences(zero)
	c.increase(zero, zeros)
	c.increase(filler, b.Op(ir.OpSub, n, b.Int(i64, d.trips)))
	last := b.Op(ir.OpMin, largest, b.Int(largest.Type, countedBuckets)) // number of buckets above 0 to count
	loop := ir.NewOp(ir.OpFor, b.Pos, []ir.Type{i64, largest.Type}, zero, last, b.Op(ir.OpSub, b.Int(i64, d.trips), zeros), largest)
	loop.Flags |= ir.Rolled
	b.Emit(loop)
	loop.Regions[0].AddParam(largest.Type, "")
	left, bucket := loop.Regions[0].AddParam(i64, "left"), loop.Regions[0].AddParam(largest.Type, "bucket")
	b.In(loop.Regions[0], func() {
		b.If(b.Op(ir.OpEq, left, none), nil, func() { b.Jump(ir.OpBreak, loop, left, bucket) }, func() { b.Yield() })
		found := c.occurrences(bucket)
		c.increase(bucket, found)
		b.Jump(ir.OpContinue, loop, b.Op(ir.OpSub, left, found), b.Op(ir.OpSub, bucket, b.Int(largest.Type, 1)))
	})
	b.If(b.Op(ir.OpNe, loop.Results[0], none), nil, func() { c.oneByOne(loop.Results[1], largest); b.Yield() }, func() { b.Yield() })
}

// rows appends the number of rows of the strip that are counted.
func (d *distribution) rows(b *ir.Builder) *ir.Value {
	if d.present != nil {
		return d.present
	}
	return b.Convert(b.NoWrap(ir.OpSub, d.to, d.from), ir.I64)
}

// fill appends a loop that stores bucket 0 after the buckets of a strip of n iterations.
func (c *counter) fill(n *ir.Value) {
	b := c.b
	o := ir.NewOp(ir.OpFor, b.Pos, nil, n, b.Int(n.Type, c.trips))
	o.Flags |= ir.Rolled
	b.Emit(o)
	i := o.Regions[0].AddParam(n.Type, "")
	b.In(o.Regions[0], func() {
		b.Store(c.at(i), b.Int(ir.Scalar(c.of.transferredKind()), 0))
		b.Jump(ir.OpContinue, o)
	})
}

// at appends the address of the bucket of a row.
func (c *counter) at(row *ir.Value) *ir.Value {
	return c.b.Op(ir.OpOffset, c.of.array.array, c.b.NoWrap(ir.OpMul, row, c.b.Int(row.Type, int64(c.of.transferredKind().Size()))))
}

// vector appends the load of vector k of buckets.
func (c *counter) vector(k int64) *ir.Value {
	return c.b.Load(c.vec, c.at(c.b.Int(ir.Scalar(ir.I64), k*bucketLanes)))
}

// largest appends the largest bucket of the strip.
func (c *counter) largest() *ir.Value {
	b := c.b
	m := c.vector(0)
	for k := int64(1); k < c.vectors(); k++ {
		m = b.Op(ir.OpMax, m, c.vector(k))
	}
	return b.Across(m, func(x, y *ir.Value) *ir.Value { return b.Op(ir.OpMax, x, y) })
}

// occurrences appends the number of rows of the strip that have a bucket.
func (c *counter) occurrences(bucket *ir.Value) *ir.Value {
	b := c.b
	all := b.OpOf(ir.OpSplat, c.vec, b.Convert(bucket, c.vec.Kind))
	found := b.Int(ir.Scalar(ir.U64), 0)
	for k := range c.vectors() {
		bits := b.OpOf(ir.OpBits, ir.Scalar(ir.U64), b.Op(ir.OpEq, c.vector(k), all))
		found = b.Op(ir.OpAdd, found, b.Op(ir.OpPopcount, bits))
	}
	return b.Convert(found, ir.I64)
}

// increase appends the addition to the counter of a bucket, in the first copy of the histogram.
func (c *counter) increase(bucket, by *ir.Value) {
	b, h := c.b, c.of
	by = b.Convert(by, ir.I64)
	if h.tally != nil {
		tally.Emit(b, h.tally.Aux, h.part, bucket, by)
		return
	}
	p := &phase{distribution: c.distribution, b: b, work: counts, to: ir.NewCloner(map[*ir.Value]*ir.Value{h.bucket: bucket})}
	p.want(h.store.Args[0])
	b.Emit(p.to.Op(h.load))
	sum := b.Op(ir.OpAdd, p.to.Value(h.load.Results[0]), b.Convert(by, h.load.Results[0].Type.Kind))
	p.to.Values[h.add.Results[0]] = sum
	b.Emit(p.to.Op(h.store))
}

// oneByOne appends single additions for the numbers that vectors have not counted: those in buckets from 1 to next, and above the largest.
func (c *counter) oneByOne(next, largest *ir.Value) {
	b, i64, u64 := c.b, ir.Scalar(ir.I64), ir.Scalar(ir.U64)
	all := func(v *ir.Value) *ir.Value { return b.OpOf(ir.OpSplat, c.vec, b.Convert(v, c.vec.Kind)) }
	low, high, zero := all(next), all(largest), b.Int(c.vec, 0)
	o := ir.NewOp(ir.OpFor, b.Pos, nil, b.Int(i64, 0), b.Int(i64, c.vectors()))
	o.Flags |= ir.Rolled
	b.Emit(o)
	first := o.Regions[0].AddParam(i64, "")
	b.In(o.Regions[0], func() {
		row := b.NoWrap(ir.OpMul, first, b.Int(i64, bucketLanes))
		v := b.Load(c.vec, c.at(row))
		beyond := b.Op(ir.OpOr, b.Op(ir.OpLe, v, low), b.Op(ir.OpGt, v, high))
		c.each(b.OpOf(ir.OpBits, u64, b.Op(ir.OpAnd, beyond, b.Op(ir.OpNe, v, zero))), row)
		b.Jump(ir.OpContinue, o)
	})
}

// each appends a loop over the bits that are set. For each bit, it adds 1 to the bucket of a row: the number of the bit, counted from the
// given row.
func (c *counter) each(bits, row *ir.Value) {
	b, u64 := c.b, ir.Scalar(ir.U64)
	o := ir.NewOp(ir.OpLoop, b.Pos, nil, bits)
	b.Emit(o)
	left := o.Regions[0].AddParam(u64, "")
	b.In(o.Regions[0], func() {
		b.If(b.Op(ir.OpEq, left, b.Int(u64, 0)), nil, func() { b.Jump(ir.OpBreak, o) }, func() { b.Yield() })
		bit := b.Op(ir.OpSub, b.Int(u64, bucketLanes-1), b.Op(ir.OpClz, left))
		row := b.Op(ir.OpAdd, row, b.Convert(bit, row.Type.Kind))
		bucket, one := b.Convert(b.Load(ir.Scalar(c.of.transferredKind()), c.at(row)), c.of.kind), b.Int(ir.Scalar(ir.I64), 1)
		if c.of.tally != nil {
			tally.Emit(b, c.of.tally.Aux, c.of.part, bucket, one, row)
		} else {
			c.increase(bucket, one)
		}
		b.Jump(ir.OpContinue, o, b.Op(ir.OpXor, left, b.Op(ir.OpShl, b.Int(u64, 1), bit)))
	})
}
