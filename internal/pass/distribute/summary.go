package distribute

import (
	"math"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/tally"
	"github.com/gotaichi/ti/internal/target"
)

// This file counts a tally after the vector loop, from arrays of the numbers w of a strip, the numbers before the stores, and the numbers
// now after the stores, or their codes:
//
//	for 64 numbers at a time {
//		the least, largest and smallest w
//		the largest error, the sum of the errors in f32, the number of absorbed stores
//		the exponents, as bytes
//	}
//	if the sum is finite {
//		tallies of these
//		if a number is outside the range of the form, or as small as the largest error { for the strip { count the losses } }
//	} else { for the strip { tallies of each number } }
//	the histograms, from the bytes
//
// If a number is flushed to zero, its error is the number itself. So if all numbers are larger than the largest error, none is flushed. An
// infinity or a NaN among the numbers makes the sum of the errors infinite or a NaN.

// summaryLanes is the number of lanes of the vectors of 32-bit numbers.
const summaryLanes = 16

// infinity is the bit pattern of an infinite f32.
const infinity = 255 << 23

// handTally makes the arrays of a tally.
func (d *distribution) handTally(t *stripTally) {
	for _, v := range d.transferred(t) {
		if _, placed := d.slot[v]; !placed {
			d.put(v.Type.Kind, []*ir.Value{v})
		}
	}
	d.arrays = append(d.arrays, t.numbers.bytes())
	if t.errors != nil {
		d.arrays = append(d.arrays, t.errors.bytes())
	}
}

// A summary emits the counting of a strip, and holds the results.
type summary struct {
	*distribution
	of    *stripTally
	b     *ir.Builder
	first *phase    // computes values of the first row, and values that are the same in all rows
	short *ir.Value // number of missing rows of a short strip; their entries hold the first number

	firstError                                  *ir.Value
	absorbed                                    *ir.Value // number of absorbed stores
	least, largest, smallest, largestError, sum *ir.Value // vectors first, then numbers
}

// countTally appends the counting of a strip. For the histograms, it stores bytes that are counted later.
func (d *distribution) countTally(b *ir.Builder, t *stripTally) {
	b.Pos = t.op.Pos
	s := &summary{distribution: d, of: t, b: b}
	s.first = &phase{distribution: d, b: b, work: counts, row: b.Int(ir.Scalar(ir.I64), 0), to: ir.NewCloner(map[*ir.Value]*ir.Value{})}
	if d.unstored == nil {
		s.fill()
	} else {
		t.numbers.filler = b.Int(ir.Scalar(ir.U32), 0)
		if t.errors != nil {
			t.errors.filler = t.numbers.filler
		}
	}
	for _, v := range t.op.Args { // before any loop
		s.invariants(v)
	}
	s.vectors()
	t.numbers.largest = s.bucket(s.greater(s.strict(ir.OpNeg, s.least), s.largest)) // NaNs do not count
	if t.errors == nil {
		s.update()
		return
	}
	t.errors.largest = s.bucket(s.largestError)
	b.If(b.Op(ir.OpLt, s.size(s.sum), b.Int(ir.Scalar(ir.U32), infinity)), nil, func() {
		s.update()
		s.countLosses()
		b.Yield()
	}, func() {
		s.oneByOne()
		b.Yield()
	})
}

// at appends the address of a row in an array.
func (s *summary) at(a *transferred, row *ir.Value) *ir.Value {
	return s.b.Op(ir.OpOffset, a.array, s.b.NoWrap(ir.OpMul, row, s.b.Int(row.Type, int64(a.kind.Size()))))
}

// fill appends a loop that stores the first number after the numbers of a short strip.
func (s *summary) fill() {
	b, i64 := s.b, ir.Scalar(ir.I64)
	s.of.numbers.filler = s.bucket(s.ofFirst(s.of.w))
	if s.of.errors != nil {
		s.firstError = s.strict(ir.OpSub, s.ofFirst(s.of.now), s.ofFirst(s.of.w))
		s.of.errors.filler = s.bucket(s.firstError)
	}
	for _, v := range s.transferred(s.of) { // before the loop
		s.ofFirst(v)
	}
	n := b.Convert(b.NoWrap(ir.OpSub, s.to, s.from), ir.I64)
	s.short = b.Op(ir.OpSub, b.Int(i64, s.trips), n)
	o := ir.NewOp(ir.OpFor, b.Pos, nil, n, b.Int(i64, s.trips))
	o.Flags |= ir.Rolled
	b.Emit(o)
	p := &phase{distribution: s.distribution, b: b, row: o.Regions[0].AddParam(i64, "")}
	b.In(o.Regions[0], func() {
		for _, v := range s.transferred(s.of) {
			at := s.slot[v]
			b.Store(p.place(at), b.Convert(s.ofFirst(v), at.of.kind))
		}
		b.Jump(ir.OpContinue, o)
	})
}

