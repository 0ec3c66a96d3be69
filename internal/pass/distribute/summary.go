package distribute

import (
	"math"
	"slices"

	"github.com/gotaichi/ti/internal/ir"
	"github.com/gotaichi/ti/internal/pass/tally"
	"github.com/gotaichi/ti/internal/target"
)

// This file is the part of distribute that counts a tally behind the loop of the vectors, from arrays of the numbers w of a strip, of what was
// there before, and of now, what is there afterwards, or its codes:
//
//	for 64 numbers at a time { the ends of w; the largest error, the sum of the errors, in f32, how many were absorbed; the exponents, as bytes }
//	if the sum is finite {
//		update the variables by these
//		if a number is beyond the ends of the form, or as small as the largest error { for the strip { count the losses } }
//	} else { for the strip { all reductions, as they were } }
//	the histograms, from the bytes
//
// A number that is flushed to zero has itself as its error. So where all numbers are larger than the largest error, none is flushed. An
// infinity or a NaN among the numbers makes the sum of the errors infinite or a NaN. The variables are updated by the ops of the loop: these
// are given an end, the sum or the largest error in the place of a number.

// summaryLanes is how many numbers of 32 bits are summed up at a time.
const summaryLanes = 16

// handTally makes the arrays of a tally.
func (d *distribution) handTally(t *stripTally) {
	bytes := func(h *histogram) {
		h.array = &handed{kind: h.kind(), values: []*ir.Value{h.bucket}}
		d.arrays = append(d.arrays, h.array)
	}
	for _, v := range t.handed() {
		if _, placed := d.slot[v]; !placed {
			d.put(v.Type.Kind, []*ir.Value{v})
		}
	}
	bytes(t.numbers)
	if t.errors != nil {
		bytes(t.errors)
	}
}

// handed lists what the loop of the vectors hands over.
func (t *stripTally) handed() []*ir.Value {
	return slices.DeleteFunc([]*ir.Value{t.w, t.code, t.old}, func(v *ir.Value) bool { return v == nil })
}

// A summary is what is found of a strip.
type summary struct {
	*distribution
	of    *stripTally
	b     *ir.Builder
	first *phase    // computes what is found of the first number alone; nil where only some rows are counted
	short *ir.Value // by how many numbers the strip is shorter than others, which the arrays have the first one for

	absorbed                                    *ir.Value // how many
	least, largest, smallest, largestError, sum *ir.Value // vectors first, then numbers
}

// countTally appends the counting of a strip but for the histograms, of which it leaves the bytes.
func (d *distribution) countTally(b *ir.Builder, t *stripTally) {
	b.Pos = t.numbers.store.Pos
	s := &summary{distribution: d, of: t, b: b}
	if d.unstored == nil {
		s.fill()
	} else {
		t.numbers.filler = b.Int(t.numbers.late.Type, 0)
		if t.errors != nil {
			t.errors.filler = t.numbers.filler
		}
	}
	s.vectors()
	t.numbers.largest = s.bucket(s.greater(s.strict(ir.OpNeg, s.least), s.largest)) // without NaNs
	if t.errors == nil {
		s.update()
		return
	}
	t.errors.largest = s.bucket(s.largestError)
	b.If(b.Op(ir.OpLt, s.size(s.sum), b.Int(ir.Scalar(ir.U32), tally.Infinity)), nil, func() {
		s.update()
		s.countLosses()
		b.Yield()
	}, func() {
		s.oneByOne()
		b.Yield()
	})
}

// at is where a row of bytes is in an array.
func (s *summary) at(a *handed, row *ir.Value) *ir.Value {
	return s.b.Op(ir.OpOffset, a.array, s.b.NoWrap(ir.OpMul, row, s.b.Int(row.Type, int64(a.kind.Size()))))
}