// ofFirst appends v as computed in the first iteration of the strip.
func (s *summary) ofFirst(v *ir.Value) *ir.Value {
	s.first.want(v)
	return s.first.to.Value(v)
}

// isSame reports whether v is the same in all iterations.
func (s *summary) isSame(v *ir.Value) bool { return !s.depends[v] || isConstant(v.Def) }

// invariants appends those values from which v is computed that are the same in all iterations.
func (s *summary) invariants(v *ir.Value) {
	if _, transferred := s.slot[v]; transferred {
		return
	}
	if s.isSame(v) {
		s.ofFirst(v)
		return
	}
	for _, a := range v.Def.Args {
		s.invariants(a)
	}
}

// strict appends an op that is Strict.
func (s *summary) strict(code ir.Code, args ...*ir.Value) *ir.Value {
	v := s.b.Op(code, args...)
	v.Def.Flags |= ir.Strict
	return v
}

// size appends the bits of the magnitude of a number.
func (s *summary) size(v *ir.Value) *ir.Value {
	bits := s.b.Bitcast(v, ir.U32)
	return s.b.Op(ir.OpAnd, bits, s.b.Int(bits.Type, math.MaxInt32))
}

// bucket appends the bucket of a number in the histograms.
func (s *summary) bucket(v *ir.Value) *ir.Value {
	b := s.b
	return b.Convert(b.Op(ir.OpShr, s.size(v), b.Int(ir.Scalar(ir.U32), 23)), ir.U32)
}

// vectors appends the loop over the numbers, 64 at a time, and the reduction of the lanes of its results.
func (s *summary) vectors() {
	b, i64 := s.b, ir.Scalar(ir.I64)
	real, whole := ir.Vec(ir.F32, summaryLanes), ir.Vec(ir.U32, summaryLanes)
	inf := math.Inf(1)
	inits := []*ir.Value{b.Float(real, inf), b.Float(real, -inf), b.Int(whole, infinity-1)}
	if s.of.errors != nil {
		inits = append(inits, b.Float(real, 0), b.Float(real, 0), b.Int(i64, 0))
	}
	s.take(rolled(b, s.trips/bucketLanes, inits, func(block *ir.Value, carried []*ir.Value) []*ir.Value {
		s.take(carried)
		s.block(block)
		return s.all()
	}))
	s.least = b.Across(s.least, s.lesser)
	s.largest = b.Across(s.largest, s.greater)
	smallest := b.Across(s.smallest, func(x, y *ir.Value) *ir.Value { return b.Op(ir.OpMin, x, y) })
	s.smallest = b.Bitcast(b.Op(ir.OpAdd, smallest, b.Int(smallest.Type, 1)), ir.F32)
	if s.of.errors != nil {
		s.largestError = b.Across(s.largestError, s.greater)
		s.sum = b.Across(s.sum, func(x, y *ir.Value) *ir.Value { return s.strict(ir.OpAdd, x, y) })
	}
}

// all lists the values of the summary, and take sets them from such a list.
func (s *summary) all() []*ir.Value {
	vs := []*ir.Value{s.least, s.largest, s.smallest}
	if s.of.errors != nil {
		vs = append(vs, s.largestError, s.sum, s.absorbed)
	}
	return vs
}

func (s *summary) take(vs []*ir.Value) {
	s.least, s.largest, s.smallest = vs[0], vs[1], vs[2]
	if s.of.errors != nil {
		s.largestError, s.sum, s.absorbed = vs[3], vs[4], vs[5]
	}
}

// lesser and greater append the lesser and the greater of two numbers: y if x is a NaN.
func (s *summary) lesser(x, y *ir.Value) *ir.Value {
	return s.strict(ir.OpSelect, s.strict(ir.OpLt, x, y), x, y)
}

func (s *summary) greater(x, y *ir.Value) *ir.Value {
	return s.strict(ir.OpSelect, s.strict(ir.OpGt, x, y), x, y)
}

// block appends the update of the summary by 64 numbers.
func (s *summary) block(block *ir.Value) {
	b := s.b
	var numbers, errors []*ir.Value
	for k := range int64(bucketLanes / summaryLanes) {
		row := b.NoWrap(ir.OpAdd, b.NoWrap(ir.OpMul, block, b.Int(block.Type, bucketLanes)), b.Int(block.Type, k*summaryLanes))
		l := s.lanesAt(row)
		w := l.of(s.of.w)
		numbers = append(numbers, l.stored(w))
		s.least, s.largest = s.lesser(w, s.least), s.greater(w, s.largest)
		size := s.size(w)
		s.smallest = b.Op(ir.OpMin, s.smallest, b.Op(ir.OpSub, size, b.Int(size.Type, 1))) // 0 wraps to the largest integer
		if s.of.errors == nil {
			continue
		}
		now := l.of(s.of.now)
		e := l.stored(s.strict(ir.OpSub, now, w))
		errors = append(errors, e)
		s.sum = s.strict(ir.OpAdd, s.sum, e)
		s.largestError = s.greater(b.Bitcast(s.size(e), ir.F32), s.largestError)
		is := tally.Absorbed(b, w, l.of(s.of.old), now)
		if l.unstored != nil {
			is = b.Op(ir.OpAnd, is, b.Op(ir.OpEq, l.unstored, b.Int(l.unstored.Type, 0)))
		}
		bits := b.OpOf(ir.OpBits, ir.Scalar(ir.U64), is)
		s.absorbed = b.Op(ir.OpAdd, s.absorbed, b.Convert(b.Op(ir.OpPopcount, bits), ir.I64))
	}
	row := b.NoWrap(ir.OpMul, block, b.Int(block.Type, bucketLanes))
	b.Store(s.at(s.of.numbers.array, row), s.bytes(numbers))
	if s.of.errors != nil {
		b.Store(s.at(s.of.errors.array, row), s.bytes(errors))
	}
}

// lanes computes vectors of the values of adjacent rows.
type lanes struct {
	*summary
	row      *ir.Value // the first of the rows
	known    map[*ir.Value]*ir.Value
	unstored *ir.Value // all bits set for rows that are not counted; nil if all are counted
}

// lanesAt returns the lanes of the rows from a row on. A number that is not counted is a NaN.
func (s *summary) lanesAt(row *ir.Value) *lanes {
	l := &lanes{summary: s, row: row, known: map[*ir.Value]*ir.Value{}}
	if s.distribution.unstored != nil {
		w := l.of(s.of.w)
		l.unstored = s.b.Load(ir.Vec(ir.U32, summaryLanes), s.at(s.distribution.unstored, row))
		l.known[s.of.w] = s.b.Bitcast(s.b.Op(ir.OpOr, s.b.Bitcast(w, ir.U32), l.unstored), ir.F32)
	}
	return l
}

// stored appends v, with 0 in the lanes that are not counted.
func (l *lanes) stored(v *ir.Value) *ir.Value {
	if l.unstored == nil {
		return v
	}
	b := l.b
	return b.Bitcast(b.Op(ir.OpAnd, b.Bitcast(v, ir.U32), b.Op(ir.OpXor, l.unstored, b.Int(l.unstored.Type, math.MaxUint32))), ir.F32)
}

// of appends the vector of v: a load if the loop has transferred v, otherwise a computation from what it has transferred.
func (l *lanes) of(v *ir.Value) *ir.Value {
	if known := l.known[v]; known != nil {
		return known
	}
	b := l.b
	var vector *ir.Value
	at, transferred := l.slot[v]
	switch {
	case transferred:
		vector = b.Load(ir.Vec(at.of.kind, summaryLanes), (&phase{distribution: l.distribution, b: b, row: l.row}).place(at))
	case l.isSame(v):
		vector = b.OpOf(ir.OpSplat, ir.Vec(v.Type.Kind, summaryLanes), l.ofFirst(v))
	default:
		o := ir.NewOp(v.Def.Code, b.Pos, []ir.Type{ir.Vec(v.Type.Kind, summaryLanes)})
		for _, a := range v.Def.Args {
			o.Args = append(o.Args, l.of(a))
		}
		o.Flags, o.Aux, o.Kind = v.Def.Flags, v.Def.Aux, v.Def.Kind
		vector = b.Emit(o)
	}
	l.known[v] = vector
	return vector
}

// bytes appends the exponents of four vectors of numbers, as bytes. Their order differs from that of the numbers, since counts do not
// depend on it.
func (s *summary) bytes(of []*ir.Value) *ir.Value {
	b := s.b
	var all *ir.Value
	for k, v := range of {
		bits := b.Bitcast(v, ir.U32)
		by := 23 - 8*k
		code := ir.OpShr
		if by < 0 {
			code, by = ir.OpShl, -by
		}
		part := b.Op(ir.OpAnd, b.Op(code, bits, b.Int(bits.Type, int64(by))), b.Int(bits.Type, 255<<(8*k)))
		if k == 0 {
			all = part
		} else {
			all = b.Op(ir.OpOr, part, all)
		}
	}
	return all
}