// fill appends a loop that puts the first number behind those of a strip that is shorter than others.
func (s *summary) fill() {
	b, i64 := s.b, ir.Scalar(ir.I64)
	s.first = &phase{distribution: s.distribution, b: b, work: counts, row: b.Int(i64, 0), to: ir.NewCloner(map[*ir.Value]*ir.Value{})}
	s.of.numbers.filler = s.bucket(s.ofFirst(s.of.w))
	if s.of.errors != nil {
		s.of.errors.filler = s.bucket(s.ofFirst(s.error()))
	}
	if s.of.absorbed != nil {
		s.ofFirst(s.of.absorbed.by.Def.Args[0])
	}
	for _, v := range s.of.handed() { // here, and not within the loop
		s.ofFirst(v)
	}
	n := b.Convert(b.NoWrap(ir.OpSub, s.to, s.from), ir.I64)
	s.short = b.Op(ir.OpSub, b.Int(i64, s.trips), n)
	o := ir.NewOp(ir.OpFor, b.Pos, nil, n, b.Int(i64, s.trips))
	o.Flags |= ir.Rolled
	b.Emit(o)
	p := &phase{distribution: s.distribution, b: b, row: o.Regions[0].AddParam(i64, "")}
	b.In(o.Regions[0], func() {
		for _, v := range s.of.handed() {
			at := s.slot[v]
			b.Store(p.place(at), b.Convert(s.ofFirst(v), at.of.kind))
		}
		b.Jump(ir.OpContinue, o)
	})
}

// ofFirst appends what the first iteration of the strip has computed.
func (s *summary) ofFirst(v *ir.Value) *ir.Value {
	s.first.want(v)
	return s.first.to.Value(v)
}

// strict appends an op that computes as it is written.
func (s *summary) strict(code ir.Code, args ...*ir.Value) *ir.Value {
	v := s.b.Op(code, args...)
	v.Def.Flags |= ir.Strict
	return v
}

// size appends the bits of a magnitude.
func (s *summary) size(v *ir.Value) *ir.Value {
	bits := s.b.Bitcast(v, ir.U32)
	return s.b.Op(ir.OpAnd, bits, s.b.Int(bits.Type, math.MaxInt32))
}

// bucket appends that of a number in the histograms.
func (s *summary) bucket(v *ir.Value) *ir.Value {
	b := s.b
	return b.Convert(b.Op(ir.OpShr, s.size(v), b.Int(ir.Scalar(ir.U32), 23)), s.of.numbers.late.Type.Kind)
}

// vectors appends the loop over the numbers, of 64 at a time, and puts the lanes of what it finds together.
func (s *summary) vectors() {
	b, i64 := s.b, ir.Scalar(ir.I64)
	real, whole := ir.Vec(ir.F32, summaryLanes), ir.Vec(ir.U32, summaryLanes)
	inf := math.Inf(1)
	inits := []*ir.Value{b.Float(real, inf), b.Float(real, -inf), b.Int(whole, tally.Infinity-1)}
	if s.of.errors != nil {
		inits = append(inits, b.Float(real, 0), b.Float(real, 0))
	}
	if s.of.absorbed != nil {
		inits = append(inits, b.Int(i64, 0))
	}
	s.take(rolled(b, s.trips/bucketLanes, inits, func(block *ir.Value, carried []*ir.Value) []*ir.Value {
		s.take(carried)
		s.block(block)
		return s.all()
	}))
	s.least = across(b, s.least, s.lesser)
	s.largest = across(b, s.largest, s.greater)
	smallest := across(b, s.smallest, func(x, y *ir.Value) *ir.Value { return b.Op(ir.OpMin, x, y) })
	s.smallest = b.Bitcast(b.Op(ir.OpAdd, smallest, b.Int(smallest.Type, 1)), ir.F32)
	if s.of.errors != nil {
		s.largestError = across(b, s.largestError, s.greater)
		s.sum = across(b, s.sum, func(x, y *ir.Value) *ir.Value { return s.strict(ir.OpAdd, x, y) })
	}
}

// all lists the values of the summary, and take takes them from such a list.
func (s *summary) all() []*ir.Value {
	vs := []*ir.Value{s.least, s.largest, s.smallest}
	if s.of.errors != nil {
		vs = append(vs, s.largestError, s.sum)
	}
	if s.of.absorbed != nil {
		vs = append(vs, s.absorbed)
	}
	return vs
}

func (s *summary) take(vs []*ir.Value) {
	s.least, s.largest, s.smallest = vs[0], vs[1], vs[2]
	if s.of.errors != nil {
		s.largestError, s.sum = vs[3], vs[4]
	}
	if s.of.absorbed != nil {
		s.absorbed = vs[5]
	}
}

// lesser and greater append the lesser and greater of numbers: y if x is a NaN.
func (s *summary) lesser(x, y *ir.Value) *ir.Value {
	return s.strict(ir.OpSelect, s.strict(ir.OpLt, x, y), x, y)
}

func (s *summary) greater(x, y *ir.Value) *ir.Value {
	return s.strict(ir.OpSelect, s.strict(ir.OpGt, x, y), x, y)
}

// block appends what is found of 64 numbers.
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
		s.smallest = b.Op(ir.OpMin, s.smallest, b.Op(ir.OpSub, size, b.Int(size.Type, 1))) // 0 becomes the highest
		if s.of.errors == nil {
			continue
		}
		now := l.of(s.of.now)
		e := l.stored(s.strict(ir.OpSub, now, w))
		errors = append(errors, e)
		s.sum = s.strict(ir.OpAdd, s.sum, e)
		s.largestError = s.greater(b.Bitcast(s.size(e), ir.F32), s.largestError)
		if s.of.absorbed != nil {
			is := l.of(s.of.absorbed.by.Def.Args[0])
			if l.unstored != nil {
				is = b.Op(ir.OpAnd, is, b.Op(ir.OpEq, l.unstored, b.Int(l.unstored.Type, 0)))
			}
			bits := b.OpOf(ir.OpBits, ir.Scalar(ir.U64), is)
			s.absorbed = b.Op(ir.OpAdd, s.absorbed, b.Convert(b.Op(ir.OpPopcount, bits), ir.I64))
		}
	}
	row := b.NoWrap(ir.OpMul, block, b.Int(block.Type, bucketLanes))
	b.Store(s.at(s.of.numbers.array, row), s.bytes(numbers))
	if s.of.errors != nil {
		b.Store(s.at(s.of.errors.array, row), s.bytes(errors))
	}
}

// lanes computes what some iterations side by side have.
type lanes struct {
	*summary
	row      *ir.Value // the first
	known    map[*ir.Value]*ir.Value
	unstored *ir.Value // all bits set for those that are not counted; nil where all are
}

// lanesAt returns those from a row on. A number that is not counted is a NaN.
func (s *summary) lanesAt(row *ir.Value) *lanes {
	l := &lanes{summary: s, row: row, known: map[*ir.Value]*ir.Value{}}
	if s.distribution.unstored != nil {
		w := l.of(s.of.w)
		l.unstored = s.b.Load(ir.Vec(ir.U32, summaryLanes), s.at(s.distribution.unstored, row))
		l.known[s.of.w] = s.b.Bitcast(s.b.Op(ir.OpOr, s.b.Bitcast(w, ir.U32), l.unstored), ir.F32)
	}
	return l
}

// stored appends v with 0 in the place of what is not counted.
func (l *lanes) stored(v *ir.Value) *ir.Value {
	if l.unstored == nil {
		return v
	}
	b := l.b
	return b.Bitcast(b.Op(ir.OpAnd, b.Bitcast(v, ir.U32), b.Op(ir.OpXor, l.unstored, b.Int(l.unstored.Type, math.MaxUint32))), ir.F32)
}