// tally appends a part of the tally.
func (s *summary) tally(part ir.TallyPart, args ...*ir.Value) {
	tally.Emit(s.b, s.of.op.Aux, part, args...)
}

// update appends the tallies of the results, one for each part.
func (s *summary) update() {
	b := s.b
	s.tally(ir.TallyLeast, s.least)
	s.tally(ir.TallyLargest, s.largest)
	s.tally(ir.TallySmallest, s.smallest)
	if s.of.errors == nil {
		return
	}
	if s.short != nil {
		s.sum = s.strict(ir.OpSub, s.sum, s.strict(ir.OpMul, b.Convert(s.short, ir.F32), s.firstError))
		is := tally.Absorbed(b, s.ofFirst(s.of.w), s.ofFirst(s.of.old), s.ofFirst(s.of.now))
		s.absorbed = b.Op(ir.OpSub, s.absorbed, b.Op(ir.OpSelect, is, s.short, b.Int(s.short.Type, 0)))
	}
	s.tally(ir.TallyLargestError, s.largestError)
	s.tally(ir.TallySum, s.sum)
	s.tally(ir.TallyAbsorbed, s.absorbed)
}

// operands returns the operands of the tally in an iteration.
func (s *summary) operands(p *phase) (vs []*ir.Value) {
	for _, v := range s.of.op.Args {
		if s.isSame(v) {
			p.to.Values[v] = s.ofFirst(v)
		}
		p.want(v)
		vs = append(vs, p.to.Value(v))
	}
	return vs
}

// oneByOne appends a loop over the strip that counts each number, except in the histograms.
func (s *summary) oneByOne() {
	s.loop(s.b, counts, func(p *phase) {
		tally.Parts(p.b, s.operands(p), func(part ir.TallyPart, args ...*ir.Value) {
			if part != ir.TallyNumbers && part != ir.TallyErrors {
				s.tally(part, args...)
			}
		})
	})
}

// countLosses appends the counting of losses, under the condition that there may be any.
func (s *summary) countLosses() {
	b, low, high := s.b, s.ofFirst(s.of.low), s.ofFirst(s.of.high)
	some := s.strict(ir.OpLe, s.smallest, s.largestError)
	some = b.Op(ir.OpOr, some, b.Op(ir.OpOr, s.strict(ir.OpLt, s.least, low), s.strict(ir.OpGt, s.largest, high)))
	b.If(some, nil, func() {
		clamped, flushed := variable(b, 0), variable(b, 0)
		s.loop(b, computes, func(p *phase) {
			of := s.operands(p)
			isClamped, isFlushed := tally.Losses(b, of[0], of[2], low, high)
			addIf(b, clamped, isClamped)
			addIf(b, flushed, isFlushed)
		})
		s.tally(ir.TallyClamped, b.Convert(b.Load(ir.Scalar(ir.I32), clamped), ir.I64))
		s.tally(ir.TallyFlushed, b.Convert(b.Load(ir.Scalar(ir.I32), flushed), ir.I64))
		b.Yield()
	}, func() { b.Yield() })
}

// mostAhead is the largest number of cache lines that a strip prefetches.
const mostAhead = 128

// prefetchNext appends prefetches of the memory that the vector loop accesses in the next strip. Processors predict what a loop reads next, but
// not across the counting between two strips.
func (d *distribution) prefetchNext(b *ir.Builder) {
	b.Pos = d.pos
	p := &phase{distribution: d, b: b, work: computes, to: ir.NewCloner(map[*ir.Value]*ir.Value{d.index: d.to})}
	known := map[*ir.Value]bool{}
	lines := int64(0)
	for _, o := range d.ops {
		place, ok := d.places[o]
		if !ok || place.local || place.far || d.work[o] != computes || known[o.Args[0]] || !d.ofIndex(o.Args[0]) {
			continue
		}
		known[o.Args[0]] = true
		stride, _ := d.r.Stride(o.Args[0], d.index, d.depends)
		bytes := d.trips * stride
		if stride <= 0 || lines+bytes/target.LineBytes > mostAhead {
			continue
		}
		lines += bytes / target.LineBytes
		p.want(o.Args[0])
		for at := int64(0); at < bytes; at += target.LineBytes {
			b.Op(ir.OpPrefetch, b.Op(ir.OpOffset, p.to.Value(o.Args[0]), b.Int(ir.Scalar(ir.I64), at)))
		}
	}
}