// of appends a vector of v: what the loop has handed over, or what is computed from that.
func (l *lanes) of(v *ir.Value) *ir.Value {
	if known := l.known[v]; known != nil {
		return known
	}
	b := l.b
	var vector *ir.Value
	at, handed := l.slot[v]
	switch {
	case handed:
		vector = b.Load(ir.Vec(at.of.kind, summaryLanes), (&phase{distribution: l.distribution, b: b, row: l.row}).place(at))
	case !l.depends[v]:
		vector = b.OpOf(ir.OpSplat, ir.Vec(v.Type.Kind, summaryLanes), v)
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

// bytes appends the exponent fields of four vectors of numbers, in an order of its own: counts do not depend on it.
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

// update appends the reductions of what was found, each once.
func (s *summary) update() {
	t := s.of
	if t.errors != nil && s.first != nil {
		s.sum = s.strict(ir.OpSub, s.sum, s.strict(ir.OpMul, s.b.Convert(s.short, ir.F32), s.ofFirst(s.error())))
	}
	for _, u := range []struct {
		of           *reduction
		number, with *ir.Value
	}{
		{t.least, t.w, s.least}, {t.largest, t.w, s.largest}, {t.smallest, t.w, s.smallest},
		{t.largestError, s.error(), s.largestError}, {t.sum, s.error(), s.sum},
	} {
		if u.of != nil {
			s.reduce(u.of, &phase{distribution: s.distribution, b: s.b, work: counts, to: ir.NewCloner(map[*ir.Value]*ir.Value{u.number: u.with})})
		}
	}
	if t.absorbed != nil {
		n := s.absorbed
		if s.first != nil {
			n = s.b.Op(ir.OpSub, n, s.b.Op(ir.OpSelect, s.ofFirst(t.absorbed.by.Def.Args[0]), s.short, s.b.Int(s.short.Type, 0)))
		}
		s.reduce(t.absorbed, &phase{distribution: s.distribution, b: s.b, work: counts, to: ir.NewCloner(map[*ir.Value]*ir.Value{t.absorbed.by: n})})
	}
}

// error is the value of the loop that the histogram of errors is of.
func (s *summary) error() *ir.Value {
	if s.of.errors == nil {
		return nil
	}
	return s.of.errors.number()
}

// reduce appends a reduction of what p has.
func (s *summary) reduce(r *reduction, p *phase) {
	for _, o := range []*ir.Op{r.load, r.update, r.store} {
		for _, v := range o.Args {
			p.want(v)
		}
		s.b.Emit(p.to.Op(o))
	}
}

// oneByOne appends a loop over the strip with the reductions as they were.
func (s *summary) oneByOne() {
	s.loop(s.b, counts, func(p *phase) {
		for _, r := range s.of.reductions() {
			s.reduce(r, p)
		}
	})
}

// countLosses appends the counting of what is lost, where anything may be.
func (s *summary) countLosses() {
	t, b := s.of, s.b
	if len(t.losses) == 0 {
		return
	}
	some := s.strict(ir.OpLe, s.smallest, s.largestError)
	if t.lo != nil {
		some = b.Op(ir.OpOr, some, b.Op(ir.OpOr, s.strict(ir.OpLt, s.least, t.lo), s.strict(ir.OpGt, s.largest, t.hi)))
	}
	b.If(some, nil, func() {
		var sums []*narrowSum
		for _, r := range t.losses {
			n := &narrowSum{reduction: *r, number: r.by.Def.Args[0]}
			n.begin(b)
			sums = append(sums, n)
		}
		s.loop(b, computes, func(p *phase) {
			for _, n := range sums {
				n.step(p, n.store)
			}
		})
		for _, n := range sums {
			n.end(b)
		}
		b.Yield()
	}, func() { b.Yield() })
}

// mostAhead is how many lines of the cache a strip asks for.
const mostAhead = 128

// askAhead asks for the memory that the loop of the vectors accesses in the next strip. Processors foresee what a loop reads next, but not
// across the counting between two strips.
func (d *distribution) askAhead(b *ir.Builder) {
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
